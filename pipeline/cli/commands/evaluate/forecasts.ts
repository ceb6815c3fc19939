import { Command } from 'commander';
import { UsageError } from '../../../lib/errors.ts';
import { writeCsv } from '../../../lib/tables/csv.ts';
import { readPanels } from '../../../model/forecast/read-panels.ts';
import { backtestPanels, type OriginSpan } from '../../../validate/backtest/backtest.ts';
import { summariseForecasts } from '../../../validate/backtest/backtest-summary.ts';
import {
  addEvaluationOptions,
  type EvaluationOptions,
  parseFileToWrite,
  parseMonthSpan,
  printEvaluation,
} from '../../terminal/options.ts';
import { formatCells, formatTable } from '../../terminal/text-table.ts';
import { withStages } from '../with-stages.ts';

/** The columns of `--out`, with the decimals of numbers of cases and of scores. */
const CSV_DECIMALS = {
  area_level: null,
  area_code: null,
  origin: null,
  horizon: null,
  target: null,
  observed: null,
  method: null,
  q05: 1,
  q25: 1,
  q50: 1,
  q75: 1,
  q95: 1,
  crps_log: 4,
  crps_log1p: 4,
};

interface ForecastsOptions extends EvaluationOptions {
  origins?: OriginSpan;
  out?: string;
}

export function forecastsCommand(): Command {
  return addEvaluationOptions(new Command('forecasts'))
    .description('Forecast the case records from rolling origins, one to four months ahead, and score the forecasts')
    .option('--origins <months>', 'score these origins only, such as 2022-01..2022-12', parseMonthSpan)
    .option('--out <file.csv>', 'one row per forecast and method', parseFileToWrite)
    .addHelpText(
      'after',
      `
Example:
  malaria-risk evaluate forecasts --country raw-data/nigeria --raw-data ../raw/nigeria --out forecasts.csv

An origin is the last month of data that a forecast may use: whatever is fitted or chosen is fitted or chosen again at
each origin. A forecast is the number of confirmed cases of an LGA or a state in a month, as 99 quantiles. Origins start
after two years of records by LGA. The level 'long' consists of the states whose own records start years earlier; its
origins start after three years.

  log_mae        mean of |ln median - ln observed|: 0.25 is an error by a factor of 1.28
  crps_log       continuous ranked probability score of ln cases, which scores the whole distribution; lower is better
  crps_log1p     the same score for ln(1 + cases); in the two scores above, a month without a case counts as half a case
  coverage_50    share of observed values between the quartiles, ideally 0.5; coverage_90 from q05 to q95, ideally 0.9
  crps_per_1000  the same score for cases per 1,000 people

Methods: case_model (pipeline/model/forecast/MODEL.md); sum_of_parts, which adds up its forecasts of the LGAs of a state;
and the simple ones that they have to beat: same_month_last_year, month_climatology and month_median (mean and median of
that calendar month), flat12 (mean of twelve months), persistence (the last month), and the level of the last months (of
3, or 0.7 of 3 and 0.3 of 12) with the usual season. Their ranges come from their own past errors. The months that model.json masks (parameters.season.masked) are missing for the case model and for the methods
with a season. Observed values and quantiles in --out are numbers of cases.`,
    )
    .action(evaluateForecasts);
}

async function evaluateForecasts(options: ForecastsOptions): Promise<void> {
  const { country, build, origins = null, out } = options;
  const rows = await withStages(['ingest'], 'forecasts', { ...options, out: build }, ({ model }, io, onProgress) =>
    backtestPanels(readPanels(io, model), origins, onProgress).flatMap((scoredPanel) => scoredPanel.rows),
  );
  if (rows.length === 0)
    throw new UsageError(
      `${country}: found no forecast to score, expected case records of more than two years${origins ? ' and origins among --origins' : ''}`,
    );
  if (out)
    await writeCsv(
      out,
      rows.map((row) => formatCells(row, CSV_DECIMALS)),
    );
  const summary = summariseForecasts(rows);
  // Single years by horizon would make the table too long to read.
  const tableRows = summary.filter(({ origins, horizon }) => origins === 'all' || horizon === 'all');
  printEvaluation(options, summary, [
    formatTable(tableRows.map((row) => ({ ...row }))),
    ...(out ? [`${out}: ${rows.length} rows`] : []),
  ]);
}
