/** Statements on the rows of a table whose columns have given values, which may be null. */
import { type Insertable, type Kysely, type Selectable, sql, type Updateable } from 'kysely';
import type { DbOrTx } from './database.ts';
import type { TableRows } from './row-types.ts';

type TableName = keyof TableRows;
type ColumnValues<T extends TableName> = Partial<Selectable<TableRows[T]>>;

/** The signatures of the functions below check types; the functions are too generic for Kysely's own. */
const withoutTypes = (db: DbOrTx) => db as unknown as Kysely<Record<string, Record<string, unknown>>>;

export async function insert<T extends TableName>(
  db: DbOrTx,
  table: T,
  rows: Insertable<TableRows[T]> | Insertable<TableRows[T]>[],
) {
  await withoutTypes(db).insertInto<string>(table).values(rows).execute();
}

/** @returns the number of rows */
export async function update<T extends TableName>(
  db: DbOrTx,
  table: T,
  where: ColumnValues<T>,
  values: Updateable<TableRows[T]>,
) {
  const updateQuery = withoutTypes(db).updateTable<string>(table).set(values);
  const { numUpdatedRows } = await updateQuery.where(({ and }) => and(where)).executeTakeFirst();
  return Number(numUpdatedRows);
}

/** @returns the number of rows */
export async function remove<T extends TableName>(db: DbOrTx, table: T, where: ColumnValues<T>): Promise<number> {
  const deleteQuery = withoutTypes(db).deleteFrom<string>(table);
  const { numDeletedRows } = await deleteQuery.where(({ and }) => and(where)).executeTakeFirst();
  return Number(numDeletedRows);
}

/** Rows deleted at a time, so that rows that strangers have piled up delay nobody. */
const DELETED_AT_ONCE = 1000;

/**
 * Deletes some of the rows whose `column` is `end` or earlier, skipping locked ones so that nobody waits for it. `key`
 * is the table's primary key.
 */
export async function deleteExpired<T extends TableName>(
  db: DbOrTx,
  table: T,
  primaryKey: (keyof TableRows[T] & string)[],
  timeColumn: keyof TableRows[T] & string,
  lastMs: number,
  where: ColumnValues<T> = {},
): Promise<void> {
  const expired = withoutTypes(db)
    .selectFrom<string>(table)
    .select(primaryKey)
    .where(sql.ref<number>(timeColumn), '<=', lastMs);
  const batch = expired.where(({ and }) => and(where)).limit(DELETED_AT_ONCE);
  const keyColumns = sql.join(primaryKey.map((name) => sql.ref(name)));
  const isInBatch = sql<boolean>`(${keyColumns}) IN (${batch.forUpdate().skipLocked()})`;
  await withoutTypes(db).deleteFrom<string>(table).where(isInBatch).execute();
}
