/** The role of a table, from its columns, the codes in them and its rows. */

import { FIGURES } from '../../catalog/figures.ts';
import type { Role } from '../../catalog/roles.ts';
import type { Source } from '../../catalog/sources.ts';
import { isPeriod } from '../../contract/months.ts';
import { plain } from '../../ingest/names.ts';
import { dashed } from '../../ingest/readers/raw-table.ts';
import { aliasesOf, type ColumnName, cellsOf, columnMatching, columnOf, columnsOf } from './draft-columns.ts';
import type { LeftOut, TableFile } from './recognise.ts';

/** The part of an entry of sources.json that follows from the file itself. */
export type DraftEntry = { role: Role } & Pick<Source, 'unit'> & Partial<Source>;

/** Codes of the two levels of areas. */
export interface AreaCodes {
  lgas: ReadonlySet<string>;
  states: ReadonlySet<string>;
}

/** A table and its drafted entry. */
export interface DraftedTable {
  table: TableFile;
  entry: DraftEntry;
}

/** Roles that only one table may have. */
const ONCE: readonly Role[] = ['population_census', 'climate', 'cases_states', 'cases_lgas'];

/**
 * Drafts each role, or round of a survey, from one table; of several tables, from the one with the most known columns.
 * @param ofCodes the table that gives the areas their codes, which may also contain their population
 */
export function draftTables(
  tables: readonly TableFile[],
  codes: AreaCodes,
  ofCodes: TableFile | null,
): { kept: DraftedTable[]; leftOut: LeftOut[] } {
  const leftOut: LeftOut[] = [];
  const found = tables.flatMap((table): DraftedTable[] => {
    const entry = draftTable(table, codes);
    if (table === ofCodes && (typeof entry === 'string' || entry.role !== 'population_census')) return [];
    if (typeof entry !== 'string') return [{ table, entry }];
    leftOut.push({ kind: 'left out', file: table.file, why: entry });
    return [];
  });
  const known = ({ entry }: DraftedTable) => Object.keys(entry.columns ?? {}).length;
  const kept: DraftedTable[] = [];
  for (const candidate of found.toSorted((a, b) => known(b) - known(a))) {
    const { role, figure, rounds } = candidate.entry;
    const better = kept.find(
      ({ entry }) =>
        entry.role === role &&
        (ONCE.includes(role) ||
          (figure !== undefined && entry.figure === figure) ||
          rounds?.some(({ survey_year }) => entry.rounds?.some((round) => round.survey_year === survey_year))),
    );
    const more = better ? candidate.table.rows.length - better.table.rows.length : 0;
    if (better)
      leftOut.push({
        kind: 'left out',
        file: candidate.table.file,
        why: `has the ${role === 'survey_clusters' ? 'rounds' : 'figures'} of ${better.table.file}${more > 0 ? `, and ${more} more rows` : ''}`,
      });
    else kept.push(candidate);
  }
  return { kept: kept.sort((a, b) => (a.table.file < b.table.file ? -1 : 1)), leftOut };
}

/** The drafted entry, or the reason why the table is left out. */
function draftTable(table: TableFile, codes: AreaCodes): DraftEntry | string {
  return draftSurvey(table, codes) ?? draftByPlace(table, codes);
}

/** Survey clusters located by coordinates or code, with children examined and positive; null without such columns. */
function draftSurvey(table: TableFile, codes: AreaCodes): DraftEntry | string | null {
  const { header } = table;
  const coordinates = columnsOf(header, ['longitude', 'latitude']);
  const lga = columnMatching(table, (cell) => codes.lgas.has(cell));
  const located = coordinates.longitude !== undefined && coordinates.latitude !== undefined;
  const place = located ? coordinates : lga ? { lga_pcode: lga } : null;
  const counts = columnsOf(header, ['examined', 'positive', 'positivity']);
  const about = columnsOf(header, ['survey_year', 'cluster_id', 'method']);
  if (!place || !counts.examined || !(counts.positive || counts.positivity)) {
    if (!located || !about.method) return null;
    const lacks = counts.examined ? 'positive' : 'examined';
    return `a survey without a column of the children ${lacks}, such as ${aliasesOf(lacks).join(', ')}`;
  }
  if (counts.positive) delete counts.positivity;
  const missing = (['survey_year', 'cluster_id', 'method'] as const).filter((name) => !about[name]);
  if (missing.length > 0)
    return `a survey without a column of the ${missing.map((name) => MEANING[name]).join(', or of the ')}`;
  const period = columnOf(header, 'period');
  const months = period && cellsOf(table, period).every((cell) => isPeriod(dashed(cell))) ? { period } : null;
  const when = months ?? columnsOf(header, ['year', 'month']);
  if (!months && Object.keys(when).length < 2) return 'a survey without the months of its clusters';
  const columns = {
    ...about,
    ...when,
    ...place,
    ...counts,
    ...columnsOf(header, ['urban', 'youngest_years', 'oldest_years', 'weight']),
  };
  const methods = methodsIn(cellsOf(table, about.method!));
  if (typeof methods === 'string') return methods;
  const isInteger = (column: string | undefined) =>
    !column || cellsOf(table, column).every((cell) => Number.isInteger(Number(cell)));
  const rounds = roundsOf(table, columns);
  if (rounds.length === 0) return 'a survey whose years and months cannot be read';
  return {
    role: 'survey_clusters',
    unit: 'share',
    columns,
    methods,
    rounds,
    ...(isInteger(columns.examined) && isInteger(columns.positive) ? {} : { weighted_counts: true }),
    ...(located ? { displaced: true } : {}),
  };
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
function roundsOf(table: TableFile, columns: Partial<Record<ColumnName, string>>): NonNullable<Source['rounds']> {
  const at = table.header.indexOf(columns.survey_year ?? '');
  const months = monthsOf(table, columns).flatMap((period, row) => {
    const survey_year = Number(table.rows[row]!.cells[at]);
    return isPeriod(period) && Number.isInteger(survey_year) ? [{ survey_year, period }] : [];
  });
  return [...Map.groupBy(months, ({ survey_year }) => survey_year)]
    .sort(([a], [b]) => a - b)
    .map(([survey_year, own]) => {
      const sorted = own.map(({ period }) => period).sort();
      return { survey_year, first: sorted[0]!, last: sorted.at(-1)! };
    });
}

/** A table keyed by area codes: cases, rain, population or a context figure. */
function draftByPlace(table: TableFile, codes: AreaCodes): DraftEntry | string {
  const { header } = table;
  const lga = columnMatching(table, (cell) => codes.lgas.has(cell));
  const state = columnMatching(table, (cell) => codes.states.has(cell));
  if (!lga && !state) return 'no column contains the area codes';
  const at = lga ? { lga_pcode: lga } : { state_pcode: state! };
  const names = columnsOf(
    header.filter((column) => column !== lga && column !== state),
    lga ? ['lga', 'state'] : ['state'],
  );
  const periods = columnOf(header, 'period');
  const monthly =
    periods && cellsOf(table, periods).every((cell) => isPeriod(dashed(cell))) ? { period: periods } : null;
  const when = monthly ?? columnsOf(header, ['year', 'month']);
  const isMonthly = monthly !== null || Object.keys(when).length === 2;
  if (isMonthly) {
    const rain = columnsOf(header, ['rain_mm']);
    const warmth = columnsOf(header, ['temperature_c']);
    if (rain.rain_mm && lga)
      return {
        role: 'climate',
        unit: 'mm per month',
        columns: { ...at, ...when, ...rain, ...warmth, ...names },
        span: spanOf(table, when),
      };
    const confirmed = columnOf(header, 'confirmed');
    if (!confirmed) return 'by area and month, but without a column of cases or rain';
    if (!monthly) return 'cases with year and month in two columns; only a single column (YYYY-MM or YYYYMM) is read';
    const role = lga ? 'cases_lgas' : 'cases_states';
    return { role, unit: 'cases', columns: { ...at, ...when, confirmed, ...names }, span: spanOf(table, when) };
  }
  const people = columnOf(header, 'people');
  if (people && lga)
    return {
      role: 'population_census',
      unit: 'persons',
      columns: { ...at, people, ...columnsOf(header, ['children_0_4']), ...names },
    };
  const figure = FIGURES.find((name) => header.some((column) => plain(column) === plain(name)));
  if (!figure) return 'by area, but without a column of people, cases, rain or a context figure';
  const column = header.find((own) => plain(own) === plain(figure))!;
  const most = Math.max(...cellsOf(table, column).map(Number));
  const unit = figure === 'travel_minutes_to_care' ? 'minutes' : most > 1 ? 'percent' : 'share';
  return { role: 'layer', figure, unit, columns: { ...at, [figure]: column, ...names } };
}

/** The first and last month of all rows. */
function spanOf(table: TableFile, columns: Partial<Record<ColumnName, string>>): NonNullable<Source['span']> {
  const months = monthsOf(table, columns).filter(isPeriod).sort();
  return { first: months[0]!, last: months.at(-1)! };
}

/** The month of each row, `YYYY-MM` if it is valid, from one column or from year and month. */
function monthsOf({ header, rows }: TableFile, columns: Partial<Record<ColumnName, string>>): string[] {
  const at = (name: ColumnName) => header.indexOf(columns[name] ?? '');
  const [period, year, month] = [at('period'), at('year'), at('month')];
  return rows.map(({ cells }) =>
    columns.period ? dashed(cells[period] ?? '') : `${cells[year]}-${(cells[month] ?? '').padStart(2, '0')}`,
  );
}
