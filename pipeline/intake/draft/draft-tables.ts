/** The roles of a table, from its columns, the areas in them and its rows. */

import { FIGURES, type Figure } from '../../catalog/figures.ts';
import type { Role } from '../../catalog/roles.ts';
import type { Source } from '../../catalog/sources.ts';
import { isPeriod } from '../../contract/months.ts';
import type { TextTable } from '../../ingest/readers/csv.ts';
import { aliasesOf, type ColumnName, cellsOf, columnsOf, looksLike } from './draft-columns.ts';
import { type AreaCodes, type PlaceKey, placeOf, spanOf, type TimeKey, timeOf } from './draft-keys.ts';
import type { LeftOut, TableFile } from './recognise.ts';

/** The part of an entry of sources.json that follows from the file itself. */
export type DraftEntry = { role: Role } & Pick<Source, 'unit'> & Partial<Source>;

/** A drafted entry and its table. */
export interface DraftedTable {
  table: TableFile;
  entry: DraftEntry;
  /** The rows that the entry keeps, areas by their codes. */
  used: TextTable;
  note: string;
}

/** What a table gives, and why it does not give more. */
interface TableDraft {
  entries: { entry: DraftEntry; note?: string }[];
  obstacles: string[];
}

const BY_NAMES = 'Columns recognised by their names';
/** Roles that only one table may have for an area. */
const ONCE: readonly Role[] = ['population_census', 'climate', 'cases_states', 'cases_lgas'];

/**
 * Drafts every role that a table can have; of several tables, each role, or round of a survey, is drafted from the one
 * with the most known columns.
 * @param ofCodes the table that gives the areas their codes, which may have no other role
 */
export function draftTables(
  tables: readonly TableFile[],
  areas: AreaCodes,
  ofCodes: TableFile | null,
): { kept: DraftedTable[]; leftOut: LeftOut[] } {
  const leftOut: LeftOut[] = [];
  const leave = ({ file, header }: TableFile, why: string, isLost = true) =>
    leftOut.push({ kind: 'left out', file, why, lost: isLost ? looksLike([file, ...header]) : null });
  const candidates = tables.flatMap((table) => {
    const { entries, obstacles } = draftTable(table, areas);
    for (const why of obstacles) if (table !== ofCodes || looksLike(table.header)) leave(table, why);
    return entries.map(({ entry, note = BY_NAMES }) => ({ table, entry, used: rowsOf(table, entry), note }));
  });
  const known = ({ entry }: DraftedTable) => Object.keys(entry.columns ?? {}).length - (entry.where ? 100 : 0);
  const kept: DraftedTable[] = [];
  for (const candidate of candidates.toSorted((a, b) => known(b) - known(a))) {
    const better = kept.find((other) => isSame(candidate, other));
    if (better) leave(candidate.table, ...whyNotBeside(candidate, better));
    else kept.push(candidate);
  }
  for (const table of tables) {
    const used = kept.filter((one) => one.table === table).flatMap(({ entry }) => Object.values(entry.columns ?? {}));
    const unused = table.header.filter((column) => !used.includes(column) && looksLike([column]));
    if (used.length > 0 && unused.length > 0) leave(table, `columns that are not used: ${unused.join(', ')}`, false);
  }
  return { kept: kept.sort((a, b) => (a.table.file < b.table.file ? -1 : 1)), leftOut };
}

/** Whether two tables give the same figures: only one can be used. */
function isSame({ entry, used }: DraftedTable, other: DraftedTable): boolean {
  if (entry.role !== other.entry.role) return false;
  if (entry.figure !== undefined) return entry.figure === other.entry.figure;
  if (entry.rounds)
    return entry.rounds.some(({ survey_year }) => other.entry.rounds?.some((one) => one.survey_year === survey_year));
  if (!ONCE.includes(entry.role)) return false;
  if (!/^cases_/.test(entry.role)) return true;
  const places = new Set(placesOf(other.entry, other.used));
  return placesOf(entry, used).some((place) => places.has(place));
}

const placesOf = ({ columns = {} }: DraftEntry, table: TextTable) =>
  cellsOf(table, columns.lga_pcode ?? columns.state_pcode!);

/** Why a table is not used beside another one with the same figures, and whether something is lost for it. */
function whyNotBeside({ table, entry }: DraftedTable, better: DraftedTable): [why: string, isLost: boolean] {
  const { file } = better.table;
  const [own, other] = [entry.span, better.entry.span];
  if (own && other && (own.first < other.first || own.last > other.last))
    return [
      `months ${own.first} to ${own.last} of the areas of ${file}, which has ${other.first} to ${other.last}: join the two files into one`,
      true,
    ];
  const more = table.rows.length - better.table.rows.length;
  const what = entry.role === 'survey_clusters' ? 'rounds' : 'figures';
  return [`has the ${what} of ${file}${more > 0 ? `, and ${more} more rows` : ''}`, false];
}

/** The table as its entry reads it: the rows that `where` keeps, areas by their codes. */
function rowsOf(table: TextTable, { where = {}, recode = {}, columns = {} }: DraftEntry): TextTable {
  const keep = Object.entries(where).map(([name, value]) => [table.header.indexOf(name), value] as const);
  const codes = Object.entries(recode).map(([ours, by]) => [table.header.indexOf(columns[ours]!), by] as const);
  return {
    header: table.header,
    rows: table.rows
      .filter(({ cells }) => keep.every(([index, value]) => cells[index] === value))
      .map(({ line, cells }) => ({
        line,
        cells: codes.reduce((row, [index, by]) => row.with(index, by[row[index] ?? ''] ?? row[index]!), [...cells]),
      })),
  };
}

function draftTable(table: TableFile, areas: AreaCodes): TableDraft {
  const place = placeOf(table, areas);
  return draftSurvey(table, place) ?? draftByPlace(table, place);
}

/** Survey clusters located by coordinates or code, with children examined and positive; null without such columns. */
function draftSurvey(table: TableFile, place: PlaceKey | null): TableDraft | null {
  const { header } = table;
  const refused = (why: string): TableDraft => ({ entries: [], obstacles: [why] });
  const coordinates = columnsOf(header, ['longitude', 'latitude']);
  const located = coordinates.longitude !== undefined && coordinates.latitude !== undefined;
  const inLga = place?.is === 'lga_pcode' ? place : null;
  const counts = columnsOf(header, ['examined', 'positive', 'positivity']);
  const about = columnsOf(header, ['survey_year', 'cluster_id', 'method']);
  const isComplete = counts.examined !== undefined && (counts.positive ?? counts.positivity) !== undefined;
  if (!isComplete && located && about.method) {
    const lacks = counts.examined ? 'positive' : 'examined';
    return refused(`a survey without a column of the children ${lacks}, such as ${aliasesOf(lacks).join(', ')}`);
  }
  // Health facilities' monthly records have tests and positives too, but no clusters.
  if (!isComplete || (!located && !(inLga && about.cluster_id && about.method))) return null;
  if (counts.positive) delete counts.positivity;
  const missing = (['survey_year', 'cluster_id', 'method'] as const).filter((name) => !about[name]);
  if (missing.length > 0)
    return refused(`a survey without a column of the ${missing.map((name) => MEANING[name]).join(', or of the ')}`);
  const time = timeOf(table, Object.values({ ...coordinates, ...counts }));
  if (typeof time === 'string') return refused(`a survey ${time}`);
  if (!time.monthly) return refused('a survey without the months of its clusters');
  const methods = methodsIn(cellsOf(table, about.method!));
  if (typeof methods === 'string') return refused(methods);
  const rounds = roundsOf(table, about.survey_year!, time.times);
  if (rounds.length === 0) return refused('a survey whose years and months cannot be read');
  const isInteger = (column: string | undefined) =>
    !column || cellsOf(table, column).every((cell) => Number.isInteger(Number(cell)));
  const places = located ? coordinates : { lga_pcode: inLga!.column };
  const entry: DraftEntry = {
    role: 'survey_clusters',
    unit: 'share',
    columns: {
      ...about,
      ...time.columns,
      ...places,
      ...counts,
      ...columnsOf(header, ['urban', 'youngest_years', 'oldest_years', 'weight']),
    },
    ...dialectOf(table, time),
    ...(!located && inLga?.recode ? { recode: { lga_pcode: inLga.recode } } : {}),
    methods,
    rounds,
    ...(isInteger(counts.examined) && isInteger(counts.positive) ? {} : { weighted_counts: true }),
    ...(located ? { displaced: true } : {}),
  };
  return { entries: [{ entry }], obstacles: [] };
}

const MEANING = { survey_year: 'year', cluster_id: 'cluster', method: 'diagnostic method' };

function methodsIn(cells: readonly string[]): NonNullable<Source['methods']> | string {
  const methods: { microscopy?: string; rdt?: string } = {};
  for (const cell of new Set(cells)) {
    const name = /micro|smear|slide|goutte|^bs$/i.test(cell)
      ? 'microscopy'
      : /rdt|tdr|rapid/i.test(cell)
        ? 'rdt'
        : null;
    if (!name) return `a survey with the method "${cell}": only microscopy and rapid tests are supported`;
    if (methods[name] !== undefined) return `a survey with two names for one method: "${methods[name]}" and "${cell}"`;
    methods[name] = cell;
  }
  return methods;
}

/** The survey years with the first and last month of their rows. */
function roundsOf({ header, rows }: TableFile, column: string, times: readonly string[]) {
  const at = header.indexOf(column);
  const months = times.flatMap((period, row) => {
    const survey_year = Number(rows[row]!.cells[at]);
    return isPeriod(period) && Number.isInteger(survey_year) ? [{ survey_year, period }] : [];
  });
  return [...Map.groupBy(months, ({ survey_year }) => survey_year)]
    .sort(([a], [b]) => a - b)
    .map(([survey_year, own]) => ({ survey_year, ...spanOf(own.map(({ period }) => period)) }));
}

/** The dialect of the file and of its months, if it is not the project's own. */
function dialectOf({ dialect }: TableFile, time: TimeKey | null): Pick<Source, 'dialect'> {
  const own = { ...dialect, ...(time?.months ? { months: time.months } : {}) };
  return Object.keys(own).length > 0 ? { dialect: own } : {};
}

/** A table keyed by areas: cases, rain, people, context figures, or several of them. */
function draftByPlace(table: TableFile, place: PlaceKey | null): TableDraft {
  if (!place) return { entries: [], obstacles: ['no column contains the area codes or names'] };
  const { header } = table;
  const others = header.filter((column) => column !== place.column);
  const { columns: measures, note } = measuresOf(table, others);
  const time = timeOf(table, [place.column, ...Object.values(measures)]);
  const when = typeof time === 'string' ? null : time;
  const ofLgas = place.is === 'lga_pcode';
  const names = columnsOf(others, ofLgas ? ['lga', 'state'] : ['state']);
  const draft: TableDraft = { entries: [], obstacles: [] };

  /** Drafts an entry for one of the measures, unless something is in the way. */
  const add = (measure: ColumnName, obstacle: string | null, about: Omit<DraftEntry, 'columns'>, more: object) => {
    const column = measures[measure]!;
    if (obstacle !== null) {
      draft.obstacles.push(`"${column}" is not used: ${obstacle}`);
      return;
    }
    const { role, figure, unit, span, where } = about;
    const entry: DraftEntry = {
      role,
      ...(figure ? { figure } : {}),
      unit,
      columns: { [place.is]: place.column, ...more, [measure]: column, ...names },
      ...dialectOf(table, where ? null : when),
      ...(place.recode ? { recode: { [place.is]: place.recode } } : {}),
      ...(where ? { where } : {}),
      ...(span ? { span } : {}),
    };
    const latest = where ? `${Object.values(where).join('-')}, the latest in every area; not summed over time` : note;
    draft.entries.push({
      entry,
      note: latest ?? (place.recode ? 'Columns recognised by their names, areas by theirs' : BY_NAMES),
    });
  };
  const monthly = !when?.monthly
    ? typeof time === 'string'
      ? time
      : 'without a column of months'
    : repeatedIn(table, place, when, Object.values(measures));
  const upper = ofLgas ? null : 'it is given for the upper level only';
  const span = when?.monthly ? { span: spanOf(when.times) } : {};
  if (measures.confirmed)
    add(
      'confirmed',
      monthly,
      { role: ofLgas ? 'cases_lgas' : 'cases_states', unit: 'cases', ...span },
      { ...when?.columns },
    );
  if (measures.rain_mm) {
    const weather = columnsOf(others, ['temperature_c']);
    add(
      'rain_mm',
      upper ?? monthly,
      { role: 'climate', unit: 'mm per month', ...span },
      { ...when?.columns, ...weather },
    );
  }
  const latest = latestIn(table, place, when, Object.values(measures));
  const several = typeof latest === 'string' ? latest : null;
  const kept = latest !== null && typeof latest !== 'string' ? { where: latest } : {};
  if (measures.people) {
    const children = columnsOf(others, ['children_0_4']);
    add('people', upper ?? several, { role: 'population_census', unit: 'persons', ...kept }, children);
  }
  for (const figure of FIGURES)
    if (measures[figure]) {
      const unit = unitOf(figure, cellsOf(table, measures[figure]));
      add(figure, several, { role: 'layer', figure, unit, ...kept }, {});
    }
  if (Object.keys(measures).length === 0)
    draft.obstacles.push(note ?? 'by area, but without a column of people, cases, rain or a context figure');
  return draft;
}

const MEASURES = ['confirmed', 'rain_mm', 'people', ...FIGURES] as const;

/**
 * The columns with figures that the service reads. A column that is only called `value`, as after a pivot, is named by
 * the file's name or, if that says nothing, taken for cases if it has whole numbers.
 */
function measuresOf(
  table: TableFile,
  columns: readonly string[],
): { columns: Partial<Record<ColumnName, string>>; note: string | null } {
  const found = columnsOf(columns, MEASURES);
  const value = found.confirmed;
  if (value === undefined || !/^value_*$/i.test(value)) return { columns: found, note: null };
  const { confirmed: _, ...others } = found;
  const subject = looksLike([table.file.split('/').at(-1)!, ...columns.filter((column) => column !== value)]);
  const cells = cellsOf(table, value);
  const from = table.dialect.pivot ? 'Months are columns; t' : 'T';
  if (subject === 'people') return { columns: { ...others, people: value }, note: null };
  if (subject === 'climate')
    return { columns: { ...others, rain_mm: value }, note: `${from}aken for rain by its name` };
  if (subject === null || subject === 'cases') {
    if (cells.every((cell) => /^\d+(\.0*)?$/.test(cell)))
      return { columns: found, note: `${from}aken for confirmed cases: check it` };
  }
  return { columns: others, note: 'by area, but neither its name nor its columns tell what its numbers are' };
}

function unitOf(figure: Figure, cells: readonly string[]): string {
  if (figure === 'travel_minutes_to_care') return 'minutes';
  return Math.max(...cells.map(Number)) > 1 ? 'percent' : 'share';
}

/** Why a table has several rows for one area and time; null if it has not. */
function repeatedIn(
  table: TextTable,
  place: PlaceKey,
  time: TimeKey | null,
  measures: readonly string[],
): string | null {
  const at = table.header.indexOf(place.column);
  const keys = table.rows.map(({ cells }, i) => `${cells[at]} ${time?.times[i] ?? ''}`);
  if (new Set(keys).size === keys.length) return null;
  const keyed = [place.column, ...Object.values(time?.columns ?? {}), ...measures];
  const apart = table.header.find((column, index) => {
    if (keyed.includes(column)) return false;
    return new Set(table.rows.map(({ cells }, i) => `${keys[i]} ${cells[index]}`)).size === keys.length;
  });
  const twice = keys.find((key, i) => keys.indexOf(key) !== i)!.trim();
  const rows = `${keys.filter((key) => key.trim() === twice).length} rows for ${twice}`;
  if (!apart) return `${rows}: leave one row for each area and time`;
  const values = [...new Set(cellsOf(table, apart))];
  const some = `${values.slice(0, 3).join(', ')}${values.length > 3 ? ' …' : ''}`;
  return `${rows}, which differ in "${apart}" (${some}): keep one of these (\`where\` in sources.json), or add them up`;
}

/**
 * The rows to keep of a table with several times, of which one must be chosen because people are not summed over
 * months: the latest that most areas have. Null if there is one row for each area.
 */
function latestIn(
  table: TextTable,
  place: PlaceKey,
  time: TimeKey | null,
  measures: readonly string[],
): Record<string, string> | string | null {
  if (repeatedIn(table, place, null, measures) === null) return null;
  const repeated = repeatedIn(table, place, time, measures);
  if (!time || repeated !== null) return repeated;
  const counts = [...Map.groupBy(time.times, (when) => when)].filter(([when]) => when !== '');
  const most = Math.max(...counts.map(([, rows]) => rows.length));
  const last = counts
    .flatMap(([when, rows]) => (rows.length === most ? [when] : []))
    .sort()
    .at(-1)!;
  const { cells } = table.rows[time.times.indexOf(last)]!;
  return Object.fromEntries(
    Object.values(time.columns).map((column) => [column, cells[table.header.indexOf(column)]!]),
  );
}
