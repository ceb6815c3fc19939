import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import type { TSchema } from 'typebox';

/** Checking this project's own schemas against the metaschema would take longer than compiling all of them. */
const ajv = new Ajv2020({ allErrors: true, strict: false, meta: false, validateSchema: false, verbose: true });
// Other formats are descriptions. JSON Schema's regular expressions are Unicode ones.
ajv.addFormat('regex', (text: string) => {
  try {
    return new RegExp(text, 'u') !== null;
  } catch {
    return false;
  }
});

/** A function that checks a value against `schema` and leaves all faults in its `errors`. Compiled once per schema. */
export const compileSchema = (schema: TSchema): ValidateFunction => ajv.compile(schema);

/** What is wrong with a value, and what it should be. */
export function describeSchemaError({ keyword, params, message, data, parentSchema }: ErrorObject): [string, string] {
  if (keyword === 'additionalProperties')
    return [`a field ${params.additionalProperty}`, `one of ${Object.keys(parentSchema?.properties ?? {}).join(', ')}`];
  if (keyword === 'required') return [`no field ${params.missingProperty}`, 'it'];
  if (keyword === 'enum') return [JSON.stringify(data), `one of ${params.allowedValues.join(', ')}`];
  return [JSON.stringify(data), `${parentSchema?.description ?? 'a value'}: it ${message}`];
}
