/** What PostgreSQL has on disk when a change returns or a request is answered, by the positions in its log. */
import { sql } from 'kysely';
import pg from 'pg';
import { beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest';
import { makeBuild } from '../../support/proxy/fixture.ts';
import { openStore } from '../../support/proxy/open-store.ts';
import { missingServers, type RealServer, startPostgres } from '../../support/proxy/real-servers.ts';
import { giveKey, serveBuild } from '../../support/proxy/service.ts';

describe.skipIf(missingServers.length > 0)('PostgreSQL', () => {
  let server: RealServer;
  let admin: pg.Client;
  beforeAll(async () => {
    // Nothing but commits writes the log, and without them nothing of it reaches the disk for ten seconds.
    const quiet = ['wal_writer_delay=10s', 'autovacuum=off', 'wal_level=minimal', 'max_wal_senders=0'];
    server = await startPostgres(inject('postgres')!.data, { more: quiet });
    admin = new pg.Client({ connectionString: server.url });
    await admin.connect();
    return async () => {
      await admin.end();
      await server.remove();
    };
  });
  /** Bytes of the log that a crash would lose. */
  const unsynced = async (): Promise<number> => {
    const { rows } = await admin.query('SELECT pg_current_wal_insert_lsn() - pg_current_wal_flush_lsn() AS bytes');
    return Number(rows[0].bytes);
  };
  /** Lets what has been written lightly so far reach the disk. */
  const settle = async () => {
    await admin.query('CHECKPOINT');
    expect(await unsynced()).toBe(0);
  };
  const sets = async (value: string) => {
    await admin.query(`ALTER DATABASE postgres SET synchronous_commit = ${value}`);
    onTestFinished(async () => void (await admin.query('ALTER DATABASE postgres RESET synchronous_commit')));
  };
  const open = async () => {
    const store = await openStore(server.url);
    onTestFinished(() => store.close());
    return store;
  };
  const serve = async () => {
    const { build, current, remove } = makeBuild();
    onTestFinished(remove);
    const service = await serveBuild({ build, snapshot: current, store: server.url });
    const { key } = await giveKey(service.store);
    const ask = async () => expect((await service.get('/v1/periods', key)).status).toBe(200);
    // The first makes the rows that later ones change.
    await ask();
    return ask;
  };

  for (const byDefault of ['on', 'off']) {
    test(`with synchronous_commit = ${byDefault} on the server, changes and grants are on disk when they return`, async () => {
      await sets(byDefault);
      const store = await open();
      const { transact, transactUnsynced } = store.database;
      await store.createAccount('organisation', `made ${byDefault}`, 1);
      expect(await unsynced()).toBe(0);
      await transactUnsynced((tx) => tx.insertInto('notices').values({ what: byDefault, at: 1 }).execute());
      expect(await unsynced(), 'what is written lightly is not').toBeGreaterThan(0);
      await transact((tx) => tx.deleteFrom('notices').execute());
      expect(await unsynced()).toBe(0);

      const ask = await serve();
      await settle();
      await ask();
      expect(await unsynced()).toBe(0);
    });
  }

  test.each([
    ['off', 'on'],
    ['local', 'on'],
    ['remote_apply', 'remote_apply'],
  ])('where the server has synchronous_commit = %s, a change is committed with %s', async (byDefault, committed) => {
    await sets(byDefault);
    const { database } = await open();
    const { rows } = await database.transact((tx) => sql`SHOW synchronous_commit`.execute(tx));
    expect(rows).toEqual([{ synchronous_commit: committed }]);
  });
});
