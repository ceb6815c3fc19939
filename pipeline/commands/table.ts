/** A row of a table in the terminal. */
export type Cells = Record<string, string | number | boolean | null>;

/** Columns aligned, numbers to the right; a cell that is not there is a dash. */
export function formatTable(rows: readonly Cells[]): string {
  const columns = Object.keys(rows[0] ?? {});
  const text = rows.map((row) => columns.map((column) => String(row[column] ?? '—')));
  const widths = columns.map((column, i) => Math.max(column.length, ...text.map((cells) => cells[i]!.length)));
  const numeric = columns.map((column) => rows.every((row) => typeof row[column] === 'number' || row[column] === null));
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, i) => (numeric[i] ? cell.padStart(widths[i]!) : cell.padEnd(widths[i]!)))
      .join('  ')
      .trimEnd();
  return [line(columns), ...text.map(line)].join('\n');
}
