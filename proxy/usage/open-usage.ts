import { sqliteFile } from '../keys/open-store.ts';
import { isPostgresStore } from '../keys/postgres-store.ts';
import type { AccountStore } from '../keys/store.ts';
import { transact } from '../sqlite-file.ts';
import { openStoreFile } from '../sqlite-schema.ts';
import { openPostgresUsage } from './postgres-usage.ts';
import { DAYS_KEPT, dayOf, type OwnerUsage, type UsageStore } from './usage.ts';

/** Requests wait while this writes. */
const BUSY_MS = 20;

/** Where requests are counted by day, in `store`, which is the one at `url`. */
export function openUsage(url: string, store: AccountStore): UsageStore {
  return isPostgresStore(store) ? openPostgresUsage(store.db) : openSqliteUsage(sqliteFile(url)!);
}

function openSqliteUsage(file: string): UsageStore {
  const db = openStoreFile(file);
  // A count that a power cut forgets is no loss worth a sync.
  db.exec(`PRAGMA busy_timeout = ${BUSY_MS}; PRAGMA synchronous = NORMAL`);
  const add = db.prepare(
    `INSERT INTO usage (day, key_id, operation, granted, refused) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET granted = granted + excluded.granted, refused = refused + excluded.refused`,
  );
  let cleared = '';
  return {
    add(rows) {
      const latest = rows.at(-1)!.day;
      transact(db, () => {
        for (const { day, key_id, operation, granted, refused } of rows) {
          add.run(day, key_id, operation, granted, refused);
        }
        if (latest === cleared) return;
        db.prepare('DELETE FROM usage WHERE day < ?').run(dayOf(Date.parse(latest) - DAYS_KEPT * 86_400_000));
        cleared = latest;
      });
    },
    listUsage(ownerId, day) {
      const rows = db
        .prepare(
          `SELECT usage.*, name AS key_name, kind FROM usage JOIN keys ON key_id = keys.id
           WHERE owner_id = ? AND day >= ? ORDER BY day, operation`,
        )
        .all(ownerId, day);
      return rows.map((row) => ({ ...row }) as unknown as OwnerUsage);
    },
    close() {
      db.close();
    },
  };
}
