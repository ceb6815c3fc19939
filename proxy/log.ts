/** Lines of JSON for machines to read. A key is never in one: nothing that a client writes is. */

export interface Log {
  write(record: object): void;
  /** Writes what is held back; to be called at the end. */
  flush(): void;
}

export interface LogOutput {
  write(text: string): unknown;
  /** What it has been given and its reader has not taken yet. */
  writableLength: number;
}

/** With so much untaken, in bytes, the reader is taken to hang. */
const MOST_UNTAKEN = 8 << 20;

/**
 * A log on `output`. Lines of one turn of the event loop go out in one write, which under load spares most of them. Lines
 * for a reader that hangs are lost, for else they would fill the memory; `onLoss` is called each time.
 */
export function openLog(output: LogOutput, onLoss: () => void): Log {
  let held = '';
  const flush = () => {
    const text = held;
    held = '';
    if (text === '') return;
    if (output.writableLength > MOST_UNTAKEN) onLoss();
    else output.write(text);
  };
  return {
    write(record) {
      if (held === '') setImmediate(flush);
      held += `${JSON.stringify({ time: new Date().toISOString(), ...record })}\n`;
    },
    flush,
  };
}
