import { expect, test } from 'vitest';
import { figureValues } from '../../../../pipeline/catalog/figures.ts';
import { refuseCoverageValues } from '../../../../pipeline/measure/context/not-inputs.ts';

const codes = Array.from({ length: 40 }, (_, i) => `L${i}`);
const use = codes.map((_, i) => 0.2 + (((i * 17) % 40) / 100) ** 1.5);
const figures = codes.map((lga_code, i) => ({
  lga_code,
  ...figureValues((figure) => (figure === 'itn_use' ? use[i]! : figure === 'irs_coverage' ? 0 : null)),
}));
const table = (value: (i: number) => number) =>
  codes.map((lga_code, i) => ({ covariate: 'wealth', lga_code, value: value(i) }));
const cells = { lga_code: codes.flatMap((code) => [code, code]), population: codes.flatMap(() => [3, 1]) };
const raster = (value: (i: number) => number) =>
  cells.lga_code.map((_, cell) => ({ covariate: 'wealth', cell, value: value(cell >> 1) + (cell % 2 ? 0.03 : -0.01) }));
const refused = 'source wealth: found the values of itn_use as a covariate, expected a different covariate: net use';

test.each([
  ['the same values', table((i) => use[i]!)],
  ['as percent', table((i) => 100 * use[i]!)],
  ['their logarithm', table((i) => Math.log(use[i]!))],
  ['people without nets', table((i) => 1 - use[i]!)],
])('%s in a table are refused', (_, rows) => {
  expect(() => refuseCoverageValues(figures, rows, [], cells)).toThrow(refused);
});

test('a raster whose means by LGA are the same is refused', () => {
  expect(() =>
    refuseCoverageValues(
      figures,
      [],
      raster((i) => use[i]!),
      cells,
    ),
  ).toThrow(refused);
});

test('a covariate that is merely correlated with coverage is accepted, and so is a constant one', () => {
  const near = (i: number) => use[i]! + 0.05 * Math.sin(5 * i);
  expect(() => refuseCoverageValues(figures, table(near), raster(near), cells)).not.toThrow();
  expect(() =>
    refuseCoverageValues(
      figures,
      table(() => 0),
      [],
      cells,
    ),
  ).not.toThrow();
});
