import fc from 'fast-check';
import { Check } from 'typebox/value';
import { expect, test } from 'vitest';
import { DECIMALS, decimalsByName, roundAsField, roundFields } from '../../../pipeline/contract/decimals.ts';
import { JSON_OPERATIONS } from '../../../pipeline/contract/operations.ts';
import { real, type TableSchema } from '../../../pipeline/lib/tables/table.ts';
import { TABLES } from '../../../pipeline/publish/snapshot/table-columns.ts';

test('fields are rounded by name, arrays by the name of their field', () => {
  expect(
    roundFields({
      score: 0.123456,
      name: 'x',
      population: 12,
      seasonal_index: [0.33333, 1],
      area_km2: 10.04,
      low: null,
      ok: true,
    }),
  ).toEqual({
    score: 0.1235,
    name: 'x',
    population: 12,
    seasonal_index: [0.3333, 1],
    area_km2: 10,
    low: null,
    ok: true,
  });
  expect(roundFields({ coordinates: [[[3.1234567, 6.7654321]]] })).toEqual({ coordinates: [[[3.12346, 6.76543]]] });
});

test('rounding never gives a negative zero, which JSON does not keep', () => {
  expect(Object.is(roundAsField('score', -0.00001), 0)).toBe(true);
});

test('undeclared fractions and numbers that are not finite are refused', () => {
  expect(() => roundFields({ population: 1.5 })).toThrow(/population: 1.5 is fractional/);
  for (const wrong of [Number.NaN, Number.POSITIVE_INFINITY])
    expect(() => roundAsField('score', wrong)).toThrow(/not a finite number/);
});

test('fields of one name with different decimals are refused', () => {
  const share = real('Share', { decimals: 4 });
  expect(
    decimalsByName([
      ['low', share],
      ['low', share],
      ['high', real('High')],
    ]),
  ).toEqual({ low: 4 });
  for (const other of [real('Share', { decimals: 2 }), real('Share')])
    expect(() =>
      decimalsByName([
        ['low', share],
        ['low', other],
      ]),
    ).toThrow(/^low: found 4 and/);
});

test('rounding twice gives the same as rounding once', () => {
  const fields = fc.constantFrom(...Object.keys(DECIMALS));
  fc.assert(
    fc.property(fields, fc.double({ min: -1e6, max: 1e6, noNaN: true }), (field, value) => {
      const once = roundAsField(field, value);
      expect(roundAsField(field, once)).toBe(once);
      expect(Math.abs(once - value)).toBeLessThanOrEqual(0.5 * 10 ** -DECIMALS[field]! * (1 + 1e-6));
    }),
  );
});

test('every fractional field of every response has declared decimals, and every declared field is used', () => {
  const numbers = new Set<string>();
  const walk = (schema: unknown, field: string) => {
    if (schema === null || typeof schema !== 'object') return;
    const { type, properties, items, anyOf } = schema as Record<string, unknown>;
    if (type === 'number') numbers.add(field);
    for (const [name, child] of Object.entries(properties ?? {})) walk(child, name);
    walk(items, field);
    for (const child of (anyOf as unknown[] | undefined) ?? []) walk(child, field);
  };
  for (const { response } of JSON_OPERATIONS) walk(response, '');
  // The numbers that scale TopoJSON's integer steps are not rounded.
  const unrounded = ['bbox', 'scale', 'translate'];
  expect([...numbers].filter((field) => DECIMALS[field] === undefined)).toEqual(unrounded);
  const columns = new Set(Object.values<TableSchema>(TABLES).flatMap((form) => Object.keys(form.columns)));
  expect(Object.keys(DECIMALS).filter((field) => !numbers.has(field) && !columns.has(field))).toEqual([]);
  expect(Check(JSON_OPERATIONS[0]!.response, {})).toBe(false);
});
