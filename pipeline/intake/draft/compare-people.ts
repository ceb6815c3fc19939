/** What the population is: every table of people is compared with every raster of people, area by area. */
import { plainName } from '../../lib/name-similarity.ts';
import { columnOfYear, filledCells, looksLike } from '../columns.ts';
import type { DraftAreas } from './draft-areas.ts';
import { agree, disagreement, middleRatio, peopleByArea, type Ratio, sumsByArea, toRatios } from './draft-people.ts';
import { mayBePeople, populationRasters, yearInName } from './draft-rasters.ts';
import type { DraftedTable } from './draft-tables.ts';
import type { RasterFile, TableFile } from './recognise.ts';

/** A raster also has people beyond the areas of a table, or lacks some. */
const NEAR_TOTAL = 2;

/** The ratios of rasters to each table. */
export type Comparison = ReadonlyMap<TableFile, ReadonlyMap<RasterFile, Ratio[]>>;

/** The table's column of people in a year, or without the year. */
export function columnIn({ entry, used }: DraftedTable, year: number | null): string {
  const { people } = entry.columns!;
  return year === null ? people! : columnOfYear(used.header, people!, year);
}

/** The sum of a table's column. */
export const totalOf = ({ used }: DraftedTable, column: string): number =>
  filledCells(used, column).reduce((total, cell) => total + Number(cell), 0);

/** Compares tables with the rasters that are of people by their names, or may be by their totals. */
export async function comparePeople(
  root: string,
  areas: DraftAreas,
  rasters: readonly RasterFile[],
  tables: readonly DraftedTable[],
): Promise<Comparison> {
  const named = populationRasters(rasters);
  const totals = tables.map((table) => totalOf(table, columnIn(table, null)));
  const isNear = ({ sum }: RasterFile) => totals.some((total) => Math.max(sum / total, total / sum) < NEAR_TOTAL);
  const comparison = new Map(tables.map(({ table }) => [table, new Map<RasterFile, Ratio[]>()]));
  for (const raster of rasters) {
    if (tables.length === 0 || !(named.includes(raster) || (mayBePeople(raster) && isNear(raster)))) continue;
    const sums = (await sumsByArea(root, raster, areas.outlines)) ?? [];
    for (const drafted of tables) {
      const ratios = toRatios(sums, peopleByArea(areas, drafted, columnIn(drafted, yearInName(raster))));
      if (ratios.length > 0 && (named.includes(raster) || agree(ratios)))
        comparison.get(drafted.table)!.set(raster, ratios);
    }
  }
  return comparison;
}

/** Of the names of people's columns, one says nothing. */
const saysPeople = ({ table, entry }: DraftedTable): boolean =>
  plainName(entry.columns!.people!) !== 'total' || looksLike([table.file]) === 'people';

/**
 * Tables that have no people: another table agrees with a raster, which they do not, or nothing but a heading such as
 * Total suggests people.
 * @returns why, by table
 */
export function tablesUnlikePeople(
  tables: readonly DraftedTable[],
  comparison: Comparison,
): ReadonlyMap<TableFile, string> {
  const nearest = ({ table }: DraftedTable) =>
    [...comparison.get(table)!].sort(([, a], [, b]) => disagreement(a) - disagreement(b))[0];
  const isLike = (drafted: DraftedTable) => agree(nearest(drafted)?.[1] ?? []);
  const agreeing = tables.find(isLike);
  const named = tables.find(saysPeople);
  return new Map(
    tables.flatMap((drafted): [TableFile, string][] => {
      const [raster, ratios] = nearest(drafted) ?? [];
      const other = agreeing ?? (saysPeople(drafted) ? undefined : named);
      if (isLike(drafted) || (!other && (saysPeople(drafted) || !raster))) return [];
      const times = raster && `in the middle area, ${raster.file} has ${middleRatio(ratios!).toFixed(2)} times as many`;
      const reasons = [...(times ? [times] : []), ...(other ? [`the people are those of ${other.table.file}`] : [])];
      return [[drafted.table, `"${drafted.entry.columns!.people}" is not taken for people: ${reasons.join('; ')}`]];
    }),
  );
}
