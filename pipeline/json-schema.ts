import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { TSchema } from 'typebox';

const compiled = new WeakMap<TSchema, ValidateFunction>();

/** A function that says whether a value has the form of `schema`, and keeps all its faults as `errors`. Compiled once. */
export function validatorOf(schema: TSchema): ValidateFunction {
  let validate = compiled.get(schema);
  if (!validate) {
    validate = new Ajv2020({ allErrors: true, strict: false }).compile(schema);
    compiled.set(schema, validate);
  }
  return validate;
}
