import { expect, test } from 'vitest';
import { randomStream } from '../../../pipeline/numerics/random.ts';
import { drawSeasonErrors, seasonError } from '../../../pipeline/risk/season-error.ts';

test('errors have their standard deviation in every month, alike between neighbours, independent between states', () => {
  const draws = Array.from({ length: 4000 }, (_, d) => drawSeasonErrors(2, 0.1, randomStream(d, 'errors')));
  const product = (i: number, j: number) => draws.reduce((sum, e) => sum + e[i]! * e[j]!, 0) / draws.length / 0.01;
  for (let m = 0; m < 12; m++) expect(product(m, m)).toBeCloseTo(1, 1);
  expect(product(3, 4)).toBeGreaterThan(0.5);
  expect(product(4, 12 + 4)).toBeCloseTo(0, 1);
});

test('an error shifts a month by what it does there less what it does in the months of fieldwork', () => {
  const index = [0.2, 0.2, 0.2, 0.2, 0.3, 0.5, 0.8, 1, 0.9, 0.7, 0.5, 0.3];
  const log_season = index.map((s) => [0, Math.log(s)]);
  const fieldwork = Array.from({ length: 12 }, (_, m) => (m === 9 ? 0.75 : m === 10 ? 0.25 : 0));
  const errors = new Float64Array(24);
  errors[12] = 0.1;
  errors[12 + 9] = -0.07;
  errors[12 + 3] = -0.5;
  const shifts = [...seasonError(0.1, log_season, fieldwork).shifts(1, 1, errors)];
  const pinned = 0.75 * Math.log(0.63 / 0.7);
  expect(shifts[0]).toBeCloseTo(Math.log(0.3 / 0.2) - pinned, 12);
  expect(shifts[9]).toBeCloseTo(0.25 * Math.log(0.63 / 0.7), 12);
  expect(shifts[10]).toBeCloseTo(-pinned, 12);
  // no index falls below the least
  expect(shifts[3]).toBeCloseTo(Math.log(0.01 / 0.2) - pinned, 12);
  expect(shifts.reduce((sum, v, m) => sum + v * fieldwork[m]!, 0)).toBeCloseTo(0, 12);
});
