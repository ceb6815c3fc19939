/** Compares rasters and tables of people, area by area. */
import path from 'node:path';
import { describeRaster } from '../../ingest/readers/geotiff-description.ts';
import { median } from '../../lib/numerics/averages.ts';
import { findSelfCrossing } from '../../lib/numerics/self-crossing.ts';
import { toGridOutline } from '../../measure/zonal/outline.ts';
import { sumInside } from '../../measure/zonal/pass.ts';
import { zonalStatistics } from '../../measure/zonal/sums.ts';
import { cellsByRow, numbersByRow } from '../columns.ts';
import type { DraftAreas } from './draft-areas.ts';
import { placeColumn } from './draft-entry.ts';
import type { DraftedTable } from './draft-tables.ts';
import type { OutlineFile, RasterFile } from './recognise.ts';

/** An area's population by a raster, divided by its population in the table. */
export interface Ratio {
  name: string;
  ratio: number;
}

/** Areas whose ratio exceeds this factor, either way, are listed. */
const FAR_FACTOR = 2;

/**
 * People of a raster by code of the areas with an outline, of either level; none if an outline is invalid, which
 * `catalog check` reports.
 */
export async function sumsByCode(
  root: string,
  { file, nodata }: RasterFile,
  areas: DraftAreas,
): Promise<ReadonlyMap<string, number>> {
  const { outlines, stateOutlines } = areas;
  const stateFeatures = stateOutlines?.outlines.features ?? [];
  const features = [...outlines.features, ...stateFeatures];
  if (features.some(({ polygons }) => findSelfCrossing(polygons))) return new Map();
  const raster = await describeRaster(path.join(root, file), { nodata: nodata ?? undefined });
  const gridOutlines = features.map(({ polygons }) => toGridOutline(polygons, raster.grid));
  const [sums] = await sumInside([raster], null, gridOutlines, 1, () => {});
  const codes = [
    ...outlines.features.map(makeCodeFinder(areas)),
    ...stateFeatures.map(({ properties }) => String(properties[stateOutlines!.columns.state_pcode!])),
  ];
  return new Map(codes.flatMap((code, i) => (code ? [[code, zonalStatistics(sums![i]!, false).sum] as const] : [])));
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
 * A raster's people beside those of a table of either level.
 * @param sums the raster's people by code
 * @param column of the table's people
 * @returns ratios in ascending order, without the areas that have no people in the table
 */
export function toRatios(
  { lgas, states }: DraftAreas,
  sums: ReadonlyMap<string, number>,
  { usedRows, entry }: Pick<DraftedTable, 'usedRows' | 'entry'>,
  column: string,
): Ratio[] {
  const people = numbersByRow(usedRows, column);
  const peopleByCode = new Map(cellsByRow(usedRows, placeColumn(entry)).map((code, row) => [code, people[row]!]));
  const sumOfLgas = (state: string) =>
    lgas.reduce((sum, { code, parent }) => sum + (parent === state ? (sums.get(code) ?? 0) : 0), 0);
  const isUpperLevel = (entry.columns!.lga_pcode ?? entry.columns!.lga) === undefined;
  return (isUpperLevel ? states : lgas)
    .flatMap(({ code, name }) => {
      const measured = sums.get(code) ?? (isUpperLevel && sums.size > 0 ? sumOfLgas(code) : null);
      const counted = peopleByCode.get(code);
      return counted && measured !== null ? [{ name, ratio: measured / counted }] : [];
    })
    .sort((one, other) => one.ratio - other.ratio);
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
