/** Which raster of people agrees best with the table of people, area by area. */
import path from 'node:path';
import { describeRaster } from '../../ingest/readers/geotiff-description.ts';
import { OutlineFault } from '../../zonal/band.ts';
import { drawOutline } from '../../zonal/outline.ts';
import { sumInside } from '../../zonal/pass.ts';
import { zonalStatistics } from '../../zonal/sums.ts';
import type { Outlines } from './look.ts';

/** An area's people by a raster over its people by a table. */
export interface Ratio {
  name: string;
  ratio: number;
}

/** How far a raster may be from the table in an area before it is told. */
const FAR = 2;

/**
 * People of a raster in every area, over those of a table.
 * @param named the areas' names, in the order of the outlines; people of each by the table, null where it has none
 * @returns in ascending order; areas without people in the table are left out. None where an outline is invalid, which
 *   `catalog check` tells with the others
 */
export async function ratiosByArea(
  root: string,
  file: string,
  { features }: Outlines,
  named: readonly { name: string; people: number | null }[],
): Promise<Ratio[]> {
  const raster = await describeRaster(path.join(root, file), {});
  const outlines = features.map(({ polygons }) => drawOutline(polygons, raster.grid));
  const sums = await sumInside([raster], null, outlines, 1, () => {}).catch((error: unknown) => {
    if (error instanceof OutlineFault) return null;
    throw error;
  });
  if (sums === null) return [];
  return named
    .flatMap(({ name, people }, i) =>
      people ? [{ name, ratio: zonalStatistics(sums[0]![i]!, false).sum / people }] : [],
    )
    .sort((a, b) => a.ratio - b.ratio);
}

/** How far a raster is from the table: the median over areas of the ratio's logarithm, whichever way. */
export function farOff(ratios: readonly Ratio[]): number {
  const logs = ratios.map(({ ratio }) => Math.abs(Math.log(Math.max(ratio, 1e-6)))).sort((a, b) => a - b);
  return logs[Math.floor(logs.length / 2)] ?? Number.POSITIVE_INFINITY;
}

/** The ratios in words, with the areas that are farthest off where some are by more than twice. */
export function ratiosInWords(ratios: readonly Ratio[]): string {
  const of = ({ ratio }: Ratio) => ratio.toFixed(2);
  const told = `by area ${of(ratios[0]!)} to ${of(ratios.at(-1)!)} times the table of people`;
  const far = ratios.filter(({ ratio }) => ratio > FAR || ratio < 1 / FAR);
  if (far.length === 0) return told;
  const worst = far.toSorted((a, b) => Math.abs(Math.log(b.ratio)) - Math.abs(Math.log(a.ratio))).slice(0, 3);
  const names = worst.map((one) => `${one.name} ${of(one)}`).join(', ');
  return `${told}; more than ${FAR} times off in ${far.length} of ${ratios.length}: ${names}`;
}
