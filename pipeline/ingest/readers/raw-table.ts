import { existsSync } from 'node:fs';
import path from 'node:path';
import { type Dialect, type MonthOrder, SEPARATORS, tableLabel } from '../../catalog/dialect.ts';
import { AREA_COLUMNS, deliveredFiles } from '../../catalog/roles.ts';
import type { Source } from '../../catalog/sources.ts';
import { isPeriod, monthFromIndex, type Period } from '../../contract/months.ts';
import type { ReportLine } from '../../engine/stage.ts';
import { InputLocation, readEach } from '../../lib/bad-input.ts';
import { findTotalColumn } from './column-sums.ts';
import { readCsv, type TextTable } from './csv.ts';
import { readDbf } from './dbf.ts';
import { DECIMAL, type DeliveredRow, type Delivery, recordDelivery } from './delivery.ts';
import { normalizeTable } from './dialect.ts';
import { joinTables } from './join-tables.ts';
import { readJsonTable } from './json-table.ts';
import { removeLeftOut } from './left-out.ts';
import { coherentSpan, monthText, readMonth, readMonthOfYear } from './months.ts';
import { removeReplaced } from './replaced-rows.ts';
import { readXlsx } from './xlsx.ts';

/** The last rows of a sheet of Excel, of .xls and .xlsx. */
const SHEET_ENDS = [2 ** 16, 2 ** 20];
/** The most rows that systems export at once. */
const EXPORT_LIMITS = [1000, 2000, 5000, 10_000, 20_000, 50_000, 100_000];

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
  readonly origin: InputLocation;
  /** The file's rows that it is made of, for the account of what is taken and left out; empty if none is kept. */
  readonly delivered: readonly DeliveredRow[];
  readonly #table: RawTable;

  constructor(table: RawTable, { line, values, origin = table, delivered = [] }: RowParts) {
    const { file, where } = origin.at(`row ${line}`);
    super(file, where);
    this.#table = table;
    this.line = line;
    this.values = values;
    this.origin = origin;
    this.delivered = delivered;
  }

  /** Enters into the account that its counts are not taken, and by which rule. */
  recordLeftOut(rule: string): void {
    for (const row of this.delivered) row.leftOutBy ??= rule;
  }

  /** Enters into the account that a rule makes a figure larger, or smaller, than in the file. */
  recordAdjustment(figure: string, rule: string, amount: number): void {
    if (amount !== 0) this.delivered[0]?.adjustments.push({ figure, rule, amount });
  }

  /** Whether the table has the column. */
  hasColumn(column: string): boolean {
    return this.#table.columns.has(column);
  }

  /** Whether the cell is there and not empty. */
  hasValue(column: string): boolean {
    return this.values[column] != null;
  }

  /** The row's month, or whatever stands in its place; null without one. */
  get monthText(): string | null {
    return monthText(this.values);
  }

  /** @throws BadInput if the cell is empty */
  text(column: string): string {
    const value = this.values[column];
    if (value == null)
      throw this.at(column).error('nothing', AREA_COLUMNS.includes(column) ? EXPECTED_AREA : 'a value');
    return value;
  }

  /** @throws BadInput if the cell is not a number, or one outside `range` or the catalog's range of the column */
  number(column: string, range: NumberRange = {}): number {
    const text = this.text(column);
    const value = DECIMAL.test(text) ? Number(text) : Number.NaN;
    const { least = Number.NEGATIVE_INFINITY, most = Number.POSITIVE_INFINITY, above, integer = false } = range;
    if (!Number.isFinite(value) || (integer && !Number.isInteger(value))) {
      const hint = GROUPED.test(text)
        ? ', without marks between thousands (points beside decimal commas: sources.json, dialect, decimal_comma)'
        : /\d/.test(text)
          ? ''
          : ', or a blank cell if it is unknown';
      throw this.at(column).error(JSON.stringify(text), `${integer ? 'a whole number' : 'a number'}${hint}`);
    }
    if (above !== undefined && value <= above) throw this.at(column).error(text, `more than ${above}`);
    if (value < least || value > most) {
      const bounds = most === Number.POSITIVE_INFINITY ? `at least ${least}` : `${least} to ${most}`;
      const nineHint = NINES.test(text) ? '; if it marks a missing value, leave the cell blank' : '';
      throw this.at(column).error(text, `${bounds}${nineHint}`);
    }
    const [rangeLeast = value, rangeMost = value] = this.#table.ranges[column] ?? [];
    if (value < rangeLeast || value > rangeMost)
      throw this.at(column).error(text, `${rangeLeast} to ${rangeMost} (sources.json, ranges)`);
    return value;
  }

  /** Like `number`, but null for an empty cell or a column that the table does not have. */
  numberOrNull(column: string, range: NumberRange = {}): number | null {
    return this.hasValue(column) ? this.number(column, range) : null;
  }

  /** A month as the catalog says that months are written. @throws BadInput for anything else */
  period(column: string): Period {
    const text = this.text(column);
    const { months } = this.#table;
    const expected = months
      ? `a month in the order "${months}" (sources.json, dialect)`
      : 'a month YYYY-MM or YYYYMM (if months are written differently, sources.json says so: dialect, months)';
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

/** Thousands set apart by any mark. */
const GROUPED = /^\d{1,3}([.,'’ ]\d{3})+$/;
const EXPECTED_AREA =
  'its area; rows whose area is not known are left out by a rule (sources.json, leave_out), and counted in the accounts';
/** What programs write for a missing value. */
const NINES = /^-?9{2,}(\.[09]*)?$/;
const SINGLE_ROW =
  'a single row (add up rows that are parts, take a copy out of the file, and leave out a total: leave_out)';

/** What a row is made of. */
type RowParts = Pick<RawRow, 'line' | 'values'> & Partial<Pick<RawRow, 'origin' | 'delivered'>>;

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
    properties: Pick<RawTable, 'columns' | 'counts' | 'ranges' | 'months'>,
    rows: readonly RowParts[],
  ) {
    super(file, where);
    this.columns = properties.columns;
    this.counts = properties.counts;
    this.ranges = properties.ranges;
    this.months = properties.months;
    this.rows = rows.map((row) => new RawRow(this, row));
  }

  /** The columns that give a row's time. */
  get timeColumns(): string[] {
    return ['period', 'year', 'month'].filter((name) => this.columns.has(name));
  }

  /** @throws BadInput for each row whose month lies years before or after all others */
  refuseStrayMonths(kind: Parameters<typeof coherentSpan>[1]): void {
    const dated = this.rows.filter(({ monthText: text }) => text !== null && isPeriod(text));
    const { first, last } = coherentSpan(
      dated.map((row) => row.monthText!),
      kind,
    );
    readEach(dated, (row) => {
      if (row.monthText! >= first && row.monthText! <= last) return;
      const found = `${row.monthText}, and all other months from ${first} to ${last}`;
      throw row.error(found, 'a month near these: correct it in the file, or recode it (sources.json, recode)');
    });
  }

  /** @param key columns that together must be unique @throws BadInput for a second row with the same key */
  refuseDuplicates(key: readonly string[]): void {
    const seen = new Map<string, RawRow>();
    readEach(this.rows, (row) => {
      const id = key.map((column) => row.values[column] ?? '').join(' ');
      const earlierRow = seen.get(id);
      if (earlierRow !== undefined) {
        const file = earlierRow.origin === row.origin ? '' : `${earlierRow.origin.error('', '').file}, `;
        const isOfAreas = key.some((column) => column.endsWith('_pcode'));
        const found = `${key.join(' + ')} ${id}, as in ${file}row ${earlierRow.line}`;
        throw row.error(found, isOfAreas ? SINGLE_ROW : 'a single row');
      }
      seen.set(id, row);
    });
  }

  /**
   * Called last, because other checks name what is missing.
   * @throws BadInput for fewer rows than the catalog specifies
   */
  refuseTooFewRows(): void {
    for (const { location, total, least } of this.counts)
      if (total < least)
        throw location.error(
          `${total} rows`,
          `${least} or more (sources.json); is the file cut short? If these are all, \`malaria-risk catalog update\` counts them again`,
        );
  }
}

function expectedColumn(name: string, [first = '', ...others]: readonly string[]): string {
  const separator = SEPARATORS.find((one) => others.length === 0 && first.includes(one));
  return separator
    ? `columns between commas: save the file with commas, or let sources.json say what is between them: "dialect": {"separator": ${JSON.stringify(separator)}}`
    : `a column "${name}", as in \`columns\` (sources.json). If this file alone has another name for it, give it that name in the file; if it has a new one from now on, change it there; or is it another file?`;
}

/**
 * Reads a CSV (plain or gzip), a sheet of a workbook, a dBase file or a JSON table in the catalog's dialect, with
 * columns renamed by the catalog. Values remain text, months as `YYYY-MM`: only callers can interpret a column. Of
 * several deliveries, a later file replaces rows of earlier ones.
 * @param report collects findings: a file that may be cut short, rows that the catalog leaves out, rows replaced
 * @param deliveries collects what each file delivered, and what became of it
 * @throws BadInput for a file that is missing or unreadable, and for a column that is missing or empty throughout
 */
export async function readTable(
  rawData: string,
  source: Pick<Source, 'files' | 'columns'> & Partial<Source>,
  report: ReportLine[] = [],
  deliveries?: Delivery[],
): Promise<RawTable> {
  const fileTables: FileRows[] = [];
  for (const file of deliveredFiles(source)) fileTables.push(await readRows(rawData, source, file, report, deliveries));
  const allRows = fileTables.flatMap(({ rows }) => rows);
  const keptRows = removeLeftOut(allRows, source, report);
  recordRemovedRows(allRows, keptRows, 'leave_out');
  for (const { location, usedColumns } of fileTables) {
    const fileRows = fileTables.length === 1 ? keptRows : keptRows.filter((row) => row.file === location.file);
    if (fileRows.length === 0)
      throw location.error('no rows', `at least one${source.where ? ` with ${JSON.stringify(source.where)}` : ''}`);
    // Part of a sum may come to an end with an earlier delivery.
    const emptyColumns = usedColumns.flatMap(({ projectColumn, fileColumns }) =>
      fileRows.every(({ values }) => values[projectColumn] === null)
        ? fileColumns
        : fileColumns.filter((name) => !fileTables.some(({ filled }) => filled.has(name))),
    );
    if (emptyColumns.length > 0) throw location.at(`column ${emptyColumns[0]}`).error('nothing in any row', 'values');
  }
  const files = fileTables.map(({ location }) => location.file);
  const currentRows = files.length === 1 ? keptRows : removeReplaced(keptRows, files, source, report);
  recordRemovedRows(keptRows, currentRows, 'later file');
  const locations = new Map(fileTables.map(({ location }) => [location.file, location]));
  const { ranges = {}, dialect: { months } = {} } = source;
  const columns = [
    ...fileTables[0]!.usedColumns.map(({ projectColumn }) => projectColumn),
    ...(isRoundByMonth(source) ? ['survey_year'] : []),
  ];
  return new RawTable(
    fileTables[0]!.location,
    { columns: new Set(columns), counts: fileTables, ranges, months },
    currentRows.map(({ file, line, values, delivered }) => ({ line, values, origin: locations.get(file)!, delivered })),
  );
}

type ParsedRow = FileRows['rows'][number];

function recordRemovedRows(before: readonly ParsedRow[], after: readonly ParsedRow[], rule: string): void {
  const kept = new Set(after);
  if (before.length > after.length)
    for (const row of before)
      if (!kept.has(row)) for (const deliveredRow of row.delivered) deliveredRow.leftOutBy ??= rule;
}

/** The rows of a file that `where` keeps, by the project's column names. */
interface FileRows extends RowCount {
  /** The file's columns of each of the project's. */
  usedColumns: { projectColumn: string; fileColumns: readonly string[] }[];
  /** The file's columns with a value in any of the rows. */
  filled: ReadonlySet<string>;
  rows: { file: string; line: number; values: Record<string, string | null>; delivered: DeliveredRow[] }[];
}

async function readRows(
  rawData: string,
  source: Pick<Source, 'files' | 'columns'> & Partial<Source>,
  { path: file, rows: leastRows = 1 }: Source['files'][number],
  report: ReportLine[],
  deliveries?: Delivery[],
): Promise<FileRows> {
  const { sheet } = source.dialect ?? {};
  const location = new InputLocation(file, sheet === undefined ? '' : `sheet ${sheet}`);
  if (!existsSync(path.join(rawData, file)))
    throw location.error('no such file', source.id ? `the source ${source.id} of the catalog` : 'a CSV table');
  const { header, rows: fileRows, mayBeCut } = await readTextTable(rawData, source, file, report);
  if (mayBeCut) report.push({ source: source.id ?? file, rule: 'no line end', what: `${file}: ${MAY_BE_CUT}` });
  const lastLine = fileRows.at(-1)?.line ?? 0;
  const limit = SHEET_ENDS.includes(lastLine)
    ? `it ends in row ${lastLine}, the last one that a sheet of Excel can have. If rows were cut off, export it as CSV without Excel`
    : EXPORT_LIMITS.includes(fileRows.length)
      ? `it has ${fileRows.length} rows, as many as systems give at once. If rows were cut off, export it in parts; if these are all, approve`
      : null;
  if (limit)
    report.push({
      source: source.id ?? file,
      rule: 'hard to believe',
      what: `${file}: ${limit}`,
      needs_approval: true,
    });
  const findColumnIndex = (name: string) => {
    const index = header.indexOf(name);
    if (index === -1) throw location.at('header').error(`columns ${header.join(', ')}`, expectedColumn(name, header));
    if (header.lastIndexOf(name) !== index)
      throw location.at('header').error(`the column "${name}" twice`, 'each column once');
    return index;
  };
  const usedColumns = Object.entries(columnsToRead(source)).map(([projectColumn, fileColumns]) => ({
    projectColumn,
    fileColumns,
    indexes: fileColumns.map(findColumnIndex),
  }));
  for (const name of Object.keys(source.unused ?? {})) findColumnIndex(name);
  const conditions = Object.entries(source.where ?? {}).map(
    ([name, value]) => [name, findColumnIndex(name), value] as const,
  );
  const usedSums = usedColumns.map(({ indexes }) =>
    indexes.length < 3
      ? null
      : findTotalColumn(
          indexes.map((index) => ({ numbers: fileRows.map(({ cells }) => Number(cells[index] ?? Number.NaN)) })),
        ),
  );
  const filled = new Set<string>();
  const isByMonth = isRoundByMonth(source);
  const delivery =
    deliveries &&
    recordDelivery(
      source,
      tableLabel(file, source.dialect),
      header,
      fileRows.map(({ cells }) => cells),
      usedColumns,
    );
  if (delivery) deliveries.push(delivery);
  const rows = fileRows
    .map(({ line, cells }, i) => ({ line, cells, delivered: delivery ? [delivery.rows[i]!] : [] }))
    .filter(({ line, cells, delivered }) => {
      const isKept = conditions.every(([name, index, value]) => {
        const cell = cells[index] ?? '';
        if (typeof value !== 'number') return cell === value;
        if (!DECIMAL.test(cell)) throw location.at(`row ${line}`).at(name).error(JSON.stringify(cell), 'a number');
        return Number(cell) === value;
      });
      if (!isKept) for (const row of delivered) row.leftOutBy = 'where';
      return isKept;
    })
    .map(({ line, cells, delivered }) => {
      const values: Record<string, string | null> = {};
      for (const [nth, { projectColumn, fileColumns, indexes }] of usedColumns.entries()) {
        const texts = indexes.map((index) => recodeText(source, projectColumn, cells[index] ?? '') || null);
        for (const [i, cell] of texts.entries()) if (cell !== null) filled.add(fileColumns[i]!);
        const row = location.at(`row ${line}`);
        const sumOfAll = indexes.length === 1 ? texts[0]! : sumCounts(texts, (i) => row.at(fileColumns[i]!));
        const totalColumn = usedSums[nth];
        const addends =
          totalColumn && texts[totalColumn.total] !== null
            ? texts.map((cell, i) => (totalColumn.parts.includes(i) ? null : cell))
            : texts;
        const text = addends === texts ? sumOfAll : sumCounts(addends, (i) => row.at(fileColumns[i]!));
        const repeatedCount = Number(text) - Number(sumOfAll);
        if (addends !== texts && repeatedCount !== 0)
          delivered[0]?.adjustments.push({ figure: projectColumn, rule: PARTS_OF_TOTAL, amount: repeatedCount });
        values[projectColumn] = text && (normalizeMonth(projectColumn, text, source.dialect ?? {}) ?? text);
      }
      if (isByMonth) values.survey_year = surveyYearAt(source.rounds!, monthText(values));
      return { file, line, values, delivered };
    });
  for (const [nth, { fileColumns }] of usedColumns.entries()) {
    const totalColumn = usedSums[nth];
    if (!totalColumn) continue;
    const parts = totalColumn.parts.map((i) => `"${fileColumns[i]}"`).join(' + ');
    report.push({
      source: source.id ?? file,
      rule: PARTS_OF_TOTAL,
      what: `${file}: "${fileColumns[totalColumn.total]}" is ${parts} where all are filled: a row counts it or, where it is blank, its parts`,
    });
  }
  return { location, total: fileRows.length, least: leastRows, usedColumns, filled, rows };
}

/** The rule of counts that a total in the same row has already. */
const PARTS_OF_TOTAL = 'parts of a total';

/** Whether only the month of a survey's row tells to which of its rounds it belongs. */
const isRoundByMonth = ({ rounds, columns = {} }: Partial<Source>): boolean =>
  rounds !== undefined && columns.survey_year === undefined;

/** The survey year of the round during whose fieldwork a month is; null if there is none. */
function surveyYearAt(rounds: NonNullable<Source['rounds']>, month: string | null): string | null {
  const round = month && rounds.find(({ first, last }) => month >= first && month <= last);
  return round ? String(round.survey_year) : null;
}

/** The project's form of a month; null for the cell of another column, and for text that is not a month. */
function normalizeMonth(column: string, text: string, { months }: Dialect): string | null {
  if (column === 'month') return readMonthOfYear(text);
  return column === 'period' ? readMonth(text, months) : null;
}

/** What to know of a file without a line end after its last row. */
export const MAY_BE_CUT = 'no line end after the last row: if the file was cut there, its last cell is wrong';

/**
 * The columns to read: the project's names -> the file's, whose counts are added up if there are several. Classes and
 * their total keep the file's names.
 */
export function columnsToRead({
  columns = {},
  sums,
  classes = [],
  classes_total,
}: Partial<Source>): Record<string, string[]> {
  const sameNamed = [...classes.map(({ column }) => column), ...(classes_total ? [classes_total] : [])];
  return {
    ...Object.fromEntries(Object.entries(columns).map(([projectColumn, fileColumn]) => [projectColumn, [fileColumn]])),
    ...sums,
    ...Object.fromEntries(sameNamed.map((fileColumn) => [fileColumn, [fileColumn]])),
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
export async function readTextTable(
  rawData: string,
  { id, files, format, dialect = {} }: Pick<Source, 'files'> & Partial<Source>,
  file = files[0]!.path,
  report: ReportLine[] = [],
): Promise<TextTable> {
  const readNormalized = async (name: string, fileFormat: typeof format, declared: Dialect) =>
    normalizeTable(await readText(path.join(rawData, name), name, fileFormat, declared), declared, name);
  let table = await readNormalized(file, format, dialect);
  for (const { path: joinedFile, join } of files) {
    if (!join) continue;
    const joinedTable = await readNormalized(joinedFile, join.format, join.dialect ?? {});
    const joinResult = joinTables(table, joinedTable, join.on, {
      table: new InputLocation(file),
      lookup: new InputLocation(joinedFile),
    });
    table = joinResult.table;
    const addFinding = (rule: string, what: string) =>
      report.push({ source: id ?? file, rule, what: `${joinedFile}: ${what}` });
    if (joinedTable.mayBeCut) addFinding('no line end', MAY_BE_CUT);
    if (joinResult.unused > 0)
      addFinding('joined', `${joinResult.unused} of ${joinedTable.rows.length} rows belong to no row of ${file}`);
  }
  return table;
}

function readText(
  fullPath: string,
  file: string,
  format: Source['format'] | undefined,
  { separator, encoding, title_rows, sheet }: Dialect,
): Promise<TextTable> {
  if (format === 'xlsx') return readXlsx(fullPath, file, sheet, title_rows);
  if (format === 'dbf') return readDbf(fullPath, file);
  return format === 'json' ? readJsonTable(fullPath, file) : readCsv(fullPath, file, separator, encoding, title_rows);
}

/** A cell's text, replaced if the catalog recodes it. */
export function recodeText({ recode }: Pick<Source, 'recode'>, column: string, text: string): string {
  const codes = recode?.[column];
  return codes && Object.hasOwn(codes, text) ? codes[text]! : text;
}
