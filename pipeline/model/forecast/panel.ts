/** Panels of the monthly cases of areas of one level. */
import { monthIndex, type Period } from '../../contract/months.ts';
import type { CaseSeries, Cases } from '../../ingest/case-series.ts';
import type { Areas, Census } from '../../ingest/ingest-tables.ts';
import type { AreaLevel } from './forecast-tables.ts';

export interface Area {
  code: string;
  state_code: string;
  /** null if the census has no row. */
  people: number | null;
  /** By month from the panel's first; NaN if unknown. A month without a case is known. */
  cases: Float64Array;
}
export interface Panel {
  level: AreaLevel;
  /** `monthIndex` of the first month. */
  first: number;
  months: number;
  areas: Area[];
  /** By month: whether reporting was disrupted, so that the month is uninformative about malaria. */
  disrupted: boolean[];
  /** Origins, counted from `first`: the first whose errors are used, and the first whose forecasts are scored. */
  origins: { tried: number; scored: number };
}

/** Months of data before the first forecasts are made, and before they are scored, when a year of errors is known. */
export const TRIED_AFTER = 12;
const SCORED_AFTER = 25;
/** Months by which long state records start before those by LGA, and additional months before their first forecasts. */
const LONG_LEAD = 24;
const LONG_MORE = 12;

interface Records {
  areas: Areas;
  cases: Cases;
  census: Census;
  disrupted: readonly { first: Period; last: Period }[];
}

/**
 * The panels of a country: its LGAs; its states, as sums of their LGAs (unknown if any LGA is unknown) or, without
 * records by LGA, their own records; and the long ones among these.
 */
export function buildPanels(records: Records): Panel[] {
  const lgas = records.cases.lgas.map((series) => ({ ...seriesSpan(series), code: series.lga_code! }));
  const byState = Map.groupBy(lgas, ({ state_code }) => state_code);
  const sums = [...byState].map(([state_code, list]) => ({ ...sumSpans(list), state_code, code: state_code }));
  const stateRecords = records.cases.states
    .filter(({ state_code }) => !byState.has(state_code))
    .map((series) => ({ ...seriesSpan(series), code: series.state_code }));
  const states = [...sums, ...stateRecords].sort((a, b) => (a.code < b.code ? -1 : 1));
  const begin = earliest(lgas.length > 0 ? lgas : states);
  const long = stateRecords.filter(({ first }) => first <= begin - LONG_LEAD);
  return [
    panel('lga', lgas, records, begin),
    panel('state', states, records, begin),
    panel('long', long, records, earliest(long) + LONG_MORE),
  ].filter(({ areas }) => areas.length > 0);
}

interface Span {
  code: string;
  state_code: string;
  first: number;
  cases: (number | null)[];
}

const earliest = (spans: readonly { first: number }[]) => Math.min(...spans.map(({ first }) => first));

function seriesSpan({ state_code, first, confirmed, masked }: CaseSeries): Omit<Span, 'code'> {
  const hidden = new Set(masked);
  return { state_code, first: monthIndex(first), cases: confirmed.map((value, i) => (hidden.has(i) ? null : value)) };
}

/** The sum of several records over the months covered by all of them. */
function sumSpans(spans: readonly Omit<Span, 'code'>[]): Pick<Span, 'first' | 'cases'> {
  const first = Math.max(...spans.map((span) => span.first));
  const end = Math.min(...spans.map((span) => span.first + span.cases.length));
  const cases = Array.from({ length: Math.max(0, end - first) }, (_, i) => {
    const values = spans.map((span) => span.cases[first + i - span.first]!);
    const reported = values.filter((value) => value !== null);
    return reported.length < values.length ? null : reported.reduce((sum, value) => sum + value, 0);
  });
  return { first, cases };
}

/** @param begin first month of the records, from which the origins are counted */
function panel(level: AreaLevel, spans: readonly Span[], { areas, census, disrupted }: Records, begin: number): Panel {
  const first = earliest(spans);
  const months = Math.max(...spans.map((span) => span.first + span.cases.length)) - first;
  const peopleIn = (code: string) => {
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
      const byMonth = new Float64Array(months).fill(Number.NaN);
      for (const [i, value] of cases.entries()) if (value !== null) byMonth[from - first + i] = value;
      return { code, state_code, people: peopleIn(code), cases: byMonth };
    }),
    disrupted: Array.from({ length: months }, (_, t) => disruptedMonths.some(([a, b]) => t >= a! && t <= b!)),
    origins: { tried: begin - first + TRIED_AFTER - 1, scored: begin - first + SCORED_AFTER - 1 },
  };
}

/** A panel without its first `first` months. */
export function fromMonth(panel: Panel, first: number): Panel {
  return {
    ...panel,
    first: panel.first + first,
    months: panel.months - first,
    areas: panel.areas.map((area) => ({ ...area, cases: area.cases.slice(first) })),
    disrupted: panel.disrupted.slice(first),
    origins: { tried: panel.origins.tried - first, scored: panel.origins.scored - first },
  };
}

/** The panel as recorded by the end of the month `origin`, which is all the data for a forecast from there. */
export function seenAt(panel: Panel, origin: number): Panel {
  const months = origin + 1;
  return {
    ...panel,
    months,
    areas: panel.areas.map((area) => ({ ...area, cases: area.cases.slice(0, months) })),
    disrupted: panel.disrupted.slice(0, months),
  };
}

/** The panel with disrupted months set to unknown. */
export function withoutDisrupted(panel: Panel): Panel {
  const hide = (cases: Float64Array) => cases.map((value, t) => (panel.disrupted[t] ? Number.NaN : value));
  return { ...panel, areas: panel.areas.map((area) => ({ ...area, cases: hide(area.cases) })) };
}
