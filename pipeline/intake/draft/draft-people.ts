/** Compares rasters and tables of people, area by area. */
import path from 'node:path';
import type { TextTable } from '../../ingest/readers/csv.ts';
import { describeRaster } from '../../ingest/readers/geotiff-description.ts';
import { median } from '../../lib/numerics/averages.ts';
import { findSelfCrossing } from '../../lib/numerics/self-crossing.ts';
import { toGridOutline } from '../../measure/zonal/outline.ts';
import { sumInside } from '../../measure/zonal/pass.ts';
import { zonalStatistics } from '../../measure/zonal/sums.ts';
import type { DraftAreas } from './draft-areas.ts';
import { placeColumn } from './draft-entry.ts';
import type { DraftedTable, StatePeople } from './draft-tables.ts';
import type { OutlineFile, RasterFile } from './recognise.ts';

/** An area's population by a raster, divided by its population in the table. */
export interface Ratio {
  name: string;
  ratio: number;
}

/** Areas whose ratio exceeds this factor, either way, are listed. */
const FAR_FACTOR = 2;

/** An area's name and its population in the table; null if the table has none. */
interface AreaCount {
  name: string;
  people: number | null;
}

/** The areas' counts in `column` of the population table, in the order of the outlines. */
export function peopleByArea(areas: DraftAreas, { usedRows, entry }: DraftedTable, column: string): AreaCount[] {
  const byCode = peopleByCode(usedRows, placeColumn(entry), column);
  const findCode = makeCodeFinder(areas);
  return areas.outlines.features.map((feature) => ({
    name: String(feature.properties[areas.columns.lga!]),
    people: byCode.get(findCode(feature) ?? '') || null,
  }));
}

function peopleByCode({ header, rows }: TextTable, codeColumn: string, peopleColumn: string) {
  const [code, people] = [header.indexOf(codeColumn), header.indexOf(peopleColumn)];
  return new Map(rows.map(({ cells }) => [cells[code], Number(cells[people])]));
}

/** Makes a function that returns the code of a lower-level area by its outline. */
function makeCodeFinder({ columns, lgas, recode }: DraftAreas) {
  const codes = new Map(lgas.map((lga) => [lga.name, lga.code]));
  return ({ properties }: OutlineFile['features'][number]): string | undefined => {
    const name = String(properties[columns.lga!]);
    const code = columns.lga_pcode && String(properties[columns.lga_pcode]);
    return code ? (recode?.lga_pcode?.[code] ?? code) : codes.get(recode?.lga?.[name] ?? name);
  };
}

/**
 * People of a raster inside each outline, in their order; null if an outline is invalid, which `catalog check` reports.
 */
export async function sumsByArea(
  root: string,
  { file, nodata }: RasterFile,
  { features }: OutlineFile,
): Promise<number[] | null> {
  if (features.some(({ polygons }) => findSelfCrossing(polygons))) return null;
  const raster = await describeRaster(path.join(root, file), { nodata: nodata ?? undefined });
  const outlines = features.map(({ polygons }) => toGridOutline(polygons, raster.grid));
  const sums = await sumInside([raster], null, outlines, 1, () => {});
  return sums[0]!.map((areaSums) => zonalStatistics(areaSums, false).sum);
}

/**
 * @param sums the areas' people of a raster
 * @param counts the areas in the same order
 * @returns ratios in ascending order, without the areas that have no people in the table
 */
export const toRatios = (sums: readonly number[], counts: readonly AreaCount[]): Ratio[] =>
  sums
    .flatMap((sum, i) => (counts[i]?.people ? [{ name: counts[i].name, ratio: sum / counts[i].people }] : []))
    .sort((a, b) => a.ratio - b.ratio);

/** The ratios of a raster to a table of people by area of the upper level. */
export async function stateRatios(
  root: string,
  raster: RasterFile,
  areas: DraftAreas,
  { usedRows, entry }: StatePeople,
): Promise<Ratio[]> {
  const byCode = peopleByCode(usedRows, placeColumn(entry), entry.columns!.people!);
  const { outlines, columns } = areas.stateOutlines ?? areas;
  const sums = (await sumsByArea(root, raster, outlines)) ?? [];
  const parents = new Map(areas.lgas.map((lga) => [lga.code, lga.parent]));
  const parentCode = areas.stateOutlines
    ? ({ properties }: OutlineFile['features'][number]) => String(properties[columns.state_pcode!])
    : (feature: OutlineFile['features'][number]) => parents.get(makeCodeFinder(areas)(feature) ?? '');
  const states = areas.states.map((area) => ({
    sum: outlines.features.reduce(
      (total, feature, i) => total + (parentCode(feature) === area.code ? (sums[i] ?? 0) : 0),
      0,
    ),
    count: { name: area.name, people: byCode.get(area.code) || null },
  }));
  return sums.length === 0
    ? []
    : toRatios(
        states.map(({ sum }) => sum),
        states.map(({ count }) => count),
      );
}

/**
 * Two sources of people differ by less than this factor; nets, children or suspected cases differ from people by more.
 */
export const AGREEMENT_FACTOR = 1.25;

export const medianRatio = (ratios: readonly Ratio[]): number => median(ratios.map(({ ratio }) => ratio));

/** Whether raster and table probably have the people of the same areas. */
export const ratiosAgree = (ratios: readonly Ratio[]): boolean => disagreement(ratios) <= Math.log(AGREEMENT_FACTOR);

/** Disagreement of a raster with the table: the median over areas of the absolute logarithm of the ratio. */
export function disagreement(ratios: readonly Ratio[]): number {
  const logs = ratios.map(({ ratio }) => Math.abs(Math.log(Math.max(ratio, 1e-6)))).sort((a, b) => a - b);
  return logs[Math.floor(logs.length / 2)] ?? Number.POSITIVE_INFINITY;
}

/** Whether some ratios are off by a factor of more than 2. */
export const isFarOff = (ratios: readonly Ratio[]): boolean =>
  ratios.some(({ ratio }) => ratio > FAR_FACTOR || ratio < 1 / FAR_FACTOR);

/** The range of the ratios and, if some differ by more than a factor of 2, the areas that differ most. */
export function describeRatios(ratios: readonly Ratio[]): string {
  const format = ({ ratio }: Ratio) => ratio.toFixed(2);
  const range = `by area ${format(ratios[0]!)} to ${format(ratios.at(-1)!)} times the population table`;
  const farRatios = ratios.filter(({ ratio }) => ratio > FAR_FACTOR || ratio < 1 / FAR_FACTOR);
  if (farRatios.length === 0) return range;
  const worst = farRatios.toSorted((a, b) => Math.abs(Math.log(b.ratio)) - Math.abs(Math.log(a.ratio))).slice(0, 3);
  const names = worst.map((area) => `${area.name} ${format(area)}`).join(', ');
  return `${range}; off by a factor of more than ${FAR_FACTOR} in ${farRatios.length} of ${ratios.length}: ${names}`;
}
