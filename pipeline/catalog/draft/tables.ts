/** What a table is for, by its columns, the codes in them and its rows. */
import { isPeriod } from '../../contract/months.ts';
import { plain } from '../../ingest/names.ts';
import { dashed } from '../../ingest/readers/table.ts';
import { FIGURES, type Role } from '../roles.ts';
import type { Source } from '../sources.ts';
import { cellsOf, columnAmong, columnOf, columnsOf, type Known, metAs } from './columns.ts';
import type { Tabular } from './look.ts';

/** Part of an entry of sources.json: what the table itself tells. */
export type Drafted = { role: Role } & Pick<Source, 'unit'> & Partial<Source>;

/** Codes of the two levels. */
export interface Codes {
  lgas: ReadonlySet<string>;
  states: ReadonlySet<string>;
}

/** The entry that a table is drafted as, or why it is left out. */
export function draftTable(table: Tabular, codes: Codes): Drafted | string {
  return draftSurvey(table, codes) ?? draftByPlace(table, codes);
}

/** Clusters: a place each by coordinates or code, children examined and positive. Null where it has no such columns. */
function draftSurvey(table: Tabular, codes: Codes): Drafted | string | null {
  const { header } = table;
  const coordinates = columnsOf(header, ['longitude', 'latitude']);
  const lga = columnAmong(table, (cell) => codes.lgas.has(cell));
  const located = coordinates.longitude !== undefined && coordinates.latitude !== undefined;
  const place = located ? coordinates : lga ? { lga_pcode: lga } : null;
  const counts = columnsOf(header, ['examined', 'positive', 'positivity']);
  const about = columnsOf(header, ['survey_year', 'cluster_id', 'method']);
  if (!place || !counts.examined || !(counts.positive || counts.positivity)) {
    if (!located || !about.method) return null;
    const lacks = counts.examined ? 'positive' : 'examined';
    return `a survey without a column of the children ${lacks}: one called ${metAs(lacks).join(', ')}`;
  }
  if (counts.positive) delete counts.positivity;
  const missing = (['survey_year', 'cluster_id', 'method'] as const).filter((name) => !about[name]);
  if (missing.length > 0)
    return `a survey without ${missing.map((name) => `a column of the ${MEANT[name]}`).join(' and ')}`;
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
  const whole = (column: string | undefined) =>
    !column || cellsOf(table, column).every((cell) => Number.isInteger(Number(cell)));
  const rounds = roundsOf(table, columns);
  if (rounds.length === 0) return 'a survey whose years and months cannot be read';
  return {
    ...{ role: 'survey_clusters', unit: 'share', columns, methods, rounds },
    ...(whole(columns.examined) && whole(columns.positive) ? {} : { weighted_counts: true }),
    ...(located ? { displaced: true } : {}),
  };
}

const MEANT = { survey_year: 'year', cluster_id: 'cluster', method: 'diagnostic method' };

function methodsIn(cells: readonly string[]): NonNullable<Source['methods']> | string {
  const methods: { microscopy?: string; rdt?: string } = {};
  for (const cell of new Set(cells)) {
    const name = /micro|smear|slide|goutte|^bs$/i.test(cell)
      ? 'microscopy'
      : /rdt|tdr|rapid/i.test(cell)
        ? 'rdt'
        : null;
    if (!name) return `a survey by the method "${cell}": known are microscopy and rapid tests`;
    if (methods[name] !== undefined) return `a survey with two names of one method: "${methods[name]}" and "${cell}"`;
    methods[name] = cell;
  }
  return methods;
}

/** Years of the survey with the first and last month of their rows. */
function roundsOf(table: Tabular, columns: Partial<Record<Known, string>>): NonNullable<Source['rounds']> {
  const at = (name: Known) => table.header.indexOf(columns[name] ?? '');
  const months = table.rows.flatMap(({ cells }) => {
    const year = cells[at('year')];
    const period = columns.period
      ? dashed(cells[at('period')] ?? '')
      : `${year}-${(cells[at('month')] ?? '').padStart(2, '0')}`;
    const survey_year = Number(cells[at('survey_year')]);
    return isPeriod(period) && Number.isInteger(survey_year) ? [{ survey_year, period }] : [];
  });
  return [...Map.groupBy(months, ({ survey_year }) => survey_year)]
    .sort(([a], [b]) => a - b)
    .map(([survey_year, own]) => {
      const sorted = own.map(({ period }) => period).sort();
      return { survey_year, first: sorted[0]!, last: sorted.at(-1)! };
    });
}

const SUBJECTS = {
  cases: ['confirmed'],
  climate: ['rain_mm'],
  people: ['people'],
} as const satisfies Record<string, readonly Known[]>;

/** A table by the codes of areas: cases, rain, people or a figure of the context. */
function draftByPlace(table: Tabular, codes: Codes): Drafted | string {
  const { header } = table;
  const lga = columnAmong(table, (cell) => codes.lgas.has(cell));
  const state = columnAmong(table, (cell) => codes.states.has(cell));
  if (!lga && !state) return 'no column has the codes of areas';
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
  const has = (subject: keyof typeof SUBJECTS) => columnsOf(header, SUBJECTS[subject]);
  if (isMonthly) {
    const rain = has('climate');
    const warmth = columnsOf(header, ['temperature_c']);
    if (rain.rain_mm && lga)
      return {
        ...{ role: 'climate', unit: 'mm per month' },
        columns: { ...at, ...when, ...rain, ...warmth, ...names },
        span: spanOf(table, when),
      };
    const { confirmed } = has('cases');
    if (!confirmed) return 'by area and month, but no column of cases or rain';
    if (!monthly) return 'cases by year and month in two columns, where one YYYY-MM or YYYYMM is read';
    const role = lga ? 'cases_lgas' : 'cases_states';
    return { ...{ role, unit: 'cases' }, columns: { ...at, ...when, confirmed, ...names }, span: spanOf(table, when) };
  }
  const { people } = has('people');
  if (people && lga)
    return {
      role: 'population_census',
      unit: 'persons',
      columns: { ...at, people, ...columnsOf(header, ['children_0_4']), ...names },
    };
  const figure = FIGURES.find((name) => header.some((column) => plain(column) === plain(name)));
  if (!figure) return 'by area, but no column of people, cases, rain or a figure of the context';
  const column = header.find((own) => plain(own) === plain(figure))!;
  const most = Math.max(...cellsOf(table, column).map(Number));
  const unit = figure === 'travel_minutes_to_care' ? 'minutes' : most > 1 ? 'percent' : 'share';
  return { ...{ role: 'layer', figure, unit }, columns: { ...at, [figure]: column, ...names } };
}

/** First month of any row, and the last. */
function spanOf(table: Tabular, when: Partial<Record<Known, string>>): NonNullable<Source['span']> {
  const at = (name: Known) => table.header.indexOf(when[name] ?? '');
  const months = table.rows
    .map(({ cells }) =>
      when.period
        ? dashed(cells[at('period')] ?? '')
        : `${cells[at('year')]}-${(cells[at('month')] ?? '').padStart(2, '0')}`,
    )
    .filter(isPeriod)
    .sort();
  return { first: months[0]!, last: months.at(-1)! };
}
