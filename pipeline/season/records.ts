import type { ReportLine } from '../artifacts.ts';
import type { CaseSeries, Cases } from '../case-series.ts';
import type { Model } from '../catalog/model.ts';
import { monthIndex, monthOf } from '../contract/months.ts';
import { caseSeason, sumReporting } from './case-season.ts';

/** Season of a state's records: its own series if there is one, else the sum of its LGAs'; null if neither gives one. */
export function recordedSeason(state_code: string, cases: Cases, model: Model, report: ReportLine[]): number[] | null {
  const inState = (series: CaseSeries) => series.state_code === state_code;
  const own = cases.states.find(inState);
  const lgas = cases.lgas.filter(inState);
  if (!own && lgas.length === 0) return null;
  const series = own
    ? { first: own.first, cases: withoutMasked(own) }
    : { first: lgas[0]!.first, cases: sumOfLgas(state_code, lgas) };
  const found = series.cases && seasonOf(series.first, series.cases, model);
  if (!found)
    report.push({
      source: 'season',
      rule: 'record left out',
      what: `${state_code}: too few months reported throughout to tell a season`,
    });
  return found;
}

/** The season of monthly cases from `first` on, without the country's unusual months. */
export function seasonOf(first: CaseSeries['first'], cases: readonly (number | null)[], model: Model): number[] | null {
  const start = monthIndex(first);
  const unusual = new Set(
    model.parameters.season.masked.flatMap((span) =>
      Array.from(
        { length: monthIndex(span.last) - monthIndex(span.first) + 1 },
        (_, i) => monthIndex(span.first) + i - start,
      ),
    ),
  );
  return caseSeason({ first_month: monthOf(first) - 1, cases, unusual });
}

export const withoutMasked = ({ confirmed, masked }: CaseSeries) =>
  confirmed.map((value, t) => (masked.includes(t) ? null : value));

/** @throws Error if the LGAs' series differ in span */
function sumOfLgas(state_code: string, lgas: readonly CaseSeries[]): number[] | null {
  const span = ({ first, confirmed }: CaseSeries) => `${confirmed.length} months from ${first}`;
  const other = lgas.find((lga) => span(lga) !== span(lgas[0]!));
  if (other)
    throw new Error(`cases of ${state_code}: found ${span(other)} of ${other.lga_code}, expected ${span(lgas[0]!)}`);
  return sumReporting(lgas.map((lga) => lga.confirmed));
}
