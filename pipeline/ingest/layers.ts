import { caseRecords, surveyRounds } from '../catalog/evidence.ts';
import { type Figure, figureValues } from '../catalog/figures.ts';
import { yearOfPeople } from '../catalog/roles.ts';
import type { Source } from '../catalog/sources.ts';
import { calendarYear } from '../contract/months.ts';
import { readEach } from '../lib/bad-input.ts';
import { firstFew } from '../lib/first-few.ts';
import { checkControls } from './controls.ts';
import type { Areas, CensusRow, LayerRow, PeopleRow } from './ingest-tables.ts';
import {
  codeAndName,
  createAreaLookup,
  declaredGap,
  EXPECTED_PEOPLE,
  gapRemedy,
  type IngestInput,
  sourcesInRole,
} from './input.ts';
import { readTableWithCodes } from './places-by-name.ts';
import type { RawRow, RawTable } from './readers/raw-table.ts';

/** The sum of the classes may differ from the total in the table by this share, because both are rounded. */
const TOTAL_TOLERANCE = 1e-4;
/** Plausible share of children under five; that of every country is well inside. */
const CHILDREN_SHARE_RANGE = [0.02, 0.4] as const;

/**
 * Context figures from tables: shares 0-1 or minutes by LGA, null if the catalog declares that there is no estimate.
 * From a table by state, each LGA gets its state's figure.
 * @throws BadInput for an undeclared missing area, a value out of range, or percentages declared as shares and vice
 *   versa
 */
export async function ingestLayers(input: IngestInput, areas: Areas): Promise<LayerRow[]> {
  const layers: { [Name in Figure]?: (number | null)[] } = {};
  for (const source of sourcesInRole(input, 'layer')) {
    const figure = source.figure!;
    layers[figure] = await readLayer(input, areas, source, figure);
  }
  return areas.lgas.map(({ lga_code }, i) => ({ lga_code, ...figureValues((figure) => layers[figure]?.[i] ?? null) }));
}

/**
 * The value of each LGA, or of its state in a table by state: null if it is blank, undefined if there is no row.
 * @param readRowValue the value of a row, unless the source has classes
 */
export async function readValuesByLga(
  input: IngestInput,
  areas: Areas,
  source: Source,
  readRowValue: (row: RawRow) => number | null,
): Promise<{ table: RawTable; values: Map<string, number | null | undefined> }> {
  const table = await readTableWithCodes(input, areas, source);
  const codeColumn = table.columns.has('lga_pcode') ? 'lga_pcode' : 'state_pcode';
  table.refuseDuplicates([codeColumn]);
  const lookup = createAreaLookup(input, areas);
  const { classes, classes_total } = source;
  const valueByCode = new Map(
    readEach(table.rows, (row) => {
      const code = lookup.code(row, codeColumn);
      return [code, classes ? meanOverClasses(row, classes, classes_total) : readRowValue(row)];
    }),
  );
  const codeInTable = ({ lga_code, state_code }: Areas['lgas'][number]) =>
    codeColumn === 'lga_pcode' ? lga_code : state_code;
  return { table, values: new Map(areas.lgas.map((lga) => [lga.lga_code, valueByCode.get(codeInTable(lga))])) };
}

async function readLayer(input: IngestInput, areas: Areas, source: Source, figure: Figure): Promise<(number | null)[]> {
  const { table, values } = await readValuesByLga(input, areas, source, (row) => readValue(row, figure, source.unit));
  refuseWrongUnit(table, source, figure, [...values.values()]);
  const figures = readEach(areas.lgas, ({ lga_code }) => {
    const value = values.get(lga_code);
    if (value != null) return value;
    const gap = declaredGap(source, lga_code);
    if (gap?.rule !== 'null')
      throw table
        .at(codeAndName(areas, lga_code))
        .error(
          value === null ? 'no value' : 'no row',
          'a figure, or a gap `null` (the figure of this area is not known)',
          gapRemedy({ rule: 'null', lga_pcode: lga_code }),
        );
    input.report.push({ source: source.id, rule: 'null', what: `${codeAndName(areas, lga_code)}: ${gap.reason}` });
    return null;
  });
  table.refuseTooFewRows();
  return figures;
}

function readValue(row: RawRow, figure: Figure, unit: string): number | null {
  if (unit === 'share') return row.numberOrNull(figure, { least: 0, most: 1 });
  if (unit !== 'percent') return row.numberOrNull(figure, { least: 0 });
  const percent = row.numberOrNull(figure, { least: 0, most: 100 });
  return percent === null ? null : percent / 100;
}

/** Shares declared as percentages would pass every range check, a hundred times too small. */
function refuseWrongUnit(
  table: RawTable,
  source: Source,
  figure: Figure,
  values: readonly (number | null | undefined)[],
): void {
  const largest = values.reduce<number>((a, b) => Math.max(a, b ?? 0), 0);
  if (source.unit === 'percent' && largest > 0 && largest <= 0.01)
    throw table
      .at(figure)
      .error(`no value above ${largest * 100}`, 'percent, as the catalog declares; these look like shares');
}

/**
 * Mean of a figure given as numbers of people by class: Σ people × midpoint / Σ people; null if no people are counted.
 * @param totalColumn the column with the sum of the classes, if the table has one
 * @throws BadInput for a number below 0, or classes that do not add up to their total
 */
function meanOverClasses(row: RawRow, classes: NonNullable<Source['classes']>, totalColumn?: string): number | null {
  if (!classes.some(({ column }) => row.hasValue(column))) return null;
  const people = classes.map(({ column }) => row.number(column, { least: 0 }));
  const total = people.reduce((sum, count) => sum + count, 0);
  if (totalColumn !== undefined) {
    const statedTotal = row.number(totalColumn, { least: 0 });
    if (Math.abs(statedTotal - total) > TOTAL_TOLERANCE * statedTotal + 1)
      throw row.at(totalColumn).error(`${statedTotal}`, `${total}, the sum of its classes`);
  }
  if (total === 0) return null;
  return classes.reduce((sum, { midpoint }, i) => sum + people[i]! * midpoint, 0) / total;
}

/**
 * People and children aged 0-4 by LGA from the census table, without the LGAs that the catalog declares missing (rule
 * `omit`: the area contributes nothing to sums over the table), and people of all years that the table gives.
 */
export async function ingestCensus(
  input: IngestInput,
  areas: Areas,
): Promise<{ census: CensusRow[]; people: PeopleRow[] }> {
  const source = sourcesInRole(input, 'population_census')[0];
  if (!source) return { census: [], people: [] };
  const table = await readTableWithCodes(input, areas, source);
  table.refuseDuplicates(['lga_pcode', 'year'].filter((name) => table.columns.has(name)));
  const lookup = createAreaLookup(input, areas);
  const yearColumns = [...table.columns].filter((name) => yearOfPeople(name) !== null);
  const counts = readEach(table.rows, (row) =>
    (yearColumns.length > 0 ? yearColumns : ['people']).map((column) => {
      const { lga_code } = lookup.lga(row);
      const remedy = gapRemedy({ rule: 'omit', lga_pcode: lga_code });
      if (row.number(column) === 0 && declaredGap(source, lga_code)?.rule !== 'omit')
        throw row.at(column).error('0', EXPECTED_PEOPLE, remedy);
      // Those of a projection have decimals.
      const people = Math.round(row.number(column, { least: 0 }));
      row.recordAdjustment(column, 'rounded', people - row.number(column));
      const year = row.hasColumn('year')
        ? row.number('year', { least: 1950, most: 2100, integer: true })
        : (yearOfPeople(column) ?? source.files[0]!.year ?? null);
      return { row, lga_code, year, people };
    }),
  ).flat();
  const years = [...new Set(counts.map(({ year }) => year))].sort((a, b) => (a ?? 0) - (b ?? 0));
  const recordEnds = [...caseRecords(input.sources), ...surveyRounds(input.sources)].map(({ last }) =>
    calendarYear(last),
  );
  const lastRecord = recordEnds.length > 0 ? Math.max(...recordEnds) : Number.POSITIVE_INFINITY;
  const usedYear = years.findLast((year) => (year ?? 0) <= lastRecord) ?? years[0]!;
  if (usedYear === null && caseRecords(input.sources).length > 0)
    input.report.push({
      source: source.id,
      rule: 'people of no year',
      what: `rates of all years refer to the people of ${source.files[0]!.path} as they are, since no year of them is known: give it as \`year\` in \`files\` (sources.json)`,
    });
  const rowByLga = new Map(
    readEach(
      counts.filter(({ year }) => year === usedYear),
      ({ row, lga_code, people }) => {
        const children_0_4 = row.hasColumn('children_0_4') ? readChildren(row, people) : null;
        return [lga_code, { lga_code, people, children_0_4 }];
      },
    ),
  );
  const census = readEach(areas.lgas, ({ lga_code }) => {
    const row = rowByLga.get(lga_code);
    if (row && row.people > 0) return row;
    const gap = declaredGap(source, lga_code);
    if (gap?.rule !== 'omit')
      throw table
        .at(codeAndName(areas, lga_code))
        .error(
          'no row',
          'a row; if it was divided from an area whose row has the people of both, a row of each; only if nobody lives there or nobody has counted, a gap `omit` (it counts for nothing in sums of this table)',
          gapRemedy({ rule: 'omit', lga_pcode: lga_code }),
        );
    input.report.push({ source: source.id, rule: 'omit', what: `${codeAndName(areas, lga_code)}: ${gap.reason}` });
    return [];
  });
  const pcodeByState = new Map(areas.states.map(({ state_code, state_pcode }) => [state_code, state_pcode]));
  const statePcodeByLga = new Map(
    areas.lgas.map(({ lga_code, state_code }) => [lga_code, pcodeByState.get(state_code)!]),
  );
  const amounts = census.flat().map(({ lga_code, people }) => ({
    period: null,
    codes: [lga_code, statePcodeByLga.get(lga_code)!],
    value: people,
  }));
  checkControls(source, amounts, input.report);
  table.refuseTooFewRows();
  const people = counts.flatMap(({ lga_code, year, people }) =>
    year === null || people === 0 ? [] : [{ lga_code, year, people }],
  );
  doubtPeopleByYear(input, source, people);
  return { census: census.flat(), people };
}

/** Yearly growth of a country's people: outside of it, counts of two years are not of one series. */
const GROWTH_RANGE = [-0.03, 0.06] as const;

/** An area's people by no more than this factor more or less than the country's from one year to the next. */
const MOST_AREA_STEP = 1.3;
/** A finding names this many areas. */
const MOST_EXAMPLES = 3;

/** Puts years in doubt between which the people of the same areas, or of some of them, change as no country does. */
function doubtPeopleByYear(input: IngestInput, source: Source, people: readonly PeopleRow[]): void {
  const addDoubt = (what: string) =>
    input.report.push({ source: source.id, rule: 'hard to believe', what, needs_approval: true });
  const peopleByYear = [...Map.groupBy(people, ({ year }) => year)].sort(([a], [b]) => a - b);
  for (const [i, [year, rows]] of peopleByYear.entries()) {
    const [earlierYear, earlierRows] = peopleByYear[i - 1] ?? [year, []];
    const earlierPeople = new Map(earlierRows.map((row) => [row.lga_code, row.people]));
    const both = rows.filter(({ lga_code }) => earlierPeople.has(lga_code));
    const [before, now] = [both.map(({ lga_code }) => earlierPeople.get(lga_code)!), both.map((row) => row.people)].map(
      (counts) => counts.reduce((sum, count) => sum + count, 0),
    ) as [number, number];
    const steps = both.flatMap(({ lga_code, people: count }) => {
      const ratio = (count * before) / (earlierPeople.get(lga_code)! * now);
      const isJump = year - earlierYear === 1 && Math.max(ratio, 1 / ratio) > MOST_AREA_STEP;
      return isJump
        ? [`${lga_code} ${earlierPeople.get(lga_code)!.toLocaleString('en-US')} to ${count.toLocaleString('en-US')}`]
        : [];
    });
    if (steps.length > 0)
      addDoubt(
        `people of some areas change as the others' do not from ${earlierYear} to ${year}: ${firstFew(steps, MOST_EXAMPLES, '; ')}. Perhaps rows of one year stand in another order, or people moved: compare the years with their source`,
      );
    const growth = before > 0 ? (now / before) ** (1 / (year - earlierYear)) - 1 : 0;
    if (growth >= GROWTH_RANGE[0] && growth <= GROWTH_RANGE[1]) continue;
    addDoubt(
      `people change by ${(100 * growth).toFixed(1)}% a year from ${earlierYear} to ${year} (${before.toLocaleString('en-US')}, ${now.toLocaleString('en-US')} in the same areas). Perhaps a census came between projections: take one series, and carry it to the other years by its own growth`,
    );
  }
}

/** Children aged 0-4, a plausible share of the people. */
function readChildren(row: RawRow, people: number): number {
  const children = row.number('children_0_4', { least: 0, most: people, integer: true });
  const [least, most] = CHILDREN_SHARE_RANGE;
  const share = children / people;
  if (share < least || share > most)
    throw row.at('children_0_4').error(`${children} of ${people} people`, `${least} to ${most} of them`);
  return children;
}
