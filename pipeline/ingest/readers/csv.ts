import { readFile } from 'node:fs/promises';
import { gunzipSync } from 'node:zlib';
import { type Dialect, SEPARATORS } from '../../catalog/dialect.ts';
import { InputLocation } from '../../lib/bad-input.ts';
import { type CsvRow, hasOpenQuote, splitCsvCells, splitCsvRows } from '../../lib/tables/csv.ts';
import { isMisread } from './encoding.ts';
import { refuseUnsupported } from './unsupported.ts';

/** The cells of a table as text, null if empty, with the line number of each row. */
export interface TextTable {
  header: readonly string[];
  rows: readonly { line: number; cells: readonly (string | null)[] }[];
  /** The rows above the header. */
  titles?: readonly string[];
  /** Whether the last row may be cut short inside its last cell: it has no line end. */
  mayBeCut?: boolean;
}

/**
 * Reads a CSV file (plain or gzip): UTF-8 or as declared, double quotes, a header.
 * @param full path of the file
 * @param file its name in messages
 * @param declared the separator of its cells; null takes the one that the header has most of
 * @param encoding of its text if it is not UTF-8; null takes the one that fits
 * @param titleRows rows above the header; null takes those that are much shorter than the table
 * @throws BadInput naming a row by the line where it starts (the first one is 1): bytes that are not in the encoding,
 *   more or fewer cells than in the header, a quote that is not closed
 */
export async function readCsv(
  full: string,
  file: string,
  declared: Separator | null = ',',
  encoding: Encoding | null = undefined,
  titleRows: number | null = 0,
): Promise<TextTable & ReadCsv> {
  const location = new InputLocation(file);
  const text = decode(await readBytes(full, file, location), encoding, location);
  const { rows: all, mayBeCut } = splitRows(text.content, location);
  const above = titleRows ?? titlesAbove(all);
  if (above >= all.length)
    throw location.error(`${all.length} rows`, `a header in row ${above + 1} (sources.json, dialect)`);
  const [first, ...rest] = all.slice(above) as [CsvRow, ...CsvRow[]];
  const separator = declared ?? likeliestSeparator(first.text);
  const header = splitCells(first, separator, location);
  const last = all.at(-1)!;
  const lastCells = splitCsvCells(last.text, separator).length;
  if (mayBeCut && (rest.length === 0 || lastCells !== header.length)) {
    const found = rest.length === 0 ? 'no line end' : `no line end and ${lastCells} of ${header.length} cells`;
    throw location.at(`row ${last.line}`).error(found, 'a complete last row (is the file cut short?)');
  }
  const rows = rest
    .filter(({ text }) => text !== '')
    .map((row) => {
      const cells = splitCells(row, separator, location);
      if (cells.length !== header.length) throw location.at(`row ${row.line}`).error(...unlikeHeader(cells, header));
      if (hasRowsInside(row, separator, header.length)) throw location.at(`row ${row.line}`).error(...OPEN_QUOTE);
      return { line: row.line, cells: cells.map((cell) => cell || null) };
    });
  const titles = all.slice(0, above).map(({ text }) => text);
  return { header, rows, separator, encoding: text.encoding, titles, mayBeCut };
}

/** What is wrong with a row, and what it should be. */
type Fault = [found: string, expected: string];

const OPEN_QUOTE: Fault = ['a quote that is not closed', 'quotes in pairs, around whole cells'];
const PARTLY_QUOTED: Fault = ['a cell that is only partly in quotes', 'quotes around whole cells, doubled inside them'];

function unlikeHeader(cells: readonly string[], { length }: readonly string[]): Fault {
  const more = length === 1 ? '; are there titles above the real header (sources.json, dialect, title_rows)?' : '';
  return [`${cells.length} cells`, `${length} as in the header${more}`];
}

function splitCells({ line, text }: CsvRow, separator: Separator, location: InputLocation): string[] {
  const cells = splitCsvCells(text, separator);
  if (cells.includes(null))
    throw location.at(`row ${line}`).error(...(text.includes('\n') ? OPEN_QUOTE : PARTLY_QUOTED));
  return cells as string[];
}

/** Whether lines within a row look like rows themselves: a stray quote takes in all up to the next one. */
const hasRowsInside = ({ text }: CsvRow, separator: Separator, width: number): boolean =>
  width > 1 &&
  text.includes('\n') &&
  text
    .split('\n')
    .slice(1, -1)
    .some((line) => splitCsvCells(line, separator).length === width);

/** The rows without their line ends, and whether the last one has none. All are checked before any is used. */
function splitRows(content: string, location: InputLocation): { rows: CsvRow[]; mayBeCut: boolean } {
  const rows = splitCsvRows(content);
  const mayBeCut = rows.at(-1)!.text !== '';
  if (!mayBeCut) rows.pop();
  if (!rows[0]?.text.trim()) throw location.at('row 1').error('nothing', 'a header');
  const carriage = rows[0].text.endsWith('\r');
  // Checked as if it had the line end that the others have.
  if (mayBeCut && carriage && rows.length > 1) rows.at(-1)!.text += '\r';
  for (const row of rows) {
    const fault = faultIn(row.text, carriage);
    if (fault) throw location.at(`row ${row.line}`).error(...fault);
    row.text = (carriage ? row.text.slice(0, -1) : row.text).replaceAll('\r\n', '\n');
  }
  return { rows, mayBeCut };
}

function faultIn(row: string, carriage: boolean): Fault | null {
  if (hasOpenQuote(row)) return OPEN_QUOTE;
  if (row.endsWith('\r') !== carriage) return ['a line end that differs from row 1', 'the same in every row'];
  const isText = !/\0|\r(?!\n|$)/.test(row);
  return isText ? null : ['a zero byte or a carriage return', 'text, with a line feed after each row'];
}

async function readBytes(full: string, file: string, location: InputLocation): Promise<Buffer> {
  const bytes = await readFile(full).catch((cause: NodeJS.ErrnoException) => {
    throw location.error(cause.code === 'ENOENT' ? 'no such file' : cause.message, 'a readable CSV table');
  });
  if (bytes.length > MOST_BYTES) throw tooLarge(location);
  const unzipped = file.endsWith('.gz') ? unzip(bytes, location) : bytes;
  refuseUnsupported(file, unzipped, 'table');
  return unzipped;
}

/** A table is kept in memory several times. */
const MOST_BYTES = 2 ** 28;
const tooLarge = (location: InputLocation) =>
  location.error(`more than ${MOST_BYTES / 2 ** 20} MB of text`, 'a smaller table (or is it a damaged gzip file?)');

function unzip(bytes: Buffer, location: InputLocation): Buffer {
  try {
    return gunzipSync(bytes, { maxOutputLength: MOST_BYTES });
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(location);
    throw location.error(`data that cannot be unpacked (${(cause as Error).message})`, 'an intact gzip file');
  }
}

/** Text without a byte order mark, and its encoding. */
interface Text {
  content: string;
  encoding: Encoding;
}

/** Nearly all bytes are text in windows-1252, so it has to look like text too: without control characters or UTF-8. */
function decode(bytes: Buffer, declared: Encoding | null, location: InputLocation): Text {
  const rowWhere = (text: string, isBad: (line: string) => boolean) => text.split('\n').findIndex(isBad) + 1;
  if (!declared)
    try {
      return { content: new TextDecoder('utf-8', { fatal: true }).decode(bytes), encoding: undefined };
    } catch {
      // Another encoding, or none.
    }
  const content = new TextDecoder('windows-1252').decode(bytes);
  const misread = rowWhere(content, (line) => isMisread(line.replaceAll(/[\t\r]/g, '')));
  if (declared && misread > 0)
    throw location
      .at(`row ${misread}`)
      .error(`bytes that are not ${declared}`, `a table in ${declared} (sources.json, dialect)`);
  if (declared !== undefined && misread === 0) return { content, encoding: 'windows-1252' };
  const row = rowWhere(bytes.toString('latin1'), (line) => !isUtf8(line));
  const alternative = misread === 0 ? ', or `"encoding": "windows-1252"` in its dialect (sources.json)' : '';
  throw location.at(`row ${row}`).error('bytes that are not UTF-8', `a table in UTF-8${alternative}`);
}

function isUtf8(latin1: string): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(latin1, 'latin1'));
    return true;
  } catch {
    return false;
  }
}

/** What differs between CSV files, apart from their cells. */
export interface ReadCsv {
  separator: Separator;
  encoding: Encoding;
}

/** Of text that is not UTF-8. */
type Encoding = Dialect['encoding'];
type Separator = ',' | (typeof SEPARATORS)[number];

/**
 * How many of the first rows hold titles: at most a label and its text, and less than half of the cells of the fullest
 * of the rows below.
 */
function titlesAbove(rows: readonly CsvRow[]): number {
  const filled = rows
    .slice(0, FIRST_ROWS)
    .map(({ text }) => splitCsvCells(text, likeliestSeparator(text)).filter((cell) => cell?.trim() !== '').length);
  const most = Math.max(...filled);
  return filled.findIndex((cells) => cells > 2 || 2 * cells >= most);
}
/** Of these the header is one. */
const FIRST_ROWS = 20;

/** The separator that makes the most cells of a header; a comma if none does. */
function likeliestSeparator(header: string): Separator {
  const cells = (separator: Separator) => splitCsvCells(header, separator).length;
  return SEPARATORS.reduce<Separator>((best, one) => (cells(one) > cells(best) ? one : best), ',');
}
