import { expect, test } from 'vitest';
import type { TransmissionModel } from '../../../../pipeline/contract/schemas.ts';
import { caseConversion, withCaseSeries } from '../../../../pipeline/model/transmission/case-series-form.ts';

const series = [
  { period: '2022-01' as const, reported: 0.0437, modelled: 0.05 },
  { period: '2022-02' as const, reported: 12.3456, modelled: 11.5 },
  { period: '2022-03' as const, reported: 2.6107, modelled: 3 },
];
const model = { limits: ['One.'], states: [{ state_code: 'AB', series }] } as unknown as TransmissionModel;
const reportedAs = (form: 'exact' | 'rounded' | 'index') =>
  withCaseSeries(model, form).states[0]!.series.map(({ reported }) => reported);

test('the rounded form has two digits of the highest month, also in months with few cases', () => {
  expect(reportedAs('rounded')).toEqual([0, 12, 3]);
  expect(caseConversion('rounded', [{ reported: 0.0437 }])(0.01249)).toBe(0.012);
});

test('the index has a mean of 100 over reported months, with modelled months on the same scale', () => {
  const found = withCaseSeries(model, 'index').states[0]!.series;
  expect(found.reduce((sum, { reported }) => sum + reported, 0) / 3).toBeCloseTo(100, 1);
  expect(found[1]!.modelled / found[1]!.reported).toBeCloseTo(11.5 / 12.3456, 3);
});

test('the limits state a form that is not exact; the exact form changes nothing', () => {
  expect(withCaseSeries(model, 'exact')).toBe(model);
  expect(withCaseSeries(model, 'index').limits.at(-1)).toMatch(/index: 100 is the mean/);
});

test('a state that reported no cases stays at 0', () => {
  for (const form of ['exact', 'rounded', 'index'] as const) expect(caseConversion(form, [{ reported: 0 }])(0)).toBe(0);
});
