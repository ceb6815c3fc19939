import { expect, test } from 'vitest';
import { mean } from '../../../../pipeline/lib/numerics/averages.ts';
import { drawGamma, drawPoisson } from '../../../../pipeline/lib/numerics/distributions.ts';
import { type Random, randomStream } from '../../../../pipeline/lib/numerics/random.ts';
import { caseModel } from '../../../../pipeline/model/forecast/case-model.ts';
import { NOISE_DF } from '../../../../pipeline/model/forecast/case-noise.ts';
import {
  createStepSampler,
  filterSteps,
  type LevelStep,
  NEGLIGIBLE_CHANCE,
  quantilesWithStep,
  STEP_CHANCES,
  STEP_GRID,
  STEP_SCALE,
  stepLikelihood,
  stepsAhead,
} from '../../../../pipeline/model/forecast/level-steps.ts';
import type { Panel } from '../../../../pipeline/model/forecast/panel.ts';

const USUAL = STEP_GRID.indexOf(0);
const [SCALE, VARIANCE] = [0.15, 0.03];
const sum = (values: ArrayLike<number>) => Array.from(values).reduce((a, b) => a + b, 0);
const student = (random: Random) => random.normal() / Math.sqrt(drawGamma(random, NOISE_DF / 2) / (NOISE_DF / 2));
const courseOf = (cases: Float64Array, usual: number) => ({
  mean: cases.map(() => Math.log(usual)),
  variance: cases.map(() => VARIANCE),
});

test.each([0, 3, 29, 30, 4_000])('the likelihood of %i cases by step is that of a fine integral', (count) => {
  const usual = Math.log(count + 2);
  const likelihood = stepLikelihood(count, usual, VARIANCE, SCALE);
  // Over the normal part by z and Student's t by x, Poisson in logarithms.
  const range = (reach: number, width: number) =>
    Array.from({ length: 2 * Math.round(reach / width) + 1 }, (_, i) => i * width - reach);
  const exact = (step: number) => {
    let total = 0;
    for (const z of range(5, 0.1))
      for (const x of range(12, 0.1)) {
        const log = usual + step + Math.sqrt(VARIANCE) * z + SCALE * x;
        const chance = count * (log - Math.log(count + 1)) - Math.exp(log) + count + 1;
        total += Math.exp(chance - (z * z) / 2) * (1 + (x * x) / NOISE_DF) ** (-(NOISE_DF + 1) / 2);
      }
    return total;
  };
  const relative = (i: number) => likelihood[i]! / likelihood[USUAL]!;
  for (const i of [USUAL - 4, USUAL - 2, USUAL + 2, USUAL + 4, USUAL + 7]) {
    const ratio = exact(STEP_GRID[i]!) / exact(0);
    expect(Math.abs(Math.log(relative(i) / ratio))).toBeLessThan(0.15 + 0.05 * Math.abs(Math.log(ratio)));
  }
});

test('the filter gives the chances of all steps that may follow, unless next to impossible', () => {
  const cases = Float64Array.of(100, Number.NaN, 420);
  const course = courseOf(cases, 100);
  course.mean[1] = course.variance[1] = Number.NaN;
  const steps = Array.from(STEP_GRID, (level) => {
    const density = STEP_GRID.map(
      (step) => (1 + ((step - level) / STEP_SCALE) ** 2 / NOISE_DF) ** (-(NOISE_DF + 1) / 2),
    );
    return density.map((value) => value / sum(density));
  });
  const move = (chance: number, from: number, to: number) => {
    const begins = from === USUAL ? STEP_CHANCES.begin : STEP_CHANCES.again;
    const ends = from === USUAL ? 0 : STEP_CHANCES.end;
    const follows = begins * chance < NEGLIGIBLE_CHANCE ? Number(to === from) : steps[from]![to]!;
    return begins * follows + Number(to === USUAL) * ends + Number(to === from) * (1 - begins - ends);
  };
  let expected = STEP_GRID.map((step) => Number(step === 0));
  for (const count of cases) {
    const before = expected;
    expected = expected.map((_, to) => sum(before.map((chance, from) => chance * move(chance, from, to))));
    if (Number.isNaN(count)) continue;
    const likelihood = stepLikelihood(count, Math.log(100), VARIANCE, SCALE);
    const anywhere = sum(likelihood.map((value, i) => value * steps[USUAL]![i]!));
    const joint = expected.map(
      (chance, i) => chance * ((1 - STEP_CHANCES.outlier) * likelihood[i]! + STEP_CHANCES.outlier * anywhere),
    );
    expected = joint.map((value) => value / sum(joint));
  }
  for (const [i, chance] of filterSteps(cases, course, SCALE).lastMonth.entries())
    expect(chance).toBeCloseTo(expected[i]!, 10);
});

test.each([4, 400])('chances are true for records from the model, of %i usual cases', (usual) => {
  const random = randomStream(3, 'steps');
  const none = STEP_GRID.map((step) => Number(step === 0));
  const sampleSteps = createStepSampler({ lastMonth: none, start: USUAL }, 24);
  const outcomes = Array.from({ length: 1_500 }, () => {
    const steps = sampleSteps(random);
    const cases = Float64Array.from(steps, (step) => {
      const outlier = random.uniform() < STEP_CHANCES.outlier;
      const level = outlier ? STEP_SCALE * student(random) : step;
      const log = Math.log(usual) + level + Math.sqrt(VARIANCE) * random.normal() + SCALE * student(random);
      return drawPoisson(random, Math.exp(log));
    });
    const { lastMonth: last } = filterSteps(cases, courseOf(cases, usual), SCALE);
    const expected = sum(last.map((chance, i) => chance * STEP_GRID[i]!));
    const spread = Math.sqrt(sum(last.map((chance, i) => chance * (STEP_GRID[i]! - expected) ** 2)));
    return { chance: last[USUAL]!, isUsual: Number(steps.at(-1) === 0), error: steps.at(-1)! - expected, spread };
  });
  expect(mean(outcomes.map(({ chance }) => chance))).toBeCloseTo(mean(outcomes.map(({ isUsual }) => isUsual)), 1);
  const [unsure, brier] = [
    mean(outcomes.map(({ chance }) => chance * (1 - chance))),
    mean(outcomes.map(({ chance, isUsual }) => (chance - isUsual) ** 2)),
  ];
  expect(brier / unsure).toBeGreaterThan(0.8);
  expect(brier / unsure).toBeLessThan(1.25);
  const ratio = mean(outcomes.map(({ error }) => error ** 2)) / mean(outcomes.map(({ spread }) => spread ** 2));
  expect(ratio).toBeGreaterThan(0.75);
  expect(ratio).toBeLessThan(1.3);
});

test('quantiles with a step are those of draws, and without one those of the usual', () => {
  const random = randomStream(4, 'draws');
  const usual = Float64Array.from({ length: 99 }, (_, i) => 5 + 0.3 * Math.log((i + 1) / (99 - i)));
  const step: LevelStep = filterSteps(Float64Array.of(100, 400, 420), courseOf(new Float64Array(3), 100), SCALE);
  const quantiles = quantilesWithStep(usual, stepsAhead(step, 3)[2]!);
  const sampleSteps = createStepSampler(step, 3);
  const draws = Float64Array.from({ length: 200_000 }, () => {
    const u = random.uniform();
    return 5 + 0.3 * Math.log(u / (1 - u)) + sampleSteps(random)[2]!;
  }).sort();
  for (const percent of [5, 20, 50, 80, 95]) {
    const below = draws.findIndex((value) => value >= quantiles[percent - 1]!) / draws.length;
    expect(Math.abs(below - percent / 100)).toBeLessThan(0.01);
  }
  expect(
    quantilesWithStep(
      usual,
      STEP_GRID.map((value) => Number(value === 0)),
    ),
  ).toEqual(usual);
});

/** Twelve areas of five years; the first has its usual cases times a factor in its last months. */
function panelWith(change: (usual: number, monthsBefore: number) => number): Panel {
  const random = randomStream(5, 'ladder');
  const months = 60;
  const areas = Array.from({ length: 12 }, (_, a) => {
    const level = a === 0 ? 500 : Math.exp(4.5 + 2.5 * random.uniform());
    const cases = Float64Array.from({ length: months }, (_, t) => {
      const season = Math.exp(0.5 * Math.cos((2 * Math.PI * (t - 5)) / 12));
      const usual = drawPoisson(random, level * season * (drawGamma(random, 20) / 20));
      return a === 0 ? Math.round(change(usual, months - 1 - t)) : usual;
    });
    return { code: `A${a}`, state_code: 'S', people: null, cases };
  });
  const disrupted = new Array(months).fill(false);
  return { level: 'lga', first: 2019 * 12, months, areas, disrupted, origins: { first_forecast: 0, first_scored: 0 } };
}

test('forecasts follow what lasts, the further the larger it is, and not a single month', () => {
  const next = (change: (usual: number, monthsBefore: number) => number) => {
    const quantiles = caseModel([1]).forecast(panelWith(change))[0]![0]!;
    return { low: quantiles[4]!, median: quantiles[49]!, high: quantiles[94]! };
  };
  const lasting = (factor: number, months: number) =>
    next((usual, before) => (before < months ? factor * usual : usual));
  const usual = next((cases) => cases);
  const factors = [0.3, 1, 1.5, 2, 4, 8];
  const ladder = factors.map((factor) => lasting(factor, 4));
  for (const [i, { low, median, high }] of ladder.entries()) {
    const right = factors[i]! * usual.median;
    if (i > 0) expect(median).toBeGreaterThan(ladder[i - 1]!.median);
    expect(low).toBeLessThan(right);
    expect(high).toBeGreaterThan(right);
    if (factors[i]! >= 4) expect(Math.abs(Math.log(median / right))).toBeLessThan(Math.log(1.25));
  }
  expect(lasting(8, 2).median / (8 * usual.median)).toBeGreaterThan(1 / 1.25);
  const spike = next((cases, before) => (before === 1 ? 8 * cases : cases));
  expect(Math.abs(Math.log(spike.median / usual.median))).toBeLessThan(0.1);
});

test('cases where there were none are followed', () => {
  const cases = [1700, 260, 40, 6];
  const [next, , , fourth] = caseModel().forecast(panelWith((_, before) => cases[before] ?? 0))[0]!;
  for (const forecast of [next!, fourth!]) expect(forecast[94]!).toBeGreaterThan(1700);
  expect(next![49]!).toBeGreaterThan(150);
});
