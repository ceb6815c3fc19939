import { type Figure, figureValues } from '../catalog/figures.ts';
import type { Source } from '../catalog/sources.ts';
import { readEach } from '../lib/bad-input.ts';
import { checkControls } from './controls.ts';
import type { Areas, CensusRow, LayerRow } from './ingest-tables.ts';
import { codeAndName, codeReader, declareGap, gapFor, type IngestInput, sourcesInRole } from './input.ts';
import { readPlaced } from './places-by-name.ts';
import type { RawRow, RawTable } from './readers/raw-table.ts';

/** The sum of the classes may differ from the total in the table by this share, because both are rounded. */
const SAME_TOTAL = 1e-4;
/** Plausible share of children under five; that of every country is well inside. */
const CHILDREN = [0.02, 0.4] as const;

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
 * @param read the value of a row, unless the source has classes
 */
export async function readByLga(
  input: IngestInput,
  areas: Areas,
  source: Source,
  read: (row: RawRow) => number | null,
): Promise<{ table: RawTable; values: Map<string, number | null | undefined> }> {
  const table = await readPlaced(input, areas, source);
  const key = table.columns.has('lga_pcode') ? 'lga_pcode' : 'state_pcode';
  table.refuseDuplicates([key]);
  const code = codeReader(input, areas);
  const { classes, classes_total } = source;
  const byPlace = new Map(
    readEach(table.rows, (row) => {
      const place = code.place(row, key);
      return [place, classes ? classMean(row, classes, classes_total) : read(row)];
    }),
  );
  const place = ({ lga_code, state_code }: Areas['lgas'][number]) => (key === 'lga_pcode' ? lga_code : state_code);
  return { table, values: new Map(areas.lgas.map((lga) => [lga.lga_code, byPlace.get(place(lga))])) };
}

async function readLayer(input: IngestInput, areas: Areas, source: Source, figure: Figure): Promise<(number | null)[]> {
  const { table, values } = await readByLga(input, areas, source, (row) => readValue(row, figure, source.unit));
  refuseWrongUnit(table, source, figure, [...values.values()]);
  const figures = readEach(areas.lgas, ({ lga_code }) => {
    const value = values.get(lga_code);
    if (value != null) return value;
    const gap = gapFor(source, lga_code);
    if (gap?.rule !== 'null')
      throw table
        .at(codeAndName(areas, lga_code))
        .error(
          value === null ? 'no value' : 'no row',
          'a figure, or a gap declared with the rule `null`',
          declareGap({ rule: 'null', lga_pcode: lga_code }),
        );
    input.report.push({ source: source.id, rule: 'null', what: `${codeAndName(areas, lga_code)}: ${gap.reason}` });
    return null;
  });
  table.refuseShort();
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
  const most = values.reduce<number>((a, b) => Math.max(a, b ?? 0), 0);
  if (source.unit === 'percent' && most > 0 && most <= 0.01)
    throw table
      .at(figure)
      .error(`no value above ${most * 100}`, 'percent, as the catalog declares; these look like shares');
}

/**
 * Mean of a figure given as numbers of people by class: Σ people × midpoint / Σ people; null if no people are counted.
 * @param totalColumn the column with the sum of the classes, if the table has one
 * @throws BadInput for a number below 0, or classes that do not add up to their total
 */
function classMean(row: RawRow, classes: NonNullable<Source['classes']>, totalColumn?: string): number | null {
  if (!classes.some(({ column }) => row.has(column))) return null;
  const people = classes.map(({ column }) => row.number(column, { least: 0 }));
  const total = people.reduce((sum, count) => sum + count, 0);
  if (totalColumn !== undefined) {
    const stated = row.number(totalColumn, { least: 0 });
    if (Math.abs(stated - total) > SAME_TOTAL * stated + 1)
      throw row.at(totalColumn).error(`${stated}`, `${total}, the sum of its classes`);
  }
  if (total === 0) return null;
  return classes.reduce((sum, { midpoint }, i) => sum + people[i]! * midpoint, 0) / total;
}

/**
 * People and children aged 0-4 by LGA from the census table, without the LGAs that the catalog declares missing (rule
 * `omit`: the area contributes nothing to sums over the table).
 */
export async function ingestCensus(input: IngestInput, areas: Areas): Promise<CensusRow[]> {
  const source = sourcesInRole(input, 'population_census')[0];
  if (!source) return [];
  const table = await readPlaced(input, areas, source);
  table.refuseDuplicates(['lga_pcode']);
  const code = codeReader(input, areas);
  const rows = new Map(
    readEach(table.rows, (row) => {
      // Those of a projection have decimals.
      const people = Math.round(row.number('people', { least: 1 }));
      row.add('people', 'rounded', people - row.number('people'));
      const children_0_4 = row.hasColumn('children_0_4') ? readChildren(row, people) : null;
      const { lga_code } = code.lga(row);
      return [lga_code, { lga_code, people, children_0_4 }];
    }),
  );
  const census = readEach(areas.lgas, ({ lga_code }) => {
    const row = rows.get(lga_code);
    if (row) return row;
    const gap = gapFor(source, lga_code);
    if (gap?.rule !== 'omit')
      throw table
        .at(codeAndName(areas, lga_code))
        .error(
          'no row',
          'a row, or a gap declared with the rule `omit`',
          declareGap({ rule: 'omit', lga_pcode: lga_code }),
        );
    input.report.push({ source: source.id, rule: 'omit', what: `${codeAndName(areas, lga_code)}: ${gap.reason}` });
    return [];
  });
  const states = new Map(areas.states.map(({ state_code, state_pcode }) => [state_code, state_pcode]));
  const upper = new Map(areas.lgas.map(({ lga_code, state_code }) => [lga_code, states.get(state_code)!]));
  const amounts = census
    .flat()
    .map(({ lga_code, people }) => ({ period: null, codes: [lga_code, upper.get(lga_code)!], value: people }));
  checkControls(source, amounts, input.report);
  table.refuseShort();
  return census.flat();
}

/** Children aged 0-4, a plausible share of the people. */
function readChildren(row: RawRow, people: number): number {
  const children = row.number('children_0_4', { least: 0, most: people, integer: true });
  const [least, most] = CHILDREN;
  const share = children / people;
  if (share < least || share > most)
    throw row.at('children_0_4').error(`${children} of ${people} people`, `${least} to ${most} of them`);
  return children;
}
