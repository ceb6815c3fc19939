/**
 * The reference as data, made from a snapshot's OpenAPI document and its list of tables. The pages for people
 * (reference-parts.ts) and the types of the TypeScript client are made from it.
 */
import type { Block } from '../lib/pages/blocks.ts';
import type { Tables } from './schemas.ts';

export interface Reference {
  title: string;
  modelVersion: string;
  contractVersion: string;
  /** What holds for all operations. */
  description: Block[];
  /** Where the proxy listens by default. */
  baseUrl: string;
  operations: ReferenceOperation[];
  /** The operations' tags and their meanings, in order. */
  tags: { name: string; description: string }[];
  headers: { name: string; description: string; example: string | number }[];
  /** Fields of the body of errors. */
  problem: ReferenceField[];
  /** Schemas of the answers and of their parts, by name. */
  schemas: Record<string, Schema>;
}

export interface ReferenceOperation {
  id: string;
  path: string;
  summary: string;
  /** The scopes that it needs, in words. */
  description: string;
  tag: string;
  parameters: Parameter[];
  /** Path and query with the parameters' examples. */
  address: string;
  /** The answer's schema; undefined if the answer is a file. */
  schema: Schema | undefined;
  /** Fields of the answer, or columns of the table. */
  fields: ReferenceField[];
  /** The answer to `address`, with lists shortened; undefined if none can be shown. */
  example: unknown;
  errors: { status: string; description: string }[];
}

/** A field of an answer; one of an entry in a list is named like `lgas[].score`. */
export interface ReferenceField {
  name: string;
  type: string;
  description: string;
}

/** The keywords of JSON Schema that the contract uses. */
export interface Schema {
  $ref?: string;
  type?: string;
  description?: string;
  const?: unknown;
  enum?: unknown[];
  anyOf?: Schema[];
  items?: Schema;
  minItems?: number;
  maxItems?: number;
  minimum?: number;
  maximum?: number;
  properties?: Record<string, Schema>;
  required?: string[];
}
interface Parameter {
  name: string;
  in: 'path' | 'query';
  required: boolean;
  description: string;
  example: string;
}
interface Answer {
  $ref?: string;
  description: string;
  content?: Record<string, { schema?: Schema; example?: unknown }>;
}
interface GetOperation {
  operationId: string;
  summary: string;
  description: string;
  tags: string[];
  parameters: { $ref: string }[];
  responses: Record<string, Answer>;
}
/** The parts of the OpenAPI document that the reference needs. */
export interface OpenapiDocument {
  info: { title: string; version: string; description: string; 'x-model-version': string };
  servers: [{ variables: { base_url: { default: string } } }];
  tags: Reference['tags'];
  paths: Record<string, { get: GetOperation }>;
  components: {
    schemas: Record<string, Schema>;
    headers: Record<string, Omit<Reference['headers'][number], 'name'>>;
  };
}

/** @param tables the answer of `/v1/tables`; empty in snapshots from before it */
export function describeApi(openapi: OpenapiDocument, tables: Tables['tables']): Reference {
  const { info, servers, tags, paths, components } = openapi;
  return {
    title: info.title,
    modelVersion: info['x-model-version'],
    contractVersion: info.version,
    description: blocksIn(info.description),
    baseUrl: servers[0].variables.base_url.default,
    operations: Object.entries(paths).map(([path, { get }]) => describeOperation(path, get, openapi, tables)),
    tags,
    headers: Object.entries(components.headers).map(([name, header]) => ({ name, ...header })),
    problem: schemaFields(components.schemas.Problem!, '', openapi),
    schemas: components.schemas,
  };
}

/** The document's Markdown: paragraphs and lists, with `code` in backticks. */
const blocksIn = (markdown: string): Block[] =>
  markdown
    .split('\n\n')
    .map((block) => (block.startsWith('- ') ? { items: block.split('\n').map((line) => line.slice(2)) } : block));

function describeOperation(
  path: string,
  get: GetOperation,
  openapi: OpenapiDocument,
  tables: Tables['tables'],
): ReferenceOperation {
  const parameters = get.parameters.map((one) => resolveReference(one, openapi) as unknown as Parameter);
  const queryParameters = parameters.filter((one) => one.in === 'query');
  const query = String(new URLSearchParams(queryParameters.map(({ name, example }) => [name, example])));
  const examplePath = path.replaceAll(/\{(\w+)\}/g, (_, name) => parameters.find((one) => one.name === name)!.example);
  const { schema, example } = Object.values(get.responses['200']!.content!)[0]!;
  return {
    id: get.operationId,
    path,
    summary: get.summary,
    description: get.description,
    tag: get.tags[0]!,
    parameters,
    address: examplePath + (query && `?${query}`),
    schema,
    fields: schema ? schemaFields(schema, '', openapi) : tableFields(path, tables),
    example,
    errors: Object.entries(get.responses).flatMap(([status, answer]) =>
      Number(status) < 400 ? [] : [{ status, description: resolveReference(answer, openapi).description }],
    ),
  };
}

function resolveReference<T extends { $ref?: string }>(value: T, openapi: OpenapiDocument): T {
  if (value.$ref === undefined) return value;
  const names = value.$ref.slice('#/'.length).split('/');
  return names.reduce((part: unknown, name) => (part as Record<string, unknown>)[name], openapi) as T;
}

/** Columns of the table that is served at `path`; empty for other files. */
function tableFields(path: string, tables: Tables['tables']): ReferenceField[] {
  const table = tables.find(({ addresses }) => addresses.includes(path));
  return (table?.columns ?? []).map(({ column, type, meaning }) => ({ name: column, type, description: meaning }));
}

/** Fields of an object, or of the objects in a list, at any depth, with `prefix` before their names. */
function schemaFields(schemaOrRef: Schema, prefix: string, openapi: OpenapiDocument): ReferenceField[] {
  const schema = resolveReference(schemaOrRef, openapi);
  if (schema.items) return schemaFields(schema.items, `${prefix}[]`, openapi);
  return Object.entries(schema.properties ?? {}).flatMap(([key, field]) => {
    const name = prefix === '' ? key : `${prefix}.${key}`;
    // A field that may be null has its description at the other alternative.
    const alternatives = [
      field,
      resolveReference(field, openapi),
      ...(field.anyOf ?? []).map((one) => resolveReference(one, openapi)),
    ];
    const description = alternatives.find((one) => one.description !== undefined)?.description ?? '';
    return [{ name, type: typeInWords(field, openapi), description }, ...schemaFields(field, name, openapi)];
  });
}

function typeInWords(schemaOrRef: Schema, openapi: OpenapiDocument): string {
  const { const: constant, enum: values, anyOf, items, ...schema } = resolveReference(schemaOrRef, openapi);
  if (constant !== undefined) return JSON.stringify(constant);
  const options = values?.map((value) => JSON.stringify(value)) ?? anyOf?.map((one) => typeInWords(one, openapi));
  if (options) return [...new Set(options)].join(' or ');
  const { type = 'any', minItems, maxItems, minimum, maximum } = schema;
  if (items)
    return `array of ${minItems !== undefined && minItems === maxItems ? `${minItems} ` : ''}${typeInWords(items, openapi)}`;
  return minimum === undefined || maximum === undefined ? type : `${type} ${minimum} to ${maximum}`;
}
