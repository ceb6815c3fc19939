/** The two forms in which accounts, keys and limits are stored. Guarantees are tested with both. */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import { afterAll, inject, onTestFinished } from 'vitest';
import { missingServers, type RealServer, startRedis } from './real-servers.ts';

/** URLs of an empty store and its limits. */
export interface Place {
  store: string;
  limits: string;
}

export interface Form {
  name: string;
  /** Whether the servers that it needs are not installed. */
  skip: boolean;
  /** A separate place for the running test; `atEnd` registers its removal, by default at the end of the test. */
  place(atEnd?: (end: () => void) => void): Promise<Place>;
}

let redis: Promise<RealServer> | undefined;

/** A new, empty database in the run's PostgreSQL, and the Redis of the test file. */
export async function sharedPlace(): Promise<Place> {
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

/** Every file that uses shared places must call this. */
export function removeServersAtEnd(): void {
  afterAll(async () => {
    await (await redis)?.remove();
    redis = undefined;
  });
}

export const FORMS: Form[] = [
  {
    name: 'SQLite',
    skip: false,
    place: async (atEnd = onTestFinished) => {
      const folder = mkdtempSync(join(tmpdir(), 'malaria-form-'));
      atEnd(() => rmSync(folder, { recursive: true }));
      return { store: `sqlite:${join(folder, 'proxy.sqlite')}`, limits: 'sqlite' };
    },
  },
  { name: 'PostgreSQL and Redis', skip: missingServers.length > 0, place: sharedPlace },
];
