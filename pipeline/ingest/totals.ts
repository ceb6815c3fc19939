/** Rows that are the sum of others: a district among its facilities, or the total of a table. */

/** The counts of a facility or an area by month. */
export interface MonthlyCounts {
  name: string;
  counts: ReadonlyMap<string | number, number | null>;
}

/** With fewer months, or in fewer of them, numbers may add up by chance. */
const LEAST_MONTHS = 6;
const SHARE_OF_MONTHS = 0.95;
/**
 * A total has more than its parts in months in which one of them did not report. If it never has less, as many months
 * with equal sums of 100 cases or more are enough: chance makes them equal hardly ever.
 */
const LEAST_EQUAL_MONTHS = 6;
/** In fewer cases, chance makes sums equal. */
const LEAST_CASES = 100;
/** Rounding and corrections after the export. */
const TOLERANCE = 0.005;

/**
 * The totals in groups of members: those that are as much as the others together, month by month. Where groups have
 * totals, one of two members with the same counts is one as well: the only part is the sum of the parts.
 * @returns the names of totals, by group
 */
export function findTotals<Group>(groups: ReadonlyMap<Group, readonly MonthlyCounts[]>): Map<Group, string[]> {
  const largeGroups = [...groups].flatMap(([group, members]): [Group, string[]][] => {
    const totals = members.length > 2 ? totalsAmong(members) : [];
    return totals.length > 0 ? [[group, totals]] : [];
  });
  if (largeGroups.length === 0) return new Map();
  const totalNames = new Set(largeGroups.flatMap(([, totals]) => totals));
  const pairs = [...groups].flatMap(([group, members]): [Group, string[]][] => {
    const equalMembers = members.length === 2 ? totalsAmong(members) : [];
    return equalMembers.length > 0
      ? [[group, [equalMembers.find((name) => totalNames.has(name)) ?? equalMembers[0]!]]]
      : [];
  });
  return new Map([...largeGroups, ...pairs]);
}

/** The members that are the sum of all others, or of those that follow or precede them. */
function totalsAmong(members: readonly MonthlyCounts[]): string[] {
  const totals = members.filter((member) => isSum(member, exclude(members, [member]), 1));
  // Of two totals, or where there are some in between, each is half of the others.
  const halfTotals = members.filter((member) => isSum(member, exclude(members, [member]), 2));
  const totalMembers = [...totals, ...halfTotals];
  if (totalMembers.length === 0) return [];
  const otherMembers = exclude(members, totalMembers);
  return [
    ...totalMembers,
    ...otherMembers.filter(
      (_, i) => isSumOfNext(otherMembers.slice(i)) || isSumOfNext(otherMembers.slice(0, i + 1).reverse()),
    ),
  ].map(({ name }) => name);
}

/** Whether the first member is the sum of some that come next. */
const isSumOfNext = ([total, ...parts]: readonly MonthlyCounts[]): boolean =>
  parts.some((_, i) => i > 0 && isSum(total!, parts.slice(0, i + 1), 1));

const exclude = (members: readonly MonthlyCounts[], excluded: readonly MonthlyCounts[]) =>
  members.filter((member) => !excluded.includes(member));

/** Whether the parts, of which two or more have cases unless there is only one, add up to so many times the total. */
function isSum({ counts }: MonthlyCounts, parts: readonly MonthlyCounts[], multiple: number): boolean {
  const partsWithCases = parts.filter((part) => [...part.counts.values()].some((count) => count)).length;
  if (partsWithCases < Math.min(2 * multiple, parts.length)) return false;
  const compared = [...counts].flatMap(([month, count]) => {
    const sum = parts.reduce((total, part) => total + (part.counts.get(month) ?? 0), 0);
    return count === null || count + sum === 0 ? [] : [{ count, excess: multiple * count - sum }];
  });
  const casesIn = (months: typeof compared) => months.reduce((total, { count }) => total + count, 0);
  if (compared.length < LEAST_MONTHS || casesIn(compared) < LEAST_CASES) return false;
  const isNearlyAlways = (condition: (month: (typeof compared)[number]) => boolean) =>
    compared.filter(condition).length >= SHARE_OF_MONTHS * compared.length;
  const equalMonths = compared.filter(({ excess }) => excess === 0);
  return (
    isNearlyAlways(({ count, excess }) => Math.abs(excess) <= TOLERANCE * count) ||
    (isNearlyAlways(({ count, excess }) => excess >= -TOLERANCE * count) &&
      equalMonths.length >= LEAST_EQUAL_MONTHS &&
      casesIn(equalMonths) >= LEAST_CASES * equalMonths.length)
  );
}
