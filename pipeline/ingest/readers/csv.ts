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
 * @param fullPath path of the file
 * @param file its name in messages
 * @param declaredSeparator the separator of its cells; null takes the one that the header has most of
 * @param encoding of its text if it is not UTF-8; null takes the one that fits
 * @param titleRows rows above the header; null takes those that are much shorter than the table
 * @throws BadInput naming a row by the line where it starts (the first one is 1): bytes that are not in the encoding,
 *   more or fewer cells than in the header, a quote that is not closed
 */
export async function readCsv(
  fullPath: string,
  file: string,
  declaredSeparator: Separator | null = ',',
  encoding: Encoding | null = undefined,
  titleRows: number | null = 0,
): Promise<TextTable & CsvFormat> {
  const location = new InputLocation(file);
  const decoded = decodeText(await readBytes(fullPath, file, location), encoding, location);
  const { rows: fileRows, mayBeCut } = splitRows(decoded.content, location);
  const titleCount = titleRows ?? countTitleRows(fileRows.slice(0, MOST_TITLE_ROWS).map(countFilledCells));
  if (titleCount >= fileRows.length)
    throw location.error(`${fileRows.length} rows`, `a header in row ${titleCount + 1} (sources.json, dialect)`);
  const [headerRow, ...bodyRows] = fileRows.slice(titleCount) as [CsvRow, ...CsvRow[]];
  const separator = declaredSeparator ?? likeliestSeparator(headerRow.text);
  const header = splitCells(headerRow, separator, location);
  const lastRow = fileRows.at(-1)!;
  const lastCells = splitCsvCells(lastRow.text, separator).length;
  if (mayBeCut && (bodyRows.length === 0 || lastCells !== header.length)) {
    const found = bodyRows.length === 0 ? 'no line end' : `no line end and ${lastCells} of ${header.length} cells`;
    throw location.at(`row ${lastRow.line}`).error(found, 'a complete last row (is the file cut short?)');
  }
  const rows = bodyRows
    .filter(({ text }) => text !== '')
    .map((row) => {
      const cells = splitCells(row, separator, location);
      if (cells.length !== header.length)
        throw location.at(`row ${row.line}`).error(...describeCellCount(cells, header));
      if (hasRowsInside(row, separator, header.length)) throw location.at(`row ${row.line}`).error(...OPEN_QUOTE);
      return { line: row.line, cells: cells.map((cell) => cell || null) };
    });
  const titles = fileRows.slice(0, titleCount).map(({ text }) => text);
  return { header, rows, separator, encoding: decoded.encoding, titles, mayBeCut };
}

/** What is wrong with a row, and what it should be. */
type Fault = [found: string, expected: string];

const OPEN_QUOTE: Fault = ['a quote that is not closed', 'quotes in pairs, around whole cells'];
const PARTLY_QUOTED: Fault = ['a cell that is only partly in quotes', 'quotes around whole cells, doubled inside them'];

function describeCellCount(cells: readonly string[], { length }: readonly string[]): Fault {
  const titleHint =
    length === 1
      ? '; has the file another separator, or titles above the real header (sources.json, dialect: separator, decimal_comma, title_rows)?'
      : '';
  const quoteHint = cells.length > length && length > 1 ? '; is a separator in a cell without quotes?' : '';
  return [`${cells.length} cells`, `${length} as in the header${titleHint}${quoteHint}`];
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
  const hasCarriageReturn = rows[0].text.endsWith('\r');
  // Checked as if it had the line end that the others have.
  if (mayBeCut && hasCarriageReturn && rows.length > 1) rows.at(-1)!.text += '\r';
  for (const row of rows) {
    const rowFault = findFault(row.text, hasCarriageReturn);
    if (rowFault) throw location.at(`row ${row.line}`).error(...rowFault);
    row.text = (hasCarriageReturn ? row.text.slice(0, -1) : row.text).replaceAll('\r\n', '\n');
  }
  return { rows, mayBeCut };
}

function findFault(row: string, hasCarriageReturn: boolean): Fault | null {
  if (hasOpenQuote(row)) return OPEN_QUOTE;
  if (row.endsWith('\r') !== hasCarriageReturn) return ['a line end that differs from row 1', 'the same in every row'];
  const hasOnlyText = !/\0|\r(?!\n|$)/.test(row);
  return hasOnlyText ? null : ['a zero byte or a carriage return', 'text, with a line feed after each row'];
}

async function readBytes(fullPath: string, file: string, location: InputLocation): Promise<Buffer> {
  const bytes = await readFile(fullPath).catch((cause: NodeJS.ErrnoException) => {
    throw location.error(cause.code === 'ENOENT' ? 'no such file' : cause.message, 'a readable CSV table');
  });
  if (bytes.length > MOST_BYTES) throw tooLarge(location);
  const contentBytes = file.endsWith('.gz') ? gunzip(bytes, location) : bytes;
  refuseUnsupported(file, contentBytes, 'table');
  return contentBytes;
}

/** A table is kept in memory several times. */
const MOST_BYTES = 2 ** 28;
const tooLarge = (location: InputLocation) =>
  location.error(`more than ${MOST_BYTES / 2 ** 20} MB of text`, 'a smaller table (or is it a damaged gzip file?)');

function gunzip(bytes: Buffer, location: InputLocation): Buffer {
  try {
    return gunzipSync(bytes, { maxOutputLength: MOST_BYTES });
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(location);
    throw location.error(`data that cannot be unpacked (${(cause as Error).message})`, 'an intact gzip file');
  }
}

/** Text without a byte order mark, and its encoding. */
interface DecodedText {
  content: string;
  encoding: Encoding;
}

/** Nearly all bytes are text in windows-1252, so it has to look like text too: without control characters or UTF-8. */
function decodeText(bytes: Buffer, declaredEncoding: Encoding | null, location: InputLocation): DecodedText {
  const findRow = (text: string, isBad: (line: string) => boolean) => text.split('\n').findIndex(isBad) + 1;
  // Excel's "Unicode text".
  if (bytes[0] === 0xff && bytes[1] === 0xfe)
    return { content: new TextDecoder('utf-16le').decode(bytes), encoding: undefined };
  if (!declaredEncoding)
    try {
      return { content: new TextDecoder('utf-8', { fatal: true }).decode(bytes), encoding: undefined };
    } catch {
      // Another encoding, or none.
    }
  const content = new TextDecoder('windows-1252').decode(bytes);
  const misreadRow = findRow(content, (line) => isMisread(line.replaceAll(/[\t\r]/g, '')));
  if (declaredEncoding && misreadRow > 0)
    throw location
      .at(`row ${misreadRow}`)
      .error(`bytes that are not ${declaredEncoding}`, `a table in ${declaredEncoding} (sources.json, dialect)`);
  if (declaredEncoding !== undefined && misreadRow === 0) return { content, encoding: 'windows-1252' };
  const row = findRow(bytes.toString('latin1'), (line) => !isUtf8(line));
  const alternative = misreadRow === 0 ? ', or `"encoding": "windows-1252"` in its dialect (sources.json)' : '';
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
export interface CsvFormat {
  separator: Separator;
  encoding: Encoding;
}

/** Of text that is not UTF-8. */
type Encoding = Dialect['encoding'];
type Separator = ',' | (typeof SEPARATORS)[number];

const countFilledCells = ({ text }: CsvRow) =>
  splitCsvCells(text, likeliestSeparator(text)).filter((cell) => cell?.trim() !== '').length;

/**
 * How many of the first rows hold titles: at most a label and its text, and less than half of the cells of the fullest
 * of the rows below.
 * @param filledCells how many cells of each row are filled
 */
export function countTitleRows(filledCells: readonly number[]): number {
  const counts = filledCells.slice(0, MOST_TITLE_ROWS);
  const largestCount = Math.max(...counts);
  return counts.findIndex((cells) => cells > 2 || 2 * cells >= largestCount);
}
/** Of these the header is one. */
const MOST_TITLE_ROWS = 20;

/** The separator that makes the most cells of a header; a comma if none does. */
function likeliestSeparator(header: string): Separator {
  const cells = (separator: Separator) => splitCsvCells(header, separator).length;
  return SEPARATORS.reduce<Separator>((best, separator) => (cells(separator) > cells(best) ? separator : best), ',');
}
