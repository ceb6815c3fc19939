import pino, { type Logger } from 'pino';

export interface LogOutput {
  write(text: string): unknown;
  /** What it has been given and its reader has not taken yet, in bytes. */
  writableLength: number;
}

/** With this much untaken, in bytes, the reader is taken to hang. */
const MOST_UNTAKEN = 8 << 20;

/**
 * A log of JSON lines on `output`, each with its time. Lines for a reader that hangs are lost, for else they would fill
 * the memory; `onLoss` is called for each. A key is never in one: nothing that a client writes is.
 */
export function openLog(output: LogOutput, onLoss: () => void): Logger {
  const write = (line: string) => {
    if (output.writableLength > MOST_UNTAKEN) onLoss();
    else output.write(line);
  };
  const timestamp = pino.stdTimeFunctions.isoTime;
  return pino(
    { base: null, messageKey: 'message', timestamp, formatters: { level: (level) => ({ level }) } },
    { write },
  );
}
