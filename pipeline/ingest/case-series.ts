import type { Period } from '../contract/months.ts';
import type { CasesRow } from './ingest-tables.ts';

/** Monthly confirmed cases of one area: a value per month from `first`, null if nothing was reported. */
export interface CaseSeries {
  state_code: string;
  lga_code: string | null;
  first: Period;
  confirmed: (number | null)[];
  /** Months to leave out of fits, by index into `confirmed`. */
  masked: number[];
}
/** Records by state (for the transmission model) and by LGA (for the season's check). */
export interface Cases {
  states: CaseSeries[];
  lgas: CaseSeries[];
}

/** Groups rows, which are in order of month, into one series per area. */
export function groupCases(rows: readonly CasesRow[]): Cases {
  const series = [...Map.groupBy(rows, ({ state_code, lga_code }) => lga_code ?? state_code).values()].map(
    (months): CaseSeries => ({
      state_code: months[0]!.state_code,
      lga_code: months[0]!.lga_code,
      first: months[0]!.period,
      confirmed: months.map(({ confirmed }) => confirmed),
      masked: months.flatMap(({ masked }, i) => (masked ? [i] : [])),
    }),
  );
  return {
    states: series.filter(({ lga_code }) => lga_code === null),
    lgas: series.filter(({ lga_code }) => lga_code !== null),
  };
}
