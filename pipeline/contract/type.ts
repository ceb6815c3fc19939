/**
 * The schema builders of typebox that this project uses, with typebox's types. Typebox's own would cost every command,
 * and every thread of a build, 0.11 s of CPU time, with or without Node's compile cache; these cost 0.001 s with it.
 * (Medians of 61 runs on Node 26 with typebox 1.4.3, less those of an empty module.) No path is narrower: only
 * `typebox` and `typebox/type` export builders, from 373 and 372 modules; `guard`, `error`, `format`, `system`,
 * `schema`, `value` and `compile` export none, and its package.json offers no others.
 */
import type { TProperties, Type as TypeBox } from 'typebox';

type Schema = Record<string, unknown>;
type BuilderName =
  | ('Array' | 'Boolean' | 'Enum' | 'Integer' | 'Literal' | 'Null' | 'Number')
  | ('Object' | 'Optional' | 'Record' | 'String' | 'Union' | 'Unknown');

const optionalSchemas = new WeakSet<Schema>();
const schemaOfType = (type: string) => (options?: Schema) => ({ type, ...options });

const builders = {
  Array: (items: Schema, options?: Schema) => ({ type: 'array', items, ...options }),
  Boolean: schemaOfType('boolean'),
  Enum: (values: readonly string[], options?: Schema) => ({ enum: values, ...options }),
  Integer: schemaOfType('integer'),
  Literal: (value: string | number | boolean, options?: Schema) => ({ type: typeof value, const: value, ...options }),
  Null: schemaOfType('null'),
  Number: schemaOfType('number'),
  Object(properties: Record<string, Schema>, options?: Schema) {
    const required = Object.keys(properties).filter((name) => !optionalSchemas.has(properties[name]!));
    return { type: 'object', ...(required.length > 0 ? { required } : {}), properties, ...options };
  },
  Optional(schema: Schema) {
    const copy = { ...schema };
    optionalSchemas.add(copy);
    return copy;
  },
  /** Keys match the pattern, or are any text. */
  Record: ({ pattern = '^.*$' }: Schema, value: Schema, options?: Schema) => ({
    type: 'object',
    patternProperties: { [String(pattern)]: value },
    ...options,
  }),
  String: schemaOfType('string'),
  Union: (anyOf: Schema[], options?: Schema) => ({ anyOf, ...options }),
  Unknown: (options?: Schema) => ({ ...options }),
} satisfies Record<BuilderName, unknown>;

/** Schema builders with typebox's types. */
export const Type = builders as unknown as Pick<typeof TypeBox, BuilderName>;

/** An object whose other fields are refused. */
export const closedObject = <Properties extends TProperties>(properties: Properties, description?: string) =>
  Type.Object(properties, { additionalProperties: false, ...(description ? { description } : {}) });
