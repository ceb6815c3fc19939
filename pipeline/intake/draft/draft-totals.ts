/**
 * Rows of a table that are the sum of others: of an area among its facilities, of a region or the country among areas.
 */
import type { Source } from '../../catalog/sources.ts';
import { findTotals, type MonthlyCounts } from '../../ingest/totals.ts';
import { firstFew } from '../../lib/first-few.ts';
import { type AreaLevel, type PlaceKey, placeColumnName, type TimeKey } from './draft-keys.ts';
import type { TableFile } from './recognise.ts';

const MAX_EXAMPLES = 3;
/**
 * Relative difference of a total due to rounding and corrections, and the share of the times in which a total must
 * agree.
 */
const RELATIVE_TOLERANCE = 0.005;
const LEAST_TIMES_SHARE = 0.95;

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
  const columnIndex = (column: string) => table.header.indexOf(column);
  const [area, facility, within] = [place.column, place.facilityColumn!, place.stateColumn ?? place.column].map(
    columnIndex,
  );
  const countIndexes = columns.map(columnIndex);
  const areaByKey = new Map<string, { area: string; members: Map<string, Map<string, number | null>> }>();
  for (const [i, { cells }] of table.rows.entries()) {
    const name = cells[facility!];
    if (name == null || cells[area!] == null) continue;
    const key = `${cells[within!]} ${cells[area!]}`;
    const { members } = areaByKey.get(key) ?? { members: new Map<string, Map<string, number | null>>() };
    const counts = members.get(name) ?? new Map<string, number | null>();
    const count = countIndexes.reduce((sum, index) => sum + Number(cells[index] ?? 0), 0);
    areaByKey.set(key, { area: cells[area!]!, members: members.set(name, counts.set(times[i]!, count)) });
  }
  const groups = new Map(
    [...areaByKey].map(([key, { members }]) => [
      key,
      [...members].map(([name, counts]): MonthlyCounts => ({ name, counts })),
    ]),
  );
  const totals = [...findTotals(groups)].flatMap(([key, names]) => names.map((name) => ({ key, name })));
  if (totals.length === 0) return { doubts: [] };
  const reason = 'the sum of the other rows of its area, month by month';
  const leave_out = [...Map.groupBy(totals, ({ name }) => name)].flatMap(([name, totalsOfName]) => {
    const groupsWithName = [...groups.values()].filter((members) => members.some((member) => member.name === name));
    return groupsWithName.length === totalsOfName.length
      ? [{ where: { facility: name }, reason }]
      : totalsOfName.map(({ key }) => ({
          where: { [placeColumnName(place)]: areaByKey.get(key)!.area, facility: name },
          reason,
        }));
  });
  const examples = firstFew([...new Set(totals.map(({ name }) => name))], MAX_EXAMPLES);
  const areas = `${new Set(totals.map(({ key }) => key)).size} of ${groups.size} areas`;
  const missing = casesInTotalsAlone(
    groups,
    Map.groupBy(totals, ({ key }) => key),
  );
  const note = missing > 0 ? `, and they have ${missing} more, in months in which one of these is missing` : '';
  return {
    leave_out,
    doubts: [`${table.file}: totals among the rows of ${areas} are left out: ${examples}; each is ${reason}${note}`],
  };
}

/** How many cases more the totals have than the other rows; of the areas that have one total. */
function casesInTotalsAlone(
  groups: ReadonlyMap<string, readonly MonthlyCounts[]>,
  totalsByKey: ReadonlyMap<string, readonly { name: string }[]>,
): number {
  const casesOfMember = ({ counts }: MonthlyCounts) => [...counts.values()].reduce<number>((a, b) => a + (b ?? 0), 0);
  return [...totalsByKey].reduce((sum, [key, totals]) => {
    if (totals.length > 1) return sum;
    return groups.get(key)!.reduce((difference, member) => {
      return difference + (member.name === totals[0]!.name ? 1 : -1) * casesOfMember(member);
    }, sum);
  }, 0);
}

/**
 * Rows of a table by area that are not areas and have the sum of all areas, or of those of an upper-level area.
 * @param level the areas
 */
export function leaveOutTotalAreas(
  table: TableFile,
  place: PlaceKey,
  time: TimeKey | null,
  columns: readonly string[],
  level: AreaLevel,
): Pick<Source, 'leave_out'> & { doubts: string[] } {
  const columnIndex = (column: string) => table.header.indexOf(column);
  const area = columnIndex(place.column);
  const countIndexes = columns.map(columnIndex);
  const names = new Set(table.rows.flatMap(({ cells }) => cells[area] ?? []));
  const findCode = level.codeFinder(names);
  const isArea = (name: string) => (place.codeByName ? findCode(name) !== undefined : level.codes.has(name));
  const rows = table.rows.flatMap(({ cells }, i) => {
    const name = cells[area];
    const count = countIndexes.reduce((total, index) => total + Number(cells[index] ?? 0), 0);
    return name == null ? [] : [{ name, time: time?.times[i] ?? '', count }];
  });
  const rowsByState = Map.groupBy(
    rows.filter(({ name }) => isArea(name)),
    ({ name }) => level.parents.get(place.codeByName?.[name] ?? name) ?? null,
  );
  const sumByTime = (group: typeof rows) => {
    const sums = new Map<string, number>();
    for (const row of group) sums.set(row.time, (sums.get(row.time) ?? 0) + row.count);
    return sums;
  };
  const groupSums = [...rowsByState.values(), [...rowsByState.values()].flat()]
    .filter((group) => new Set(group.map(({ name }) => name)).size > 1)
    .map(sumByTime);
  const otherRowsByName = Map.groupBy(
    rows.filter(({ name, count }) => count > 0 && !isArea(name)),
    ({ name }) => name,
  );
  const totals = [...otherRowsByName].flatMap(([name, nameRows]) => {
    const isSum = (sums: ReadonlyMap<string, number>) =>
      nameRows.filter((row) => Math.abs((sums.get(row.time) ?? 0) - row.count) <= RELATIVE_TOLERANCE * row.count)
        .length >=
      LEAST_TIMES_SHARE * nameRows.length;
    return groupSums.some(isSum) ? [name] : [];
  });
  if (totals.length === 0) return { doubts: [] };
  const reason = 'the sum of areas in other rows';
  return {
    leave_out: totals.map((name) => ({ where: { [placeColumnName(place)]: name }, reason })),
    doubts: [`${table.file}: rows of ${firstFew(totals, MAX_EXAMPLES)} are left out: each is ${reason}`],
  };
}
