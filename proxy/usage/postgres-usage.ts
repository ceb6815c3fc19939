import type { Postgres } from '../postgres.ts';
import { DAYS_KEPT, dayOf, type OwnerUsage, type UsageStore } from './usage.ts';

/** Where the requests of any number of proxies are counted by day, in the store's database, which outlives it. */
export function openPostgresUsage(db: Postgres): UsageStore {
  let cleared = '';
  return {
    async add(rows) {
      const column = <K extends keyof (typeof rows)[number]>(name: K) => rows.map((row) => row[name]);
      await db.query(
        // In one order, so that two proxies never wait for each other's rows.
        `INSERT INTO usage (day, key_id, operation, granted, refused)
         SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::bigint[]) ORDER BY 1, 2, 3
         ON CONFLICT (day, key_id, operation) DO UPDATE
         SET granted = usage.granted + excluded.granted, refused = usage.refused + excluded.refused`,
        [column('day'), column('key_id'), column('operation'), column('granted'), column('refused')],
      );
      const latest = rows.at(-1)!.day;
      if (latest === cleared) return;
      await db.query('DELETE FROM usage WHERE day < $1', [dayOf(Date.parse(latest) - DAYS_KEPT * 86_400_000)]);
      cleared = latest;
    },
    listUsage: (ownerId, day) =>
      db.query<OwnerUsage>(
        `SELECT usage.*, name AS key_name, kind FROM usage JOIN keys ON key_id = keys.id
         WHERE owner_id = $1 AND day >= $2 ORDER BY day, operation`,
        [ownerId, day],
      ),
    close() {},
  };
}
