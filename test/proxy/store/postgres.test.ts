import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest';
import { TryAgain } from '../../../pipeline/lib/errors.ts';
import { ADMIT_FUNCTION_NAME } from '../../../proxy/store/admission.ts';
import { schemaScripts } from '../../../proxy/store/database.ts';
import { hashKey } from '../../../proxy/store/key-format.ts';
import { runHere } from '../../support/proxy/cli-process.ts';
import { openStore } from '../../support/proxy/open-store.ts';
import { missingServers, type RealServer, startPostgres } from '../../support/proxy/real-servers.ts';
import { giveKey } from '../../support/proxy/service.ts';

describe.skipIf(missingServers.length > 0)('PostgreSQL', () => {
  let server: RealServer;
  beforeAll(async () => {
    server = await startPostgres(inject('postgres')!.data);
    return () => server.remove();
  });
  const open = async () => {
    const store = await openStore(server.url);
    onTestFinished(() => store.close());
    return store;
  };
  const sql = async (text: string, url = server.url): Promise<any[]> => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      return (await client.query(text)).rows;
    } finally {
      await client.end();
    }
  };

  test('many processes that start at once create one schema', async () => {
    const stores = await Promise.all(Array.from({ length: 6 }, open));
    await Promise.all(stores.map((store, i) => store.createAccount('organisation', `org ${i}`, i)));
    expect((await (await open()).listAccounts()).map(({ name }) => name)).toEqual(stores.map((_, i) => `org ${i}`));
  });

  test('a database of the unreleased schema is refused with one line, and nothing is written to it', async () => {
    await sql('CREATE DATABASE earlier');
    const url = server.url.replace(/postgres$/, 'earlier');
    await sql('CREATE TABLE accounts (id text); CREATE TABLE schema_version (version int)', url);
    const { code, stderr } = await runHere(['accounts', 'list', '--store', url]);
    expect([code, stderr]).toEqual([
      2,
      'malaria-proxy: postgres://… was made by an unreleased version, or is no store: make a new one\n',
    ]);
    const tables = await sql("SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace", url);
    expect(tables.map(({ relname }) => relname).sort()).toEqual(['accounts', 'schema_version']);
  });

  test('a database of another program is refused, even if it has a table called store', async () => {
    for (const [name, script] of [
      ['another', 'CREATE TABLE customers (id int)'],
      ['shop', 'CREATE TABLE store (id int, name text)'],
      ['shops', 'CREATE TABLE store (version text)'],
      ['views', 'CREATE VIEW something AS SELECT 1'],
    ]) {
      await sql(`CREATE DATABASE ${name}`);
      const url = server.url.replace(/postgres$/, name!);
      await sql(script!, url);
      for (const args of [['create-store'], ['accounts', 'list']]) {
        const { code, stderr } = await runHere([...args, '--store', url]);
        expect([name, code, stderr]).toEqual([name, 2, expect.stringContaining('or is no store: make a new one')]);
      }
      const made = await sql("SELECT 1 FROM pg_class WHERE relnamespace = 'public'::regnamespace", url);
      expect([name, made.length]).toEqual([name, 1]);
    }
  });

  test('the function that admits is made once for each version of the program', async () => {
    await (await open()).listAccounts();
    await sql(`DROP FUNCTION ${ADMIT_FUNCTION_NAME}`);
    await Promise.all(Array.from({ length: 4 }, async () => (await open()).listAccounts()));
    expect((await sql(`SELECT 1 FROM pg_proc WHERE proname = '${ADMIT_FUNCTION_NAME}'`)).length).toBe(1);
  });

  test('a request waits for one of the same owner that has not committed, then counts it, in the second it is then', async () => {
    const store = await open();
    const keys = [await giveKey(store, { owner: 'waits' }), await giveKey(store, { owner: 'waits' })] as const;
    const begun: pg.Client[] = [];
    const admit = async (key: string, perMinute: number, perMonth: number) => {
      const client = new pg.Client({ connectionString: server.url });
      begun.push(client);
      await client.connect();
      await client.query('BEGIN');
      const values = [hashKey(key), perMinute, perMonth, 60_000];
      return (await client.query(`SELECT refused, now_ms FROM ${ADMIT_FUNCTION_NAME}($1, $2, $3, $4)`, values)).rows[0];
    };
    onTestFinished(async () => void (await Promise.all(begun.map((client) => client.end()))));
    for (const [second, perMinute, perMonth, refused] of [
      [keys[0], 1, 1000, 'minute'],
      [keys[1], 1000, 2, 'month'],
      [keys[1], 1000, 1000, null],
    ] as const) {
      await sql('DELETE FROM seconds');
      expect((await admit(keys[0].key, perMinute, perMonth)).refused).toBeNull();
      let isDone = false;
      const waiting = admit(second.key, perMinute, perMonth).finally(() => {
        isDone = true;
      });
      await pause(1100);
      expect(isDone).toBe(false);
      const released = Date.now();
      await begun.at(-2)!.query('COMMIT');
      const decided = await waiting;
      expect(decided.refused).toBe(refused);
      expect(Number(decided.now_ms)).toBeGreaterThanOrEqual(released);
      await begun.at(-1)!.query('COMMIT');
      if (refused !== null) continue;
      const rows = await sql(`SELECT second FROM seconds WHERE key_id = '${second.id}'`);
      expect(Number(rows[0].second)).toBeGreaterThanOrEqual(Math.floor(released / 1000));
    }
  });

  test('the database contains only a hash of the key', async () => {
    const { key } = await giveKey(await open());
    const everything = JSON.stringify([await sql('SELECT * FROM keys'), await sql('SELECT * FROM audit')]);
    expect(everything).not.toContain(key.slice(13));
    const last = await sql('SELECT hash FROM keys ORDER BY created_at DESC LIMIT 1');
    expect(last[0].hash).toEqual(hashKey(key));
  });

  test('no key is created for an account that is suspended at the same moment', async () => {
    const [one, other] = [await open(), await open()];
    for (let i = 0; i < 20; i++) {
      const owner = `race ${i}`;
      await one.createAccount('organisation', owner, 1);
      const made = giveKey(one, { owner, now: 5 }).then(
        () => true,
        () => false,
      );
      await Promise.all([other.changeAccount(owner, 'suspend', 6), made]);
      const actions = await sql(
        `SELECT action FROM audit JOIN accounts ON accounts.id = account_id WHERE name = '${owner}' ORDER BY audit.id`,
      );
      const order = actions.map(({ action }) => action);
      expect(order).toEqual(
        (await made) ? ['account.create', 'key.create', 'account.suspend'] : ['account.create', 'account.suspend'],
      );
    }
  });

  test('the audit log is append-only', async () => {
    await giveKey(await open(), { owner: 'logged' });
    await expect(sql('DELETE FROM audit')).rejects.toThrow(/append-only/);
    await expect(sql("UPDATE audit SET actor = ''")).rejects.toThrow(/append-only/);
    await expect(sql('TRUNCATE audit')).rejects.toThrow(/append-only/);
    await expect(sql('TRUNCATE accounts CASCADE; TRUNCATE audit')).rejects.toThrow(/append-only/);
    expect((await sql("SELECT FROM accounts WHERE name = 'logged'")).length).toBe(1);
  });

  test('a schema that was changed under the same number is refused', async () => {
    await (await open()).listAccounts();
    const [{ schema_hash }] = (await sql('SELECT schema_hash FROM store')) as [{ schema_hash: string }];
    await sql("UPDATE store SET schema_hash = 'of another program'");
    onTestFinished(() => sql(`UPDATE store SET schema_hash = '${schema_hash}'`).then(() => {}));
    await expect(async () => (await open()).listAccounts()).rejects.toThrow(/has another schema 1 than this version/);
  });

  test('a newer schema is refused, and no error contains a password', async () => {
    await (await open()).listAccounts();
    await sql('UPDATE store SET version = 99');
    onTestFinished(() => sql(`UPDATE store SET version = ${schemaScripts('postgres').length}`).then(() => {}));
    await expect(async () => (await open()).listAccounts()).rejects.toThrow(/schema 99 of a newer malaria-proxy/);
    const nowhere = await openStore('postgres://me:secret@127.0.0.1:1/db');
    await expect(async () => nowhere.listAccounts()).rejects.toThrow(
      /^(?!.*secret)store: PostgreSQL cannot be used: .*ECONNREFUSED/,
    );
    await nowhere.close();
  });

  test('an address that is no URL is an error of usage, which does not repeat it', async () => {
    const store = await openStore('postgres://me:secret@127.0.0.1:99999/db');
    const created = Promise.resolve(store.createAccount('organisation', 'any', 1));
    await expect(created).rejects.toThrow(/^(?!.*secret)the store is no valid URL; expected postgres:/);
    await store.close();
  });

  test('problems with the server, the login or the address are reported in one line, not as internal errors', async () => {
    const refusal = async (url: string) => {
      const store = await openStore(url);
      const created = Promise.resolve(store.createAccount('organisation', 'any', 1));
      const error: unknown = await created.catch((thrown) => thrown);
      await store.close();
      expect(error).toBeInstanceOf(TryAgain);
      const { message } = error as Error;
      expect(message).toMatch(/^(?!.*secret)store: PostgreSQL cannot be used: [^\n]+$/);
      return message;
    };
    // Since PostgreSQL 15 only the owner of a database may create tables in it.
    await sql('CREATE DATABASE others');
    await sql("CREATE ROLE guest LOGIN PASSWORD 'secret'");
    const others = server.url.replace(/postgres$/, 'others');
    expect(await refusal(others.replace('malaria@', 'guest:secret@'))).toContain('permission denied');
    // As on a standby at the primary's address.
    await sql('ALTER DATABASE others SET default_transaction_read_only = on');
    expect(await refusal(others)).toContain('read-only transaction');
    expect(await refusal(`${others}?sslmode=verify-full&sslrootcert=/there/is/none`)).toContain('/there/is/none');
  });
});
