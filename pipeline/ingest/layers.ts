import { type Figure, figuresOf } from '../catalog/figures.ts';
import type { Source } from '../catalog/sources.ts';
import { BadInput, readEach } from '../lib/bad-input.ts';
import type { RowOf } from '../lib/tables/table.ts';
import type * as ingest from './ingest-tables.ts';
import type { Areas } from './ingest-tables.ts';
import { codeReader, gapFor, type IngestInput, nameOf, sourcesOf } from './input.ts';
import {
  numberOf,
  numberOrNull,
  type Row,
  readTable,
  refuseDuplicates,
  refuseShort,
  type Table,
} from './readers/raw-table.ts';

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
export async function ingestLayers(input: IngestInput, areas: Areas): Promise<RowOf<typeof ingest.LAYERS>[]> {
  const layers: { [Name in Figure]?: (number | null)[] } = {};
  for (const source of sourcesOf(input, 'layer')) {
    const figure = source.figure!;
    layers[figure] = await readLayer(input, areas, source, figure);
  }
  return areas.lgas.map(({ lga_code }, i) => ({ lga_code, ...figuresOf((figure) => layers[figure]?.[i] ?? null) }));
}

async function readLayer(input: IngestInput, areas: Areas, source: Source, figure: Figure): Promise<(number | null)[]> {
  const byLga = source.columns?.lga_pcode !== undefined;
  const key = byLga ? 'lga_pcode' : 'state_pcode';
  const table = await readTable(input.rawData, source);
  refuseDuplicates(table, [key]);
  const code = codeReader(input, areas);
  const stateOf = new Map(areas.lgas.map((lga) => [lga.lga_code, lga.state_code]));
  const values = new Map(
    readEach(table.rows, (row) => {
      const place = byLga ? code.lga(table, row).lga_code : code.state(table, row).state_code;
      return [
        place,
        source.classes
          ? classMean(table, row, source.classes, source.classes_total)
          : readValue(table, row, figure, source.unit),
      ];
    }),
  );
  refuseWrongUnit(table, source, figure, [...values.values()]);
  const figures = readEach(areas.lgas, ({ lga_code }) => {
    const value = values.get(byLga ? lga_code : stateOf.get(lga_code)!);
    if (value != null) return value;
    const gap = gapFor(source, lga_code);
    if (gap?.rule !== 'null') {
      const found = value === null ? 'no value' : 'no row';
      throw new BadInput(
        table.file,
        nameOf(areas, lga_code),
        found,
        'a figure, or a gap declared with the rule `null`',
        { declare: 'gap', gap: { rule: 'null', lga_pcode: lga_code } },
      );
    }
    input.report.push({ source: source.id, rule: 'null', what: `${nameOf(areas, lga_code)}: ${gap.reason}` });
    return null;
  });
  refuseShort(table);
  return figures;
}

function readValue(table: Table, row: Row, figure: Figure, unit: string): number | null {
  if (unit === 'percent') {
    const percent = numberOrNull(table, row, figure, { least: 0, most: 100 });
    return percent === null ? null : percent / 100;
  }
  return numberOrNull(table, row, figure, unit === 'share' ? { least: 0, most: 1 } : { least: 0 });
}

/** Shares declared as percentages would pass every range check, a hundred times too small. */
function refuseWrongUnit(table: Table, source: Source, figure: Figure, values: readonly (number | null)[]): void {
  const most = values.reduce<number>((a, b) => Math.max(a, b ?? 0), 0);
  if (source.unit === 'percent' && most > 0 && most <= 0.01)
    throw new BadInput(
      table.file,
      figure,
      `no value above ${most * 100}`,
      'percent, as the catalog declares; these look like shares',
    );
}

/**
 * Mean of a figure given as numbers of people by class: Σ people × midpoint / Σ people; null if no people are counted.
 */
export function classMean(
  table: Table,
  row: Row,
  classes: NonNullable<Source['classes']>,
  totalColumn?: string,
): number | null {
  if (classes.every(({ column }) => row.values[column] == null)) return null;
  const people = classes.map(({ column }) => numberOf(table, row, column, { least: 0 }));
  const total = people.reduce((sum, n) => sum + n, 0);
  if (totalColumn !== undefined) {
    const stated = numberOf(table, row, totalColumn, { least: 0 });
    if (Math.abs(stated - total) > SAME_TOTAL * stated + 1)
      throw new BadInput(
        table.file,
        `row ${row.line}, ${totalColumn}`,
        `${stated}`,
        `${total}, the sum of its classes`,
      );
  }
  if (total === 0) return null;
  return classes.reduce((sum, { midpoint }, i) => sum + people[i]! * midpoint, 0) / total;
}

/**
 * People and children aged 0-4 by LGA from the census table, without the LGAs that the catalog declares missing (rule
 * `omit`: the area contributes nothing to sums over the table).
 */
export async function ingestCensus(input: IngestInput, areas: Areas): Promise<RowOf<typeof ingest.CENSUS>[]> {
  const source = sourcesOf(input, 'population_census')[0];
  if (!source) return [];
  const table = await readTable(input.rawData, source);
  refuseDuplicates(table, ['lga_pcode']);
  const code = codeReader(input, areas);
  const rows = new Map(
    readEach(table.rows, (row) => {
      const people = numberOf(table, row, 'people', { least: 1, integer: true });
      const children = table.columns.has('children_0_4')
        ? numberOf(table, row, 'children_0_4', { least: 0, most: people, integer: true })
        : null;
      const share = children === null ? null : children / people;
      if (share !== null && (share < CHILDREN[0] || share > CHILDREN[1]))
        throw new BadInput(
          table.file,
          `row ${row.line}, children_0_4`,
          `${children} of ${people} people`,
          `${CHILDREN[0]} to ${CHILDREN[1]} of them`,
        );
      const { lga_code } = code.lga(table, row);
      return [lga_code, { lga_code, people, children_0_4: children }];
    }),
  );
  const census = readEach(areas.lgas, ({ lga_code }) => {
    const found = rows.get(lga_code);
    if (found) return found;
    const gap = gapFor(source, lga_code);
    if (gap?.rule !== 'omit')
      throw new BadInput(
        table.file,
        nameOf(areas, lga_code),
        'no row',
        'a row, or a gap declared with the rule `omit`',
        {
          declare: 'gap',
          gap: { rule: 'omit', lga_pcode: lga_code },
        },
      );
    input.report.push({ source: source.id, rule: 'omit', what: `${nameOf(areas, lga_code)}: ${gap.reason}` });
    return [];
  });
  refuseShort(table);
  return census.flat();
}
