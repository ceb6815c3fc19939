/** The case model of ../forecast behind CHAP's two commands (README.md). */
import { monthFromIndex } from '../../contract/months.ts';
import { randomStream } from '../../lib/numerics/random.ts';
import { mapToQuantiles } from '../forecast/case-draws.ts';
import { caseModel, REFIT_EVERY } from '../forecast/case-model.ts';
import { MONTHS_BEFORE_FORECASTS, type Panel, panelUpTo } from '../forecast/panel.ts';
import { PAST_ORIGINS, recalibrate, scaleQuantiles } from '../forecast/recalibration.ts';
import {
  addLocations,
  CHAP_HORIZONS,
  type ChapModel,
  type LocationMonth,
  type RequestedForecast,
} from './chap-files.ts';

const DRAWS_SEED = 1;

/**
 * The months from which `train` forecasts: the last one of the records, so that the hyperparameters are fitted to all
 * of them, and as many before it as the factors of the longest horizon look back on, from a year of records on.
 */
function pastOrigins({ areas, months }: Panel): number[] {
  const hasCases = Array.from({ length: months }, (_, t) => areas.some(({ cases }) => !Number.isNaN(cases[t]!)));
  const lastMonth = months - 1;
  const earliest = Math.max(
    hasCases.indexOf(true) + MONTHS_BEFORE_FORECASTS - 1,
    lastMonth - PAST_ORIGINS - CHAP_HORIZONS.length,
  );
  const monthsBack = Math.max(0, lastMonth - earliest);
  const count = monthsBack - (monthsBack % REFIT_EVERY) + 1;
  return Array.from({ length: count }, (_, i) => lastMonth - count + 1 + i);
}

/**
 * What is learned from records: the hyperparameters, and the factors by which ranges are recalibrated, from forecasts
 * of months whose cases are known.
 * @param records with at least one month of cases
 * @param onProgress called with the share that is done
 */
export function train(records: Panel, onProgress: (share: number) => void = () => {}): ChapModel {
  const model = caseModel(CHAP_HORIZONS);
  const recalibratedModel = recalibrate(model, CHAP_HORIZONS);
  const origins = pastOrigins(records);
  for (const [i, origin] of origins.entries()) {
    recalibratedModel.forecast(panelUpTo(records, origin));
    onProgress((i + 1) / origins.length);
  }
  return {
    model: 'malaria-risk chap 1',
    hyperparameters: [...model.hyperparameters()!],
    stretches: recalibratedModel.stretches(records),
  };
}

/**
 * Joint draws for each row that is wanted: whole numbers of cases, with the quantiles of the forecast by row.
 * Everything but what `train` learned comes from the records: level, season and noise of each location.
 * @param records with at least one month of cases; they may be other records than those of `train`
 * @param drawCount draws of each forecast
 */
export function predict(
  { hyperparameters, stretches }: ChapModel,
  records: Panel,
  requested: readonly RequestedForecast[],
  drawCount: number,
): (RequestedForecast & { draws: Float64Array })[] {
  const panel = addLocations(
    records,
    requested.map(({ location }) => location),
  );
  const horizons = [...new Set(requested.map(({ horizon }) => horizon))].sort((a, b) => a - b);
  const random = randomStream(DRAWS_SEED, 'chap');
  const { forecast, draws } = caseModel(horizons, hyperparameters).draw(panel, drawCount, random);
  const indexByCode = new Map(panel.areas.map(({ code }, a) => [code, a]));
  return requested.map(({ location, period, horizon }) => {
    const [a, h] = [indexByCode.get(location)!, horizons.indexOf(horizon)];
    const quantiles = scaleQuantiles(forecast[a]![h]!, stretches[horizon - 1]!);
    return { location, period, horizon, draws: mapToQuantiles(draws[a]![h]!, quantiles, random) };
  });
}

/** What the records are, in a line; and another for months without a row. */
export function describeRecords({ first, months, areas }: Panel, missingMonths: readonly LocationMonth[]): string[] {
  const knownMonthCount = areas.reduce(
    (sum, { cases }) => sum + cases.filter((value) => !Number.isNaN(value)).length,
    0,
  );
  const span = `${monthFromIndex(first)} to ${monthFromIndex(first + months - 1)}`;
  const knownMonths = `months with known cases: ${knownMonthCount} of ${areas.length * months}`;
  const summary = `${span}, locations: ${areas.length}, ${knownMonths}`;
  if (missingMonths.length === 0) return [summary];
  const listedMonths = missingMonths
    .slice(0, MAX_LISTED_MONTHS)
    .map(({ location, month }) => `${location} ${monthFromIndex(month)}`);
  const list = `${listedMonths.join(', ')}${missingMonths.length > MAX_LISTED_MONTHS ? ', …' : ''}`;
  return [summary, `months without a row, taken as unknown: ${missingMonths.length} (${list})`];
}

/** Months without a row that are named. */
const MAX_LISTED_MONTHS = 5;
