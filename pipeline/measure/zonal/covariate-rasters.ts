/** Covariates of the risk score from rasters, by prediction cell. */
import type { Gap, Source } from '../../catalog/sources.ts';
import type { ReportLine } from '../../engine/stage.ts';
import { type BadInput, InputLocation } from '../../lib/bad-input.ts';
import { KM_PER_DEGREE } from './prediction-cells.ts';
import type { PredictionCell } from './zonal-tables.ts';

type CellLocation = Pick<PredictionCell, 'lga_code' | 'longitude' | 'latitude' | 'population'>;

/**
 * A raster's values by prediction cell, with missing ones filled by the rule that the catalog declares: the value of
 * the nearest cell with one within the rule's `km`, or the rule's `value`.
 * @param values in the cells' order and the source's unit, null if the raster has no value where the cell's people live
 * @throws BadInput for a missing value without a rule, or with no other value within the rule's `km`
 */
export function fillCells(
  source: Source,
  cells: readonly CellLocation[],
  values: readonly (number | null)[],
  report: ReportLine[],
): number[] {
  const missing = [...values.keys()].filter((cell) => values[cell] === null);
  if (missing.length === 0) return values as number[];
  const gaps = (source.gaps ?? []).filter(({ rule }) => rule === 'nearest' || rule === 'value');
  const filled = [...values];
  const filledGaps: { gap: Gap; cell: number; km: number }[] = [];
  for (const cell of missing) {
    const { nearest, km } = nearestValue(cells, values, cell);
    const gap = gaps.find(({ rule, km: withinKm }) => rule === 'value' || (nearest !== null && km <= withinKm!));
    if (!gap) throw missingValueError(source, cells[cell]!, `${missing.length} of ${cells.length}`, km);
    filled[cell] = gap.rule === 'value' ? gap.value! : nearest;
    filledGaps.push({ gap, cell, km });
  }
  const people = cells.reduce((sum, { population }) => sum + population, 0);
  for (const gap of gaps) {
    const filledCells = filledGaps.filter((fill) => fill.gap === gap);
    if (filledCells.length === 0) continue;
    const peopleShare = filledCells.reduce((sum, { cell }) => sum + cells[cell]!.population, 0) / people;
    const description =
      gap.rule === 'value'
        ? `are set to ${gap.value} ${source.unit}`
        : `are set to the nearest value, at most ${Math.max(...filledCells.map(({ km }) => km)).toFixed(1)} km away`;
    const what = `${filledCells.length} of ${cells.length} prediction cells (${(100 * peopleShare).toFixed(3)}% of people) ${description}: ${gap.reason}`;
    report.push({ source: source.id, rule: gap.rule, what });
  }
  return filled as number[];
}

/** The value nearest to a cell and its distance; null and infinity if there is none. */
function nearestValue(cells: readonly CellLocation[], values: readonly (number | null)[], target: number) {
  const { longitude, latitude } = cells[target]!;
  const longitudeScale = Math.cos((latitude * Math.PI) / 180);
  let nearest: number | null = null;
  let leastDistance = Number.POSITIVE_INFINITY;
  for (let cell = 0; cell < values.length; cell++) {
    const value = values[cell]!;
    if (value === null) continue;
    const { longitude: cellLongitude, latitude: cellLatitude } = cells[cell]!;
    const distance = ((cellLongitude - longitude) * longitudeScale) ** 2 + (cellLatitude - latitude) ** 2;
    if (distance < leastDistance) [nearest, leastDistance] = [value, distance];
  }
  return { nearest, km: Math.sqrt(leastDistance) * KM_PER_DEGREE };
}

/**
 * @param missingShare how many of the cells have no value
 * @param km distance to the nearest value, infinite if there is none
 */
function missingValueError(
  source: Source,
  { lga_code, longitude, latitude }: CellLocation,
  missingShare: string,
  km: number,
): BadInput {
  const distanceText = Number.isFinite(km) ? `, ${km.toFixed(1)} km from the nearest value` : '';
  return new InputLocation(
    source.files[0]!.path,
    `${lga_code} at ${longitude.toFixed(3)}, ${latitude.toFixed(3)}`,
  ).error(
    `no value where people live${distanceText} (${missingShare} prediction cells have none)`,
    'a value, or a gap declared in sources.json with the rule `nearest` and a sufficient `km`, or the rule `value`',
  );
}
