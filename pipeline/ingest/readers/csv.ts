import { readFile } from 'node:fs/promises';
import { gunzipSync } from 'node:zlib';
import { type BadInput, type Refusal, refusalIn } from '../../lib/bad-input.ts';
import { withConnection } from '../../lib/tables/duckdb.ts';
import { refuseUnsupported } from './unsupported.ts';

/** The cells of a table as text, null if empty, with the line number of each row. */
export interface TextTable {
  header: readonly string[];
  rows: readonly { line: number; cells: readonly (string | null)[] }[];
}

/**
 * Reads a CSV file (plain or gzip) through DuckDB in one dialect: UTF-8, commas, double quotes, a header, one row per
 * line. The dialect is not detected: for a damaged file, detection would report something other than the damage.
 * @param full path of the file
 * @param file its name in messages
 * @throws BadInput naming the row (the header is row 1): bytes that are not UTF-8, a row with more or fewer cells than
 *   the header, an unclosed quote, a last row without a line end (a truncated file)
 */
export async function readCsv(full: string, file: string): Promise<TextTable> {
  const refusal = refusalIn(file);
  const lines = await readLines(full, file, refusal);
  const header = splitCells(lines[0]!);
  if (header.length > MOST_COLUMNS)
    throw refusal.at('row 1')(
      `${header.length} columns`,
      `at most ${MOST_COLUMNS} (is another character the separator?)`,
    );
  const numbers = lines.flatMap((text, i) => (i > 0 && text !== '' ? [i + 1] : []));
  return withConnection(async (db) => {
    const columns = header.map((_, i) => `c${i}: 'VARCHAR'`);
    const read = `read_csv($1, auto_detect = false, header = true, delim = ',', quote = '"', escape = '"', columns = {${columns}}, store_rejects = true)`;
    const found = await db.connection.runAndReadAll(`FROM ${read}`, [full]).catch((error: Error) => {
      throw refusal(error.message.split('\n')[0]!, 'a readable CSV table');
    });
    const [reject] = await db.rows<Reject>('SELECT line, error_message FROM reject_errors ORDER BY line LIMIT 1');
    if (reject) {
      const cells = splitCells(lines[reject.line - 1]!).length;
      throw complaintOf(reject, refusal.at(`row ${reject.line}`), cells, header.length);
    }
    const rows = found.getRows() as (string | null)[][];
    if (rows.length !== numbers.length)
      throw refusal(`${rows.length} rows on ${numbers.length} lines`, 'one row per line');
    return { header, rows: rows.map((cells, i) => ({ line: numbers[i]!, cells })) };
  });
}

/** DuckDB takes half a second for each thousand, and tables that people make have hundreds. */
const MOST_COLUMNS = 10_000;

/** DuckDB's report of a line that it could not read. */
interface Reject {
  line: number;
  error_message: string;
}

function complaintOf({ error_message }: Reject, refusal: Refusal, cells: number, expected: number): BadInput {
  if (cells !== expected) return refusal(`${cells} cells`, `${expected} as in the header`);
  return refusal(error_message.split('\n')[0]!.replace(/\.$/, ''), 'a readable CSV table');
}

/** The file's lines without their line ends. The entire file is checked before any of it is used. */
async function readLines(full: string, file: string, refusal: Refusal): Promise<string[]> {
  const bytes = await readFile(full).catch((cause: NodeJS.ErrnoException) => {
    throw refusal(cause.code === 'ENOENT' ? 'no such file' : cause.message, 'a readable CSV table');
  });
  if (bytes.length > MOST_BYTES) throw tooLarge(refusal);
  const unzipped = file.endsWith('.gz') ? unzip(bytes, refusal) : bytes;
  refuseUnsupported(file, unzipped, 'table');
  const lines = decode(unzipped, refusal).split('\n');
  if (lines.pop() !== '')
    throw refusal.at(`row ${lines.length + 1}`)('no line end', 'one after the last row (is the file cut short?)');
  if (!lines[0]?.trim()) throw refusal.at('row 1')('nothing', 'a header');
  const carriage = lines[0].endsWith('\r');
  return lines.map((line, i) => {
    const fault = faultIn(line, carriage);
    if (fault) throw refusal.at(`row ${i + 1}`)(...fault);
    return carriage ? line.slice(0, -1) : line;
  });
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

/** Text without a byte order mark. */
function decode(bytes: Buffer, refusal: Refusal): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    const row =
      bytes
        .toString('latin1')
        .split('\n')
        .findIndex((line) => !isUtf8(line)) + 1;
    throw refusal.at(`row ${row}`)('bytes that are not UTF-8', 'a table in UTF-8');
  }
}

function isUtf8(latin1: string): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(latin1, 'latin1'));
    return true;
  } catch {
    return false;
  }
}

/** The cells of a line, unquoted. */
function splitCells(line: string): string[] {
  const cells = [...`${line},`.matchAll(/("(?:[^"]|"")*"|[^,]*),/g)].map(([, cell]) => cell!);
  return cells.map((cell) => (cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell));
}
