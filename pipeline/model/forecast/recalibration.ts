/** Scales ranges to the size of past errors. */

import { HORIZONS } from '../../contract/months.ts';
import { normalQuantile } from '../../lib/numerics/normal.ts';
import { selectQuantiles } from '../../lib/numerics/selection.ts';
import { percentIndex, SHARES } from './forecast-scores.ts';
import type { Panel } from './panel.ts';
import { casesFromLog, type Forecast, type Forecaster } from './past-errors.ts';

/** Number of past origins used. */
export const LOOK_BACK = 12;
/** With n origins, factors are raised to the power n / (n + SHRINKAGE). */
const SHRINKAGE = 2;

/** Smallest 5% quantile of a range that is scaled and from which factors are learned. */
const LEAST_CASES = 5;

const SCORES = SHARES.map((share) => Math.abs(normalQuantile(share)));
const [INNER, OUTER] = [SCORES[percentIndex(75)]!, SCORES[percentIndex(95)]!];

/**
 * A method with the distances of its quantiles from the median scaled by two factors: one up to the quartiles, one from
 * 5 and 95% outwards, interpolated in between by the normal score. Each factor is the quantile (.5; .9) of past
 * absolute errors divided by past half-widths, over the last 12 origins whose targets at that horizon are known.
 * @param horizons of the method's forecasts, months
 */
export function recalibrated(method: Forecaster, horizons: readonly number[] = HORIZONS): Recalibrated {
  const past: { origin: number; forecast: Forecast }[] = [];
  const stretches = (seen: Panel) => horizons.map((horizon, h) => fitStretch(past, seen, { horizon, h }));
  return {
    name: method.name,
    stretches,
    forecast(seen) {
      const forecast = method.forecast(seen);
      const scales = stretches(seen);
      past.push({ origin: seen.months - 1, forecast });
      return forecast.map((areaForecast) => areaForecast.map((q, h) => q && scaled(q, scales[h]!)));
    },
  };
}

export interface Recalibrated extends Forecaster {
  /** Factors by horizon for a forecast from the last month of `seen`, from the errors of earlier forecasts. */
  stretches(seen: Panel): Stretch[];
}

export interface Stretch {
  /** Factor of distances from the median up to the quartiles. */
  inner: number;
  /** The same from 5 and 95% outwards. */
  outer: number;
}

/** @param h index of `horizon` in the forecasts */
function fitStretch(
  past: readonly { origin: number; forecast: Forecast }[],
  seen: Panel,
  { horizon, h }: { horizon: number; h: number },
): Stretch {
  const verified = past.filter(({ origin }) => origin + horizon < seen.months).slice(-LOOK_BACK);
  const power = verified.length / (verified.length + SHRINKAGE);
  const factor = (low: number, high: number, share: number) => {
    const ratios = verified.flatMap(({ origin, forecast }) =>
      forecast.flatMap((areaForecast, a) => {
        const q = areaForecast[h];
        const cases = seen.areas[a]!.cases[origin + horizon]!;
        if (!q || Number.isNaN(cases) || !isStretched(q[percentIndex(5)]!)) return [];
        const distance = (from: number, to: number) => Math.log1p(to) - Math.log1p(from);
        return (
          (2 * Math.abs(distance(q[percentIndex(50)]!, cases))) /
          distance(q[percentIndex(low)]!, q[percentIndex(high)]!)
        );
      }),
    );
    return ratios.length > 0 ? selectQuantiles(Float64Array.from(ratios), [share])[0]! ** power : 1;
  };
  return { inner: factor(25, 75, 0.5), outer: factor(5, 95, 0.9) };
}

/** The 99 quantiles of a forecast with the distances from their median scaled. */
export function scaled(q: Float64Array, { inner, outer }: Stretch): Float64Array {
  if (!isStretched(q[percentIndex(5)]!)) return q;
  const median = q[percentIndex(50)]!;
  return q.map((value, i) => {
    const position = Math.min(1, Math.max(0, (SCORES[i]! - INNER) / (OUTER - INNER)));
    return stretched(median, value, inner + position * (outer - inner));
  });
}

/** Whether a range is scaled, by its 5% quantile: in whole numbers, smaller ones are too coarse to have a width. */
export const isStretched = (q05: number): boolean => q05 >= LEAST_CASES;

/** A number of cases whose distance from the median in ln(1 + cases) is multiplied by a factor. */
export function stretched(median: number, cases: number, factor: number): number {
  const from = Math.log1p(median);
  return casesFromLog(from + (Math.log1p(cases) - from) * factor);
}
