/** A row of a table in the terminal. */
export type Cells = Record<string, string | number | boolean | null>;

const GAP = '  ';

/**
 * Aligns columns, numbers to the right; a missing cell becomes a dash.
 * @param width of the terminal: columns that do not fit follow in a table below, after those that identify the rows
 */
export function formatTable(rows: readonly Cells[], width = Number.POSITIVE_INFINITY): string {
  const columns = Object.keys(rows[0] ?? {}).map((name) => toColumn(rows, name));
  const nameColumns = columns.slice(0, countNameColumns(rows));
  const groups: Column[][] = [[...nameColumns]];
  for (const column of columns.slice(nameColumns.length)) {
    const last = groups.at(-1)!;
    if (last.length > nameColumns.length && totalWidth([...last, column]) > width)
      groups.push([...nameColumns, column]);
    else last.push(column);
  }
  // If a single cell is too wide, splitting the table does not help.
  const doAllFit = groups.every((group) => totalWidth(group) <= width);
  return (doAllFit ? groups : [columns]).map(joinColumns).join('\n\n');
}

/** A row's cells of these columns, in their order; numbers with so many decimals, unless that is null. */
export function formatCells<Row extends object>(row: Row, decimals: Partial<Record<keyof Row, number | null>>): Cells {
  return Object.fromEntries(
    Object.entries<number | null | undefined>(decimals).map(([name, digits]) => {
      const cell = (row as Cells)[name]!;
      return [name, typeof cell === 'number' && typeof digits === 'number' ? cell.toFixed(digits) : cell];
    }),
  );
}

/** The heading and one cell per row, all of the same width. */
type Column = string[];

function toColumn(rows: readonly Cells[], name: string): Column {
  const cells = [name, ...rows.map((row) => formatValue(row[name] ?? '—'))];
  const width = Math.max(...cells.map((cell) => cell.length));
  const isNumeric = rows.every((row) => typeof row[name] === 'number' || row[name] === null);
  return cells.map((cell) => (isNumeric ? cell.padStart(width) : cell.padEnd(width)));
}

/** Whole numbers in full, others with six digits. */
function formatValue(value: string | number | boolean): string {
  if (typeof value !== 'number') return String(value);
  return String(Math.abs(value) < 1e6 ? Number(value.toPrecision(6)) : Math.round(value));
}

/** How many leading columns identify a row, including a name that follows a code. */
function countNameColumns(rows: readonly Cells[]): number {
  const values = rows.map((row) => Object.values(row));
  const columnCount = values[0]?.length ?? 0;
  const areUnique = (count: number) =>
    new Set(values.map((row) => JSON.stringify(row.slice(0, count)))).size === rows.length;
  let count = 1;
  while (count < columnCount && !areUnique(count)) count++;
  return values.every((row) => typeof row[count] === 'string') ? count + 1 : count;
}

const totalWidth = (columns: readonly Column[]): number =>
  columns.reduce((sum, [heading]) => sum + heading!.length, GAP.length * (columns.length - 1));

const joinColumns = (columns: readonly Column[]): string =>
  (columns[0] ?? [''])
    .map((_, i) =>
      columns
        .map((cells) => cells[i])
        .join(GAP)
        .trimEnd(),
    )
    .join('\n');
