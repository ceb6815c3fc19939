/** Rows that are the sum of others: a district among its facilities, or the total of a table. */

/** The counts of a facility or an area by month. */
export interface Member {
  name: string;
  counts: ReadonlyMap<string | number, number | null>;
}

/** With fewer months, or in fewer of them, numbers may add up by chance. */
const LEAST_MONTHS = 6;
const IN_MONTHS = 0.95;
/** In fewer cases, too. */
const LEAST_CASES = 100;
/** Rounding and corrections after the export. */
const TOLERANCE = 0.005;

/**
 * The totals in groups of members: those that are as much as the others together, month by month. Where groups have
 * totals, one of two members with the same counts is one as well: the only part is the sum of the parts.
 * @returns the names of totals, by group
 */
export function findTotals<Group>(groups: ReadonlyMap<Group, readonly Member[]>): Map<Group, string[]> {
  const several = [...groups].flatMap(([group, members]): [Group, string[]][] => {
    const totals = members.length > 2 ? totalsAmong(members) : [];
    return totals.length > 0 ? [[group, totals]] : [];
  });
  if (several.length === 0) return new Map();
  const names = new Set(several.flatMap(([, totals]) => totals));
  const pairs = [...groups].flatMap(([group, members]): [Group, string[]][] => {
    const same = members.length === 2 ? totalsAmong(members) : [];
    return same.length > 0 ? [[group, [same.find((name) => names.has(name)) ?? same[0]!]]] : [];
  });
  return new Map([...several, ...pairs]);
}

/** The members that are the sum of all others, or of those that follow or precede them. */
function totalsAmong(members: readonly Member[]): string[] {
  const totals = members.filter((member) => addUp(member, without(members, [member]), 1));
  // Of two totals, or where there are some in between, each is half of the others.
  const halves = members.filter((member) => addUp(member, without(members, [member]), 2));
  const whole = [...totals, ...halves];
  if (whole.length === 0) return [];
  const rest = without(members, whole);
  return [...whole, ...rest.filter((_, i) => isBlock(rest.slice(i)) || isBlock(rest.slice(0, i + 1).reverse()))].map(
    ({ name }) => name,
  );
}

/** Whether the first member is the sum of some that come next. */
const isBlock = ([first, ...others]: readonly Member[]): boolean =>
  others.some((_, i) => i > 0 && addUp(first!, others.slice(0, i + 1), 1));

const without = (members: readonly Member[], some: readonly Member[]) =>
  members.filter((member) => !some.includes(member));

/** Whether the parts, of which two or more have cases unless there is only one, add up to so many times the total. */
function addUp({ counts }: Member, parts: readonly Member[], times: number): boolean {
  const positive = parts.filter((part) => [...part.counts.values()].some((count) => count)).length;
  if (positive < Math.min(2 * times, parts.length)) return false;
  const compared = [...counts].flatMap(([month, count]) => {
    const sum = parts.reduce((total, part) => total + (part.counts.get(month) ?? 0), 0);
    return count === null || count + sum === 0 ? [] : [{ count, apart: Math.abs(sum - times * count) }];
  });
  const equal = compared.filter(({ count, apart }) => apart <= TOLERANCE * count).length;
  return (
    compared.length >= LEAST_MONTHS &&
    compared.reduce((total, { count }) => total + count, 0) >= LEAST_CASES &&
    equal >= IN_MONTHS * compared.length
  );
}
