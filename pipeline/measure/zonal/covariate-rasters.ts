/** Covariates of the risk score from rasters: by prediction cell or, if they change over time, by LGA and time. */
import { datedFiles, isDated } from '../../catalog/dated-files.ts';
import type { Gap, Source } from '../../catalog/sources.ts';
import type { ReportLine } from '../../engine/stage.ts';
import type { Polygons } from '../../ingest/ingest-tables.ts';
import type { Raster } from '../../ingest/readers/geotiff.ts';
import { readNearest } from '../../ingest/readers/nearest.ts';
import { type BadInput, InputLocation } from '../../lib/bad-input.ts';
import type { Grid, Values, Window } from '../../lib/numerics/grid.ts';
import type { TableRow } from '../../lib/tables/table.ts';
import { KM_PER_DEGREE } from './prediction-cells.ts';
import { fillGaps, rasterSources } from './raster-sources.ts';
import type * as zonal from './zonal-tables.ts';
import type { PredictionCell } from './zonal-tables.ts';

type CovariateRow = TableRow<typeof zonal.DATED_COVARIATES>;

/** The sources of covariates that do not change, or of which only the mean over time is used. */
export const constantCovariates = (sources: readonly Source[]): Source[] =>
  rasterSources(sources, 'covariate').filter((source) => !isDated(source));

/**
 * A covariate's values by LGA and time, with gaps filled as the catalog declares; the report lists each gap once.
 * @param lgaValues the values of `codes[lga]`, one for each time, null if no cell with people has a value
 * @throws BadInput for an LGA without a value or a declared gap
 */
export function datedRows(
  source: Source,
  codes: string[],
  neighbours: Polygons['neighbours'],
  lgaValues: (lga: number) => readonly (number | null)[],
  report: ReportLine[],
): CovariateRow[] {
  const fills: (ReportLine & { what: string })[] = [];
  const times = datedFiles(source).map(({ time }, i) => ({
    time,
    values: fillGaps(
      source,
      `a value in ${time}`,
      codes.map((_, lga) => lgaValues(lga)[i]!),
      codes,
      neighbours,
      fills,
    ),
  }));
  const listed = new Set(fills.map(({ what }) => what.split(' ')[0]!));
  for (const { lga_pcode, rule, reason } of source.gaps ?? [])
    if (listed.has(lga_pcode!)) report.push({ source: source.id, rule, what: `${lga_pcode}: ${reason}` });
  return codes.flatMap((lga_code, lga) =>
    times.map(({ time, values }) => ({ covariate: source.id, lga_code, time, value: values[lga]! })),
  );
}

/** `readNearest` for a covariate: with several rasters, their mean where all have a value, NaN elsewhere. */
export async function meanNearest(rasters: readonly Raster[], grid: Grid, window: Window): Promise<Values> {
  const sum = await readNearest(rasters[0]!, grid, window);
  for (const raster of rasters.slice(1)) {
    const values = await readNearest(raster, grid, window);
    for (let i = 0; i < sum.length; i++) sum[i]! += values[i]!;
  }
  if (rasters.length > 1) for (let i = 0; i < sum.length; i++) sum[i]! /= rasters.length;
  return sum;
}

type Cell = Pick<PredictionCell, 'lga_code' | 'longitude' | 'latitude' | 'population'>;

/**
 * A raster's values by prediction cell, with missing ones filled by the rule that the catalog declares: the value of
 * the nearest cell with one within the rule's `km`, or the rule's `value`.
 * @param values in the cells' order and the source's unit, null if the raster has no value where the cell's people live
 * @throws BadInput for a missing value without a rule, or with no other value within the rule's `km`
 */
export function fillCells(
  source: Source,
  cells: readonly Cell[],
  values: readonly (number | null)[],
  report: ReportLine[],
): number[] {
  const missing = [...values.keys()].filter((cell) => values[cell] === null);
  if (missing.length === 0) return values as number[];
  const gaps = (source.gaps ?? []).filter(({ rule }) => rule === 'nearest' || rule === 'value');
  const filled = [...values];
  const fills: { gap: Gap; cell: number; km: number }[] = [];
  for (const cell of missing) {
    const { nearest, km } = nearestValue(cells, values, cell);
    const gap = gaps.find(({ rule, km: reach }) => rule === 'value' || (nearest !== null && km <= reach!));
    if (!gap) throw undeclared(source, cells[cell]!, `${missing.length} of ${cells.length}`, km);
    filled[cell] = gap.rule === 'value' ? gap.value! : nearest;
    fills.push({ gap, cell, km });
  }
  const people = cells.reduce((sum, { population }) => sum + population, 0);
  for (const gap of gaps) {
    const filledCells = fills.filter((fill) => fill.gap === gap);
    if (filledCells.length === 0) continue;
    const share = filledCells.reduce((sum, { cell }) => sum + cells[cell]!.population, 0) / people;
    const how =
      gap.rule === 'value'
        ? `are set to ${gap.value} ${source.unit}`
        : `are set to the nearest value, at most ${Math.max(...filledCells.map(({ km }) => km)).toFixed(1)} km away`;
    const what = `${filledCells.length} of ${cells.length} prediction cells (${(100 * share).toFixed(3)}% of people) ${how}: ${gap.reason}`;
    report.push({ source: source.id, rule: gap.rule, what });
  }
  return filled as number[];
}

/** The value nearest to a cell and its distance; null and infinity if there is none. */
function nearestValue(cells: readonly Cell[], values: readonly (number | null)[], target: number) {
  const { longitude, latitude } = cells[target]!;
  const shrink = Math.cos((latitude * Math.PI) / 180);
  let nearest: number | null = null;
  let least = Number.POSITIVE_INFINITY;
  for (let cell = 0; cell < values.length; cell++) {
    const value = values[cell]!;
    if (value === null) continue;
    const { longitude: x, latitude: y } = cells[cell]!;
    const distance = ((x - longitude) * shrink) ** 2 + (y - latitude) ** 2;
    if (distance < least) [nearest, least] = [value, distance];
  }
  return { nearest, km: Math.sqrt(least) * KM_PER_DEGREE };
}

/**
 * @param share how many of the cells have no value
 * @param km distance to the nearest value, infinite if there is none
 */
function undeclared(source: Source, { lga_code, longitude, latitude }: Cell, share: string, km: number): BadInput {
  const far = Number.isFinite(km) ? `, ${km.toFixed(1)} km from the nearest value` : '';
  return new InputLocation(
    source.files[0]!.path,
    `${lga_code} at ${longitude.toFixed(3)}, ${latitude.toFixed(3)}`,
  ).error(
    `no value where people live${far} (${share} prediction cells have none)`,
    'a value, or a gap declared in sources.json with the rule `nearest` and a sufficient `km`, or the rule `value`',
  );
}
