/** The contents of the reference pages, read from a snapshot's OpenAPI description and places, and cached with it. */
import type { Places, Tables } from '../../../pipeline/contract/schemas.ts';
import { readServed, type Snapshot } from '../../snapshot/snapshot.ts';

export interface ReferenceOperation {
  id: string;
  path: string;
  summary: string;
  /** The scopes that it needs, in words. */
  description: string;
  tag: string;
  parameters: { name: string; required: boolean; description: string; example: string }[];
  /** Path and query with the parameters' examples. */
  address: string;
  /** Whether the answer is JSON and not a file. */
  isJson: boolean;
  /** Fields of the answer; those of an entry in a list are named like `lgas[].score`. */
  fields: { name: string; type: string; description: string }[];
  /** The answer to `address`, with lists shortened; undefined if none can be shown. */
  example: unknown;
  errors: { status: string; description: string }[];
}

export interface Reference {
  title: string;
  modelVersion: string;
  synthetic: boolean;
  lastEstimated: string;
  operations: ReferenceOperation[];
  /** The operations' tags and their meanings, in order. */
  tags: { name: string; description: string }[];
  places: Places;
}

interface Schema {
  $ref?: string;
  type?: string;
  description?: string;
  const?: unknown;
  enum?: unknown[];
  anyOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
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
interface Get {
  operationId: string;
  summary: string;
  description: string;
  tags: string[];
  parameters: { $ref: string }[];
  responses: Record<string, Answer>;
}
interface Openapi {
  info: { title: string; 'x-model-version': string };
  tags: Reference['tags'];
  paths: Record<string, { get: Get }>;
  components: { schemas: Record<string, Schema> };
}

const cache = new WeakMap<Snapshot, Promise<Reference | null>>();

/** The reference of a snapshot; null if the snapshot is from before snapshots contained a description of the API. */
export function referenceOf(snapshot: Snapshot): Promise<Reference | null> {
  const reference = cache.get(snapshot) ?? readReference(snapshot);
  cache.set(snapshot, reference);
  reference.catch(() => cache.delete(snapshot));
  return reference;
}

async function readReference(snapshot: Snapshot): Promise<Reference | null> {
  const openapi = await readAnswer<Openapi>(snapshot, 'v1/openapi.json');
  const places = await readAnswer<Places>(snapshot, 'v1/places.json');
  if (openapi === null || places === null) return null;
  const tables = (await readAnswer<Tables>(snapshot, 'v1/tables.json'))?.tables ?? [];
  const operations = Object.entries(openapi.paths).map(([path, { get }]) => operationOf(path, get, openapi, tables));
  const { title, 'x-model-version': modelVersion } = openapi.info;
  return {
    title,
    modelVersion,
    synthetic: modelVersion.startsWith('synthetic'),
    lastEstimated: snapshot.coverage.last_estimated,
    operations,
    tags: openapi.tags,
    places,
  };
}

async function readAnswer<T>({ files }: Snapshot, name: string): Promise<T | null> {
  const found = await readServed(files.get(name));
  return found && JSON.parse(String(found));
}

function operationOf(path: string, get: Get, openapi: Openapi, tables: Tables['tables']): ReferenceOperation {
  const parameters = get.parameters.map((one) => resolve(one, openapi) as unknown as Parameter);
  const inQuery = parameters.filter((one) => one.in === 'query');
  const query = String(new URLSearchParams(inQuery.map(({ name, example }) => [name, example])));
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name) => parameters.find((one) => one.name === name)!.example);
  const { schema, example } = Object.values(get.responses['200']!.content!)[0]!;
  return {
    id: get.operationId,
    path,
    summary: get.summary,
    description: get.description,
    tag: get.tags[0]!,
    parameters,
    address: filled + (query && `?${query}`),
    isJson: schema !== undefined,
    fields: schema ? fieldsOf(schema, '', openapi) : columnsOf(path, tables),
    example,
    errors: Object.entries(get.responses).flatMap(([status, answer]) =>
      Number(status) < 400 ? [] : [{ status, description: resolve(answer, openapi).description }],
    ),
  };
}

function resolve<T extends { $ref?: string }>(value: T, openapi: Openapi): T {
  if (value.$ref === undefined) return value;
  const names = value.$ref.slice('#/'.length).split('/');
  return names.reduce((at: unknown, name) => (at as Record<string, unknown>)[name], openapi) as T;
}

/** Columns of the table that is served at `path`; empty for other files. */
function columnsOf(path: string, tables: Tables['tables']): ReferenceOperation['fields'] {
  const found = tables.find(({ table }) => /^\/v1\/tables\/(\w+)\./.exec(path)?.[1] === table);
  return (found?.columns ?? []).map(({ column, type, meaning }) => ({ name: column, type, description: meaning }));
}

/** Fields of an object, or of the objects in a list, at any depth, with `prefix` before their names. */
function fieldsOf(schemaOrRef: Schema, prefix: string, openapi: Openapi): ReferenceOperation['fields'] {
  const schema = resolve(schemaOrRef, openapi);
  if (schema.items) return fieldsOf(schema.items, `${prefix}[]`, openapi);
  return Object.entries(schema.properties ?? {}).flatMap(([own, field]) => {
    const name = prefix === '' ? own : `${prefix}.${own}`;
    // A field that may be null has its description at the other alternative.
    const described = [field, resolve(field, openapi), ...(field.anyOf ?? []).map((one) => resolve(one, openapi))];
    const description = described.find((one) => one.description !== undefined)?.description ?? '';
    return [{ name, type: typeOf(field, openapi), description }, ...fieldsOf(field, name, openapi)];
  });
}

function typeOf(schemaOrRef: Schema, openapi: Openapi): string {
  const schema = resolve(schemaOrRef, openapi);
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  const options =
    schema.enum?.map((value) => JSON.stringify(value)) ?? schema.anyOf?.map((one) => typeOf(one, openapi));
  if (options) return [...new Set(options)].join(' or ');
  return schema.items ? `array of ${typeOf(schema.items, openapi)}` : (schema.type ?? 'any');
}
