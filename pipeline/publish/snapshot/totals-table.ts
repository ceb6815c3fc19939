/** Totals of forecast cases over months and states, from joint draws: the sum of quantiles is no quantile of a sum. */
import { addMonths, type Period } from '../../contract/months.ts';
import { selectQuantiles } from '../../lib/numerics/selection.ts';
import type { Database } from '../../lib/tables/duckdb.ts';
import type { TableRow } from '../../lib/tables/table.ts';
import type { AREAS } from '../../model/forecast/alerts-tables.ts';
import { type Stretch, scaleDraws } from '../../model/forecast/recalibration.ts';
import type { STRETCH } from '../../validate/backtest/backtest-tables.ts';
import type { TABLES } from './table-columns.ts';

type Forecast = TableRow<(typeof TABLES)['forecasts_cases']>;
type Row = TableRow<(typeof TABLES)['forecasts_totals']>;

/** The draws of an area by month, in the order of the months; draws of one number belong together. */
export interface AreaDraws {
  area: Forecast['area'];
  code: string;
  last_cases: Period;
  months: Float64Array[];
  /** Mean of its last twelve known months, of which an index is made. */
  base: number;
}

export type Stretches = readonly TableRow<typeof STRETCH>[];

/** How much wider a forecast is than the model's, as past errors require. */
export const findStretch = (
  stretches: Stretches,
  { area, basis, horizon_months }: Pick<Forecast, 'area' | 'basis' | 'horizon_months'>,
): Stretch =>
  stretches.find((row) => row.area === area && row.basis === basis && row.horizon_months === horizon_months) ?? {
    inner: 1,
    outer: 1,
  };

/** The draws of the areas that are forecast, as wide as the forecasts. */
export async function readAreaDraws(
  db: Database,
  forecasts: readonly Forecast[],
  stretches: Stretches,
): Promise<AreaDraws[]> {
  const forecastKey = ({
    area,
    code,
    horizon_months,
    basis,
  }: Pick<Forecast, 'area' | 'code' | 'horizon_months' | 'basis'>) => `${area} ${code} ${horizon_months} ${basis}`;
  const draws = await db.rows<Forecast & { draws: number[] }>(
    'SELECT area, code, horizon_months, basis, list(cases ORDER BY draw) AS draws FROM forecast.draws GROUP BY ALL',
  );
  const drawsByKey = new Map(draws.map((row) => [forecastKey(row), row.draws]));
  const alerts = await db.rows<TableRow<typeof AREAS>>('FROM alerts.areas');
  const means = new Map(alerts.map(({ area, code, mean_cases }) => [`${area} ${code}`, mean_cases]));
  return [...Map.groupBy(forecasts, ({ area, code }) => `${area} ${code}`)].flatMap(([key, rows]) => {
    const { area, code, last_cases } = rows[0]!;
    const months = rows.map((row) =>
      scaleDraws(Float64Array.from(drawsByKey.get(forecastKey(row)) ?? []), findStretch(stretches, row)),
    );
    const base = indexBase(means.get(key) ?? 0);
    return months.some(({ length }) => length === 0)
      ? []
      : [{ area, code, last_cases: last_cases as Period, months, base }];
  });
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
  areas: readonly AreaDraws[],
  cases_in: Row['cases_in'],
  forecasts: readonly Forecast[],
): Row[] {
  const forecastByKey = new Map(forecasts.map((row) => [`${row.area} ${row.code} ${row.period}`, row]));
  const states = areas.filter(({ area }) => area === 'state');
  const nation = states.slice(0, 1).map(({ last_cases, months }) => ({
    area: 'nation' as const,
    code: null,
    last_cases,
    months: months.map((_, h) => addDraws(states.map((state) => state.months[h]!))),
    base: states.reduce((sum, { base }) => sum + base, 0),
  }));
  return [...nation, ...areas].flatMap(({ area, code, last_cases, months, base }) =>
    months.flatMap((_, start) =>
      months.slice(start).map((_month, more) => {
        const period = addMonths(last_cases, start + 1);
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
