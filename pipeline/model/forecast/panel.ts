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
  origins: { first_forecast: number; first_scored: number };
}

/** Months of data before the first forecasts are made, and before they are scored, when a year of errors is known. */
export const MONTHS_BEFORE_FORECASTS = 12;
const MONTHS_BEFORE_SCORES = 25;
/** Months by which long state records start before those by LGA, and additional months before their first forecasts. */
const LONG_LEAD_MONTHS = 24;
const LONG_EXTRA_MONTHS = 12;

interface CaseInputs {
  areas: Areas;
  cases: Cases;
  census: Census;
  disrupted: readonly { first: Period; last: Period }[];
}

/**
 * The panels of a country: its LGAs; its states, as sums of their LGAs (unknown if any LGA is unknown) or, without
 * records by LGA, their own records; and the long ones among these.
 */
export function buildPanels(inputs: CaseInputs): Panel[] {
  const lgas = inputs.cases.lgas.map((series) => ({ ...toAreaSeries(series), code: series.lga_code! }));
  const byState = Map.groupBy(lgas, ({ state_code }) => state_code);
  const stateSums = [...byState].map(([state_code, stateLgas]) => ({
    ...sumSeries(stateLgas),
    state_code,
    code: state_code,
  }));
  const stateRecords = inputs.cases.states
    .filter(({ state_code }) => !byState.has(state_code))
    .map((series) => ({ ...toAreaSeries(series), code: series.state_code }));
  const states = [...stateSums, ...stateRecords].sort((a, b) => (a.code < b.code ? -1 : 1));
  const firstMonth = earliestMonth(lgas.length > 0 ? lgas : states);
  const longRecords = stateRecords.filter(({ first }) => first <= firstMonth - LONG_LEAD_MONTHS);
  return [
    createPanel('lga', lgas, inputs, firstMonth),
    createPanel('state', states, inputs, firstMonth),
    createPanel('long', longRecords, inputs, earliestMonth(longRecords) + LONG_EXTRA_MONTHS),
  ].filter(({ areas }) => areas.length > 0);
}

interface AreaSeries {
  code: string;
  state_code: string;
  first: number;
  cases: (number | null)[];
}

const earliestMonth = (seriesList: readonly { first: number }[]) => Math.min(...seriesList.map(({ first }) => first));

function toAreaSeries({ state_code, first, confirmed, masked }: CaseSeries): Omit<AreaSeries, 'code'> {
  const maskedMonths = new Set(masked);
  return {
    state_code,
    first: monthIndex(first),
    cases: confirmed.map((value, i) => (maskedMonths.has(i) ? null : value)),
  };
}

/** The sum of several records, unknown in months that are not in all of them. */
function sumSeries(seriesList: readonly Omit<AreaSeries, 'code'>[]): Pick<AreaSeries, 'first' | 'cases'> {
  const first = Math.max(...seriesList.map((series) => series.first));
  const end = Math.max(...seriesList.map((series) => series.first + series.cases.length));
  const cases = Array.from({ length: Math.max(0, end - first) }, (_, i) => {
    const values = seriesList.map((series) => series.cases[first + i - series.first] ?? null);
    const knownValues = values.filter((value) => value !== null);
    return knownValues.length < values.length ? null : knownValues.reduce((sum, value) => sum + value, 0);
  });
  return { first, cases };
}

/** @param firstMonth first month of the records, from which the origins are counted */
function createPanel(
  level: AreaLevel,
  seriesList: readonly AreaSeries[],
  { areas, census, disrupted }: CaseInputs,
  firstMonth: number,
): Panel {
  const first = earliestMonth(seriesList);
  const months = Math.max(...seriesList.map((series) => series.first + series.cases.length)) - first;
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
    areas: seriesList.map(({ code, state_code, first: from, cases }) => {
      const byMonth = new Float64Array(months).fill(Number.NaN);
      for (const [i, value] of cases.entries()) if (value !== null) byMonth[from - first + i] = value;
      return { code, state_code, people: peopleIn(code), cases: byMonth };
    }),
    disrupted: Array.from({ length: months }, (_, t) => disruptedMonths.some(([a, b]) => t >= a! && t <= b!)),
    origins: {
      first_forecast: firstMonth - first + MONTHS_BEFORE_FORECASTS - 1,
      first_scored: firstMonth - first + MONTHS_BEFORE_SCORES - 1,
    },
  };
}

/** The panel as recorded by the end of the month `origin`, which is all the data for a forecast from there. */
export function panelUpTo(panel: Panel, origin: number): Panel {
  const months = origin + 1;
  return {
    ...panel,
    months,
    areas: panel.areas.map((area) => ({ ...area, cases: area.cases.slice(0, months) })),
    disrupted: panel.disrupted.slice(0, months),
  };
}

/** The panel with disrupted months set to unknown. */
export function hideDisrupted(panel: Panel): Panel {
  const hide = (cases: Float64Array) => cases.map((value, t) => (panel.disrupted[t] ? Number.NaN : value));
  return { ...panel, areas: panel.areas.map((area) => ({ ...area, cases: hide(area.cases) })) };
}
