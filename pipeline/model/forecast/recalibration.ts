/** Scales ranges to the size of past errors. */

import { HORIZONS } from '../../contract/months.ts';
import { normalQuantile } from '../../lib/numerics/normal.ts';
import { selectQuantiles } from '../../lib/numerics/selection.ts';
import { percentIndex, QUANTILE_LEVELS } from './forecast-scores.ts';
import type { Panel } from './panel.ts';
import { casesFromLog, type Forecast, type Forecaster } from './past-errors.ts';

/** Number of past origins used. */
export const PAST_ORIGINS = 12;
/** With n origins, factors are raised to the power n / (n + SHRINKAGE). */
const SHRINKAGE = 2;

/** Smallest 5% quantile of a range that is scaled and from which factors are learned. */
const MIN_Q05_CASES = 5;

const ABSOLUTE_SCORES = QUANTILE_LEVELS.map((share) => Math.abs(normalQuantile(share)));
const [QUARTILE_SCORE, TAIL_SCORE] = [ABSOLUTE_SCORES[percentIndex(75)]!, ABSOLUTE_SCORES[percentIndex(95)]!];

/**
 * A method with the distances of its quantiles from the median scaled by two factors: one up to the quartiles, one from
 * 5 and 95% outwards, interpolated in between by the normal score. Each factor is the quantile (.5; .9) of past
 * absolute errors divided by past half-widths, over the last 12 origins whose targets at that horizon are known.
 * @param horizons of the method's forecasts, months
 */
export function recalibrate(method: Forecaster, horizons: readonly number[] = HORIZONS): RecalibratedForecaster {
  const pastForecasts: { origin: number; forecast: Forecast }[] = [];
  const stretches = (panel: Panel) => horizons.map((horizon, h) => fitStretch(pastForecasts, panel, { horizon, h }));
  return {
    name: method.name,
    stretches,
    forecast(panel) {
      const forecast = method.forecast(panel);
      const scales = stretches(panel);
      pastForecasts.push({ origin: panel.months - 1, forecast });
      return forecast.map((areaForecast) =>
        areaForecast.map((quantiles, h) => quantiles && scaleQuantiles(quantiles, scales[h]!)),
      );
    },
  };
}

export interface RecalibratedForecaster extends Forecaster {
  /** Factors by horizon for a forecast from the last month of `panel`, from the errors of earlier forecasts. */
  stretches(panel: Panel): Stretch[];
}

export interface Stretch {
  /** Factor of distances from the median up to the quartiles. */
  inner: number;
  /** The same from 5 and 95% outwards. */
  outer: number;
}

/** @param h index of `horizon` in the forecasts */
function fitStretch(
  pastForecasts: readonly { origin: number; forecast: Forecast }[],
  panel: Panel,
  { horizon, h }: { horizon: number; h: number },
): Stretch {
  const verifiedForecasts = pastForecasts.filter(({ origin }) => origin + horizon < panel.months).slice(-PAST_ORIGINS);
  const shrinkagePower = verifiedForecasts.length / (verifiedForecasts.length + SHRINKAGE);
  const factor = (low: number, high: number, share: number) => {
    const ratios = verifiedForecasts.flatMap(({ origin, forecast }) =>
      forecast.flatMap((areaForecast, a) => {
        const quantiles = areaForecast[h];
        const cases = panel.areas[a]!.cases[origin + horizon]!;
        if (!quantiles || Number.isNaN(cases) || !isScalable(quantiles[percentIndex(5)]!)) return [];
        const distance = (from: number, to: number) => Math.log1p(to) - Math.log1p(from);
        return (
          (2 * Math.abs(distance(quantiles[percentIndex(50)]!, cases))) /
          distance(quantiles[percentIndex(low)]!, quantiles[percentIndex(high)]!)
        );
      }),
    );
    return ratios.length > 0 ? selectQuantiles(Float64Array.from(ratios), [share])[0]! ** shrinkagePower : 1;
  };
  return { inner: factor(25, 75, 0.5), outer: factor(5, 95, 0.9) };
}

/** The 99 quantiles of a forecast with the distances from their median scaled. */
export function scaleQuantiles(quantiles: Float64Array, { inner, outer }: Stretch): Float64Array {
  if (!isScalable(quantiles[percentIndex(5)]!)) return quantiles;
  const median = quantiles[percentIndex(50)]!;
  return quantiles.map((value, i) => {
    const position = Math.min(1, Math.max(0, (ABSOLUTE_SCORES[i]! - QUARTILE_SCORE) / (TAIL_SCORE - QUARTILE_SCORE)));
    return stretchCases(median, value, inner + position * (outer - inner));
  });
}

/** Draws that have 99 quantiles as their values (`mapToQuantiles`), scaled as these are. */
export function scaleDraws(draws: Float64Array, stretch: Stretch): Float64Array {
  const quantiles = Float64Array.from(selectQuantiles(draws.slice(), QUANTILE_LEVELS));
  const scaled = scaleQuantiles(quantiles, stretch);
  if (scaled === quantiles) return draws;
  return draws.map((value) => scaled[quantiles.findLastIndex((quantile) => quantile <= value)] ?? scaled[0]!);
}

/** Whether a range is scaled, by its 5% quantile: in whole numbers, smaller ones are too coarse to have a width. */
export const isScalable = (q05: number): boolean => q05 >= MIN_Q05_CASES;

/** A number of cases whose distance from the median in ln(1 + cases) is multiplied by a factor. */
export function stretchCases(median: number, cases: number, factor: number): number {
  const logMedian = Math.log1p(median);
  return casesFromLog(logMedian + (Math.log1p(cases) - logMedian) * factor);
}
