/** Population rasters compared with the population table, area by area. */
import path from 'node:path';
import { describeRaster } from '../../ingest/readers/geotiff-description.ts';
import { selfCrossing } from '../../lib/numerics/self-crossing.ts';
import { drawOutline } from '../../measure/zonal/outline.ts';
import { sumInside } from '../../measure/zonal/pass.ts';
import { zonalStatistics } from '../../measure/zonal/sums.ts';
import type { DraftAreas } from './draft-areas.ts';
import { placesColumn } from './draft-entry.ts';
import type { DraftedTable } from './draft-tables.ts';
import type { OutlineFile, RasterFile } from './recognise.ts';

/** An area's population by a raster, divided by its population in the table. */
export interface Ratio {
  name: string;
  ratio: number;
}

/** Areas whose ratio exceeds this factor, either way, are listed. */
const FAR = 2;

/** An area's name and its population in the table; null if the table has none. */
interface AreaCount {
  name: string;
  people: number | null;
}

/** The areas' counts in `column` of the population table, in the order of the outlines. */
export function peopleByArea(
  { outlines, columns, lgas, recode }: DraftAreas,
  { used, entry }: DraftedTable,
  column: string,
): AreaCount[] {
  const at = (name: string) => used.header.indexOf(name);
  const [code, people] = [at(placesColumn(entry)), at(column)];
  const byCode = new Map(used.rows.map(({ cells }) => [cells[code], Number(cells[people])]));
  const codes = new Map(lgas.map((lga) => [lga.name, lga.code]));
  return outlines.features.map(({ properties }) => {
    const name = String(properties[columns.lga!]);
    const own = columns.lga_pcode ? String(properties[columns.lga_pcode]) : codes.get(recode?.lga?.[name] ?? name);
    return { name, people: byCode.get(own ?? '') || null };
  });
}

/**
 * @param counts the areas in the order of the outlines
 * @returns ratios in ascending order, without the areas that have no people in the table; empty if an outline is
 *   invalid, a fault that `catalog check` reports
 */
export async function ratiosByArea(
  root: string,
  { file, nodata }: RasterFile,
  { features }: OutlineFile,
  counts: readonly AreaCount[],
): Promise<Ratio[]> {
  if (features.some(({ polygons }) => selfCrossing(polygons))) return [];
  const raster = await describeRaster(path.join(root, file), { nodata: nodata ?? undefined });
  const outlines = features.map(({ polygons }) => drawOutline(polygons, raster.grid));
  const sums = await sumInside([raster], null, outlines, 1, () => {});
  return counts
    .flatMap(({ name, people }, i) =>
      people ? [{ name, ratio: zonalStatistics(sums[0]![i]!, false).sum / people }] : [],
    )
    .sort((a, b) => a.ratio - b.ratio);
}

/** Disagreement of a raster with the table: the median over areas of the absolute logarithm of the ratio. */
export function disagreement(ratios: readonly Ratio[]): number {
  const logs = ratios.map(({ ratio }) => Math.abs(Math.log(Math.max(ratio, 1e-6)))).sort((a, b) => a - b);
  return logs[Math.floor(logs.length / 2)] ?? Number.POSITIVE_INFINITY;
}

/** The range of the ratios and, if some differ by more than a factor of 2, the areas that differ most. */
export function describeRatios(ratios: readonly Ratio[]): string {
  const of = ({ ratio }: Ratio) => ratio.toFixed(2);
  const range = `by area ${of(ratios[0]!)} to ${of(ratios.at(-1)!)} times the population table`;
  const far = ratios.filter(({ ratio }) => ratio > FAR || ratio < 1 / FAR);
  if (far.length === 0) return range;
  const worst = far.toSorted((a, b) => Math.abs(Math.log(b.ratio)) - Math.abs(Math.log(a.ratio))).slice(0, 3);
  const names = worst.map((area) => `${area.name} ${of(area)}`).join(', ');
  return `${range}; off by a factor of more than ${FAR} in ${far.length} of ${ratios.length}: ${names}`;
}
