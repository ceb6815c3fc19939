/** A running service on free ports that serves a fixture, with a store of its own for accounts and keys. */
import { join } from 'node:path';
import { afterAll, onTestFinished } from 'vitest';
import { SCOPES, type Scope } from '../../../pipeline/contract/scopes.ts';
import { openReports } from '../../../proxy/server/reports.ts';
import { type RunningServer, type ServerOptions, startServer } from '../../../proxy/server/server.ts';
import type { AccountStore } from '../../../proxy/store/account-store.ts';
import type { KeyKind } from '../../../proxy/store/key-format.ts';
import { type FixtureOptions, makeBuild } from './fixture.ts';

export const ALL_SCOPES = Object.keys(SCOPES) as Scope[];

export interface Service extends RunningServer {
  build: string;
  storeUrl: string;
  reports: string[];
  /** Requests `path` with `key`, by GET unless `init` contains another method. */
  get(path: string, key?: string, init?: RequestInit): Promise<Response>;
}

/** Registers what to do at the end of the test or, by `atEndOfSuite`, of several tests that share a service. */
export type AtEnd = (end: () => void | Promise<void>) => void;

/** Returns a function that registers what to do after all tests of the surrounding suite or file, last first. */
export function atEndOfSuite(): (end: () => unknown) => void {
  const ends: (() => unknown)[] = [];
  afterAll(async () => {
    for (const end of ends) await end();
  });
  return (end) => void ends.unshift(end);
}

/** Starts a service that is stopped, and whose files are deleted, at the end of the test. */
export async function startService(
  options: Partial<ServerOptions> & { fixture?: FixtureOptions } = {},
  atEnd: AtEnd = onTestFinished,
): Promise<Service> {
  const { build, current, store, remove } = makeBuild(options.fixture);
  atEnd(remove);
  return serveBuild({ build, snapshot: current, store }, options, atEnd);
}

export async function serveBuild(
  place: { build: string; snapshot: string; store: string },
  options: Partial<ServerOptions> = {},
  atEnd: AtEnd = onTestFinished,
): Promise<Service> {
  const reports: string[] = [];
  const server = await startServer({
    ...place,
    snapshotCopies: join(place.build, 'copies'),
    corsOrigin: [],
    brand: 'malaria',
    mail: `outbox:${join(place.build, 'outbox')}`,
    mailFrom: 'malaria-risk@localhost',
    trustProxy: ['127.0.0.1'],
    twoStep: [],
    mayCreate: true,
    host: '127.0.0.1',
    port: 0,
    opsPort: 0,
    perMinute: 100_000,
    perMonth: 100_000,
    pollMs: 20,
    reports: openReports((line) => reports.push(line)),
    giveUp: (line) => reports.push(line),
    ...options,
  });
  let closed: Promise<void> | undefined;
  const close = () => (closed ??= server.close());
  atEnd(close);
  return {
    ...server,
    close,
    build: place.build,
    storeUrl: options.store ?? place.store,
    reports,
    get: (path, key, init = {}) =>
      fetch(server.url + path, {
        ...init,
        headers: { ...(key === undefined ? {} : { authorization: `Bearer ${key}` }), ...init.headers },
      }),
  };
}

/** Creates a key for `owner`, an organisation that is created if missing. */
export async function giveKey(
  store: AccountStore,
  options: {
    owner?: string;
    name?: string;
    kind?: KeyKind;
    scopes?: Scope[];
    expiresAt?: number | null;
    now?: number;
  } = {},
): Promise<{ id: string; key: string }> {
  const { owner = 'ministry', name = 'test', kind = 'live', scopes = ALL_SCOPES } = options;
  const { expiresAt = null, now = Date.now() } = options;
  if (!(await store.findAccount(owner))) await store.createAccount('organisation', owner, now);
  const newKey = { brand: 'malaria', ownerName: owner, name, kind, scopes, expiresAt };
  const { key, secret } = await store.createKey(newKey, now);
  return { id: key.id, key: secret };
}

/** The code of a problem document, whose form is checked. */
export async function codeOf(response: Response): Promise<string> {
  if (response.headers.get('content-type') !== 'application/problem+json') {
    throw new Error(`expected a problem document, found ${response.status} ${response.headers.get('content-type')}`);
  }
  const body = (await response.json()) as { status: number; code: string; request_id: string };
  if (body.status !== response.status) throw new Error(`body says ${body.status}, HTTP ${response.status}`);
  if (body.request_id !== response.headers.get('x-request-id')) throw new Error('request ids differ');
  return body.code;
}
