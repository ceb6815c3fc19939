/** Rows of a table that are the sum of others: of an area among its facilities, of a region or the country among areas. */
import type { Source } from '../../catalog/sources.ts';
import { findTotals, type MonthlyCounts } from '../../ingest/totals.ts';
import { firstFew } from '../../lib/first-few.ts';
import { type AreaLevel, type PlaceKey, placeColumnName, type TimeKey } from './draft-keys.ts';
import type { TableFile } from './recognise.ts';

const EXAMPLES = 3;
/** Rounding and corrections after the export, and times in which rows may differ for others. */
const TOLERANCE = 0.005;
const IN_TIMES = 0.95;

/**
 * @param columns of the counts, which are added up
 * @returns what the entry leaves out, and a doubt about it; nothing if there are no such rows
 */
export function leaveOutTotals(
  table: TableFile,
  place: PlaceKey,
  { times }: TimeKey,
  columns: readonly string[],
): Pick<Source, 'leave_out'> & { doubts: string[] } {
  const indexOf = (column: string) => table.header.indexOf(column);
  const [area, facility, within] = [place.column, place.facility!, place.within ?? place.column].map(indexOf);
  const counted = columns.map(indexOf);
  const cellsOf = new Map<string, { area: string; members: Map<string, Map<string, number | null>> }>();
  for (const [i, { cells }] of table.rows.entries()) {
    const name = cells[facility!];
    if (name == null || cells[area!] == null) continue;
    const key = `${cells[within!]} ${cells[area!]}`;
    const { members } = cellsOf.get(key) ?? { members: new Map<string, Map<string, number | null>>() };
    const counts = members.get(name) ?? new Map<string, number | null>();
    const count = counted.reduce((sum, index) => sum + Number(cells[index] ?? 0), 0);
    cellsOf.set(key, { area: cells[area!]!, members: members.set(name, counts.set(times[i]!, count)) });
  }
  const groups = new Map(
    [...cellsOf].map(([key, { members }]) => [
      key,
      [...members].map(([name, counts]): MonthlyCounts => ({ name, counts })),
    ]),
  );
  const totals = [...findTotals(groups)].flatMap(([key, names]) => names.map((name) => ({ key, name })));
  if (totals.length === 0) return { doubts: [] };
  const reason = 'the sum of the other rows of its area, month by month';
  const leave_out = [...Map.groupBy(totals, ({ name }) => name)].flatMap(([name, ofName]) => {
    const elsewhere = [...groups.values()].filter((members) => members.some((member) => member.name === name));
    return elsewhere.length === ofName.length
      ? [{ where: { facility: name }, reason }]
      : ofName.map(({ key }) => ({
          where: { [placeColumnName(place)]: cellsOf.get(key)!.area, facility: name },
          reason,
        }));
  });
  const examples = firstFew([...new Set(totals.map(({ name }) => name))], EXAMPLES);
  const areas = `${new Set(totals.map(({ key }) => key)).size} of ${groups.size} areas`;
  return {
    leave_out,
    doubts: [`${table.file}: totals among the rows of ${areas} are left out: ${examples}; each is ${reason}`],
  };
}

/**
 * The same for a table by area: rows of what is no area, with the sum of all areas or of those of an upper-level one.
 * @param level the areas
 */
export function leaveOutTotalAreas(
  table: TableFile,
  place: PlaceKey,
  time: TimeKey | null,
  columns: readonly string[],
  level: AreaLevel,
): Pick<Source, 'leave_out'> & { doubts: string[] } {
  const indexOf = (column: string) => table.header.indexOf(column);
  const area = indexOf(place.column);
  const counted = columns.map(indexOf);
  const names = new Set(table.rows.flatMap(({ cells }) => cells[area] ?? []));
  const findCode = level.codeFinder(names);
  const isArea = (name: string) => (place.codes ? findCode(name) !== undefined : level.codes.has(name));
  const rows = table.rows.flatMap(({ cells }, i) => {
    const name = cells[area];
    const count = counted.reduce((total, index) => total + Number(cells[index] ?? 0), 0);
    return name == null ? [] : [{ name, time: time?.times[i] ?? '', count }];
  });
  const parts = Map.groupBy(
    rows.filter(({ name }) => isArea(name)),
    ({ name }) => level.parents.get(place.codes?.[name] ?? name) ?? null,
  );
  const sumsBy = (some: typeof rows) => {
    const sums = new Map<string, number>();
    for (const row of some) sums.set(row.time, (sums.get(row.time) ?? 0) + row.count);
    return sums;
  };
  const wholes = [...parts.values(), [...parts.values()].flat()]
    .filter((some) => new Set(some.map(({ name }) => name)).size > 1)
    .map(sumsBy);
  const others = Map.groupBy(
    rows.filter(({ name, count }) => count > 0 && !isArea(name)),
    ({ name }) => name,
  );
  const totals = [...others].flatMap(([name, own]) => {
    const isSum = (sums: ReadonlyMap<string, number>) =>
      own.filter((row) => Math.abs((sums.get(row.time) ?? 0) - row.count) <= TOLERANCE * row.count).length >=
      IN_TIMES * own.length;
    return wholes.some(isSum) ? [name] : [];
  });
  if (totals.length === 0) return { doubts: [] };
  const reason = 'the sum of areas in other rows';
  return {
    leave_out: totals.map((name) => ({ where: { [placeColumnName(place)]: name }, reason })),
    doubts: [`${table.file}: rows of ${firstFew(totals, EXAMPLES)} are left out: each is ${reason}`],
  };
}
