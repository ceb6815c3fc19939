import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { type Dialect, SEPARATORS } from '../../catalog/dialect.ts';
import { type Refusal, refusalIn } from '../../lib/bad-input.ts';
import { withConnection } from '../../lib/tables/duckdb.ts';
import { isMisread } from './encoding.ts';
import { refuseUnsupported } from './unsupported.ts';

/** The cells of a table as text, null if empty, with the line number of each row. */
export interface TextTable {
  header: readonly string[];
  rows: readonly { line: number; cells: readonly (string | null)[] }[];
  /** The lines above the header. */
  titles?: readonly string[];
  /** Whether the last row may be cut short inside its last cell: it has no line end. */
  mayBeCut?: boolean;
}

/**
 * Reads a CSV file (plain or gzip) through DuckDB: UTF-8 or as declared, double quotes, a header, one row per line.
 * Nothing else is detected: for a damaged file, detection would report something other than the damage.
 * @param full path of the file
 * @param file its name in messages
 * @param declared the separator of its cells; null takes the one that the header has most of
 * @param encoding of its text if it is not UTF-8; null takes the one that fits
 * @param titleRows lines above the header; null takes those that are much shorter than the table
 * @throws BadInput naming the row (the first line is row 1): bytes that are not in the encoding, a row with more or fewer
 *   cells than the header, an unclosed quote
 */
export async function readCsv(
  full: string,
  file: string,
  declared: Separator | null = ',',
  encoding: Encoding | null = undefined,
  titleRows: number | null = 0,
): Promise<TextTable & ReadCsv> {
  const refusal = refusalIn(file);
  const { lines: all, mayBeCut, text } = await readLines(full, file, encoding, refusal);
  const above = titleRows ?? titlesAbove(all);
  if (above >= all.length) throw refusal(`${all.length} rows`, `a header in row ${above + 1} (sources.json, dialect)`);
  const lines = all.slice(above);
  const separator = declared ?? likeliestSeparator(lines[0]!);
  const splitCells = splitterAt(separator);
  const header = splitCells(lines[0]!);
  if (header.length > MOST_COLUMNS)
    throw refusal.at(`row ${above + 1}`)(
      `${header.length} columns`,
      `at most ${MOST_COLUMNS} (is another character the separator?)`,
    );
  const last = splitCells(lines.at(-1)!).length;
  if (mayBeCut && (lines.length === 1 || last !== header.length)) {
    const found = lines.length === 1 ? 'no line end' : `no line end and ${last} of ${header.length} cells`;
    throw refusal.at(`row ${all.length}`)(found, 'a complete last row (is the file cut short?)');
  }
  const unlikeHeader = (row: number) => {
    const [cells, expected] = [splitCells(lines[row - 1]!).length, header.length];
    const more = expected === 1 ? '; are there titles above the real header (sources.json, dialect, title_rows)?' : '';
    return refusal.at(`row ${above + row}`)(`${cells} cells`, `${expected} as in the header${more}`);
  };
  // DuckDB takes gigabytes and minutes for rows that are much wider or narrower than the header. It counts in its own way
  // where quotes do not enclose a whole cell: at least the separators outside quotes, at most what `splitCells` counts.
  const unlike = lines.findIndex((line) => {
    const fewest = line.replace(/"[^"]*"/g, '').split(separator).length;
    return fewest > header.length || (fewest < header.length && line !== '' && splitCells(line).length < header.length);
  });
  if (unlike !== -1) throw unlikeHeader(unlike + 1);
  const numbers = lines.flatMap((text, i) => (i > 0 && text !== '' ? [above + i + 1] : []));
  return withConnection(async (db) => {
    const columns = header.map((_, i) => `c${i}: 'VARCHAR'`);
    const read = `read_csv($1, auto_detect = false, header = true, delim = '${separator}', quote = '"', escape = '"', columns = {${columns}}, store_rejects = true)`;
    const readAll = (utf8: string) =>
      db.connection.runAndReadAll(`FROM ${read}`, [utf8]).catch((error: Error) => {
        throw refusal(error.message.split('\n')[0]!, 'a readable CSV table');
      });
    const isAsRead = above === 0 && text.encoding === undefined;
    const found = await (isAsRead ? readAll(full) : withFileOf(`${lines.join('\n')}${mayBeCut ? '' : '\n'}`, readAll));
    const [reject] = await db.rows<Reject>('SELECT line, error_message FROM reject_errors ORDER BY line LIMIT 1');
    if (reject) {
      if (splitCells(lines[reject.line - 1]!).length !== header.length) throw unlikeHeader(reject.line);
      const found = reject.error_message.split('\n')[0]!.replace(/\.$/, '');
      throw refusal.at(`row ${above + reject.line}`)(found, 'a readable CSV table');
    }
    const rows = found.getRows() as (string | null)[][];
    if (rows.length !== numbers.length)
      throw refusal(`${rows.length} rows on ${numbers.length} lines`, 'one row per line');
    return {
      header,
      rows: rows.map((cells, i) => ({ line: numbers[i]!, cells })),
      separator,
      encoding: text.encoding,
      titles: all.slice(0, above),
      mayBeCut,
    };
  });
}

/** Runs `read` on a temporary file with the text in UTF-8: DuckDB reads no other encoding by itself. */
async function withFileOf<T>(text: string, read: (file: string) => Promise<T>): Promise<T> {
  const scratch = await mkdtemp(path.join(tmpdir(), 'malaria-csv-'));
  try {
    const file = path.join(scratch, 'utf8.csv');
    await writeFile(file, text);
    return await read(file);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** DuckDB takes half a second for each thousand, and tables that people make have hundreds. */
const MOST_COLUMNS = 10_000;

/** DuckDB's report of a line that it could not read. */
interface Reject {
  line: number;
  error_message: string;
}

/** The file's lines without their line ends. The entire file is checked before any of it is used. */
async function readLines(
  full: string,
  file: string,
  encoding: Encoding | null,
  refusal: Refusal,
): Promise<{ lines: string[]; mayBeCut: boolean; text: Text }> {
  const bytes = await readFile(full).catch((cause: NodeJS.ErrnoException) => {
    throw refusal(cause.code === 'ENOENT' ? 'no such file' : cause.message, 'a readable CSV table');
  });
  if (bytes.length > MOST_BYTES) throw tooLarge(refusal);
  const unzipped = file.endsWith('.gz') ? unzip(bytes, refusal) : bytes;
  refuseUnsupported(file, unzipped, 'table');
  const text = decode(unzipped, encoding, refusal);
  const lines = text.content.split('\n');
  const mayBeCut = lines.at(-1) !== '';
  if (!mayBeCut) lines.pop();
  if (!lines[0]?.trim()) throw refusal.at('row 1')('nothing', 'a header');
  const carriage = lines[0].endsWith('\r');
  // Checked as if it had the line end that the others have.
  if (mayBeCut && carriage && lines.length > 1) lines[lines.length - 1] += '\r';
  const bare = lines.map((line, i) => {
    const fault = faultIn(line, carriage);
    if (fault) throw refusal.at(`row ${i + 1}`)(...fault);
    return carriage ? line.slice(0, -1) : line;
  });
  return { lines: bare, mayBeCut, text };
}

/** What is wrong with a line, and what it should be; null if nothing is. */
function faultIn(line: string, carriage: boolean): [found: string, expected: string] | null {
  if (line.endsWith('\r') !== carriage) return ['a line end that differs from row 1', 'the same in every row'];
  const cells = carriage ? line.slice(0, -1) : line;
  if (/[\0\r]/.test(cells)) return ['a zero byte or a carriage return', 'text, with a line feed after each row'];
  if (cells.includes('"') && cells.split('"').length % 2 === 0)
    return ['a quote that is not closed', 'quotes in pairs, one row per line'];
  return null;
}

/** A table is kept in memory several times. */
const MOST_BYTES = 2 ** 28;
const tooLarge = (refusal: Refusal) =>
  refusal(`more than ${MOST_BYTES / 2 ** 20} MB of text`, 'a smaller table (or is it a damaged gzip file?)');

function unzip(bytes: Buffer, refusal: Refusal): Buffer {
  try {
    return gunzipSync(bytes, { maxOutputLength: MOST_BYTES });
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(refusal);
    throw refusal(`data that cannot be unpacked (${(cause as Error).message})`, 'an intact gzip file');
  }
}

/** Text without a byte order mark, and its encoding. */
interface Text {
  content: string;
  encoding: Encoding;
}

/** Nearly all bytes are text in windows-1252, so it has to look like text too: without control characters or UTF-8. */
function decode(bytes: Buffer, declared: Encoding | null, refusal: Refusal): Text {
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
    throw refusal.at(`row ${misread}`)(
      `bytes that are not ${declared}`,
      `a table in ${declared} (sources.json, dialect)`,
    );
  if (declared !== undefined && misread === 0) return { content, encoding: 'windows-1252' };
  const row = rowWhere(bytes.toString('latin1'), (line) => !isUtf8(line));
  const other = misread === 0 ? ', or `"encoding": "windows-1252"` in its dialect (sources.json)' : '';
  throw refusal.at(`row ${row}`)('bytes that are not UTF-8', `a table in UTF-8${other}`);
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
export type Separator = ',' | (typeof SEPARATORS)[number];

/** A function that splits a line into its cells, unquoted. */
function splitterAt(separator: Separator): (line: string) => string[] {
  const cell = new RegExp(`("(?:[^"]|"")*"|[^${separator}]*)[${separator}]`, 'g');
  return (line) =>
    [...`${line}${separator}`.matchAll(cell)]
      .map(([, own]) => own!)
      .map((own) => (own.startsWith('"') ? own.slice(1, -1).replaceAll('""', '"') : own));
}

/**
 * How many of the first lines hold titles: at most a label and its text, and less than half of the cells of the fullest
 * of the lines below.
 */
function titlesAbove(lines: readonly string[]): number {
  const filled = lines
    .slice(0, FIRST_LINES)
    .map((line) => splitterAt(likeliestSeparator(line))(line).filter((cell) => cell.trim() !== '').length);
  const most = Math.max(...filled);
  return filled.findIndex((cells) => cells > 2 || 2 * cells >= most);
}
/** Of these the header is one. */
const FIRST_LINES = 20;

/** The separator that makes the most cells of a header; a comma if none does. */
function likeliestSeparator(header: string): Separator {
  const cells = (separator: Separator) => splitterAt(separator)(header).length;
  return SEPARATORS.reduce<Separator>((best, one) => (cells(one) > cells(best) ? one : best), ',');
}
