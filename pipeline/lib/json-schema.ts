import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { TSchema } from 'typebox';

/** Checking this project's own schemas against the metaschema would take longer than compiling all of them. */
const ajv = new Ajv2020({ allErrors: true, strict: false, meta: false, validateSchema: false });
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
