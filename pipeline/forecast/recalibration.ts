/** Ranges made as wide as past errors ask for. */

import { normalQuantile } from '../numerics/normal.ts';
import { quantiles } from '../numerics/quantiles.ts';
import { HORIZONS } from './horizons.ts';
import type { Panel } from './panel.ts';
import type { Forecast, Forecaster } from './past-errors.ts';
import { at, SHARES } from './scores.ts';

/** Origins that are looked back on. */
const LOOK_BACK = 12;
/** n origins move the spread by a factor to the power n / (n + DOUBT). */
const DOUBT = 2;

const SCORES = SHARES.map((share) => Math.abs(normalQuantile(share)));
const [INNER, OUTER] = [SCORES[at(75)]!, SCORES[at(95)]!];

/**
 * A method with the distances of its quantiles from the median scaled by two factors: one up to the quartiles, one from 5
 * and 95% on, and in between by the normal score. Each is the quantile (.5 and .9) of past absolute errors over past
 * half-widths, of the last 12 origins whose targets at that horizon are known.
 */
export function recalibrated(method: Forecaster): Recalibrated {
  const past: { origin: number; forecast: Forecast }[] = [];
  const stretches = (seen: Panel) => HORIZONS.map((_, h) => stretchOf(past, seen, h));
  return {
    name: method.name,
    stretches,
    forecast(seen) {
      const forecast = method.forecast(seen);
      const scales = stretches(seen);
      past.push({ origin: seen.months - 1, forecast });
      return forecast.map((own) => own.map((q, h) => q && scaled(q, scales[h]!)));
    },
  };
}

export interface Recalibrated extends Forecaster {
  /** By horizon, the factors that its forecasts so far ask of one from the last month of `seen`. */
  stretches(seen: Panel): Stretch[];
}

export interface Stretch {
  /** Of distances from the median, up to the quartiles, and from 5 and 95% on. */
  inner: number;
  outer: number;
}

function stretchOf(past: readonly { origin: number; forecast: Forecast }[], seen: Panel, h: number): Stretch {
  const known = past.filter(({ origin }) => origin + HORIZONS[h]! < seen.months).slice(-LOOK_BACK);
  const trust = known.length / (known.length + DOUBT);
  const factor = (low: number, high: number, share: number) => {
    const ratios = known.flatMap(({ origin, forecast }) =>
      forecast.flatMap((own, a) => {
        const q = own[h];
        const y = seen.areas[a]!.y[origin + HORIZONS[h]!]!;
        if (!q || Number.isNaN(y)) return [];
        return (2 * Math.abs(y - q[at(50)]!)) / (q[at(high)]! - q[at(low)]!);
      }),
    );
    return ratios.length > 0 ? quantiles(Float64Array.from(ratios), [share])[0]! ** trust : 1;
  };
  return { inner: factor(25, 75, 0.5), outer: factor(5, 95, 0.9) };
}

function scaled(q: Float64Array, { inner, outer }: Stretch): Float64Array {
  const median = q[at(50)]!;
  return q.map((value, i) => {
    const way = Math.min(1, Math.max(0, (SCORES[i]! - INNER) / (OUTER - INNER)));
    return median + (value - median) * (inner + way * (outer - inner));
  });
}
