import { randomStream } from '../../../../pipeline/lib/numerics/random.ts';
import { forecasters } from '../../../../pipeline/model/forecast/forecasters.ts';
import type { Panel } from '../../../../pipeline/model/forecast/panel.ts';
import { backtest, type OriginSpan } from '../../../../pipeline/validate/backtest/backtest.ts';

/**
 * Two states of three LGAs each with a season, a random-walk level and noise, from 2020-01; some months are unknown.
 */
export function madePanel(seed: number, months = 36): Panel {
  const random = randomStream(seed, 'panel');
  const areas = ['A1', 'A2', 'A3', 'B1', 'B2', 'B3'].map((code) => {
    let level = 7 + random.normal();
    const cases = Float64Array.from({ length: months }, (_, t) => {
      level += 0.1 * random.normal();
      return Math.round(Math.exp(level + 0.4 * Math.cos((2 * Math.PI * (t - 7)) / 12) + 0.2 * random.normal()));
    });
    cases[4] = Number.NaN;
    return { code, state_code: code[0]!, people: 100_000, cases };
  });
  const disrupted = Array.from({ length: months }, (_, t) => t >= 2 && t <= 6);
  return {
    level: 'lga',
    first: 2020 * 12,
    months,
    areas,
    disrupted,
    origins: { first_forecast: 11, first_scored: 24 },
  };
}

/** The same panel with all data after the origin replaced by noise. */
export function withNoiseAfter(panel: Panel, origin: number): Panel {
  const random = randomStream(1, 'noise after the origin');
  const areas = panel.areas.map((area) => ({
    ...area,
    cases: area.cases.map((value, t) => (t > origin ? Math.round(1000 * random.uniform()) : value)),
  }));
  return { ...panel, areas };
}

/** All forecasts from the last origin of the span, by area, horizon and method. */
export function said(panel: Panel, span: OriginSpan) {
  return backtest(panel, forecasters(), span)
    .filter(({ origin }) => origin === span.last)
    .map(({ area_code, horizon, method, q05, q25, q50, q75, q95 }) => [
      area_code,
      horizon,
      method,
      q05,
      q25,
      q50,
      q75,
      q95,
    ]);
}
