/** The transmission model on made-up countries, whose truth comes from other code and another form of season. */
import { beforeAll, expect, test } from 'vitest';
import type { Model } from '../../pipeline/catalog/model.ts';
import { fitTransmission, type TransmissionOutput } from '../../pipeline/model/transmission/transmission-stage.ts';
import { describeModel } from '../../pipeline/synthetic/catalog.ts';
import { makeCases } from '../support/synthetic-cases.ts';

const SEEDS = [1, 2, 3];
/** Standard deviation of the records' noise on the log scale: negative binomial of size 200. */
const NOISE = 0.07;
const rms = (values: readonly number[]) =>
  Math.sqrt(values.reduce((sum, value) => sum + value * value, 0) / values.length);
const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

let runs: { made: ReturnType<typeof makeCases>; out: TransmissionOutput }[];
beforeAll(() => {
  runs = SEEDS.map((seed) => {
    const model: Model = describeModel(seed, 'matern');
    model.parameters.transmission.starts = 4;
    const made = makeCases(seed);
    return { made, out: fitTransmission({ ...made, model }) };
  });
});
const states = () =>
  runs.flatMap(({ made, out }) =>
    out.model!.states.map((state, k) => ({
      state,
      truth: made.truth.find(({ state_code }) => state_code === state.state_code)!,
      range: out.fits!.states[k]!.reproduction_range,
    })),
  );

test('modelled cases are closer to the true cases than the records are', () => {
  for (const { state, truth } of states()) {
    const errors = state.series.map(({ modelled }, month) => Math.log(modelled / truth.expected_per_1000[month]!));
    expect(rms(errors), state.state_code).toBeLessThan(NOISE);
  }
});

test('projected seasonal shapes are within noise of the true ones (levels are not, because reporting drifts)', () => {
  const errors = runs.flatMap(({ made, out }) =>
    out.fits!.projection.years.flatMap(({ state_code, year, methods }) => {
      const { expected_per_1000 } = made.truth.find((truth) => truth.state_code === state_code)!;
      const logs = methods.model!.map((value, month) =>
        Math.log(value! / expected_per_1000[(year - 2015) * 12 + month]!),
      );
      return logs.map((log) => log - mean(logs));
    }),
  );
  expect(rms(errors)).toBeLessThan(1.5 * NOISE);
});

test('projections beat the same month of last year in the development years', () => {
  for (const { out } of runs) {
    const { errors } = out.fits!.projection.development;
    expect(errors.model).toBeLessThan(errors.same_month_last_year!);
  }
});

test('R is on the correct side of 1 in nine of ten months', () => {
  const months = states().flatMap(({ state, truth }) =>
    truth.reproduction_number.map((number, month) => ({
      truly: number > 1,
      modelled: state.reproduction_number_by_month[month]! > 1,
    })),
  );
  const growing = months.filter(({ truly }) => truly);
  expect(growing.length).toBeGreaterThan(30);
  expect(growing.filter(({ modelled }) => modelled).length / growing.length).toBeGreaterThanOrEqual(0.9);
  expect(months.filter(({ truly, modelled }) => truly === modelled).length / months.length).toBeGreaterThanOrEqual(0.9);
});

test("R's 90% ranges cover about nine tenths of the true values without being too wide", () => {
  const held = states().flatMap(({ truth, range }) =>
    truth.reproduction_number.map((number, month) => range.low[month]! <= number && number <= range.high[month]!),
  );
  const share = held.filter(Boolean).length / held.length;
  expect(share).toBeGreaterThan(0.8);
  expect(share).toBeLessThan(1);
  const widths = states().flatMap(({ range }) => range.low.map((low, month) => range.high[month]! - low));
  expect(mean(widths)).toBeLessThan(0.15);
});

test('without a register the model is still tested, and limits state that it was not registered', () => {
  for (const { out } of runs) {
    expect(out.model!.projection_test.held_back.months).toBe(36);
    expect(out.fits!.standing).toEqual({ registered: false, looks: 0 });
    expect(out.model!.limits.at(-1)).toMatch(/not registered/);
    expect(out.report.find(({ rule }) => rule === 'projection, held back')!.what).not.toMatch(/0\.\d/);
  }
});
