/** Areas that were divided after their outlines were drawn, so that tables have rows of new places. */
import type { Source } from '../catalog/sources.ts';
import { isPeriod, monthFromIndex, monthIndex, type Period } from '../contract/months.ts';
import type { PlaceMatch } from './places-by-code.ts';
import type { RawRow } from './readers/raw-table.ts';

/** A year before and after the division, so that the season makes no difference. */
const COMPARED_MONTHS = 12;
/** The level of an area and its new part together may change by this much, ln; that of the area alone must change more. */
const LARGEST_CHANGE = 0.3;
const LEAST_FALL = 0.1;

/**
 * The area of which a place without outlines seems to be a part, and since when: the area's counts fall when those of
 * the place begin, and together they go on as before. Null if no area does so.
 */
export function findDividedArea(
  placeRows: readonly RawRow[],
  matches: readonly PlaceMatch[],
  { role, columns = {} }: Pick<Source, 'role' | 'columns'>,
): { code: string; from: Period } | null {
  if (!/^cases_/.test(role) || columns.facility !== undefined) return null;
  const place = countsByMonth(placeRows);
  const start = Math.min(...place.keys());
  if (!Number.isFinite(start)) return null;
  const mean = (counts: ReadonlyMap<number, number>, first: number) => {
    const values = Array.from({ length: COMPARED_MONTHS }, (_, i) => counts.get(first + i)).filter(
      (n) => n !== undefined,
    );
    return values.length === 0 ? Number.NaN : values.reduce((a, b) => a + b) / values.length;
  };
  const falls = matches.flatMap(({ area: matchedArea, alias, rows }) => {
    if (!matchedArea || alias) return [];
    const area = countsByMonth(rows);
    const [before, after] = [mean(area, start - COMPARED_MONTHS), mean(area, start)];
    const [alone, together] = [after, after + mean(place, start)].map((level) => Math.log(level / before)) as [
      number,
      number,
    ];
    const fall = Math.abs(alone) - Math.abs(together);
    return alone < -LEAST_FALL && Math.abs(together) < LARGEST_CHANGE && fall > LEAST_FALL
      ? [{ code: matchedArea.code, fall }]
      : [];
  });
  const [best] = falls.sort((a, b) => b.fall - a.fall);
  return best ? { code: best.code, from: monthFromIndex(start) } : null;
}

function countsByMonth(rows: readonly RawRow[]): Map<number, number> {
  return new Map(
    rows.flatMap((row): [number, number][] => {
      const month = row.monthText;
      const count = row.values.confirmed;
      return month && isPeriod(month) && count != null ? [[monthIndex(month), Number(count)]] : [];
    }),
  );
}
