/**
 * Rows of a table that are the sum of others: of an area among its facilities, of a region or the country among areas.
 */
import type { Source } from '../../catalog/sources.ts';
import { findTotals, type MonthlyCounts } from '../../ingest/totals.ts';
import { firstFew } from '../../lib/first-few.ts';
import { cellsByRow, sumsByRow } from '../columns.ts';
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
  const areas = cellsByRow(table, place.column);
  const facilities = cellsByRow(table, place.facilityColumn!);
  const upperAreas = cellsByRow(table, place.stateColumn ?? place.column);
  const counts = sumsByRow(table, columns);
  const rows = [...counts.keys()].filter((row) => areas[row] !== null && facilities[row] !== null);
  const rowsByArea = Map.groupBy(rows, (row) => `${upperAreas[row]} ${areas[row]}`);
  const groups = new Map(
    [...rowsByArea].map(([key, areaRows]) => [
      key,
      [...Map.groupBy(areaRows, (row) => facilities[row]!)].map(
        ([name, ownRows]): MonthlyCounts => ({
          name,
          counts: new Map(ownRows.map((row) => [times[row]!, counts[row]!])),
        }),
      ),
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
          where: { [placeColumnName(place)]: areas[rowsByArea.get(key)![0]!]!, facility: name },
          reason,
        }));
  });
  const examples = firstFew([...new Set(totals.map(({ name }) => name))], MAX_EXAMPLES);
  const totalsByKey = Map.groupBy(totals, ({ key }) => key);
  // Of the areas that have one total.
  const missing = [...totalsByKey].reduce((sum, [key, [total, ...others]]) => {
    if (others.length > 0) return sum;
    return rowsByArea
      .get(key)!
      .reduce((excess, row) => excess + (facilities[row] === total!.name ? 1 : -1) * counts[row]!, sum);
  }, 0);
  const note = missing > 0 ? `, and they have ${missing} more, in months in which one of these is missing` : '';
  const extent = `${totalsByKey.size} of ${groups.size} areas`;
  return {
    leave_out,
    doubts: [`${table.file}: totals among the rows of ${extent} are left out: ${examples}; each is ${reason}${note}`],
  };
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
  const names = cellsByRow(table, place.column);
  const counts = sumsByRow(table, columns);
  const findCode = level.codeFinder(new Set(names.filter((name) => name !== null)));
  const isArea = (name: string) => (place.codeByName ? findCode(name) !== undefined : level.codes.has(name));
  const rows = names.flatMap((name, i) =>
    name === null ? [] : [{ name, time: time?.times[i] ?? '', count: counts[i]! }],
  );
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
