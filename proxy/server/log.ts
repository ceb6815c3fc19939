import pino, { type Logger } from 'pino';

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
