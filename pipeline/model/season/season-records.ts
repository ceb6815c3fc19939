import type { Model } from '../../catalog/model.ts';
import { calendarMonth, monthFromIndex, monthIndex, type Period } from '../../contract/months.ts';
import type { ReportLine } from '../../engine/stage.ts';
import type { CaseSeries, Cases } from '../../ingest/case-series.ts';
import { type CaseMonths, caseSeason, sumReportingLgas } from './case-season.ts';

/** A state's recorded season, from its own series if there is one, else from the sum of its LGAs'; null if unknown. */
export function stateSeason(state_code: string, cases: Cases, model: Model, report: ReportLine[]): number[] | null {
  const series = stateCases(state_code, cases);
  if (!series) return null;
  const season = seasonFromMonths(series.first, series.cases, model);
  if (!season)
    report.push({
      source: 'season',
      rule: 'record left out',
      what: `${state_code}: too few months with most of its cases reported, or too few cases, to determine a season`,
    });
  return season;
}

/** A state's own series, else the sum of its LGAs' (`sumReportingLgas`); null without any. */
export function stateCases(state_code: string, cases: Cases) {
  const inState = (series: CaseSeries) => series.state_code === state_code;
  const stateSeries = cases.states.find(inState);
  if (stateSeries) return { first: stateSeries.first, cases: casesWithoutMasked(stateSeries) };
  const lgas = cases.lgas.filter(inState);
  return lgas.length === 0 ? null : sumStateLgas(lgas);
}

/** The season of monthly cases that start in `first`, without the country's unusual months. */
export const seasonFromMonths = (...months: Parameters<typeof toCaseMonths>): number[] | null =>
  caseSeason(toCaseMonths(...months));

/** Monthly cases that start in `first`, with the country's unusual months. */
export function toCaseMonths(first: CaseSeries['first'], cases: readonly (number | null)[], model: Model): CaseMonths {
  const firstMonth = monthIndex(first);
  const unusualMonths = new Set(
    model.parameters.season.masked.flatMap((span) =>
      Array.from(
        { length: monthIndex(span.last) - monthIndex(span.first) + 1 },
        (_, i) => monthIndex(span.first) + i - firstMonth,
      ),
    ),
  );
  return { first_month: calendarMonth(first) - 1, cases, unusualMonths };
}

/** Confirmed cases by month, null in masked months. */
export const casesWithoutMasked = ({ confirmed, masked }: CaseSeries) =>
  confirmed.map((value, t) => (masked.includes(t) ? null : value));

/**
 * The sum over LGAs, from the month by which half of their records have started to the last month that all records
 * cover. An LGA that started to report later does not count as reporting throughout.
 */
function sumStateLgas(lgas: readonly CaseSeries[]): { first: Period; cases: (number | null)[] } {
  const firstMonths = lgas.map((lga) => monthIndex(lga.first));
  const firstMonth = firstMonths.toSorted((a, b) => a - b)[Math.ceil(lgas.length / 2) - 1]!;
  const end = Math.min(...lgas.map(({ confirmed }, i) => firstMonths[i]! + confirmed.length));
  const series = lgas.map(({ confirmed }, i) =>
    Array.from({ length: end - firstMonth }, (_, t) => confirmed[firstMonth + t - firstMonths[i]!] ?? null),
  );
  return { first: monthFromIndex(firstMonth), cases: sumReportingLgas(series) };
}
