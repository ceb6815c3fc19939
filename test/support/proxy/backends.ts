/** The two backends for accounts, keys and limits: SQLite, and PostgreSQL with Redis. Guarantees are tested with both. */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import { afterAll, inject, onTestFinished } from 'vitest';
import { missingServers, type RealServer, startRedis } from './real-servers.ts';

/** URLs of an empty store and its limits. */
export interface StoreUrls {
  store: string;
  limits: string;
}

export interface Backend {
  name: string;
  /** Whether the servers that it needs are not installed. */
  skip: boolean;
  /** Creates an empty store; `atEnd` registers its removal, by default at the end of the running test. */
  newStore(atEnd?: (end: () => void) => void): Promise<StoreUrls>;
}

let redis: Promise<RealServer> | undefined;

/** A new, empty database in the run's PostgreSQL, and the Redis of the test file. */
export async function newSharedStore(): Promise<StoreUrls> {
  redis ??= startRedis();
  const { url } = inject('postgres')!;
  const name = `t${randomBytes(8).toString('hex')}`;
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(`CREATE DATABASE ${name}`);
  await client.end();
  return { store: url.replace(/postgres$/, name), limits: (await redis).url };
}

/** The rows that `sql` selects from the store at `url`. */
export async function rowsIn(url: string, sql: string): Promise<Record<string, unknown>[]> {
  if (url.startsWith('sqlite:')) {
    const db = new DatabaseSync(url.replace('sqlite:', ''), { readOnly: true });
    try {
      return db.prepare(sql).all();
    } finally {
      db.close();
    }
  }
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

/** Every file that uses `newSharedStore` must call this. */
export function removeServersAtEnd(): void {
  afterAll(async () => {
    await (await redis)?.remove();
    redis = undefined;
  });
}

export const BACKENDS: Backend[] = [
  {
    name: 'SQLite',
    skip: false,
    newStore: async (atEnd = onTestFinished) => {
      const folder = mkdtempSync(join(tmpdir(), 'malaria-store-'));
      atEnd(() => rmSync(folder, { recursive: true }));
      return { store: `sqlite:${join(folder, 'proxy.sqlite')}`, limits: 'sqlite' };
    },
  },
  { name: 'PostgreSQL and Redis', skip: missingServers.length > 0, newStore: newSharedStore },
];
