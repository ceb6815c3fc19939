/** The case model of ../forecast behind CHAP's two commands (README.md). */
import { monthFromIndex } from '../../contract/months.ts';
import { randomStream } from '../../lib/numerics/random.ts';
import { inQuantiles } from '../forecast/case-draws.ts';
import { caseModel, REFIT_EVERY } from '../forecast/case-model.ts';
import { type Panel, seenAt, TRIED_AFTER } from '../forecast/panel.ts';
import { LOOK_BACK, recalibrated, scaled } from '../forecast/recalibration.ts';
import { AHEAD, type ChapModel, type LocationMonth, type Wanted, withLocations } from './chap-files.ts';

const SEED = 1;
/** Draws of each forecast. */
const DRAWS = 1000;

/**
 * The months from which `train` forecasts: the last one of the records, so that the hyperparameters are fitted to all
 * of them, and as many before it as the factors of the longest horizon look back on, from a year of records on.
 */
function pastOrigins({ areas, months }: Panel): number[] {
  const hasCases = Array.from({ length: months }, (_, t) => areas.some(({ cases }) => !Number.isNaN(cases[t]!)));
  const last = months - 1;
  const earliest = Math.max(hasCases.indexOf(true) + TRIED_AFTER - 1, last - LOOK_BACK - AHEAD.length);
  const before = Math.max(0, last - earliest);
  const count = before - (before % REFIT_EVERY) + 1;
  return Array.from({ length: count }, (_, i) => last - count + 1 + i);
}

/**
 * What is learned from records: the hyperparameters, and the factors by which ranges are recalibrated, from forecasts
 * of months whose cases are known.
 * @param records with at least one month of cases
 * @param onProgress called with the share that is done
 */
export function train(records: Panel, onProgress: (share: number) => void = () => {}): ChapModel {
  const model = caseModel(AHEAD);
  const calibrated = recalibrated(model, AHEAD);
  const origins = pastOrigins(records);
  for (const [i, origin] of origins.entries()) {
    calibrated.forecast(seenAt(records, origin));
    onProgress((i + 1) / origins.length);
  }
  return {
    model: 'malaria-risk chap 1',
    hyperparameters: [...model.hyperparameters()!],
    stretches: calibrated.stretches(records),
  };
}

/**
 * Joint draws for each row that is wanted: whole numbers of cases, with the quantiles of the forecast by row.
 * Everything but what `train` learned comes from the records: level, season and noise of each location.
 * @param records with at least one month of cases; they may be other records than those of `train`
 */
export function predict(
  { hyperparameters, stretches }: ChapModel,
  records: Panel,
  wanted: readonly Wanted[],
): (Wanted & { draws: Float64Array })[] {
  const panel = withLocations(
    records,
    wanted.map(({ location }) => location),
  );
  const horizons = [...new Set(wanted.map(({ horizon }) => horizon))].sort((a, b) => a - b);
  const random = randomStream(SEED, 'chap');
  const { forecast, draws } = caseModel(horizons, hyperparameters).draw(panel, DRAWS, random);
  const indexByCode = new Map(panel.areas.map(({ code }, a) => [code, a]));
  return wanted.map(({ location, period, horizon }) => {
    const [a, h] = [indexByCode.get(location)!, horizons.indexOf(horizon)];
    const quantiles = scaled(forecast[a]![h]!, stretches[horizon - 1]!);
    return { location, period, horizon, draws: inQuantiles(draws[a]![h]!, quantiles, random) };
  });
}

/** What the records are, in a line; and another for months without a row. */
export function describe({ first, months, areas }: Panel, absent: readonly LocationMonth[]): string[] {
  const recordedMonths = areas.reduce(
    (sum, { cases }) => sum + cases.filter((value) => !Number.isNaN(value)).length,
    0,
  );
  const span = `${monthFromIndex(first)} to ${monthFromIndex(first + months - 1)}`;
  const knownMonths = `months with known cases: ${recordedMonths} of ${areas.length * months}`;
  const recorded = `${span}, locations: ${areas.length}, ${knownMonths}`;
  if (absent.length === 0) return [recorded];
  const named = absent.slice(0, NAMED).map(({ location, month }) => `${location} ${monthFromIndex(month)}`);
  const list = `${named.join(', ')}${absent.length > NAMED ? ', …' : ''}`;
  return [recorded, `months without a row, taken as unknown: ${absent.length} (${list})`];
}

/** Months without a row that are named. */
const NAMED = 5;
