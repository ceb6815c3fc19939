import { sqliteFile } from '../keys/open-store.ts';
import { transact } from '../sqlite-file.ts';
import { openStoreFile } from '../sqlite-schema.ts';
import { UsageError } from '../usage-error.ts';
import { DAYS_KEPT, dayOf, type OwnerUsage, type UsageStore } from './usage.ts';

/** Requests wait while this writes. */
const BUSY_MS = 20;

/** Where requests are counted by day, in the store at `url`. @throws UsageError where this build has none of the kind. */
export function openUsage(url: string): UsageStore {
  const file = sqliteFile(url);
  if (file === null) throw new UsageError('usage is counted in a store of the form sqlite:FILE in this build');
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
