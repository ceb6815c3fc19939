import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { ERRORS, type ErrorCode } from '../../../pipeline/contract/errors.ts';
import { buildOpenapi } from '../../../pipeline/contract/openapi.ts';
import { ALL_OPERATIONS, operationErrors, pathParameters } from '../../../pipeline/contract/operations.ts';
import { SCOPES } from '../../../pipeline/contract/scopes.ts';
import { TERRITORY } from '../../../pipeline/synthetic/states.ts';

const openapi = () => buildOpenapi('tiny-1-00000000', TERRITORY) as any;

test('the document is valid OpenAPI 3.1 and plain JSON', async () => {
  const validator = new Validator();
  const result = await validator.validate(openapi());
  expect(result.errors ?? []).toEqual([]);
  expect([result.valid, validator.version]).toEqual([true, '3.1']);
  expect(JSON.parse(JSON.stringify(openapi()))).toEqual(openapi());
  expect(JSON.stringify(openapi())).toBe(JSON.stringify(openapi()));
});

test('every reference resolves and every component is used', () => {
  const document = openapi();
  const text = JSON.stringify(document);
  const references = new Set(
    [...text.matchAll(/"\$ref":"#\/components\/(\w+)\/([^"]+)"/g)].map((found) => `${found[1]}/${found[2]}`),
  );
  const components = (['schemas', 'headers', 'parameters', 'responses'] as const).flatMap((kind) =>
    Object.keys(document.components[kind]).map((name) => `${kind}/${name}`),
  );
  expect([...references].sort()).toEqual(components.sort());
});

test('the document has every operation with its parameters, scopes and errors', () => {
  const document = openapi();
  expect(Object.keys(document.paths)).toEqual(ALL_OPERATIONS.map((operation) => operation.path));
  for (const operation of ALL_OPERATIONS) {
    const { get, ...others } = document.paths[operation.path];
    expect(others).toEqual({});
    expect(get.operationId).toBe(operation.id);
    expect(get.parameters.map((parameter: { $ref: string }) => parameter.$ref.split('/').pop())).toEqual([
      ...pathParameters(operation),
      ...operation.parameters,
    ]);
    for (const scope of operation.scopes) expect(get.description).toContain(scope);
    const codes = Object.values(get.responses as Record<string, any>).flatMap((response) =>
      Object.keys(
        (response.$ref ? document.components.responses[response.$ref.split('/').pop()] : response).content?.[
          'application/problem+json'
        ]?.examples ?? {},
      ),
    ) as ErrorCode[];
    expect(codes.sort()).toEqual(
      ['ALLOWANCE_EXHAUSTED', 'INVALID_KEY', 'RATE_LIMITED', ...operationErrors(operation)].sort(),
    );
    for (const code of codes) expect(get.responses).toHaveProperty(String(ERRORS[code].status));
  }
  for (const scope of Object.keys(SCOPES)) expect(document.info.description).toContain(scope);
});

test('the schemas compile, and each example of an error matches its schema', () => {
  const document = openapi();
  const ajv = new Ajv2020({ strict: false });
  ajv.addSchema(document, 'api');
  const validatorOf = (name: string) => ajv.compile({ $ref: `api#/components/schemas/${name}` });
  for (const name of Object.keys(document.components.schemas)) validatorOf(name);
  const isProblem = validatorOf('Problem');
  const examples = JSON.stringify(document).matchAll(/"value":(\{"type":"about:blank".*?\})/g);
  let count = 0;
  for (const [, example] of examples) {
    expect(isProblem(JSON.parse(example!))).toBe(true);
    count++;
  }
  expect(count).toBeGreaterThan(40);
});

test('shared schemas are defined once, and all are open to fields of later versions', () => {
  const { schemas } = openapi().components;
  expect(schemas.RiskStates.properties.states.items).toEqual({ $ref: '#/components/schemas/StateRisk' });
  expect(schemas.RiskLgas.properties.lgas.items).toEqual({ $ref: '#/components/schemas/LgaRisk' });
  expect(JSON.stringify(schemas)).not.toContain('additionalProperties');
});
