import { calendarMonth } from '../contract/months.ts';
import type { LgaScore } from '../model/risk/risk-tables.ts';
import type { Truth } from './truth-file.ts';
import { type EstimatedSpan, type Grouping, type LgaGroups, monthGroups } from './truth-groups.ts';
import { addSums, lgaMonthSums, type TruthScore, type TruthSums, truthScore } from './truth-scores.ts';

/** Sums of a set of LGA-months, by grouping and group. */
export type GroupSums = Map<string, { by: Grouping; group: string; sums: TruthSums }>;
/** Accuracy of the scores of a group of LGA-months. */
export interface GroupScore extends TruthScore {
  by: Grouping;
  group: string;
}

/** A country's scores by LGA and month. */
export interface CountryScores {
  lgas: readonly LgaScore[];
  /** The same LGA-months in the same order. */
  baseline: readonly LgaScore[];
  /**
   * Posterior draws of a row of `lgas`, in ascending order; requested by month of the year (1 to 12) first, since all
   * of them do not fit into memory. Null if the model has none.
   */
  draws: ((month: number) => (row: number) => ArrayLike<number>) | null;
  lgaGroups: ReadonlyMap<string, LgaGroups>;
  span: EstimatedSpan;
}

/** Compares every LGA-month with its truth, by group. @throws the error of `truth` if a truth is not known */
export function compareWithTruth({ lgas, baseline, draws, lgaGroups, span }: CountryScores, truth: Truth): GroupSums {
  const groups: GroupSums = new Map();
  for (const [month, rows] of Map.groupBy(lgas.keys(), (i) => calendarMonth(lgas[i]!.period))) {
    const drawsByLga = draws?.(month) ?? null;
    for (const i of rows) {
      const { lga_code, period, score, score_low, score_high } = lgas[i]!;
      const sums = lgaMonthSums({
        truth: truth(lga_code, period),
        score,
        low: score_low,
        high: score_high,
        baseline: baseline[i]!.score,
        draws: drawsByLga?.(i) ?? null,
      });
      for (const [by, group] of monthGroups(period, lgaGroups.get(lga_code)!, span))
        addToGroup(groups, by, group, sums);
    }
  }
  return groups;
}

/** Pools the LGA-months of several countries. */
export function poolGroups(countries: readonly GroupSums[]): GroupSums {
  const pooled: GroupSums = new Map();
  for (const groups of countries)
    for (const { by, group, sums } of groups.values()) addToGroup(pooled, by, group, sums);
  return pooled;
}

function addToGroup(groups: GroupSums, by: Grouping, group: string, sums: TruthSums): void {
  const key = `${by} ${group}`;
  const groupEntry = groups.get(key);
  if (groupEntry) addSums(groupEntry.sums, sums);
  else groups.set(key, { by, group, sums: { ...sums } });
}

/** Scores of each group, to four decimals; groupings in the given order, groups by name. */
export function scoreGroups(groups: GroupSums, order: readonly Grouping[]): GroupScore[] {
  const four = (value: number | null) => (value === null ? null : Number(value.toFixed(4)));
  return [...groups.values()]
    .map(({ by, group, sums }) => {
      const scores = Object.entries(truthScore(sums)).map(([name, value]) => [name, four(value)]);
      return { by, group, ...(Object.fromEntries(scores) as unknown as TruthScore) };
    })
    .sort((a, b) => order.indexOf(a.by) - order.indexOf(b.by) || (a.group < b.group ? -1 : 1));
}
