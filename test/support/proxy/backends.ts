/** The two kinds of store, SQLite and PostgreSQL. Guarantees are tested with both. */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import { inject, onTestFinished } from 'vitest';
import { missingServers } from './real-servers.ts';

/** The URL of an empty store. */
export interface StoreUrls {
  store: string;
}

export interface Backend {
  name: string;
  /** Whether the servers that it needs are not installed. */
  skip: boolean;
  /** Creates an empty store; `atEnd` registers its removal, by default at the end of the running test. */
  newStore(atEnd?: (end: () => void) => void): Promise<StoreUrls>;
}

/** A new, empty database in the run's PostgreSQL. */
export async function newSharedStore(): Promise<StoreUrls> {
  const { url } = inject('postgres')!;
  const name = `t${randomBytes(8).toString('hex')}`;
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(`CREATE DATABASE ${name}`);
  await client.end();
  return { store: url.replace(/postgres$/, name) };
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

export const BACKENDS: Backend[] = [
  {
    name: 'SQLite',
    skip: false,
    newStore: async (atEnd = onTestFinished) => {
      const folder = mkdtempSync(join(tmpdir(), 'malaria-store-'));
      atEnd(() => rmSync(folder, { recursive: true }));
      return { store: `sqlite:${join(folder, 'proxy.sqlite')}` };
    },
  },
  { name: 'PostgreSQL', skip: missingServers.length > 0, newStore: newSharedStore },
];
