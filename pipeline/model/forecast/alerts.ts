/** Alerts (MODEL.md, section 11): areas that report unusually many or few cases, and areas that are about to. */
import { mean } from '../../lib/numerics/averages.ts';
import { type CaseModel, caseModel } from './case-model.ts';
import { percentIndex, QUANTILE_LEVELS } from './forecast-scores.ts';
import { hideDisrupted, MONTHS_BEFORE_FORECASTS, type Panel, panelUpTo } from './panel.ts';
import type { Forecast } from './past-errors.ts';

export const ALERT_CLASSES = ['none', 'watch', 'alert', 'fall'] as const;
export type AlertClass = (typeof ALERT_CLASSES)[number];

/** Probabilities of so many cases or more, or of so few or fewer, below which a month is unusual. */
export const UNUSUAL_PROBABILITY = { alert: 0.05, watch: 0.1, fall: 0.05 };
/** Probabilities of exceeding the usual upper limit from which the next month is warned of. */
export const WARNING_PROBABILITY = { alert: 0.5, watch: 0.25 };
/** Cases a year below which a single one is an alert. */
const FEW_CASES_PER_YEAR = 3;
/** The months judged are the last of the records: a change that began before them is part of the usual. */
export const JUDGED_MONTHS = 24;
const MONTHS_PER_YEAR = 12;
/** Months ahead of the forecasts with which months are compared; of those before the last year only every third is made. */
const SHORT_HORIZONS = [1, 2, 3];
/** Months ahead of the usual, and months between the origins of these forecasts. */
const USUAL_HORIZONS = [9, 10, 11, 12];
const USUAL_ORIGIN_MONTHS = USUAL_HORIZONS.length;
/** Months from which it is learned whether cases are few. */
const RECENT_MONTHS = 24;
/** Months after its first in which an outer quarter of the usual holds an alert; then the usual's limits do. */
const EASY_HOLD_MONTHS = 3;
/** Ratio of cases to the usual, of both plus 1, that an alert has to keep. */
const HOLD_RATIO = 1.5;
/** Quantiles of the usual: its limits and quarters. */
const [Q05, Q25, Q50, Q75, Q95] = [5, 25, 50, 75, 95].map(percentIndex) as [number, number, number, number, number];

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
  hasFewCases: boolean;
  usual: { low: number; middle: number; high: number };
  /** Of this month. */
  detection: Signal;
  /** Of the next month. */
  warning: Signal;
}

const NO_SIGNAL: Signal = { probability: null, class: 'none', since: null };

/** P(K ≥ k) and P(K ≤ k) from the 99 quantiles, to the nearest .01 between .005 and .995. */
export const chanceOfMore = (quantiles: Float64Array, cases: number): number =>
  exceedanceChance(quantiles, (q) => q >= cases);
export const chanceOfFewer = (quantiles: Float64Array, cases: number): number =>
  exceedanceChance(quantiles, (q) => q <= cases);
const exceedanceChance = (quantiles: Float64Array, isCounted: (q: number) => boolean) =>
  (quantiles.filter(isCounted).length + 0.5) / (QUANTILE_LEVELS.length + 1);

/** What is known of a month before its cases are. */
interface Expectation {
  /** Forecast from the month before. */
  forecast: Float64Array;
  /** Forecast from a year before, without the months in alert or fall. */
  usual: Float64Array;
  hasFewCases: boolean;
}

/**
 * The class of a month by its cases. If the month is not unusual by itself, an alert or a fall is held while cases are
 * in the outer quarter of the usual, and well off its median; from the fifth month on, while they are beyond its limits.
 * @param monthsSinceStart months since the first one of the class
 */
export function classifyDetection(
  previousClass: AlertClass,
  monthsSinceStart: number,
  cases: number,
  { forecast, usual, hasFewCases }: Expectation,
) {
  const probability = chanceOfMore(forecast, cases);
  const isMany = (limit: number) => (hasFewCases ? cases >= 1 : cases >= 2 && probability < limit);
  const result = (alertClass: AlertClass) => ({ probability, class: alertClass });
  if (isMany(UNUSUAL_PROBABILITY.alert)) return result('alert');
  if (chanceOfFewer(forecast, cases) < UNUSUAL_PROBABILITY.fall) return result('fall');
  const [low, high] = monthsSinceStart <= EASY_HOLD_MONTHS ? [Q25, Q75] : [Q05, Q95];
  const ratio = (cases + 1) / (usual[Q50]! + 1);
  if (previousClass === 'alert' && cases > usual[high]! && ratio >= HOLD_RATIO) return result('alert');
  if (previousClass === 'fall' && cases < usual[low]! && ratio <= 1 / HOLD_RATIO) return result('fall');
  return result(isMany(UNUSUAL_PROBABILITY.watch) ? 'watch' : 'none');
}

/** The class of the coming month by its forecast and the usual. */
export function classifyWarning(forecast: Float64Array, usual: Float64Array) {
  const probability = chanceOfMore(forecast, usual[Q95]! + 1);
  const { alert, watch } = WARNING_PROBABILITY;
  const alertClass: AlertClass = probability >= alert ? 'alert' : probability >= watch ? 'watch' : 'none';
  return { probability, class: alertClass };
}

/** A signal with the month from which its class has lasted. */
const withSince = (previous: Signal, current: Omit<Signal, 'since'>, month: number): Signal => ({
  ...current,
  since: current.class === 'none' ? null : current.class === previous.class ? previous.since : month,
});

/** Whether fewer than three cases a year are usual, by the known months of the last two years. */
function areCasesFew(cases: Float64Array): boolean {
  const knownMonths = cases.slice(-RECENT_MONTHS).filter((value) => !Number.isNaN(value));
  return knownMonths.length > 0 && mean(knownMonths) * MONTHS_PER_YEAR < FEW_CASES_PER_YEAR;
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
  const judgedCount = Math.min(
    JUDGED_MONTHS,
    USUAL_ORIGIN_MONTHS * Math.floor((months - MONTHS_PER_YEAR - MONTHS_BEFORE_FORECASTS + 1) / USUAL_ORIGIN_MONTHS),
  );
  const firstJudged = months - judgedCount;
  if (judgedCount <= 0) return judged;
  const firstModel = caseModel([1]);
  firstModel.forecast(panelUpTo(panel, firstJudged - 1));
  const hyperparameters = firstModel.hyperparameters();
  if (hyperparameters === null) return judged;
  const [aheadModel, usualModel] = [SHORT_HORIZONS, USUAL_HORIZONS].map((horizons) =>
    caseModel(horizons, hyperparameters),
  ) as [CaseModel, CaseModel];
  const recordedCases = hideDisrupted(panel).areas.map(({ cases }) => cases);
  const withoutUnusual = { ...panel, areas: areas.map((area) => ({ ...area, cases: area.cases.slice() })) };
  let latest = { origin: 0, forecast: [] as Forecast };
  const usual: Forecast = areas.map(() => []);
  for (let month = firstJudged - MONTHS_PER_YEAR; month < months; month++) {
    onProgress((month - firstJudged + MONTHS_PER_YEAR) / (months - firstJudged + MONTHS_PER_YEAR));
    const isJudged = month >= firstJudged;
    if (isJudged)
      for (const [a, areaMonths] of judged.entries()) {
        const expectation = {
          forecast: latest.forecast[a]![month - latest.origin - 1]!,
          usual: usual[a]![month]!,
          hasFewCases: areCasesFew(withoutUnusual.areas[a]!.cases.slice(0, month)),
        };
        const judgedMonth = judgeMonth(areaMonths.at(-1), { month, cases: recordedCases[a]![month]! }, expectation);
        if (judgedMonth.detection.class === 'alert' || judgedMonth.detection.class === 'fall')
          withoutUnusual.areas[a]!.cases[month] = Number.NaN;
        areaMonths.push(judgedMonth);
      }
    const isOrigin = month >= months - MONTHS_PER_YEAR - 1 || (month - firstJudged + 1) % SHORT_HORIZONS.length === 0;
    if (month >= firstJudged - 1 && isOrigin)
      latest = { origin: month, forecast: aheadModel.forecast(panelUpTo(panel, month)) };
    if ((months - MONTHS_PER_YEAR - month) % USUAL_ORIGIN_MONTHS === 0 && month + MONTHS_PER_YEAR <= months)
      for (const [a, forecast] of usualModel.forecast(panelUpTo(withoutUnusual, month)).entries())
        for (const [horizonIndex, horizon] of USUAL_HORIZONS.entries())
          usual[a]![month + horizon] = forecast[horizonIndex]!;
    if (isJudged)
      for (const [a, areaMonths] of judged.entries()) {
        const judgedMonth = areaMonths.at(-1)!;
        const nextQuantiles = latest.forecast[a]![month - latest.origin]!;
        judgedMonth.warning = withSince(
          judgedMonth.warning,
          classifyWarning(nextQuantiles, usual[a]![month + 1]!),
          month,
        );
      }
  }
  return judged;
}

/** @param previousMonth the area's month before, if it was judged */
function judgeMonth(
  previousMonth: JudgedMonth | undefined,
  { month, cases }: { month: number; cases: number },
  expectation: Expectation,
): JudgedMonth {
  const { detection: previousDetection, warning } = previousMonth ?? { detection: NO_SIGNAL, warning: NO_SIGNAL };
  const isUnknown = Number.isNaN(cases);
  const monthsSinceStart = month - (previousDetection.since ?? month);
  const detection = isUnknown
    ? { ...previousDetection, probability: null }
    : classifyDetection(previousDetection.class, monthsSinceStart, cases, expectation);
  const { hasFewCases, usual: usualQuantiles } = expectation;
  return {
    month,
    cases: isUnknown ? null : cases,
    hasFewCases,
    usual: { low: usualQuantiles[Q05]!, middle: usualQuantiles[Q50]!, high: usualQuantiles[Q95]! },
    detection: withSince(previousDetection, detection, month),
    warning,
  };
}
