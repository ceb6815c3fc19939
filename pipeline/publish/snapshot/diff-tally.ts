import type { Model } from '../../catalog/model.ts';
import type { Period } from '../../contract/months.ts';
import type * as schemas from '../../contract/schemas.ts';

/** From when on a change counts, and how much of it `--gate` lets pass: `parameters.diff` of model.json. */
export type Thresholds = Model['parameters']['diff'];

/** How the scores of a set of areas and months differ, B − A. */
export interface Tally {
  compared: number;
  /** Scores that changed by more than `score_change`. */
  moved: number;
  /** Areas and months in another level. */
  flipped: number;
  /** Ranges that no longer overlap. */
  disjoint: number;
  mean_change: number;
  mean_absolute_change: number;
  largest_change: number;
}

export type Risk = Pick<schemas.LgaRisk, 'score' | 'score_low' | 'score_high' | 'level'>;
/** One area and month in both snapshots. */
export interface Pair {
  state_code: string;
  lga_code: string;
  period: Period;
  a: Risk;
  b: Risk;
}

/** Counts and means of the changes. */
export function tallyOf(pairs: readonly Pair[], thresholds: Thresholds | null): Tally {
  const changes = pairs.map(({ a, b }) => b.score - a.score);
  const count = (test: (pair: Pair) => boolean) => pairs.reduce((n, pair) => n + (test(pair) ? 1 : 0), 0);
  const mean = (values: readonly number[]) =>
    values.length === 0 ? 0 : round(values.reduce((sum, value) => sum + value, 0) / values.length);
  return {
    compared: pairs.length,
    moved: count(({ a, b }) => round(Math.abs(b.score - a.score)) > (thresholds?.score_change ?? 0)),
    flipped: count(({ a, b }) => a.level !== b.level),
    disjoint: count(({ a, b }) => a.score_high < b.score_low || b.score_high < a.score_low),
    mean_change: mean(changes),
    mean_absolute_change: mean(changes.map(Math.abs)),
    largest_change: round(changes.reduce((most, change) => (Math.abs(change) > Math.abs(most) ? change : most), 0)),
  };
}

/** Differences of rounded scores, without what binary fractions leave behind. */
export const round = (value: number) => Number(value.toFixed(6)) + 0;

/** How often each level became another, most often first. */
export function levelsFlipped(pairs: readonly Pair[]): { from: string; to: string; count: number }[] {
  const counts = new Map<string, number>();
  for (const { a, b } of pairs) {
    if (a.level === b.level) continue;
    const key = `${a.level} ${b.level}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return [...counts]
    .sort(([x, m], [y, n]) => n - m || (x < y ? -1 : 1))
    .map(([key, count]) => ({ from: key.split(' ')[0]!, to: key.split(' ')[1]!, count }));
}

/** What is over its threshold, in words. */
export function overThresholds(all: Tally, thresholds: Thresholds, gone: readonly string[]): string[] {
  const percent = (share: number) => `${Number((100 * share).toFixed(2))}%`;
  const rules = [
    ['moved', thresholds.max_moved_share, `scores moved by more than ${thresholds.score_change}`],
    ['flipped', thresholds.max_flipped_share, 'levels flipped'],
    ['disjoint', thresholds.max_disjoint_share, 'ranges no longer overlap'],
  ] as const;
  const over = rules.flatMap(([field, most, what]) => {
    const share = all.compared === 0 ? 0 : all[field] / all.compared;
    return share > most ? [`${percent(share)} of ${what}, at most ${percent(most)} expected`] : [];
  });
  if (all.compared === 0) over.push('no month that both estimate or both forecast');
  if (gone.length > 0) over.push(`${gone.length} LGAs are gone: ${gone.slice(0, 5).join(', ')}`);
  return over;
}
