/** Statements on the rows of a table whose columns have given values, which may be null. */
import { type Insertable, type Kysely, type Selectable, sql, type Updateable } from 'kysely';
import type { Db } from './database.ts';
import type { Rows } from './row-types.ts';

type TableName = keyof Rows;
type Values<T extends TableName> = Partial<Selectable<Rows[T]>>;

/** The signatures of the functions below check types; the functions are too generic for Kysely's own. */
const untyped = (db: Db) => db as unknown as Kysely<Record<string, Record<string, unknown>>>;

export async function insert<T extends TableName>(db: Db, table: T, rows: Insertable<Rows[T]> | Insertable<Rows[T]>[]) {
  await untyped(db).insertInto<string>(table).values(rows).execute();
}

/** @returns the number of rows */
export async function update<T extends TableName>(db: Db, table: T, where: Values<T>, values: Updateable<Rows[T]>) {
  const changed = untyped(db).updateTable<string>(table).set(values);
  const { numUpdatedRows } = await changed.where(({ and }) => and(where)).executeTakeFirst();
  return Number(numUpdatedRows);
}

/** @returns the number of rows */
export async function remove<T extends TableName>(db: Db, table: T, where: Values<T>): Promise<number> {
  const removed = untyped(db).deleteFrom<string>(table);
  const { numDeletedRows } = await removed.where(({ and }) => and(where)).executeTakeFirst();
  return Number(numDeletedRows);
}

/** Rows deleted at a time, so that rows that strangers have piled up delay nobody. */
const SWEPT_AT_ONCE = 1000;

/**
 * Deletes some of the rows whose `column` is `end` or earlier, skipping locked ones so that nobody waits for it. `key`
 * is the table's primary key.
 */
export async function sweep<T extends TableName>(
  db: Db,
  table: T,
  key: (keyof Rows[T] & string)[],
  column: keyof Rows[T] & string,
  end: number,
  where: Values<T> = {},
): Promise<void> {
  const past = untyped(db).selectFrom<string>(table).select(key).where(sql.ref<number>(column), '<=', end);
  const some = past.where(({ and }) => and(where)).limit(SWEPT_AT_ONCE);
  const columns = sql.join(key.map((name) => sql.ref(name)));
  const chosen = sql<boolean>`(${columns}) IN (${some.forUpdate().skipLocked()})`;
  await untyped(db).deleteFrom<string>(table).where(chosen).execute();
}
