import { beforeAll, describe, expect, test } from 'vitest';
import { correlation, mean } from '../../../../pipeline/lib/numerics/averages.ts';
import { areaPosteriors } from '../../../../pipeline/model/forecast/area-posteriors.ts';
import { hyperparameterPriors } from '../../../../pipeline/model/forecast/case-hyperparameters.ts';
import { caseModel } from '../../../../pipeline/model/forecast/case-model.ts';
import {
  type CaseModelFit,
  firstSites,
  fitHyperparameters,
  type GroupedCases,
  iterateUpdates,
  observedAreas,
  processCovariances,
} from '../../../../pipeline/model/forecast/case-model-fit.ts';
import { noiseForMonths, startNoise } from '../../../../pipeline/model/forecast/case-noise.ts';
import { buildAreaLayer, buildCountryLayer, buildGroupLayer } from '../../../../pipeline/model/forecast/hierarchy.ts';
import type { Panel } from '../../../../pipeline/model/forecast/panel.ts';
import { backtest, type ScoredForecast } from '../../../../pipeline/validate/backtest/backtest.ts';
import { madePanel } from './made-panel.ts';
import { simulated, TRUTH } from './simulated.ts';

const MONTHS = 48;
/** Origins at which errors are compared, as months counted from the first. */
const ORIGINS = [40, 43];
const TRUE_LOGS = [TRUTH.country!, TRUTH.group, TRUTH.area].flatMap(({ level, season_sd, shock_sd }) =>
  [level.sd, level.months, season_sd, ...(shock_sd > 0 ? [shock_sd] : [])].map(Math.log),
);

/** Errors with known hyperparameters and noise scales, a lower bound for any fit. */
function oracleErrors({ panel, scales }: ReturnType<typeof simulated>): number[] {
  const data = groupedOf(panel.areas);
  const covariances = processCovariances(TRUTH, MONTHS);
  const precision = scales.map((scale) => 1 / scale ** 2);
  return ORIGINS.flatMap((origin) => {
    const months = [1, 2, 3, 4].map((horizon) => origin + horizon);
    const known = data.cases.map((own) => own.map((value, t) => (t > origin ? Number.NaN : value)));
    const hidden = { ...data, cases: known };
    const start = { ...startNoise(scales.length, MONTHS, 1), precision };
    const { noise, sites } = iterateUpdates(
      hidden,
      { logParameters: TRUE_LOGS, noise: start, sites: known.map(firstSites) },
      5,
    );
    const part = buildAreaLayer(
      observedAreas(hidden, { noise: { ...noise, precision }, sites }),
      data.groupCount,
      covariances.area,
      MONTHS,
    );
    const posteriors = areaPosteriors(
      part,
      buildCountryLayer(buildGroupLayer(part, covariances.group), covariances.country).posteriors(),
      covariances.area,
      months,
    );
    return posteriors.flatMap((own, a) =>
      own.mean.map((value, h) => Math.abs(value + CENTRE - Math.log(data.cases[a]![months[h]!]!))),
    );
  });
}

const CENTRE = 9;

function groupedOf(areas: Panel['areas']): GroupedCases {
  const codes = [...new Set(areas.map(({ state_code }) => state_code))];
  return {
    cases: areas.map(({ cases }) => cases),
    centre: CENTRE,
    groupOfArea: areas.map(({ state_code }) => codes.indexOf(state_code)),
    groupCount: codes.length,
    months: MONTHS,
  };
}

describe('records simulated from the model', () => {
  const worlds = [1, 2, 3].map((seed) => simulated(seed, MONTHS));
  let rows: ScoredForecast[][];
  beforeAll(() => {
    rows = worlds.map(({ panel }) => backtest(panel, [caseModel()], null));
  });

  test('ranges contain the nominal share of outcomes', () => {
    const all = rows.flat();
    expect(all.length).toBe(3 * 20 * (4 * 4 + 3 + 2 + 1));
    const share = (which: 'covered_50' | 'covered_90') => mean(all.map((row) => Number(row[which])));
    expect(Math.abs(share('covered_50') - 0.5)).toBeLessThan(0.07);
    expect(Math.abs(share('covered_90') - 0.9)).toBeLessThan(0.04);
  });

  test('errors are only slightly larger than with the true parameters', () => {
    const ours = rows.flatMap((own) =>
      own.filter(({ origin }) => ['2023-05', '2023-08'].includes(origin)).map((row) => row.log_error),
    );
    const oracle = worlds.flatMap(oracleErrors);
    expect(ours.length).toBe(oracle.length);
    expect(mean(ours) / mean(oracle)).toBeLessThan(1.06);
    expect(mean(ours) / mean(oracle)).toBeGreaterThan(0.95);
  });

  test('hyperparameters and the scale of each area are recovered', () => {
    const found = worlds.map(({ panel, scales }) => {
      const data = groupedOf(panel.areas);
      let fitted: CaseModelFit = {
        logParameters: hyperparameterPriors(true).map(({ median }) => Math.log(median)),
        noise: startNoise(scales.length, MONTHS, 0.2),
        sites: data.cases.map(firstSites),
      };
      for (let round = 0; round < 2; round++) {
        fitted = iterateUpdates(data, fitted, 5);
        fitted = { ...fitted, logParameters: fitHyperparameters(data, fitted) };
      }
      const { logParameters: logs, noise } = fitted;
      const own = noise.precision.map((precision) => -Math.log(precision) / 2);
      return { logs, alike: correlation(own, scales.map(Math.log)) };
    });
    for (const [i, truth] of TRUE_LOGS.entries())
      expect(Math.abs(mean(found.map(({ logs }) => logs[i]!)) - truth), `${i}`).toBeLessThan(0.35);
    for (const { alike } of found) expect(alike).toBeGreaterThan(0.75);
  });
});

test('forecasts are reproducible', () => {
  const { panel } = simulated(9, 40);
  const once = backtest(panel, [caseModel()], null);
  expect(backtest(panel, [caseModel()], null)).toEqual(once);
});

test('data older than six years do not affect forecasts, and weights stay with their months as the window moves', () => {
  const country = madePanel(4, 110);
  const panel = { ...country, areas: country.areas.slice(0, 4) };
  const old = withNoiseBefore(panel, 38);
  expect(caseModel().forecast(old)).toEqual(caseModel().forecast(panel));
  expect(caseModel().forecast(withNoiseBefore(panel, 39))).not.toEqual(caseModel().forecast(panel));

  const noise = { precision: [1], common: 1, weights: [Float64Array.of(0.1, 0.2, 0.3)] };
  expect([...noiseForMonths(noise, 3, 1).weights[0]!]).toEqual([0.2, 0.3, 1]);
});

/** The panel with the months before `first` replaced by noise. */
function withNoiseBefore(panel: Panel, first: number): Panel {
  const areas = panel.areas.map((area) => ({
    ...area,
    cases: area.cases.map((value, t) => (t < first ? 5 + (t % 7) : value)),
  }));
  return { ...panel, areas };
}
