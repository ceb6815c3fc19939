import { describe, expect, test } from 'vitest';
import { cellCovariates, riskFeatures, selectFeatures } from '../../../../pipeline/model/risk/covariate-columns.ts';
import { prepareRisk, withCovariates } from '../../../../pipeline/model/risk/inputs.ts';
import { cells, inputs } from './toy-inputs.ts';

const values = cells.longitude.map((x, c) => 1 + (x - 8) * 100 + (c % 3));
const total = cells.population.reduce((a, b) => a + b);
const mean = (of: number[]) => of.reduce((sum, v, c) => sum + (cells.population[c]! / total) * v, 0);
const standard = (of: number[]) => {
  const middle = mean(of);
  const spread = Math.sqrt(mean(of.map((v) => (v - middle) ** 2)));
  return of.map((v) => (v - middle) / spread);
};
const added = (fields = {}) => ({ name: 'x', transform: 'none' as const, square: false, values, ...fields });
const column = (given: ReturnType<typeof riskFeatures>, f: number) =>
  cells.longitude.map((_, c) => given.features[c * given.feature_count + f]!);
const close = (found: number[], expected: number[]) =>
  found.forEach((v, c) => {
    expect(v).toBeCloseTo(expected[c]!, 9);
  });

test('a covariate is transformed and standardised over the population, followed by its square about the mean', () => {
  const found = riskFeatures(cells, [added({ transform: 'log', square: true }), added({ name: 'y' })]);
  expect(found.covariates).toEqual([
    { name: 'population density', columns: [0, 1] },
    { name: 'urban share', columns: [2] },
    { name: 'x', columns: [3, 4] },
    { name: 'y', columns: [5] },
  ]);
  const logs = standard(values.map(Math.log));
  close(column(found, 3), logs);
  close(column(found, 4), standard(logs.map((v) => v * v)));
  close(column(found, 5), standard(values));
  const roots = riskFeatures(cells, [added({ transform: 'sqrt' }), added({ name: 'y', transform: 'log1p' })]);
  close(column(roots, 3), standard(values.map(Math.sqrt)));
  close(column(roots, 4), standard(values.map(Math.log1p)));
});

test('other covariates leave the population covariates unchanged, to the last bit', () => {
  const [alone, with_x] = [riskFeatures(cells), riskFeatures(cells, [added()])];
  for (const f of [0, 1, 2]) expect(column(with_x, f)).toEqual(column(alone, f));
});

test('the unit of a covariate does not matter', () => {
  const small = riskFeatures(cells, [added({ values: values.map((v) => v * 2 ** -40) })]);
  close(column(small, 3), column(riskFeatures(cells, [added()]), 3));
});

describe('invalid values are rejected with the name of the covariate', () => {
  test.each([
    ['log', [0, ...values.slice(1)], 'risk.covariates, x: found the value 0 with the transform log'],
    ['sqrt', [-1, ...values.slice(1)], 'found the value -1 with the transform sqrt'],
    ['none', values.map(() => 7.1), 'found the same value everywhere, expected a covariate that varies'],
  ] as const)('%s', (transform, given, message) => {
    expect(() => riskFeatures(cells, [added({ transform, values: given })])).toThrow(message);
  });
});

test('covariates can be removed from the model’s input, with everything else unchanged', () => {
  const whole = prepareRisk({ ...inputs, covariates: [added({ square: true })] });
  const plain = prepareRisk(inputs);
  const less = withCovariates(whole, ['population density', 'urban share']);
  expect([whole.mesh.cells.feature_count, less.mesh.cells.feature_count]).toEqual([5, 3]);
  expect(less.mesh.cells.features).toEqual(plain.mesh.cells.features);
  expect(less.covariates).toEqual(plain.covariates);
  const only = selectFeatures({ ...whole.mesh.cells, covariates: whole.covariates }, ['x']);
  expect(only.covariates).toEqual([{ name: 'x', columns: [0, 1] }]);
  expect(only.features[2 * 4 + 1]).toBe(whole.mesh.cells.features[5 * 4 + 4]);
});

test('raster covariates have a value in each cell, table covariates that of the LGA', () => {
  const byCell = cells.longitude.map((_, cell) => ({ covariate: 'r', cell, value: 10 + cell }));
  const byLga = inputs.areas.lgas.map(({ lga_code }, a) => ({ covariate: 't', lga_code, value: a }));
  const found = cellCovariates(
    [
      { source: 't', transform: 'none' },
      { source: 'r', transform: 'log', square: true },
    ],
    cells,
    byLga,
    byCell,
  );
  expect(found.map(({ name, transform, square }) => [name, transform, square])).toEqual([
    ['t', 'none', false],
    ['r', 'log', true],
  ]);
  expect(found[0]!.values.slice(0, 4)).toEqual([0, 0, 1, 1]);
  expect(found[1]!.values.slice(0, 2)).toEqual([10, 11]);
});
