import { expect, test } from 'vitest';
import type { JointRisk, LgaScore, StateScore } from '../../../../pipeline/model/risk/risk-tables.ts';
import { outputRows } from '../../../support/stage-io.ts';
import { cells, DRAWS, LGAS, runSmall } from './small-stage.ts';

async function stage(score: 'baseline' | 'spatial') {
  const out = await runSmall(score);
  const [lgas, states] = [outputRows<LgaScore>(out.lgas), outputRows<StateScore>(out.states)];
  return { lgas, states, evidence: out.evidence as { model: string } };
}

test('both scores cover every area and month, in order, and distinguish high from low', async () => {
  for (const score of ['baseline', 'spatial'] as const) {
    const { lgas, states, evidence } = await stage(score);
    expect(evidence.model).toBe(score);
    expect(lgas.map(({ lga_code }) => lga_code)).toEqual(LGAS.flatMap((code) => new Array(64).fill(code)));
    expect([lgas[0]!.period, lgas[63]!.period, lgas.at(-1)!.period]).toEqual(['2018-01', '2023-04', '2023-04']);
    for (const { score: mean, score_low, score_high } of [...lgas, ...states]) {
      expect(score_low).toBeLessThanOrEqual(mean);
      expect(score_high).toBeGreaterThanOrEqual(mean);
    }
    const [first, second] = [states.slice(0, 64), states.slice(64)];
    expect([first[0]!.state_code, second[0]!.state_code]).toEqual(['AA', 'BB']);
    expect(first[9]!.score).toBeGreaterThan(2 * second[9]!.score);
    // February is below October because of the season alone
    expect(first[1]!.score).toBeLessThan(first[9]!.score);
  }
});

test('a state is the population-weighted mean of its LGAs, its range narrower than the mean of theirs', async () => {
  const { lgas, states } = await stage('spatial');
  const own = [0, 1, 2].map((i) => ({ months: lgas.slice(64 * i, 64 * (i + 1)), weight: cells.population[i]! }));
  const total = own.reduce((sum, area) => sum + area.weight, 0);
  const mean = (key: 'score' | 'score_low', k: number) =>
    own.reduce((sum, area) => sum + (area.weight / total) * area.months[k]![key], 0);
  for (const k of [0, 30, 63]) {
    expect(states[k]!.score).toBeCloseTo(mean('score', k), 12);
    expect(states[k]!.score_low).toBeGreaterThan(mean('score_low', k));
  }
});

test('the nation is the mean of its people in every draw, compared with one and three years before', async () => {
  const { joint, ...out } = await runSmall('spatial');
  const { nation, lga_draws } = joint as JointRisk;
  const lgas = outputRows<LgaScore>(out.lgas);
  const weights = cells.population.map((people) => people / cells.population.reduce((a, b) => a + b));
  const meanOf = (values: (a: number) => number) => weights.reduce((sum, weight, a) => sum + weight * values(a), 0);
  expect(nation).toHaveLength(64);
  for (const m of [0, 12, 47]) {
    expect(nation[m]!.score).toBeCloseTo(
      meanOf((a) => lgas[64 * a + m]!.score),
      3,
    );
    expect(nation[m]!.high - nation[m]!.low, 'errors of LGAs cancel in part').toBeLessThan(
      meanOf((a) => lgas[64 * a + m]!.score_high - lgas[64 * a + m]!.score_low),
    );
  }
  expect([0, 12, 36].map((m) => nation[m]!.changes.map(({ years }) => years))).toEqual([[], [1], [1, 3]]);
  for (const { years, change, low, high, chance } of nation[59]!.changes) {
    expect(change).toBeCloseTo(nation[59]!.score - nation[59 - 12 * years]!.score, 3);
    expect(low < change && change < high).toBe(true);
    expect(Math.sign(chance - 0.5), 'more likely than not').toBe(Math.sign(change));
  }
  // The draws of an LGA are those of the last estimated month.
  expect(Object.keys(lga_draws)).toEqual(LGAS);
  for (const [a, code] of LGAS.entries())
    expect(lga_draws[code]!.reduce((sum, share) => sum + share / DRAWS, 0)).toBeCloseTo(lgas[64 * a + 59]!.score, 3);
  expect((await runSmall('baseline')).joint).toEqual({ nation: [], lga_draws: {} });
});

test('probabilities and changes have a row for each area and month, and none if the baseline is the score', async () => {
  const spatial = await runSmall('spatial');
  // nobody reads the scores of a model that is not the score
  expect(Object.keys(spatial)).not.toContain('baseline');
  const { probabilities, changes } = spatial;
  const rows = outputRows<{ area: string; code: string; period: string; survey_month: string | null }>(probabilities);
  expect(rows).toHaveLength(8 * 64);
  expect(rows[0]).toMatchObject({ area: 'state', code: 'AA', period: '2018-01', probability_highest_state: null });
  expect(rows.at(-1)).toMatchObject({ area: 'lga', code: 'BB03', period: '2023-04' });
  const since = outputRows<{ period: string; survey_month: string | null }>(changes);
  expect(since).toHaveLength(8 * 52);
  const references = new Map(since.map(({ period, survey_month }) => [period, survey_month]));
  expect([references.get('2019-01'), references.get('2021-10')]).toEqual(['2018-01', '2018-10']);
  expect(references.get('2021-11')).toBe('2018-11');
  expect([references.get('2021-12'), references.get('2023-04')]).toEqual(['2020-12', '2021-04']);
  const baseline = await runSmall('baseline');
  expect([outputRows(baseline.probabilities), outputRows(baseline.changes)]).toEqual([[], []]);
});
