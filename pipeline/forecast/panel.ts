/** Logarithms of monthly cases of areas of one level, side by side. */
import type { Areas, Census } from '../artifacts.ts';
import type { CaseSeries, Cases } from '../case-series.ts';
import { monthIndex, type Period } from '../contract/months.ts';
import type { AreaLevel } from './tables.ts';

export interface Area {
  code: string;
  state_code: string;
  /** null where the census has no row. */
  people: number | null;
  /** ln of cases by month from the panel's first; NaN is unknown. */
  y: Float64Array;
}
export interface Panel {
  level: AreaLevel;
  /** `monthIndex` of the first month. */
  first: number;
  months: number;
  areas: Area[];
  /** By month: reporting was disrupted, so the months say nothing of malaria. */
  disrupted: boolean[];
  /** Months, counted from `first`: the first forecast for its errors alone, and the first whose forecasts are scored. */
  origins: { tried: number; scored: number };
}

/** What forecasts need before they are scored, in months of data: a year for errors of their own, and two. */
const TRIED_AFTER = 12;
const SCORED_AFTER = 25;
/** State records are long if they begin so many months before those by LGA. They can spare a year more. */
const LONG_LEAD = 24;
const LONG_MORE = 12;

interface Records {
  areas: Areas;
  cases: Cases;
  census: Census;
  disrupted: readonly { first: Period; last: Period }[];
}

/**
 * The panels of a country: its LGAs; its states, as sums of their LGAs (unknown where one is) or, without records by
 * LGA, their own records; and the long ones among these. A month with 0 cases has no logarithm and is unknown.
 */
export function panelsOf(records: Records): Panel[] {
  const lgas = records.cases.lgas.map((series) => ({ ...spanOf(series), code: series.lga_code! }));
  const byState = Map.groupBy(lgas, ({ state_code }) => state_code);
  const sums = [...byState].map(([state_code, list]) => ({ ...sumOf(list), state_code, code: state_code }));
  const own = records.cases.states
    .filter(({ state_code }) => !byState.has(state_code))
    .map((series) => ({ ...spanOf(series), code: series.state_code }));
  const states = [...sums, ...own].sort((a, b) => (a.code < b.code ? -1 : 1));
  const begin = firstOf(lgas.length > 0 ? lgas : states);
  const long = own.filter(({ first }) => first <= begin - LONG_LEAD);
  return [
    panel('lga', lgas, records, begin),
    panel('state', states, records, begin),
    panel('long', long, records, firstOf(long) + LONG_MORE),
  ].filter(({ areas }) => areas.length > 0);
}

interface Span {
  code: string;
  state_code: string;
  first: number;
  cases: (number | null)[];
}

const firstOf = (spans: readonly { first: number }[]) => Math.min(...spans.map(({ first }) => first));

function spanOf({ state_code, first, confirmed, masked }: CaseSeries): Omit<Span, 'code'> {
  const hidden = new Set(masked);
  return { state_code, first: monthIndex(first), cases: confirmed.map((value, i) => (hidden.has(i) ? null : value)) };
}

/** The sum of several records over the months that all of them cover. */
function sumOf(spans: readonly Omit<Span, 'code'>[]): Pick<Span, 'first' | 'cases'> {
  const first = Math.max(...spans.map((span) => span.first));
  const end = Math.min(...spans.map((span) => span.first + span.cases.length));
  const cases = Array.from({ length: Math.max(0, end - first) }, (_, i) => {
    const values = spans.map((span) => span.cases[first + i - span.first]!);
    const known = values.filter((value) => value !== null);
    return known.length < values.length ? null : known.reduce((sum, value) => sum + value, 0);
  });
  return { first, cases };
}

/** @param begin the month in which the records begin that the origins are counted from */
function panel(level: AreaLevel, spans: readonly Span[], { areas, census, disrupted }: Records, begin: number): Panel {
  const first = firstOf(spans);
  const months = Math.max(...spans.map((span) => span.first + span.cases.length)) - first;
  const peopleOf = (code: string) => {
    const lgas = areas.lgas.filter((lga) => lga.lga_code === code || lga.state_code === code);
    const people = lgas.reduce((sum, { lga_code }) => sum + (census[lga_code]?.people ?? 0), 0);
    return people > 0 ? people : null;
  };
  const disruptedMonths = disrupted.map((span) => [monthIndex(span.first) - first, monthIndex(span.last) - first]);
  return {
    level,
    first,
    months,
    areas: spans.map(({ code, state_code, first: from, cases }) => {
      const y = new Float64Array(months).fill(Number.NaN);
      for (const [i, value] of cases.entries()) if (value !== null && value > 0) y[from - first + i] = Math.log(value);
      return { code, state_code, people: peopleOf(code), y };
    }),
    disrupted: Array.from({ length: months }, (_, t) => disruptedMonths.some(([a, b]) => t >= a! && t <= b!)),
    origins: { tried: begin - first + TRIED_AFTER - 1, scored: begin - first + SCORED_AFTER - 1 },
  };
}

/** A panel without its months before `first`, counted from its own first. */
export function fromMonth(panel: Panel, first: number): Panel {
  return {
    ...panel,
    first: panel.first + first,
    months: panel.months - first,
    areas: panel.areas.map((area) => ({ ...area, y: area.y.slice(first) })),
    disrupted: panel.disrupted.slice(first),
    origins: { tried: panel.origins.tried - first, scored: panel.origins.scored - first },
  };
}

/** What was known at the end of the month `origin`: all that a forecast from there is given. */
export function seenAt(whole: Panel, origin: number): Panel {
  const months = origin + 1;
  return {
    ...whole,
    months,
    areas: whole.areas.map((area) => ({ ...area, y: area.y.slice(0, months) })),
    disrupted: whole.disrupted.slice(0, months),
  };
}

/** The panel with its disrupted months unknown. */
export function withoutDisrupted(panel: Panel): Panel {
  const hide = (y: Float64Array) => y.map((value, t) => (panel.disrupted[t] ? Number.NaN : value));
  return { ...panel, areas: panel.areas.map((area) => ({ ...area, y: hide(area.y) })) };
}
