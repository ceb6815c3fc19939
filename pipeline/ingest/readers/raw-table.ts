import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Dialect, MonthOrder } from '../../catalog/dialect.ts';
import { deliveredFiles } from '../../catalog/roles.ts';
import type { Source } from '../../catalog/sources.ts';
import { isPeriod, monthFromIndex, type Period } from '../../contract/months.ts';
import type { ReportLine } from '../../engine/stage.ts';
import { InputLocation, readEach } from '../../lib/bad-input.ts';
import { readCsv, type TextTable } from './csv.ts';
import { readDbf } from './dbf.ts';
import { DECIMAL, type Delivered, type DeliveredRow, deliver } from './delivered.ts';
import { withoutReplaced } from './deliveries.ts';
import { inOwnDialect } from './dialect.ts';
import { joined } from './joined.ts';
import { readJsonTable } from './json-table.ts';
import { withoutLeftOut } from './left-out.ts';
import { monthText, readMonth, readMonthOfYear } from './months.ts';

/** What a number in a cell must be, beside the catalog's range of its column. */
export interface NumberRange {
  /** Both inclusive. */
  least?: number;
  most?: number;
  /** Exclusive. */
  above?: number;
  integer?: boolean;
}

/**
 * A row of a raw table by the project's column names. Its methods read a checked value or refuse the cell:
 * `throw row.at('examined').error(found, expected)`.
 */
export class RawRow extends InputLocation {
  /** Its line in the file. */
  readonly line: number;
  /** Text as in the file, null for an empty cell. */
  readonly values: Readonly<Record<string, string | null>>;
  /** The row's file, of several, or what was made of it. */
  readonly within: InputLocation;
  /** The file's rows that it is made of, for the account of what is taken and left out; empty if none is kept. */
  readonly delivered: readonly DeliveredRow[];
  readonly #table: RawTable;

  constructor(table: RawTable, { line, values, within = table, delivered = [] }: RowParts) {
    const { file, where } = within.at(`row ${line}`);
    super(file, where);
    this.#table = table;
    this.line = line;
    this.values = values;
    this.within = within;
    this.delivered = delivered;
  }

  /** Enters into the account that its counts are not taken, and by which rule. */
  leaveOut(rule: string): void {
    for (const row of this.delivered) row.leftOut ??= rule;
  }

  /** Enters into the account that a rule makes a figure larger, or smaller, than in the file. */
  add(figure: string, rule: string, amount: number): void {
    if (amount !== 0) this.delivered[0]?.added.push({ figure, rule, amount });
  }

  /** Whether the table has the column. */
  hasColumn(column: string): boolean {
    return this.#table.columns.has(column);
  }

  /** Whether the cell is there and not empty. */
  has(column: string): boolean {
    return this.values[column] != null;
  }

  /** The row's month, or whatever stands in its place; null without one. */
  get monthText(): string | null {
    return monthText(this.values);
  }

  /** @throws BadInput if the cell is empty */
  text(column: string): string {
    const value = this.values[column];
    if (value == null) throw this.at(column).error('nothing', 'a value');
    return value;
  }

  /** @throws BadInput if the cell is not a number, or one outside `range` or the catalog's range of the column */
  number(column: string, range: NumberRange = {}): number {
    const text = this.text(column);
    const value = DECIMAL.test(text) ? Number(text) : Number.NaN;
    const { least = Number.NEGATIVE_INFINITY, most = Number.POSITIVE_INFINITY, above, integer = false } = range;
    if (!Number.isFinite(value) || (integer && !Number.isInteger(value)))
      throw this.at(column).error(JSON.stringify(text), integer ? 'a whole number' : 'a number');
    if (above !== undefined && value <= above) throw this.at(column).error(text, `more than ${above}`);
    if (value < least || value > most) {
      const bounds = most === Number.POSITIVE_INFINITY ? `at least ${least}` : `${least} to ${most}`;
      throw this.at(column).error(text, bounds);
    }
    const [low = value, high = value] = this.#table.ranges[column] ?? [];
    if (value < low || value > high) throw this.at(column).error(text, `${low} to ${high} (sources.json, ranges)`);
    return value;
  }

  /** Like `number`, but null for an empty cell or a column that the table does not have. */
  numberOrNull(column: string, range: NumberRange = {}): number | null {
    return this.has(column) ? this.number(column, range) : null;
  }

  /** A month as the catalog says that months are written. @throws BadInput for anything else */
  period(column: string): Period {
    const text = this.text(column);
    const { months } = this.#table;
    const expected = months ? `a month in the order "${months}" (sources.json, dialect)` : 'a month YYYY-MM or YYYYMM';
    if (!isPeriod(text)) throw this.at(column).error(text, expected);
    return text;
  }

  /**
   * The row's month, from the column `period` or, without one, from `year` and `month`.
   * @param years the years that a column `year` may have
   * @throws BadInput for anything but a month
   */
  month(years: NumberRange = { least: 1900, most: 2100 }): Period {
    if (this.hasColumn('period')) return this.period('period');
    const year = this.number('year', { ...years, integer: true });
    return monthFromIndex(12 * year + this.number('month', { least: 1, most: 12, integer: true }) - 1);
  }
}

/** What a row is made of. */
type RowParts = Pick<RawRow, 'line' | 'values'> & Partial<Pick<RawRow, 'within' | 'delivered'>>;

/** The rows of a file. */
interface RowCount {
  location: InputLocation;
  /** Including those that are left out or replaced, and the minimum that the catalog specifies. */
  total: number;
  least: number;
}

/**
 * A table as read from a raw file, or from several deliveries of it, its rows in the order of the files. Its errors
 * name the first file.
 */
export class RawTable extends InputLocation {
  readonly columns: ReadonlySet<string>;
  readonly rows: readonly RawRow[];
  /** In the order of the files. */
  readonly counts: readonly RowCount[];
  /** Plausible ranges of columns, and the order of a month's parts, according to the catalog. */
  readonly ranges: Readonly<Record<string, readonly number[]>>;
  readonly months: MonthOrder | undefined;

  constructor(
    { file, where }: InputLocation,
    about: Pick<RawTable, 'columns' | 'counts' | 'ranges' | 'months'>,
    rows: readonly RowParts[],
  ) {
    super(file, where);
    this.columns = about.columns;
    this.counts = about.counts;
    this.ranges = about.ranges;
    this.months = about.months;
    this.rows = rows.map((row) => new RawRow(this, row));
  }

  /** The columns that give a row's time. */
  get timeColumns(): string[] {
    return ['period', 'year', 'month'].filter((name) => this.columns.has(name));
  }

  /** @param key columns that together must be unique @throws BadInput for a second row with the same key */
  refuseDuplicates(key: readonly string[]): void {
    const seen = new Map<string, RawRow>();
    readEach(this.rows, (row) => {
      const id = key.map((column) => row.values[column] ?? '').join(' ');
      const first = seen.get(id);
      if (first !== undefined) {
        const file = first.within === row.within ? '' : `${first.within.error('', '').file}, `;
        throw row.error(`${key.join(' + ')} ${id}, as in ${file}row ${first.line}`, 'a single row');
      }
      seen.set(id, row);
    });
  }

  /**
   * Called last, because other checks name what is missing.
   * @throws BadInput for fewer rows than the catalog specifies
   */
  refuseShort(): void {
    for (const { location, total, least } of this.counts)
      if (total < least)
        throw location.error(`${total} rows`, `${least} or more (sources.json); is the file cut short?`);
  }
}

/**
 * Reads a CSV (plain or gzip), a dBase file or a JSON table in the catalog's dialect, with columns renamed by the
 * catalog. Values remain text, months as `YYYY-MM`: only callers can interpret a column. Of several deliveries, a later
 * file replaces rows of earlier ones.
 * @param report collects findings: a file that may be cut short, rows that the catalog leaves out, rows replaced
 * @param deliveries collects what each file delivered, and what became of it
 * @throws BadInput for a file that is missing or unreadable, and for a column that is missing or empty throughout
 */
export async function readTable(
  rawData: string,
  source: Pick<Source, 'files' | 'columns'> & Partial<Source>,
  report: ReportLine[] = [],
  deliveries?: Delivered[],
): Promise<RawTable> {
  const read: FileRows[] = [];
  for (const file of deliveredFiles(source)) read.push(await readRows(rawData, source, file, report, deliveries));
  const everyRow = read.flatMap(({ rows }) => rows);
  const all = withoutLeftOut(everyRow, source, report);
  enterLeftOut(everyRow, all, 'left out');
  for (const { location, used } of read) {
    const fileRows = read.length === 1 ? all : all.filter((row) => row.file === location.file);
    if (fileRows.length === 0)
      throw location.error('no rows', `at least one${source.where ? ` with ${JSON.stringify(source.where)}` : ''}`);
    // Part of a sum may come to an end with an earlier delivery.
    const empty = used.flatMap(({ ours, names }) =>
      fileRows.every(({ values }) => values[ours] === null)
        ? names
        : names.filter((name) => !read.some(({ filled }) => filled.has(name))),
    );
    if (empty.length > 0) throw location.at(`column ${empty[0]}`).error('nothing in any row', 'values');
  }
  const files = read.map(({ location }) => location.file);
  const rows = files.length === 1 ? all : withoutReplaced(all, files, source, report);
  enterLeftOut(all, rows, 'later file');
  const locations = new Map(read.map(({ location }) => [location.file, location]));
  const { ranges = {}, dialect: { months } = {} } = source;
  const columns = [...read[0]!.used.map(({ ours }) => ours), ...(isRoundByMonth(source) ? ['survey_year'] : [])];
  return new RawTable(
    read[0]!.location,
    { columns: new Set(columns), counts: read, ranges, months },
    rows.map(({ file, line, values, delivered }) => ({ line, values, within: locations.get(file)!, delivered })),
  );
}

type ParsedRow = FileRows['rows'][number];

function enterLeftOut(before: readonly ParsedRow[], after: readonly ParsedRow[], rule: string): void {
  const kept = new Set(after);
  if (before.length > after.length)
    for (const row of before) if (!kept.has(row)) for (const one of row.delivered) one.leftOut ??= rule;
}

/** The rows of a file that `where` keeps, by the project's column names. */
interface FileRows extends RowCount {
  /** The file's columns of each of the project's. */
  used: { ours: string; names: readonly string[] }[];
  /** The file's columns with a value in any of the rows. */
  filled: ReadonlySet<string>;
  rows: { file: string; line: number; values: Record<string, string | null>; delivered: DeliveredRow[] }[];
}

async function readRows(
  rawData: string,
  source: Pick<Source, 'files' | 'columns'> & Partial<Source>,
  { path: file, rows: least = 1 }: Source['files'][number],
  report: ReportLine[],
  deliveries?: Delivered[],
): Promise<FileRows> {
  const location = new InputLocation(file);
  if (!existsSync(path.join(rawData, file)))
    throw location.error('no such file', source.id ? `the source ${source.id} of the catalog` : 'a CSV table');
  const { header, rows: all, mayBeCut } = await readCells(rawData, source, file, report);
  if (mayBeCut) report.push({ source: source.id ?? file, rule: 'no line end', what: `${file}: ${MAY_BE_CUT}` });
  const columnIndex = (name: string) => {
    const index = header.indexOf(name);
    if (index === -1) throw location.at('header').error(`columns ${header.join(', ')}`, `a column "${name}"`);
    if (header.lastIndexOf(name) !== index)
      throw location.at('header').error(`the column "${name}" twice`, 'each column once');
    return index;
  };
  const used = Object.entries(fileColumns(source)).map(([ours, names]) => ({
    ours,
    names,
    indexes: names.map(columnIndex),
  }));
  for (const name of Object.keys(source.unused ?? {})) columnIndex(name);
  const keep = Object.entries(source.where ?? {}).map(([name, value]) => [name, columnIndex(name), value] as const);
  const filled = new Set<string>();
  const isByMonth = isRoundByMonth(source);
  const delivery =
    deliveries &&
    deliver(
      source,
      file,
      header,
      all.map(({ cells }) => cells),
      used,
    );
  if (delivery) deliveries.push(delivery);
  const rows = all
    .map(({ line, cells }, i) => ({ line, cells, delivered: delivery ? [delivery.rows[i]!] : [] }))
    .filter(({ line, cells, delivered }) => {
      const isKept = keep.every(([name, index, value]) => {
        const cell = cells[index] ?? '';
        if (typeof value !== 'number') return cell === value;
        if (!DECIMAL.test(cell)) throw location.at(`row ${line}`).at(name).error(JSON.stringify(cell), 'a number');
        return Number(cell) === value;
      });
      if (!isKept) for (const row of delivered) row.leftOut = 'where';
      return isKept;
    })
    .map(({ line, cells, delivered }) => {
      const values: Record<string, string | null> = {};
      for (const { ours, names, indexes } of used) {
        const texts = indexes.map((index) => recoded(source, ours, cells[index] ?? '') || null);
        for (const [i, cell] of texts.entries()) if (cell !== null) filled.add(names[i]!);
        const row = location.at(`row ${line}`);
        const text = indexes.length === 1 ? texts[0]! : sumCounts(texts, (i) => row.at(names[i]!));
        values[ours] = text && (monthIn(ours, text, source.dialect ?? {}) ?? text);
      }
      if (isByMonth) values.survey_year = roundAt(source.rounds!, monthText(values));
      return { file, line, values, delivered };
    });
  return { location, total: all.length, least, used, filled, rows };
}

/** Whether only the month of a survey's row tells to which of its rounds it belongs. */
const isRoundByMonth = ({ rounds, columns = {} }: Partial<Source>): boolean =>
  rounds !== undefined && columns.survey_year === undefined;

/** The survey year of the round during whose fieldwork a month is; null if there is none. */
function roundAt(rounds: NonNullable<Source['rounds']>, month: string | null): string | null {
  const round = month && rounds.find(({ first, last }) => month >= first && month <= last);
  return round ? String(round.survey_year) : null;
}

/** The project's form of a month; null for the cell of another column, and for text that is not a month. */
function monthIn(column: string, text: string, { months }: Dialect): string | null {
  if (column === 'month') return readMonthOfYear(text);
  return column === 'period' ? readMonth(text, months) : null;
}

/** What to know of a file without a line end after its last row. */
export const MAY_BE_CUT = 'no line end after the last row: if the file was cut there, its last cell is wrong';

/**
 * The columns to read: the project's names -> the file's, whose counts are added up if there are several. Classes and
 * their total keep the file's names.
 */
export function fileColumns({
  columns = {},
  sums,
  classes = [],
  classes_total,
}: Partial<Source>): Record<string, string[]> {
  const alone = [...classes.map(({ column }) => column), ...(classes_total ? [classes_total] : [])];
  return {
    ...Object.fromEntries(Object.entries(columns).map(([ours, name]) => [ours, [name]])),
    ...sums,
    ...Object.fromEntries(alone.map((name) => [name, [name]])),
  };
}

/** The sum of the counts in the cells that are not blank, null if all are. @throws BadInput for anything but counts */
function sumCounts(texts: readonly (string | null)[], cell: (i: number) => InputLocation): string | null {
  const counts = texts.flatMap((text, i) => {
    if (text === null) return [];
    // Of a negative count or a fraction nothing would be left to see in the sum.
    if (!DECIMAL.test(text) || !Number.isInteger(Number(text)) || Number(text) < 0)
      throw cell(i).error(JSON.stringify(text), 'a count, or a blank cell (sources.json, sums)');
    return [Number(text)];
  });
  return counts.length === 0 ? null : String(counts.reduce((a, b) => a + b));
}

/**
 * The cells of a table in the catalog's dialect, with those of files that are joined to it.
 * @param file of several deliveries, by default the first
 * @param report collects findings about joined files
 */
export async function readCells(
  rawData: string,
  { id, files, format, dialect = {} }: Pick<Source, 'files'> & Partial<Source>,
  file = files[0]!.path,
  report: ReportLine[] = [],
): Promise<TextTable> {
  const read = async (name: string, form: typeof format, declared: Dialect) =>
    inOwnDialect(await readText(path.join(rawData, name), name, form, declared), declared, name);
  let table = await read(file, format, dialect);
  for (const { path: joinedFile, join } of files) {
    if (!join) continue;
    const more = await read(joinedFile, join.format, join.dialect ?? {});
    const merged = joined(table, more, join.on, {
      table: new InputLocation(file),
      lookup: new InputLocation(joinedFile),
    });
    table = merged.table;
    const tell = (rule: string, what: string) =>
      report.push({ source: id ?? file, rule, what: `${joinedFile}: ${what}` });
    if (more.mayBeCut) tell('no line end', MAY_BE_CUT);
    if (merged.unused > 0) tell('joined', `${merged.unused} of ${more.rows.length} rows belong to no row of ${file}`);
  }
  return table;
}

function readText(
  full: string,
  file: string,
  format: Source['format'] | undefined,
  { separator, encoding, title_rows }: Dialect,
): Promise<TextTable> {
  if (format === 'dbf') return readDbf(full, file);
  return format === 'json' ? readJsonTable(full, file) : readCsv(full, file, separator, encoding, title_rows);
}

/** A cell's text, replaced if the catalog recodes it. */
export function recoded({ recode }: Pick<Source, 'recode'>, column: string, text: string): string {
  const codes = recode?.[column];
  return codes && Object.hasOwn(codes, text) ? codes[text]! : text;
}
