/** Columns that another file has for the rows of a table, such as the coordinates of a survey's clusters. */
import type { InputLocation } from '../../lib/bad-input.ts';
import type { TextTable } from './csv.ts';

/** The values of a row by which it is joined: office programs drop the zeros before a number, or add some after it. */
export const keyOf = (cells: readonly (string | null)[], at: readonly number[]): string =>
  JSON.stringify(at.map((i) => cells[i]?.replace(/^0*(\d+)(\.0*)?$/, '$1') ?? null));

/**
 * The table with the columns of `other` that it does not have itself, from the row of `other` with the same values;
 * blank in rows that have none.
 * @param on the table's columns -> those of `other`
 * @returns also how many rows of `other` belong to no row of the table
 * @throws BadInput for a column that is missing, and for a second row of `other` with the same values
 */
export function joined<Own extends TextTable>(
  table: Own,
  other: TextTable,
  on: Readonly<Record<string, string>>,
  locationOf: { table: InputLocation; other: InputLocation },
): { table: Own; unused: number } {
  const indexIn =
    ({ header }: TextTable, location: InputLocation) =>
    (name: string) => {
      if (header.includes(name)) return header.indexOf(name);
      throw location.at('header').error(`columns ${header.join(', ')}`, `a column "${name}" (sources.json, join)`);
    };
  const [own, others] = [
    Object.keys(on).map(indexIn(table, locationOf.table)),
    Object.values(on).map(indexIn(other, locationOf.other)),
  ];
  const found = new Map<string, TextTable['rows'][number]>();
  for (const row of other.rows) {
    const key = keyOf(row.cells, others);
    const first = found.get(key);
    if (first)
      throw locationOf.other
        .at(`row ${row.line}`)
        .error(
          `${Object.values(on).join(' + ')} ${others.map((i) => row.cells[i] ?? '').join(' ')}, as in row ${first.line}`,
          'a single row (sources.json, join)',
        );
    found.set(key, row);
  }
  const added = [...other.header.keys()].filter((i) => !others.includes(i) && !table.header.includes(other.header[i]!));
  const used = new Set<string>();
  const rows = table.rows.map(({ line, cells }) => {
    const key = keyOf(cells, own);
    const row = found.get(key);
    if (row) used.add(key);
    return { line, cells: [...cells, ...added.map((i) => row?.cells[i] ?? null)] };
  });
  return {
    table: { ...table, header: [...table.header, ...added.map((i) => other.header[i]!)], rows },
    unused: found.size - used.size,
  };
}
