/** The forecasts of cases and their joint draws, with ranges as wide as past errors require. */
import type { Period } from '../../contract/months.ts';
import type { Database } from '../../lib/tables/duckdb.ts';
import type { TableRow } from '../../lib/tables/table.ts';
import type { AREAS } from '../../model/forecast/alerts-tables.ts';
import { isScalable, type Stretch, scaleDraws, stretchCases } from '../../model/forecast/recalibration.ts';
import type { STRETCH } from '../../validate/backtest/backtest-tables.ts';
import { type AreaDraws, type Forecast, indexBase } from './totals-table.ts';

export interface CaseForecasts {
  rows: Forecast[];
  draws: AreaDraws[];
}

/** @param backtested whether the forecasts were tested: if not, their ranges are the model's */
export async function readCaseForecasts(db: Database, backtested: boolean): Promise<CaseForecasts> {
  const stretches = backtested ? await db.rows<Stretches[number]>('FROM backtest.stretch') : [];
  const rows = recalibrateRanges(await db.rows('FROM forecast.cases'), stretches);
  return { rows, draws: await readAreaDraws(db, rows, stretches) };
}

type Stretches = readonly TableRow<typeof STRETCH>[];

/** How much wider a forecast is than the model's, as past errors require. */
const findStretch = (
  stretches: Stretches,
  { area, basis, horizon_months }: Pick<Forecast, 'area' | 'basis' | 'horizon_months'>,
): Stretch =>
  stretches.find((row) => row.area === area && row.basis === basis && row.horizon_months === horizon_months) ?? {
    inner: 1,
    outer: 1,
  };

/** The draws of the areas that are forecast, as wide as the forecasts. */
async function readAreaDraws(db: Database, forecasts: readonly Forecast[], stretches: Stretches): Promise<AreaDraws[]> {
  const forecastKey = ({ area, code, horizon_months, basis }: Omit<Forecast, 'period'>) =>
    `${area} ${code} ${horizon_months} ${basis}`;
  const draws = await db.rows<Forecast & { draws: number[] }>(
    'SELECT area, code, horizon_months, basis, list(cases ORDER BY draw) AS draws FROM forecast.draws GROUP BY ALL',
  );
  const drawsByKey = new Map(draws.map((row) => [forecastKey(row), row.draws]));
  const alerts = await db.rows<TableRow<typeof AREAS>>('FROM alerts.areas');
  const means = new Map(alerts.map(({ area, code, mean_cases }) => [`${area} ${code}`, mean_cases]));
  return [...Map.groupBy(forecasts, ({ area, code }) => `${area} ${code}`)].flatMap(([key, rows]) => {
    const { area, code, period } = rows[0]!;
    const months = rows.map((row) =>
      scaleDraws(Float64Array.from(drawsByKey.get(forecastKey(row)) ?? []), findStretch(stretches, row)),
    );
    const base = indexBase(means.get(key) ?? 0);
    return months.some(({ length }) => length === 0) ? [] : [{ area, code, first: period as Period, months, base }];
  });
}

/**
 * Case forecasts in integers, with ranges scaled about the median as past errors require. States that were forecast on
 * both bases have the one that was better in the backtest or, without one, the sum of their LGAs.
 */
function recalibrateRanges(rows: readonly Forecast[], stretches: Stretches): Forecast[] {
  const areaKey = ({ area, code }: Forecast) => `${area} ${code}`;
  const isSumBetter = !stretches.some(
    ({ area, basis, is_better }) => area === 'state' && basis === 'record' && is_better,
  );
  const isOfBetterBasis = ({ basis }: Forecast) => (basis === 'sum_of_parts') === isSumBetter;
  const hasBetterBasis = new Set(rows.filter(isOfBetterBasis).map(areaKey));
  const chosenRows = rows.filter((row) => isOfBetterBasis(row) || !hasBetterBasis.has(areaKey(row)));
  return chosenRows.map((row) => {
    const { inner, outer } = findStretch(stretches, row);
    if (!isScalable(row.q05)) return row;
    return {
      ...row,
      q05: stretchCases(row.q50, row.q05, outer),
      q25: stretchCases(row.q50, row.q25, inner),
      q75: stretchCases(row.q50, row.q75, inner),
      q95: stretchCases(row.q50, row.q95, outer),
    };
  });
}
