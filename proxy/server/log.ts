import pino, { type Logger } from 'pino';
import type { AccessRecord } from '../api/observe.ts';

export interface LogOutput {
  write(text: string): unknown;
  /** Number of bytes written to it that its reader has not yet read. */
  writableLength: number;
}

/** With this many unread bytes the reader is assumed to hang. */
const MOST_UNREAD_BYTES = 8 << 20;

/**
 * A log of timestamped JSON lines on `output`. If its reader hangs, lines are dropped instead of filling the memory,
 * and `onLoss` is called for each. Nothing that a client sends is ever logged, so neither are keys.
 */
export function openLog(output: LogOutput, onLoss: () => void): Logger {
  const write = (line: string) => {
    if (output.writableLength > MOST_UNREAD_BYTES) onLoss();
    else output.write(line);
  };
  const timestamp = pino.stdTimeFunctions.isoTime;
  return pino(
    { base: null, messageKey: 'message', timestamp, formatters: { level: (level) => ({ level }) } },
    { write },
  );
}

/** Requests without a valid key that are logged a minute: strangers can send thousands a second. */
const MAX_KEYLESS_LINES = 100;

/**
 * Writes access records, but of requests without a valid key only the first of each minute; at its end `report` gets a
 * line with the number of the others.
 */
export function limitKeylessLines(
  write: (record: AccessRecord) => void,
  report: (line: string) => void,
): (record: AccessRecord) => void {
  let keyless = 0;
  const endMinute = () => {
    const unlogged = keyless - MAX_KEYLESS_LINES;
    keyless = 0;
    if (unlogged > 0) report(`access log: ${unlogged} more requests without a valid key in the last minute`);
  };
  return (record) => {
    // Failures of the service are logged, whoever asked.
    if (record.key_id !== null || record.status >= 500) return write(record);
    if (keyless++ === 0) setTimeout(endMinute, 60_000).unref();
    if (keyless <= MAX_KEYLESS_LINES) write(record);
  };
}
