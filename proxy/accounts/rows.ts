/** Statements on one table, on the rows whose columns have given values, null among them. */
import { type Insertable, type Kysely, type Selectable, sql, type Updateable } from 'kysely';
import type { Db, Tables } from './database.ts';

type Table = keyof Tables;
type Values<T extends Table> = Partial<Selectable<Tables[T]>>;

/** What is asked for is checked by the types of the functions here, which are too general for Kysely's. */
const untyped = (db: Db) => db as unknown as Kysely<Record<string, Record<string, unknown>>>;

export async function insert<T extends Table>(db: Db, table: T, rows: Insertable<Tables[T]> | Insertable<Tables[T]>[]) {
  await untyped(db).insertInto<string>(table).values(rows).execute();
}

/** @returns how many rows there were */
export async function update<T extends Table>(db: Db, table: T, where: Values<T>, values: Updateable<Tables[T]>) {
  const changed = untyped(db).updateTable<string>(table).set(values);
  const { numUpdatedRows } = await changed.where(({ and }) => and(where)).executeTakeFirst();
  return Number(numUpdatedRows);
}

/** @returns how many rows there were */
export async function remove<T extends Table>(db: Db, table: T, where: Values<T>): Promise<number> {
  const removed = untyped(db).deleteFrom<string>(table);
  const { numDeletedRows } = await removed.where(({ and }) => and(where)).executeTakeFirst();
  return Number(numDeletedRows);
}

/** Swept away at once, so that what strangers have piled up holds nobody up. */
const SWEPT_AT_ONCE = 1000;

/**
 * Removes some of the rows whose `column` is `end` or earlier, past those that others are at, so that nobody waits for
 * it. `key` is the table's.
 */
export async function sweep<T extends Table>(
  db: Db,
  table: T,
  key: (keyof Tables[T] & string)[],
  column: keyof Tables[T] & string,
  end: number,
  where: Values<T> = {},
): Promise<void> {
  const past = untyped(db).selectFrom<string>(table).select(key).where(sql.ref<number>(column), '<=', end);
  const some = past.where(({ and }) => and(where)).limit(SWEPT_AT_ONCE);
  const columns = sql.join(key.map((name) => sql.ref(name)));
  const chosen = sql<boolean>`(${columns}) IN (${some.forUpdate().skipLocked()})`;
  await untyped(db).deleteFrom<string>(table).where(chosen).execute();
}
