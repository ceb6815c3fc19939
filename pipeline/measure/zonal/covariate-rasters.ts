/** Covariates of the risk score from rasters, by prediction cell. */
import type { Gap, Source } from '../../catalog/sources.ts';
import type { ReportLine } from '../../engine/stage.ts';
import { type BadInput, InputLocation } from '../../lib/bad-input.ts';
import { KM_PER_DEGREE } from './prediction-cells.ts';
import type { PredictionCell } from './zonal-tables.ts';

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
