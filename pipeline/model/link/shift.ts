/** Deviations of cases that move the scores of the months after the last survey. */
import { mean } from '../../lib/numerics/averages.ts';
import { enoughForLogs, logCases } from '../../lib/numerics/log-cases.ts';
import type { Panel } from '../forecast/panel.ts';
import { type CarryOver, carryOverOf } from './carry-over.ts';
import { type Deviation, type DeviationSeries, deviationAt, deviationsOf, persistenceOf } from './deviations.ts';
import type { PrevalenceChange } from './elasticity.ts';
import type { SurveyedState } from './surveyed.ts';

/** Deviations of the states with sufficient records, over one span of months. */
export interface RecordedDeviations {
  /** `monthIndex` of the first month. */
  first: number;
  series: Map<string, DeviationSeries>;
}

/**
 * Without states with less than one case a month on average.
 * @param panel panel of states in which months of disrupted reporting are unknown
 */
export function recordedDeviations(panel: Panel): RecordedDeviations {
  const series = new Map<string, DeviationSeries>();
  for (const { code, cases } of panel.areas) {
    const known = cases.filter((value) => !Number.isNaN(value));
    const own = enoughForLogs(known) ? deviationsOf(cases.map(logCases), panel.first) : null;
    if (own) series.set(code, own);
  }
  return { first: panel.first, series };
}

/** Changes of each state from one of its rounds to the next, if the later one has case records; rounds in order. */
export function changesOf(rounds: readonly SurveyedState[], recorded: RecordedDeviations): PrevalenceChange[] {
  return [...Map.groupBy(rounds, ({ state_code }) => state_code).values()].flatMap((own) =>
    own.slice(1).flatMap((later, i): PrevalenceChange[] => {
      const earlier = own[i]!;
      const cases = deviationDuring(later, recorded);
      if (cases === null || later.logit === null || earlier.logit === null) return [];
      return [
        {
          state_code: later.state_code,
          round: later.round,
          prevalence: later.logit - earlier.logit,
          variance: later.variance + earlier.variance,
          cases: cases - (deviationDuring(earlier, recorded) ?? 0),
        },
      ];
    }),
  );
}

/** Mean deviation during a round's fieldwork in its state; null if unknown. */
function deviationDuring({ state_code, first, last }: SurveyedState, recorded: RecordedDeviations): number | null {
  const own = recorded.series.get(state_code);
  if (!own) return null;
  const months = own.smooth.slice(Math.max(0, first - recorded.first), Math.max(0, last - recorded.first + 1));
  const known = months.filter((value) => !Number.isNaN(value));
  return known.length > 0 ? mean(known) : null;
}

export const carryOverBetween = ({ series }: RecordedDeviations): CarryOver =>
  carryOverOf([...series.values()].map(({ smooth }) => smooth));

export interface ShiftedMonth {
  state_code: string;
  month: number;
  basis: 'cases' | 'nation';
  /** Deviation in ln cases. */
  deviation: Deviation;
  /** The state's deviation during the last survey, from whose level the later months start; 0 if unknown. */
  at_survey: number;
}

interface Span {
  states: readonly string[];
  rounds: readonly SurveyedState[];
  /** Last estimated and last forecast month, as `monthIndex`. */
  last_estimated: number;
  last_forecast: number;
}

/**
 * The deviations of the months after each state's last survey: its own if its record reaches the last estimated month,
 * otherwise the part that carries over from the mean of those that do, or else none.
 */
export function shiftsOf(recorded: RecordedDeviations, carried: CarryOver['used'], span: Span): ShiftedMonth[] {
  const { first, series } = recorded;
  const persistence = persistenceOf([...series.values()]);
  const ends = new Map<string, number>();
  for (const [code, { recent }] of series) {
    const end = recent.findLastIndex((value) => !Number.isNaN(value));
    if (end >= span.last_estimated - first) ends.set(code, end);
  }
  const own = (code: string, month: number) =>
    ends.has(code) ? deviationAt(series.get(code)!, persistence, month - first, ends.get(code)!) : null;
  const nation = (month: number): Deviation | null => {
    const known = [...ends.keys()].map((code) => own(code, month)).filter((value) => value !== null);
    if (carried === null || known.length === 0) return null;
    const { slope, sd } = carried;
    const error = slope * mean(known.map((deviation) => deviation.sd));
    return { value: slope * mean(known.map(({ value }) => value)), sd: Math.hypot(sd, error) };
  };
  return span.states.flatMap((state_code) => {
    const last = span.rounds.findLast((round) => round.state_code === state_code);
    if (!last) return [];
    const at_survey = ends.has(state_code) ? (deviationDuring(last, recorded) ?? 0) : 0;
    const months = Array.from({ length: Math.max(0, span.last_forecast - last.last) }, (_, i) => last.last + 1 + i);
    return months.flatMap((month): ShiftedMonth[] => {
      const basis = ends.has(state_code) ? 'cases' : 'nation';
      const deviation = basis === 'cases' ? own(state_code, month) : nation(month);
      return deviation ? [{ state_code, month, basis, deviation, at_survey }] : [];
    });
  });
}
