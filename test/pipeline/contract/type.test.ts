import { Type as TypeBox } from 'typebox';
import { expect, test } from 'vitest';
import { Type } from '../../../pipeline/contract/type.ts';

/** A schema with every builder in it. */
function everything(type: typeof Type) {
  const record = type.Record(type.String(), type.Array(type.Number(), { minItems: 2 }), { description: 'ranges' });
  return type.Object(
    {
      text: type.String({ minLength: 1 }),
      note: type.Optional(type.String({ description: 'may be left out' })),
      whole: type.Integer(),
      yes: type.Boolean(),
      one: type.Enum(['a', 'b'], { description: 'of these' }),
      either: type.Union([type.Null(), type.Literal('none'), type.Literal(1)], { description: 'one or the other' }),
      anything: type.Unknown({ description: 'as it comes' }),
      rest: type.Optional(type.Object({ deep: type.Optional(record) })),
    },
    { additionalProperties: false },
  );
}

test('schemas are the same as those of typebox, key by key', () => {
  expect(JSON.stringify(everything(Type))).toBe(JSON.stringify(everything(TypeBox)));
});

test('a schema can be required in one object and optional in another', () => {
  const text = Type.String();
  expect(Type.Object({ a: text, b: Type.Optional(text) })).toMatchObject({ required: ['a'] });
  expect(Type.Object({ b: Type.Optional(text) })).not.toHaveProperty('required');
});
