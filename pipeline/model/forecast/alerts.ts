/** Alerts (MODEL.md, section 10): areas that report unusually many or few cases, and areas that are about to. */
import { mean } from '../../lib/numerics/averages.ts';
import { type CaseModel, caseModel } from './case-model.ts';
import { percentIndex, QUANTILE_LEVELS } from './forecast-scores.ts';
import { hideDisrupted, MONTHS_BEFORE_FORECASTS, type Panel, panelUpTo } from './panel.ts';
import type { Forecast } from './past-errors.ts';

export const ALERT_CLASSES = ['none', 'watch', 'alert', 'fall'] as const;
export type AlertClass = (typeof ALERT_CLASSES)[number];

/** Share of a state's areas in alert by themselves from which a rise is widespread. */
const WIDESPREAD_SHARE = 1 / 3;
/** Areas of a state that are needed to tell whether a rise is widespread. */
const WIDESPREAD_AREAS = 5;
/**
 * Probabilities of so many cases or more, by the forecast from the month before and by the usual, of unusual months.
 */
export const RISE_PROBABILITY = {
  alert: { forecast: 0.06, usual: 0.15 },
  widespread: { forecast: 1 / 3, usual: 1 / 3 },
  watch: { forecast: 0.1, usual: 0.25 },
};
/**
 * Probabilities of so few cases or fewer, by the forecast from the month before and by the usual, of a fall: the end of
 * an outbreak is none.
 */
export const FALL_PROBABILITY = { forecast: 0.05, usual: 0.25 };
/** Probabilities of exceeding the usual upper limit from which the next month is warned of. */
export const WARNING_PROBABILITY = { alert: 0.5, watch: 0.25 };
/** Cases a year below which a single one is an alert. */
const FEW_CASES_PER_YEAR = 3;
/** The months judged are the last of the records: a change that began before them is part of the usual. */
export const JUDGED_MONTHS = 24;
const MONTHS_PER_YEAR = 12;
/**
 * Months ahead of the forecasts with which months are compared; of those before the last year only every third is made.
 */
const SHORT_HORIZONS = [1, 2, 3];
/** Months ahead of the usual, and months between the origins of these forecasts. */
const USUAL_HORIZONS = [9, 10, 11, 12];
const USUAL_ORIGIN_MONTHS = USUAL_HORIZONS.length;
/** Months without a report, one after the other, after which nothing is held any longer. */
const SILENT_MONTHS = 3;
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
  /** Whether so many areas of the state are in alert by themselves that less is needed for one. */
  isWidespread: boolean;
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

type RiseLimits = (typeof RISE_PROBABILITY)['alert'];
const isUnusual = (cases: number, { forecast, usual, hasFewCases }: Expectation, limits: RiseLimits): boolean =>
  hasFewCases
    ? cases >= 1
    : cases >= 2 && chanceOfMore(forecast, cases) < limits.forecast && chanceOfMore(usual, cases) < limits.usual;

/**
 * The class of a month by its cases. It is unusual if it is so by the forecast from the month before and by the usual:
 * cases that return to the usual after a low month are no rise, and after an outbreak no fall. In a month that is not
 * unusual by itself, an alert or a fall is held while cases are in the outer quarter of the usual, and well off its
 * median; from the fifth month on, while they are beyond its limits.
 * @param monthsSinceStart months since the first one of the class
 */
export function classifyDetection(
  previousClass: AlertClass,
  monthsSinceStart: number,
  cases: number,
  expectation: Expectation,
  isWidespread: boolean,
) {
  const { forecast, usual } = expectation;
  const probability = chanceOfMore(forecast, cases);
  const result = (alertClass: AlertClass) => ({ probability, class: alertClass });
  if (isUnusual(cases, expectation, isWidespread ? RISE_PROBABILITY.widespread : RISE_PROBABILITY.alert))
    return result('alert');
  const isFall =
    chanceOfFewer(forecast, cases) < FALL_PROBABILITY.forecast && chanceOfFewer(usual, cases) < FALL_PROBABILITY.usual;
  if (isFall) return result('fall');
  const [low, high] = monthsSinceStart <= EASY_HOLD_MONTHS ? [Q25, Q75] : [Q05, Q95];
  const ratio = (cases + 1) / (usual[Q50]! + 1);
  if (previousClass === 'alert' && cases > usual[high]! && ratio >= HOLD_RATIO) return result('alert');
  if (previousClass === 'fall' && cases < usual[low]! && ratio <= 1 / HOLD_RATIO) return result('fall');
  return result(isUnusual(cases, expectation, RISE_PROBABILITY.watch) ? 'watch' : 'none');
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

/** By area: whether a rise is widespread among the areas of its state; states are compared with all others. */
function findWidespread({ level, areas }: Panel, month: number, expectations: readonly Expectation[]): boolean[] {
  const casesIn = (a: number) => areas[a]!.cases[month]!;
  const groups = areas.map(({ state_code }) => (level === 'lga' ? state_code : ''));
  const comparable = [...areas.keys()].filter((a) => !Number.isNaN(casesIn(a)) && !expectations[a]!.hasFewCases);
  const widespreadGroups = new Map(
    [...Map.groupBy(comparable, (a) => groups[a]!)].map(([group, members]) => {
      const rises = members.map((a) => isUnusual(casesIn(a), expectations[a]!, RISE_PROBABILITY.alert));
      return [group, rises.length >= WIDESPREAD_AREAS && mean(rises.map(Number)) >= WIDESPREAD_SHARE];
    }),
  );
  return groups.map((group) => widespreadGroups.get(group) ?? false);
}

/**
 * The last two years of each area, judged month by month as they became known. Months in alert or fall are unknown to
 * the forecasts that give the usual, which are made 9 to 12 months ahead, every fourth month. Hyperparameters are
 * fitted once, to the records before the months judged.
 * @returns by area; without months if the records are too short: 27 months at least are needed, from the first that is
 *   known of an area
 */
export function judgeMonths(panel: Panel, onProgress: (share: number) => void = () => {}): JudgedMonth[][] {
  const { areas, months } = panel;
  const judged: JudgedMonth[][] = areas.map(() => []);
  const recorded = hideDisrupted(panel);
  const isKnown = (month: number) => recorded.areas.some(({ cases }) => !Number.isNaN(cases[month]));
  const firstKnown = Array.from({ length: months }, (_, month) => isKnown(month)).indexOf(true);
  const monthsBefore = firstKnown + MONTHS_PER_YEAR + MONTHS_BEFORE_FORECASTS - 1;
  const judgedCount = Math.min(
    JUDGED_MONTHS,
    USUAL_ORIGIN_MONTHS * Math.floor((months - monthsBefore) / USUAL_ORIGIN_MONTHS),
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
  const withoutUnusual = { ...panel, areas: areas.map((area) => ({ ...area, cases: area.cases.slice() })) };
  let latest = { origin: 0, forecast: [] as Forecast };
  const usual: Forecast = areas.map(() => []);
  for (let month = firstJudged - MONTHS_PER_YEAR; month < months; month++) {
    onProgress((month - firstJudged + MONTHS_PER_YEAR) / (months - firstJudged + MONTHS_PER_YEAR));
    const isJudged = month >= firstJudged;
    if (isJudged) {
      const expectations = areas.map((_, a) => ({
        forecast: latest.forecast[a]![month - latest.origin - 1]!,
        usual: usual[a]![month]!,
        hasFewCases: areCasesFew(withoutUnusual.areas[a]!.cases.slice(0, month)),
      }));
      const widespread = findWidespread(recorded, month, expectations);
      for (const [a, areaMonths] of judged.entries()) {
        const { cases } = recorded.areas[a]!;
        const isSilent = cases.subarray(month + 1 - SILENT_MONTHS, month + 1).every((k) => Number.isNaN(k));
        const record = { month, cases: cases[month]!, isSilent };
        const judgedMonth = judgeMonth(areaMonths.at(-1), record, expectations[a]!, widespread[a]!);
        if (judgedMonth.detection.class === 'alert' || judgedMonth.detection.class === 'fall')
          withoutUnusual.areas[a]!.cases[month] = Number.NaN;
        areaMonths.push(judgedMonth);
      }
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
  { month, cases, isSilent }: { month: number; cases: number; isSilent: boolean },
  expectation: Expectation,
  isWidespread: boolean,
): JudgedMonth {
  const { detection: previousDetection, warning } = previousMonth ?? { detection: NO_SIGNAL, warning: NO_SIGNAL };
  const isUnknown = Number.isNaN(cases);
  const monthsSinceStart = month - (previousDetection.since ?? month);
  const heldDetection = isSilent ? NO_SIGNAL : { ...previousDetection, probability: null };
  const detection = isUnknown
    ? heldDetection
    : classifyDetection(previousDetection.class, monthsSinceStart, cases, expectation, isWidespread);
  const { hasFewCases, usual: usualQuantiles } = expectation;
  return {
    month,
    cases: isUnknown ? null : cases,
    hasFewCases,
    isWidespread,
    usual: { low: usualQuantiles[Q05]!, middle: usualQuantiles[Q50]!, high: usualQuantiles[Q95]! },
    detection: withSince(previousDetection, detection, month),
    warning,
  };
}
