/** Alerts (MODEL.md, section 11): areas that report unusually many or few cases, and areas that are about to. */
import { mean } from '../../lib/numerics/averages.ts';
import { type CaseModel, caseModel } from './case-model.ts';
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
export const JUDGED = 24;
const YEAR = 12;
/** Months ahead of the forecasts with which months are compared; of those before the last year only every third is made. */
const AHEAD = [1, 2, 3];
/** Months ahead of the usual, and months between the origins of these forecasts. */
const YEAR_AHEAD = [9, 10, 11, 12];
const USUAL_EVERY = YEAR_AHEAD.length;
/** Months from which it is learned whether cases are few. */
const RECENT = 24;
/** Months after its first in which an outer quarter of the usual holds an alert; then the usual's limits do. */
const HELD_EASILY = 3;
/** Ratio of cases to the usual, of both plus 1, that an alert has to keep. */
const WELL_OFF = 1.5;
/** Quantiles of the usual: its limits and quarters. */
const [LOW, LOWER, MIDDLE, UPPER, HIGH] = [5, 25, 50, 75, 95].map(percentIndex) as [
  number,
  number,
  number,
  number,
  number,
];

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
  /** Forecast from a year before, without the months in alert or fall. */
  usual: Float64Array;
  few: boolean;
}

/**
 * The class of a month by its cases. If the month is not unusual by itself, an alert or a fall is held while cases are
 * in the outer quarter of the usual, and well off its median; from the fifth month on, while they are beyond its limits.
 * @param lasted months since the first one of the class
 */
export function detect(was: AlertClass, lasted: number, cases: number, { next, usual, few }: Expectation) {
  const probability = chanceOfMore(next, cases);
  const isMany = (limit: number) => (few ? cases >= 1 : cases >= 2 && probability < limit);
  const result = (name: AlertClass) => ({ probability, class: name });
  if (isMany(UNUSUAL.alert)) return result('alert');
  if (chanceOfFewer(next, cases) < UNUSUAL.fall) return result('fall');
  const [low, high] = lasted <= HELD_EASILY ? [LOWER, UPPER] : [LOW, HIGH];
  const ratio = (cases + 1) / (usual[MIDDLE]! + 1);
  if (was === 'alert' && cases > usual[high]! && ratio >= WELL_OFF) return result('alert');
  if (was === 'fall' && cases < usual[low]! && ratio <= 1 / WELL_OFF) return result('fall');
  return result(isMany(UNUSUAL.watch) ? 'watch' : 'none');
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
 * The last two years of each area, judged month by month as they became known. Months in alert or fall are unknown to
 * the forecasts that give the usual, which are made 9 to 12 months ahead, every fourth month. Hyperparameters are
 * fitted once, to the records before the months judged.
 * @returns by area; without months if the records are too short: 27 months at least are needed
 */
export function judgeMonths(panel: Panel, onProgress: (share: number) => void = () => {}): JudgedMonth[][] {
  const { areas, months } = panel;
  const judged: JudgedMonth[][] = areas.map(() => []);
  const count = Math.min(JUDGED, USUAL_EVERY * Math.floor((months - YEAR - TRIED_AFTER + 1) / USUAL_EVERY));
  const begin = months - count;
  if (count <= 0) return judged;
  const fitted = caseModel([1]);
  fitted.forecast(seenAt(panel, begin - 1));
  const hyperparameters = fitted.hyperparameters();
  if (hyperparameters === null) return judged;
  const [ahead, yearAhead] = [AHEAD, YEAR_AHEAD].map((horizons) => caseModel(horizons, hyperparameters)) as [
    CaseModel,
    CaseModel,
  ];
  const records = withoutDisrupted(panel).areas.map(({ cases }) => cases);
  const left = { ...panel, areas: areas.map((area) => ({ ...area, cases: area.cases.slice() })) };
  let next = { origin: 0, forecast: [] as Forecast };
  const usual: Forecast = areas.map(() => []);
  for (let month = begin - YEAR; month < months; month++) {
    onProgress((month - begin + YEAR) / (months - begin + YEAR));
    const isJudged = month >= begin;
    if (isJudged)
      for (const [a, list] of judged.entries()) {
        const expected = {
          next: next.forecast[a]![month - next.origin - 1]!,
          usual: usual[a]![month]!,
          few: isFew(left.areas[a]!.cases.slice(0, month)),
        };
        const today = judge(list.at(-1), { month, cases: records[a]![month]! }, expected);
        if (today.detection.class === 'alert' || today.detection.class === 'fall')
          left.areas[a]!.cases[month] = Number.NaN;
        list.push(today);
      }
    const isOrigin = month >= months - YEAR - 1 || (month - begin + 1) % AHEAD.length === 0;
    if (month >= begin - 1 && isOrigin) next = { origin: month, forecast: ahead.forecast(seenAt(panel, month)) };
    if ((months - YEAR - month) % USUAL_EVERY === 0 && month + YEAR <= months)
      for (const [a, forecast] of yearAhead.forecast(seenAt(left, month)).entries())
        for (const [h, horizon] of YEAR_AHEAD.entries()) usual[a]![month + horizon] = forecast[h]!;
    if (isJudged)
      for (const [a, list] of judged.entries()) {
        const today = list.at(-1)!;
        const coming = next.forecast[a]![month - next.origin]!;
        today.warning = lasting(today.warning, warn(coming, usual[a]![month + 1]!), month);
      }
  }
  return judged;
}

/** @param before the area's month before, if it was judged */
function judge(
  before: JudgedMonth | undefined,
  { month, cases }: { month: number; cases: number },
  expected: Expectation,
): JudgedMonth {
  const { detection: was, warning } = before ?? { detection: NONE, warning: NONE };
  const isUnknown = Number.isNaN(cases);
  const lasted = month - (was.since ?? month);
  const now = isUnknown ? { ...was, probability: null } : detect(was.class, lasted, cases, expected);
  const { few, usual: q } = expected;
  return {
    month,
    cases: isUnknown ? null : cases,
    few,
    usual: { low: q[LOW]!, middle: q[MIDDLE]!, high: q[HIGH]! },
    detection: lasting(was, now, month),
    warning,
  };
}
