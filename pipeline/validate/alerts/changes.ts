/** Changes of known size and date, injected into the records of a panel. */
import { mean } from '../../lib/numerics/averages.ts';
import { drawBinomial, drawPoisson } from '../../lib/numerics/distributions.ts';
import type { Random } from '../../lib/numerics/random.ts';
import type { Panel } from '../../model/forecast/panel.ts';

/** Factors by month from the onset on. */
const FACTORS = {
  step2: new Array<number>(6).fill(2),
  step4: new Array<number>(6).fill(4),
  step8: new Array<number>(6).fill(8),
  growth: [2, 4, 8, 16, 8, 4, 2],
  spike: [6],
  fall: new Array<number>(6).fill(0.3),
};
type ScaledKind = keyof typeof FACTORS;
export type ChangeKind = ScaledKind | 'introduction';
const SCALED_KINDS = Object.keys(FACTORS) as ScaledKind[];
/** Cases introduced by month where there are hardly any. */
const INTRODUCED_CASES = [2, 4, 8, 10, 8, 6, 4, 2];
/** Mean cases a month below which cases are introduced, and the mean from which cases may be made to fall. */
const INTRODUCTION_BELOW = 0.25;
const FALL_FROM = 3;

/** What was changed in an area. */
export interface Change {
  kind: ChangeKind;
  /** Months that it lasts. */
  duration_months: number;
}

/**
 * The panel with changes from the month `onset` on in two fifths of its areas, taken at random, all kinds in turn.
 * @returns also the changes by area, null where there is none
 */
export function withChanges(panel: Panel, onset: number, random: Random) {
  const changes: (Change | null)[] = panel.areas.map(() => null);
  const shuffled = panel.areas.map((_, a) => ({ a, at: random.uniform() })).sort((x, y) => x.at - y.at);
  let kindIndex = Math.floor(SCALED_KINDS.length * random.uniform());
  const areas = panel.areas.map((area) => ({ ...area, cases: area.cases.slice() }));
  for (const { a } of shuffled.slice(0, Math.ceil(0.4 * shuffled.length))) {
    const { cases } = areas[a]!;
    const usualCases = mean([...cases.slice(Math.max(0, onset - 24), onset)].filter((value) => !Number.isNaN(value)));
    if (Number.isNaN(usualCases)) continue;
    const nextKind = SCALED_KINDS[kindIndex++ % SCALED_KINDS.length]!;
    const kind =
      usualCases < INTRODUCTION_BELOW
        ? 'introduction'
        : nextKind === 'fall' && usualCases < FALL_FROM
          ? 'step4'
          : nextKind;
    const course = kind === 'introduction' ? INTRODUCED_CASES : FACTORS[kind];
    const originalCases = cases.slice();
    for (const [i, size] of course.entries()) {
      const month = onset + i;
      const count = originalCases[month] ?? Number.NaN;
      if (Number.isNaN(count)) continue;
      // The mean of the month and of its neighbours, so that a month without a case among others rises as well.
      const neighbourMean = mean(
        [...originalCases.slice(month - 1, month + 2)].filter((value) => !Number.isNaN(value)),
      );
      if (kind === 'introduction') cases[month] = count + drawPoisson(random, size);
      else if (size < 1) cases[month] = drawBinomial(random, count, size);
      else cases[month] = count + drawPoisson(random, ((size - 1) * (count + neighbourMean)) / 2);
    }
    changes[a] = { kind, duration_months: course.length };
  }
  return { panel: { ...panel, areas }, changes };
}
