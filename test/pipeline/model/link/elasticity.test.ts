import { expect, test } from 'vitest';
import { elasticityOf, type PrevalenceChange } from '../../../../pipeline/model/link/elasticity.ts';
import { changesOf, recordedDeviations } from '../../../../pipeline/model/link/shift.ts';
import { LINK } from '../../../../pipeline/synthetic/families.ts';
import { madeLink } from './made-link.ts';

const SEEDS = Array.from({ length: 30 }, (_, i) => i + 1);
const found = (seed: number, family: 'linked' | 'unlinked') => {
  const { panel, rounds } = madeLink(seed, family);
  return elasticityOf(changesOf(rounds, recordedDeviations(panel)));
};

test('in linked countries the elasticity is found, and its range contains the truth as often as it should', () => {
  const all = SEEDS.map((seed) => found(seed, 'linked'));
  const used = all.filter(({ used }) => used.mean > 0);
  expect(used.length).toBeGreaterThan(0.8 * SEEDS.length);
  const inside = all.filter(({ posterior: { mean, sd } }) => Math.abs(mean - LINK.elasticity) < 1.645 * sd);
  // with exact 90% ranges, 22 or fewer of 30 have a probability of 1%
  expect(inside.length).toBeGreaterThan(22);
  const mean = all.reduce((sum, { posterior }) => sum + posterior.mean, 0) / SEEDS.length;
  expect(Math.abs(mean - LINK.elasticity)).toBeLessThan(0.1);
});

test('in unlinked countries, whose cases deviate as much, the elasticity is 0', () => {
  const used = SEEDS.map((seed) => found(seed, 'unlinked')).filter(({ used }) => used.mean !== 0);
  // each is wrong with a probability of 2.5%: four or more of 30 have a probability of 1%
  expect(used.length).toBeLessThan(4);
});

const changes = (count: number): PrevalenceChange[] =>
  Array.from({ length: count }, (_, i) => ({
    state_code: `S${i}`,
    round: 2021,
    prevalence: 0.6 * (i % 5) - 1.2,
    variance: 0.01,
    cases: (i % 5) - 2,
  }));

test('too few changes are no evidence, however well they agree; more of them are', () => {
  expect(elasticityOf([])).toMatchObject({ surveys: null, used: { mean: 0, sd: 0 } });
  expect(elasticityOf(changes(5))).toMatchObject({ surveys: null, used: { mean: 0 } });
  const { used, held_out } = elasticityOf(changes(12));
  expect(used.mean).toBeCloseTo(0.6, 1);
  expect(held_out!.with_cases).toBeLessThan(held_out!.without / 10);
});

test('the prior alone has no effect: without any relation the posterior is above 0 and the value used is 0', () => {
  const flat = changes(12).map((change, i) => ({ ...change, prevalence: Math.sin(7 * i) }));
  const { posterior, used } = elasticityOf(flat);
  expect(posterior.mean).toBeGreaterThan(0);
  expect(used).toEqual({ mean: 0, sd: 0 });
});

test("a change shared by all states is the nation's, not theirs", () => {
  const shifted = changes(12).map((change) => ({ ...change, prevalence: change.prevalence + 3 }));
  expect(elasticityOf(shifted).used.mean).toBeCloseTo(elasticityOf(changes(12)).used.mean, 10);
});
