/** A forecast and what the month was later estimated to be, with the simple forecasts it is to beat; shares 0 to 1. */
export interface ScoredForecast {
  horizon_months: number;
  forecast: number;
  low: number;
  high: number;
  /** The later estimate. */
  estimated: number;
  /** The last estimated month's score, carried on. */
  persistence: number;
  /** The same month of the year before; null where it had not been estimated. */
  same_month_last_year: number | null;
}

/** How good forecasts were; errors in the score's own unit. */
export interface ForecastScore {
  forecasts: number;
  mean_absolute_error: { forecast: number; persistence: number; same_month_last_year: number | null };
  /** Mean of forecast − estimate. */
  bias: number;
  /** Share of later estimates inside the forecast's range. */
  coverage: number;
}

/**
 * Mean absolute error, bias and coverage of forecasts against later estimates. The estimates are means of a model
 * themselves: coverage of the 90% range is expected to be above 90% where that model is right.
 * @returns null where there is nothing to score
 */
export function scoreForecasts(rows: readonly ScoredForecast[]): ForecastScore | null {
  if (rows.length === 0) return null;
  const mean = (value: (row: ScoredForecast) => number) => rows.reduce((sum, row) => sum + value(row), 0) / rows.length;
  const hasYearBefore = rows.every((row) => row.same_month_last_year !== null);
  return {
    forecasts: rows.length,
    mean_absolute_error: {
      forecast: mean((row) => Math.abs(row.forecast - row.estimated)),
      persistence: mean((row) => Math.abs(row.persistence - row.estimated)),
      same_month_last_year: hasYearBefore ? mean((row) => Math.abs(row.same_month_last_year! - row.estimated)) : null,
    },
    bias: mean((row) => row.forecast - row.estimated),
    coverage: mean((row) => (row.low <= row.estimated && row.estimated <= row.high ? 1 : 0)),
  };
}
