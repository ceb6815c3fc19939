/** The two forms in which accounts, keys and limits are kept. What is promised is tested on both. */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import { afterAll, inject, onTestFinished } from 'vitest';
import { missingServers, type RealServer, startRedis } from './real-servers.ts';

export interface Place {
  store: string;
  limits: string;
}

export interface Form {
  name: string;
  /** Whether this machine has not what it takes. */
  skip: boolean;
  /** Room of its own for the running test, or for what passes another end. */
  place(atEnd?: (end: () => void) => void): Promise<Place>;
}

let redis: Promise<RealServer> | undefined;

/** An empty database of its own in the run's PostgreSQL, and the test file's Redis, which goes with it. */
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

/** What `sql` finds in the store at `url`. */
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

/** To be called by a file that uses shared places. */
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
