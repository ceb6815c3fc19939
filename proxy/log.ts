/** Lines of JSON for machines to read. A key is never in one: nothing that a client writes is. */

export interface Log {
  write(record: object): void;
  /** Writes what is held back; to be called at the end. */
  flush(): void;
}

/** A log on `output`. Lines of one turn of the event loop go out in one write, which under load spares most of them. */
export function openLog(output: { write(text: string): unknown }): Log {
  let held = '';
  const flush = () => {
    const text = held;
    held = '';
    if (text !== '') output.write(text);
  };
  return {
    write(record) {
      if (held === '') setImmediate(flush);
      held += `${JSON.stringify({ time: new Date().toISOString(), ...record })}\n`;
    },
    flush,
  };
}
