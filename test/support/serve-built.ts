import path from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, expect } from 'vitest';
import { JSON_OPERATIONS, type JsonOperationId } from '../../pipeline/contract/operations.ts';
import { temporary } from './command-line.ts';
import { giveKey, type Service, serveBuild } from './proxy/service.ts';

/** A proxy that serves a build. */
export interface Served {
  service: Service;
  /** Calls an operation; checks that the answer is a 200 of this version and matches its schema. */
  ask<T>(id: JsonOperationId, query?: Record<string, string>): Promise<T>;
}

const ajv = new Ajv2020({ strict: false });
const validators = new Map<JsonOperationId, ReturnType<typeof ajv.compile>>(
  JSON_OPERATIONS.map((operation) => [operation.id, ajv.compile(operation.response)]),
);

/** Serves the current snapshot of `out`, with a new store, until the test file ends. */
export async function serveBuilt(out: string, version: string): Promise<Served> {
  const store = `sqlite:${path.join(temporary(), 'proxy.sqlite')}`;
  const served = { build: out, snapshot: path.join(out, 'current'), store };
  const service = await serveBuild(served, {}, (end) => ends.push(end));
  const { key } = await giveKey(service.store);
  const ask = async <T>(id: JsonOperationId, query: Record<string, string> = {}) => {
    const operation = JSON_OPERATIONS.find((candidate) => candidate.id === id)!;
    const response = await service.get(`${operation.path}?${new URLSearchParams(query)}`, key);
    expect(response.status, `${id} ${JSON.stringify(query)}`).toBe(200);
    expect(response.headers.get('model-version')).toBe(version);
    const value = await response.json();
    const validate = validators.get(id)!;
    expect(validate(value), JSON.stringify(validate.errors?.[0])).toBe(true);
    return value as T;
  };
  return { service, ask };
}
const ends: (() => unknown)[] = [];
afterAll(async () => {
  for (const end of ends.reverse()) await end();
});
