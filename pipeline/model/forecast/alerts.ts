/** Alerts (MODEL.md, section 7): areas that report unusually many or few cases, and areas that are about to. */
import { mean } from '../../lib/numerics/averages.ts';
import { caseModel } from './case-model.ts';
import { percentIndex, SHARES } from './forecast-scores.ts';
import { type Panel, seenAt, TRIED_AFTER, withoutDisrupted } from './panel.ts';
import type { Forecast } from './past-errors.ts';

export const ALERT_CLASSES = ['none', 'watch', 'alert', 'fall'] as const;
export type AlertClass = (typeof ALERT_CLASSES)[number];

/** Probabilities of so many cases or more, or of so few or fewer, below which a month is unusual. */
export const UNUSUAL = { alert: 0.05, watch: 0.1, fall: 0.05 };
/** Probabilities of exceeding the usual upper limit from which the next month is warned of. */
export const LIKELY = { alert: 0.5, watch: 0.25 };
/** Cases a year below which a single one is an alert. */
const FEW_A_YEAR = 3;
/** The months judged are the last of the records: a change that began before them is part of the usual. */
export const JUDGED = 12;
const YEAR = 12;
/** Months from which it is learned whether cases are few. */
const RECENT = 24;
/** Quantiles of the usual: its limits, and the quarter that a month has to leave for an alert to go on. */
const [LOW, LOWER, UPPER, HIGH] = [5, 25, 75, 95].map(percentIndex) as [number, number, number, number];

/** A probability with its class. `since` is the month from which the class has lasted; null for none. */
export interface Signal {
  probability: number | null;
  class: AlertClass;
  since: number | null;
}
/** An area in a month, counted from the panel's first. */
export interface JudgedMonth {
  month: number;
  /** null if unknown */
  cases: number | null;
  /** Whether so few cases are usual that a single one is an alert. */
  few: boolean;
  usual: { low: number; middle: number; high: number };
  /** Of this month. */
  detection: Signal;
  /** Of the next month. */
  warning: Signal;
}

const NONE: Signal = { probability: null, class: 'none', since: null };

/** P(K ≥ k) and P(K ≤ k) from the 99 quantiles, to the nearest .01 between .005 and .995. */
export const chanceOfMore = (quantiles: Float64Array, cases: number): number => chance(quantiles, (q) => q >= cases);
export const chanceOfFewer = (quantiles: Float64Array, cases: number): number => chance(quantiles, (q) => q <= cases);
const chance = (quantiles: Float64Array, isCounted: (q: number) => boolean) =>
  (quantiles.filter(isCounted).length + 0.5) / (SHARES.length + 1);

/** What is known of a month before its cases are. */
interface Expectation {
  /** Forecast from the month before. */
  next: Float64Array;
  /** The same without the months in alert or fall. */
  nextUsual: Float64Array;
  /** Forecast from a year before, without these months. */
  usual: Float64Array;
  few: boolean;
}

/**
 * The class of a month by its cases. An alert or a fall is held until cases are back among the nearer three quarters
 * of what was to be expected without it, by one of the two forecasts that leave it out.
 */
export function detect(was: AlertClass, cases: number, { next, nextUsual, usual, few }: Expectation) {
  const probability = chanceOfMore(next, cases);
  const isMany = (limit: number) => (few ? cases >= 1 : cases >= 2 && probability < limit);
  const isHigh = cases > Math.max(usual[UPPER]!, nextUsual[UPPER]!);
  if (isMany(UNUSUAL.alert) || (was === 'alert' && isHigh)) return { probability, class: 'alert' as const };
  const isLow = cases < Math.min(usual[LOWER]!, nextUsual[LOWER]!);
  if (chanceOfFewer(next, cases) < UNUSUAL.fall || (was === 'fall' && isLow))
    return { probability, class: 'fall' as const };
  return { probability, class: isMany(UNUSUAL.watch) ? ('watch' as const) : ('none' as const) };
}

/** The class of the coming month by its forecast and the usual. */
export function warn(next: Float64Array, usual: Float64Array) {
  const probability = chanceOfMore(next, usual[HIGH]! + 1);
  const { alert, watch } = LIKELY;
  const likely: AlertClass = probability >= alert ? 'alert' : probability >= watch ? 'watch' : 'none';
  return { probability, class: likely };
}

/** A signal with the month from which its class has lasted. */
const lasting = (was: Signal, now: Omit<Signal, 'since'>, month: number): Signal => ({
  ...now,
  since: now.class === 'none' ? null : now.class === was.class ? was.since : month,
});

/** Whether fewer than three cases a year are usual, by the known months of the last two years. */
function isFew(cases: Float64Array): boolean {
  const known = cases.slice(-RECENT).filter((value) => !Number.isNaN(value));
  return known.length > 0 && mean(known) * YEAR < FEW_A_YEAR;
}

/**
 * The last twelve months of each area as they were judged when they became known. Each is compared with forecasts from
 * the months before it; months in alert or fall are unknown to those that give the usual. Hyperparameters are fitted
 * once, to the records before the months judged.
 * @returns by area; without months if the records are shorter than two years
 */
export function judgeMonths(panel: Panel, onProgress: (share: number) => void = () => {}): JudgedMonth[][] {
  const { areas, months } = panel;
  const judged: JudgedMonth[][] = areas.map(() => []);
  const first = Math.max(TRIED_AFTER - 1, months - 1 - JUDGED - YEAR);
  const begin = first + YEAR;
  const fitted = caseModel([1]);
  fitted.forecast(seenAt(panel, first));
  const hyperparameters = fitted.hyperparameters();
  if (begin >= months || hyperparameters === null) return judged;
  const whole = caseModel([1], hyperparameters);
  const usual = caseModel([1, YEAR], hyperparameters);
  const records = withoutDisrupted(panel).areas.map(({ cases }) => cases);
  const left = { ...panel, areas: areas.map((area) => ({ ...area, cases: area.cases.slice() })) };
  const years: Forecast[] = [];
  let [next, nextUsual]: Forecast[] = [];
  for (let month = first; month < months; month++) {
    onProgress((month - first) / (months - first));
    if (month >= begin)
      for (const [a, list] of judged.entries()) {
        const expected = {
          next: next![a]![0]!,
          nextUsual: nextUsual![a]![0]!,
          usual: years[month - begin]![a]![1]!,
          few: isFew(left.areas[a]!.cases.slice(0, month)),
        };
        const { detection: was = NONE, warning = NONE } = list.at(-1) ?? {};
        const cases = records[a]![month]!;
        const now = Number.isNaN(cases) ? { ...was, probability: null } : detect(was.class, cases, expected);
        const detection = lasting(was, now, month);
        if (now.class === 'alert' || now.class === 'fall') left.areas[a]!.cases[month] = Number.NaN;
        const { few, usual: q } = expected;
        list.push({
          month,
          cases: Number.isNaN(cases) ? null : cases,
          few,
          usual: { low: q[LOW]!, middle: q[percentIndex(50)]!, high: q[HIGH]! },
          detection,
          warning,
        });
      }
    if (month >= begin - 1) next = whole.forecast(seenAt(panel, month));
    nextUsual = usual.forecast(seenAt(left, month));
    years.push(nextUsual);
    if (month >= begin)
      for (const [a, list] of judged.entries()) {
        const today = list.at(-1)!;
        today.warning = lasting(today.warning, warn(next![a]![0]!, years[month - begin + 1]![a]![1]!), month);
      }
  }
  return judged;
}
