/** Columns that another file has for the rows of a table, such as the coordinates of a survey's clusters. */
import type { InputLocation } from '../../lib/bad-input.ts';
import type { TextTable } from './csv.ts';

/** The values of a row by which it is joined: office programs drop the zeros before a number, or add some after it. */
export const joinKey = (cells: readonly (string | null)[], columns: readonly number[]): string =>
  JSON.stringify(columns.map((i) => cells[i]?.replace(/^0*(\d+)(\.0*)?$/, '$1') ?? null));

/**
 * The table with the columns of `lookup` that it does not have itself, from the row of `lookup` with the same key;
 * blank in rows that have none.
 * @param on the key: the table's columns -> those of `lookup`
 * @returns also how many rows of `lookup` belong to no row of the table
 * @throws BadInput for a column that is missing, and for a second row of `lookup` with the same key
 */
export function joined<T extends TextTable>(
  table: T,
  lookup: TextTable,
  on: Readonly<Record<string, string>>,
  locations: { table: InputLocation; lookup: InputLocation },
): { table: T; unused: number } {
  const indexIn =
    ({ header }: TextTable, location: InputLocation) =>
    (name: string) => {
      if (header.includes(name)) return header.indexOf(name);
      throw location.at('header').error(`columns ${header.join(', ')}`, `a column "${name}" (sources.json, join)`);
    };
  const [tableKey, lookupKey] = [
    Object.keys(on).map(indexIn(table, locations.table)),
    Object.values(on).map(indexIn(lookup, locations.lookup)),
  ];
  const rowByKey = new Map<string, TextTable['rows'][number]>();
  for (const row of lookup.rows) {
    const key = joinKey(row.cells, lookupKey);
    const first = rowByKey.get(key);
    if (first)
      throw locations.lookup
        .at(`row ${row.line}`)
        .error(
          `${Object.values(on).join(' + ')} ${lookupKey.map((i) => row.cells[i] ?? '').join(' ')}, as in row ${first.line}`,
          'a single row (sources.json, join)',
        );
    rowByKey.set(key, row);
  }
  const added = [...lookup.header.keys()].filter(
    (i) => !lookupKey.includes(i) && !table.header.includes(lookup.header[i]!),
  );
  const used = new Set<string>();
  const rows = table.rows.map(({ line, cells }) => {
    const key = joinKey(cells, tableKey);
    const row = rowByKey.get(key);
    if (row) used.add(key);
    return { line, cells: [...cells, ...added.map((i) => row?.cells[i] ?? null)] };
  });
  return {
    table: { ...table, header: [...table.header, ...added.map((i) => lookup.header[i]!)], rows },
    unused: rowByKey.size - used.size,
  };
}
