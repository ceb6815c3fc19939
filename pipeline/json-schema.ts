import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { TSchema } from 'typebox';

/** To hold this project's own schemas against the metaschema would take longer than to compile all of them. */
const ajv = new Ajv2020({ allErrors: true, strict: false, meta: false, validateSchema: false });

/** A function that says whether a value has the form of `schema`, and keeps all its faults as `errors`. Compiled once. */
export const validatorOf = (schema: TSchema): ValidateFunction => ajv.compile(schema);
