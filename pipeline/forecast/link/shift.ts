/** From deviations of cases to what moves the scores of the months after the last survey. */
import { mean } from '../../numerics/averages.ts';
import type { Panel } from '../panel.ts';
import { type CarryOver, carryOverOf } from './carry-over.ts';
import { type Deviation, type DeviationCourse, deviationAt, deviationsOf, lastingOf } from './deviations.ts';
import type { Change } from './elasticity.ts';
import type { SurveyedState } from './surveyed.ts';

/** States whose records say what is usual, over one span of months. */
export interface Recorded {
  /** `monthIndex` of the first month. */
  first: number;
  courses: Map<string, DeviationCourse>;
}

/** @param panel of states; months of disrupted reporting are unknown in it */
export function recordedOf(panel: Panel): Recorded {
  const courses = new Map<string, DeviationCourse>();
  for (const { code, y } of panel.areas) {
    const course = deviationsOf(y, panel.first);
    if (course) courses.set(code, course);
  }
  return { first: panel.first, courses };
}

/** Each state from one of its rounds to the next where the later one has case records; rounds in order. */
export function changesOf(rounds: readonly SurveyedState[], recorded: Recorded): Change[] {
  return [...Map.groupBy(rounds, ({ state_code }) => state_code).values()].flatMap((own) =>
    own.slice(1).flatMap((later, i): Change[] => {
      const earlier = own[i]!;
      const cases = deviationDuring(later, recorded);
      if (cases === null || later.logit === null || earlier.logit === null) return [];
      return [
        {
          ...{ state_code: later.state_code, round: later.round, prevalence: later.logit - earlier.logit },
          variance: later.variance + earlier.variance,
          cases: cases - (deviationDuring(earlier, recorded) ?? 0),
        },
      ];
    }),
  );
}

/** Mean deviation over a round's fieldwork in its state; null where the record says nothing of it. */
function deviationDuring({ state_code, first, last }: SurveyedState, recorded: Recorded): number | null {
  const course = recorded.courses.get(state_code);
  if (!course) return null;
  const months = course.smooth.slice(Math.max(0, first - recorded.first), Math.max(0, last - recorded.first + 1));
  const known = months.filter((value) => !Number.isNaN(value));
  return known.length > 0 ? mean(known) : null;
}

export const carryOverBetween = ({ courses }: Recorded): CarryOver =>
  carryOverOf([...courses.values()].map(({ smooth }) => smooth));

export interface ShiftedMonth {
  state_code: string;
  month: number;
  basis: 'cases' | 'nation';
  /** ln cases. */
  deviation: Deviation;
  /** The state's deviation during the last survey, whose level the later months start from; 0 where unknown. */
  at_survey: number;
}

interface Span {
  states: readonly string[];
  rounds: readonly SurveyedState[];
  /** `monthIndex` of the last estimated month, and of the last forecast one. */
  last_estimated: number;
  last_forecast: number;
}

/**
 * The deviations of the months after each state's last survey: its own where its record reaches the last estimated
 * month, else what carries over from the mean of those that do, if anything; else none.
 */
export function shiftsOf(recorded: Recorded, carried: CarryOver['used'], span: Span): ShiftedMonth[] {
  const { first, courses } = recorded;
  const lasting = lastingOf([...courses.values()]);
  const ends = new Map<string, number>();
  for (const [code, { recent }] of courses) {
    const end = recent.findLastIndex((value) => !Number.isNaN(value));
    if (end >= span.last_estimated - first) ends.set(code, end);
  }
  const own = (code: string, month: number) =>
    ends.has(code) ? deviationAt(courses.get(code)!, lasting, month - first, ends.get(code)!) : null;
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
