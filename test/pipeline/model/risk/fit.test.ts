import { describe, expect, test } from 'vitest';
import { randomStream } from '../../../../pipeline/lib/numerics/random.ts';
import { fitRisk, type RiskFit } from '../../../../pipeline/model/risk/fit.ts';
import type { RiskObservation } from '../../../../pipeline/model/risk/likelihood.ts';
import { drawPaths } from '../../../../pipeline/model/risk/paths.ts';
import { predictRisk } from '../../../../pipeline/model/risk/prediction.ts';
import { lgaPlace, plainConstants, toyMesh } from './toy-country.ts';

const CONSTANTS = plainConstants(0.25, 0.3, 150);
const flat = (lgas: number) => new Float64Array(lgas);

describe('edges', () => {
  const mesh = toyMesh(4, randomStream(1, 'edges'));
  const cluster = (a: number, examined: number, positive: number, round = 0): RiskObservation => ({
    name: `cluster ${a}`,
    round,
    log_season: flat(16),
    examined,
    positive,
    clustered: true,
    ...lgaPlace(mesh, a),
  });
  const predict = (fit: RiskFit, time = 2015.8, seed = 1) =>
    predictRisk(
      drawPaths(fit, { months: [{ time, month: 0, log_season: flat(16) }], season: null }, 100, (d) =>
        randomStream(seed, `draw ${d}`),
      ),
    );
  const fitTo = (observations: RiskObservation[], times = [2015.8]) => fitRisk(mesh, times, observations, CONSTANTS);

  test('surveys with only zeros, only ones or a single cluster give finite ranges between 0 and 1, on the right side', () => {
    const everywhere = Array.from({ length: 16 }, (_, a) => a);
    const zero = predict(fitTo(everywhere.map((a) => cluster(a, 20, 0))));
    const one = predict(fitTo(everywhere.map((a) => cluster(a, 20, 20))));
    const single = predict(fitTo([cluster(3, 20, 5)]));
    for (const { lgas, states } of [zero, one, single])
      for (const { low, mean, high } of [lgas, states])
        mean.forEach((m, k) => {
          expect(low[k]).toBeGreaterThanOrEqual(0);
          expect(m).toBeGreaterThan(low[k]!);
          expect(m).toBeLessThan(high[k]!);
          expect(high[k]).toBeLessThanOrEqual(1);
        });
    expect(Math.max(...zero.states.mean)).toBeLessThan(0.1);
    expect(Math.min(...one.states.mean)).toBeGreaterThan(0.9);
  });

  test('a state without a survey has a range, wider than a surveyed one', () => {
    const surveyed = [0, 1, 4, 5].flatMap((a) => [cluster(a, 40, 12), cluster(a, 40, 10)]);
    const { states } = predict(fitTo(surveyed));
    const width = (s: number) => states.high[s]! - states.low[s]!;
    expect(width(3)).toBeGreaterThan(1.3 * width(0));
  });

  test('a round published by state only moves the state that differs', () => {
    const clusters = Array.from({ length: 16 }, (_, a) => cluster(a, 30, 9));
    const whole = (a: number[]) => {
      const cells = a.flatMap((l) => [...lgaPlace(mesh, l).cells]);
      return { cells: Int32Array.from(cells), weights: Float64Array.from(cells, () => 1 / cells.length) };
    };
    const ofState = [0, 2, 8, 10].map((a, s) => ({
      ...cluster(a, 90, s === 0 ? 54 : 27, 1),
      clustered: false,
      ...whole([a, a + 1, a + 4, a + 5]),
    }));
    const { states } = predict(fitTo([...clusters, ...ofState], [2015.8, 2018.8]), 2018.8);
    expect(states.mean[0]).toBeGreaterThan(states.mean[3]! + 0.1);
    expect(states.mean[3]).toBeLessThan(0.4);
  });

  test('ranges widen with the time since the last survey', () => {
    const fitted = fitTo(Array.from({ length: 16 }, (_, a) => cluster(a, 60, 20)));
    const width = (time: number) => {
      const { lgas } = predict(fitted, time);
      return Math.log(lgas.high[5]! / (1 - lgas.high[5]!)) - Math.log(lgas.low[5]! / (1 - lgas.low[5]!));
    };
    expect(width(2017)).toBeGreaterThan(width(2015.8));
    expect(width(2022)).toBeGreaterThan(width(2017));
  });

  test('the same seed gives the same bytes', () => {
    const survey = Array.from({ length: 16 }, (_, a) => cluster(a, 20, a % 7));
    expect(predict(fitTo(survey))).toEqual(predict(fitTo(survey)));
  });

  test('clusters without children or with more positive than examined are rejected', () => {
    expect(() => fitTo([cluster(2, 0, 0)])).toThrow('cluster 2: 0 children examined, expected more than 0');
    expect(() => fitTo([cluster(2, 5, 6)])).toThrow('cluster 2: 6 positive of 5 examined');
  });
});
