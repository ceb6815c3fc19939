import { expect, expectTypeOf, test } from 'vitest';
import { list, pick, record, recordFields, withFields } from '../../../pipeline/contract/record.ts';
import { describeColumn, orNull, real, text, whole } from '../../../pipeline/lib/tables/table.ts';

const height = orNull(real('Height', { unit: 'metres', minimum: 0, maximum: 3000 }), 'null: no survey');
const Hill = record({ name: text('Its name'), height, climbers: whole('People who climbed it') });

test("a record's schema has the limits and meaning of its fields, and no other field", () => {
  expect(JSON.parse(JSON.stringify(Hill))).toEqual({
    type: 'object',
    required: ['name', 'height', 'climbers'],
    properties: {
      name: { type: 'string', description: 'Its name' },
      height: {
        anyOf: [{ type: 'number', minimum: 0, maximum: 3000 }, { type: 'null' }],
        description: 'Height, metres; null: no survey',
      },
      climbers: { type: 'integer', description: 'People who climbed it' },
    },
    additionalProperties: false,
  });
  expect(JSON.parse(JSON.stringify(list(Hill, 'The highest first', 2)))).toMatchObject({
    type: 'array',
    minItems: 2,
    maxItems: 2,
    items: { required: ['name', 'height', 'climbers'] },
  });
});

test('tables tell the range as well', () => {
  expect(describeColumn(height)).toBe('Height, metres, 0 to 3000; null: no survey');
});

test("a row is picked in the record's order, and a table's columns begin with others", () => {
  const row = { climbers: 2, height: null, name: 'A', more: true };
  const picked = pick(row, Hill);
  expect(JSON.stringify(picked)).toBe('{"name":"A","height":null,"climbers":2}');
  expectTypeOf(picked).toEqualTypeOf<{ name: string; height: number | null; climbers: number }>();
  const columns = withFields({ code: text('Code'), climbers: whole('Climbers') }, Hill);
  expect(Object.keys(columns)).toEqual(['code', 'climbers', 'name', 'height']);
  expect(columns.climbers).toEqual(whole('Climbers'));
  expect(recordFields(Hill)).toEqual({ name: text('Its name'), height, climbers: whole('People who climbed it') });
});

test('a bytes column cannot be a field of an answer', () => {
  expect(() => record({ outline: { type: 'BLOB', about: 'Outline' } })).toThrow(/Outline: a column of bytes/);
});

test('a record whose decimals differ from those that its numbers are rounded to is refused', () => {
  expect(() => record({ depth: real('Depth', { decimals: 1 }) })).toThrow(
    'depth: found 1 decimals in a record, expected none as in fields.ts',
  );
  expect(() => record({ score: real('Score', { decimals: 2 }) })).toThrow('score: found 2 decimals');
});
