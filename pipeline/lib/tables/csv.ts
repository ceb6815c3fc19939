/**
 * Rows as CSV (RFC 4180) without a final line end; null becomes an empty cell.
 * @param columns by default the fields of the first row
 */
export function toCsv<Row extends object>(
  rows: readonly Row[],
  columns: readonly (keyof Row & string)[] = Object.keys(rows[0] ?? {}) as (keyof Row & string)[],
): string {
  const cell = (value: unknown) => {
    const text = value === null || value === undefined ? '' : String(value);
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return [columns, ...rows.map((row) => columns.map((column) => row[column]))]
    .map((row) => row.map(cell).join(','))
    .join('\n');
}

/**
 * `text` as a cell of CSV that people open in a spreadsheet: what it would run as a formula is marked as text with an
 * apostrophe, as OWASP advises. Numbers stay as they are.
 */
export function inert(text: string): string {
  return /^[=+\-@\t\r]/.test(text) && Number.isNaN(Number(text)) ? `'${text}` : text;
}

/** The trimmed cells of each row of a CSV whose cells have no line ends; blank lines are no rows. */
export const fromCsv = (text: string): string[][] =>
  text
    .split(/\r?\n/)
    .filter((line) => line.trim() !== '')
    .map((line) =>
      [...`,${line}`.matchAll(/,(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(([, quoted, bare]) =>
        (quoted?.replaceAll('""', '"') ?? bare!).trim(),
      ),
    );
