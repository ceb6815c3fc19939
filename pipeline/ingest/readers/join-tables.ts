/** Columns that another file has for the rows of a table, such as the coordinates of a survey's clusters. */
import type { InputLocation } from '../../lib/bad-input.ts';
import type { TextTable } from './csv.ts';

/** The values of a row by which it is joined: office programs drop the zeros before a number, or add some after it. */
export const joinKey = (cells: readonly (string | null)[], columns: readonly number[]): string =>
  JSON.stringify(columns.map((i) => cells[i]?.replace(/^0*(\d+)(\.0*)?$/, '$1') ?? null));

/**
 * The table with the columns of `lookup` that it does not have itself, from the row of `lookup` with the same key;
 * blank in rows that have none.
 * @param keyColumns the key: the table's columns -> those of `lookup`
 * @returns also how many rows of `lookup` belong to no row of the table
 * @throws BadInput for a column that is missing, and for a second row of `lookup` with the same key
 */
export function joinTables<T extends TextTable>(
  table: T,
  lookup: TextTable,
  keyColumns: Readonly<Record<string, string>>,
  locations: { table: InputLocation; lookup: InputLocation },
): { table: T; unused: number } {
  const columnIndexIn =
    ({ header }: TextTable, location: InputLocation) =>
    (columnName: string) => {
      if (header.includes(columnName)) return header.indexOf(columnName);
      throw location
        .at('header')
        .error(`columns ${header.join(', ')}`, `a column "${columnName}" (sources.json, join)`);
    };
  const [tableKey, lookupKey] = [
    Object.keys(keyColumns).map(columnIndexIn(table, locations.table)),
    Object.values(keyColumns).map(columnIndexIn(lookup, locations.lookup)),
  ];
  const rowByKey = new Map<string, TextTable['rows'][number]>();
  for (const row of lookup.rows) {
    const key = joinKey(row.cells, lookupKey);
    const earlier = rowByKey.get(key);
    if (earlier)
      throw locations.lookup
        .at(`row ${row.line}`)
        .error(
          `${Object.values(keyColumns).join(' + ')} ${lookupKey.map((i) => row.cells[i] ?? '').join(' ')}, as in row ${earlier.line}`,
          'a single row (sources.json, join)',
        );
    rowByKey.set(key, row);
  }
  const addedColumns = [...lookup.header.keys()].filter(
    (i) => !lookupKey.includes(i) && !table.header.includes(lookup.header[i]!),
  );
  const usedKeys = new Set<string>();
  const rows = table.rows.map(({ line, cells }) => {
    const key = joinKey(cells, tableKey);
    const row = rowByKey.get(key);
    if (row) usedKeys.add(key);
    return { line, cells: [...cells, ...addedColumns.map((i) => row?.cells[i] ?? null)] };
  });
  return {
    table: { ...table, header: [...table.header, ...addedColumns.map((i) => lookup.header[i]!)], rows },
    unused: rowByKey.size - usedKeys.size,
  };
}
