/** Rows of a table by facility that are the sum of an area's other rows, which would be counted twice. */
import type { Source } from '../../catalog/sources.ts';
import { findTotals, type Member } from '../../ingest/totals.ts';
import { firstFew } from '../../lib/first-few.ts';
import { type PlaceKey, placeColumnName, type TimeKey } from './draft-keys.ts';
import type { TableFile } from './recognise.ts';

const EXAMPLES = 3;

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
    [...cellsOf].map(([key, { members }]) => [key, [...members].map(([name, counts]): Member => ({ name, counts }))]),
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
