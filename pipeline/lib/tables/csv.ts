import { writeAtomic } from '../atomic-write.ts';

/**
 * Rows as CSV (RFC 4180) without a final line end; null becomes an empty cell.
 * @param columns by default the fields of the first row
 */
export function toCsv<Row extends object>(
  rows: readonly Row[],
  columns: readonly (keyof Row & string)[] = Object.keys(rows[0] ?? {}) as (keyof Row & string)[],
): string {
  const toCell = (value: unknown) => {
    const text = value === null || value === undefined ? '' : String(value);
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return [columns, ...rows.map((row) => columns.map((column) => row[column]))]
    .map((row) => row.map(toCell).join(','))
    .join('\n');
}

/** Writes rows as a CSV file in one step. @param columns by default the fields of the first row */
export const writeCsv = <Row extends object>(
  file: string,
  rows: readonly Row[],
  columns?: readonly (keyof Row & string)[],
): Promise<void> => writeAtomic(file, `${toCsv(rows, columns)}\n`);

/**
 * `text` as a cell of CSV that people open in a spreadsheet: what it would run as a formula is marked as text with an
 * apostrophe, as OWASP advises. Numbers stay as they are.
 */
export function escapeFormula(text: string): string {
  return /^[=+\-@\t\r]/.test(text) && Number.isNaN(Number(text)) ? `'${text}` : text;
}

/** A row of a CSV: the number of the line where it starts, from 1, and its text without the line end. */
export interface CsvRow {
  line: number;
  text: string;
}

/** Whether a quote in the text is not closed. */
export const hasOpenQuote = (text: string): boolean => text.includes('"') && text.split('"').length % 2 === 0;

/**
 * The rows of a CSV (RFC 4180): a line end between quotes belongs to a cell. After a quote that is not closed, the rest
 * of the text is one row.
 */
export const splitCsvRows = (text: string): CsvRow[] =>
  joinParts(text.split('\n'), '\n', hasOpenQuote).map(({ first, text }) => ({ line: first + 1, text }));

/** The cells of a row without the quotes around them; null for a cell that quotes enclose only in part. */
export function splitCsvCells(row: string, separator: string): (string | null)[] {
  const parts = row.split(separator);
  if (!row.includes('"')) return parts;
  const opensQuote = (part: string) => part.trimStart().startsWith('"') && hasOpenQuote(part);
  return joinParts(parts, separator, opensQuote).map(({ text }) => unquote(text));
}

function unquote(cell: string): string | null {
  const text = cell.trim();
  if (!text.startsWith('"')) return cell.includes('\n') ? null : cell;
  const content = text.slice(1, -1);
  const isEnclosed = text.length > 1 && text.endsWith('"') && !content.replaceAll('""', '').includes('"');
  return isEnclosed ? content.replaceAll('""', '"') : null;
}

/** The parts of a text, joined where a quote is open between them; `first` is the index of the first of them. */
function joinParts(
  parts: readonly string[],
  separator: string,
  opensQuote: (part: string) => boolean,
): { first: number; text: string }[] {
  const joined: { first: number; text: string }[] = [];
  for (let first = 0; first < parts.length; ) {
    let end = first + 1;
    if (opensQuote(parts[first]!)) {
      while (end < parts.length && !hasOpenQuote(parts[end]!)) end++;
      end++;
    }
    joined.push({ first, text: end === first + 1 ? parts[first]! : parts.slice(first, end).join(separator) });
    first = end;
  }
  return joined;
}
