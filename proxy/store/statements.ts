/** Statements on the rows of a table that have given values in some columns; a value may be null. */
import { type Insertable, type Kysely, type Selectable, sql, type Updateable } from 'kysely';
import type { DbOrTx } from './database.ts';
import type { TableRows } from './row-types.ts';

type Table = keyof TableRows;
type Row<T extends Table> = TableRows[T];
type ColumnValues<T extends Table> = Partial<Selectable<Row<T>>>;

/** Kysely cannot check a query on a table that is a parameter; the signatures of the functions below do. */
const withoutTypes = (db: DbOrTx) => db as unknown as Kysely<Record<string, Record<string, unknown>>>;

export async function insert<T extends Table>(db: DbOrTx, table: T, rows: Insertable<Row<T>> | Insertable<Row<T>>[]) {
  await withoutTypes(db).insertInto<string>(table).values(rows).execute();
}

/** @returns the number of rows */
export async function update<T extends Table>(
  db: DbOrTx,
  table: T,
  where: ColumnValues<T>,
  values: Updateable<Row<T>>,
): Promise<number> {
  const updateQuery = withoutTypes(db).updateTable<string>(table).set(values);
  const { numUpdatedRows } = await updateQuery.where(({ and }) => and(where)).executeTakeFirst();
  return Number(numUpdatedRows);
}

/** @returns the number of rows */
export async function remove<T extends Table>(db: DbOrTx, table: T, where: ColumnValues<T>): Promise<number> {
  const deleteQuery = withoutTypes(db).deleteFrom<string>(table);
  const { numDeletedRows } = await deleteQuery.where(({ and }) => and(where)).executeTakeFirst();
  return Number(numDeletedRows);
}

/** Rows deleted at a time, so that nobody waits long however many rows strangers have caused. */
const DELETED_AT_ONCE = 1000;

/**
 * Deletes up to DELETED_AT_ONCE rows whose `timeColumn` is at most `lastMs`. Locked rows are skipped, not waited for.
 */
export async function deleteExpired<T extends Table>(
  db: DbOrTx,
  table: T,
  primaryKey: (keyof Row<T> & string)[],
  timeColumn: keyof Row<T> & string,
  lastMs: number,
  where: ColumnValues<T> = {},
): Promise<void> {
  const rows = withoutTypes(db).selectFrom<string>(table).select(primaryKey);
  const expired = rows.where(sql.ref<number>(timeColumn), '<=', lastMs);
  const batch = expired.where(({ and }) => and(where)).limit(DELETED_AT_ONCE);
  const keyColumns = sql.join(primaryKey.map((name) => sql.ref(name)));
  const isInBatch = sql<boolean>`(${keyColumns}) IN (${batch.forUpdate().skipLocked()})`;
  await withoutTypes(db).deleteFrom<string>(table).where(isInBatch).execute();
}
