/** Totals of forecast cases over months and states, from joint draws: the sum of quantiles is no quantile of a sum. */
import { addMonths, type Period } from '../../contract/months.ts';
import { selectQuantiles } from '../../lib/numerics/selection.ts';
import type { TableRow } from '../../lib/tables/table.ts';
import type { TABLES } from './table-columns.ts';

export type Forecast = TableRow<(typeof TABLES)['forecasts_cases']>;
type Row = TableRow<(typeof TABLES)['forecasts_totals']>;

/** The draws of an area by month, in the order of the months; draws of one number belong together. */
export interface AreaDraws {
  area: Forecast['area'];
  code: string;
  /** The first of the months. */
  first: Period;
  months: Float64Array[];
  /** Mean of its last twelve known months, of which an index is made. */
  base: number;
}

/** The mean of which an index is made. In an area without a case in a year, 100 is one case a year. */
export const indexBase = (meanCases: number): number => meanCases || 1 / 12;

/** Sums of draws of one number. */
const addDraws = (summands: readonly Float64Array[]): Float64Array =>
  summands[0]!.map((_, i) => summands.reduce((sum, draws) => sum + draws[i]!, 0));

/**
 * Every span of months of every area, and of all states with records together. A month by itself is as in the
 * forecasts, from which its draws' quantiles may differ by rounding.
 */
export function totalsTable(
  { rows, draws: areas }: { rows: readonly Forecast[]; draws: readonly AreaDraws[] },
  cases_in: Row['cases_in'],
): Row[] {
  const forecastByKey = new Map(rows.map((row) => [`${row.area} ${row.code} ${row.period}`, row]));
  const states = areas.filter(({ area }) => area === 'state');
  const nation = states.slice(0, 1).map(({ first, months }) => ({
    area: 'nation' as const,
    code: null,
    first,
    months: months.map((_, h) => addDraws(states.map((state) => state.months[h]!))),
    base: states.reduce((sum, { base }) => sum + base, 0),
  }));
  return [...nation, ...areas].flatMap(({ area, code, first, months, base }) =>
    months.flatMap((_, start) =>
      months.slice(start).map((_month, more) => {
        const period = addMonths(first, start);
        const forecast = more === 0 ? forecastByKey.get(`${area} ${code} ${period}`) : undefined;
        const quantiles = forecast
          ? [forecast.q05, forecast.q25, forecast.q50, forecast.q75, forecast.q95]
          : selectQuantiles(addDraws(months.slice(start, start + more + 1)), [0.05, 0.25, 0.5, 0.75, 0.95]);
        const [q05, q25, q50, q75, q95] = Array.from(quantiles, (value) =>
          Math.round(cases_in === 'cases' ? value : (100 * value) / base),
        ) as [number, number, number, number, number];
        return { area, code, period, months: more + 1, cases_in, q05, q25, q50, q75, q95 };
      }),
    ),
  );
}
