import { Command, InvalidArgumentError } from 'commander';
import { isPeriod } from '../../../contract/months.ts';
import type { StageEvent } from '../../../engine/run.ts';
import { writeAtomic } from '../../../lib/atomic-write.ts';
import { UsageError } from '../../../lib/errors.ts';
import { toCsv } from '../../../lib/tables/csv.ts';
import { forecasters } from '../../../model/forecast/forecasters.ts';
import type { Panel } from '../../../model/forecast/panel.ts';
import { readPanels } from '../../../model/forecast/read-panels.ts';
import { withArtifacts } from '../../../release/with-artifacts.ts';
import { backtest, type OriginSpan, originsOf, type ScoredForecast } from '../../../validate/backtest/backtest.ts';
import { type SummaryRow, summarise } from '../../../validate/backtest/backtest-summary.ts';
import { ABOUT_RAW_DATA, fileToWrite, say } from '../../terminal/options.ts';
import { showProgress } from '../../terminal/progress.ts';
import { formatTable } from '../../terminal/text-table.ts';

interface ScoreForecastsOptions {
  country: string;
  rawData?: string;
  unpinned?: boolean;
  origins?: OriginSpan;
  out?: string;
  build: string;
  json?: boolean;
}

/** The stages that forecasts need, and what their own work is called in the progress display. */
const NEEDED = ['ingest'];
const WORK = 'forecasts';

/** `malaria-risk score-forecasts`. */
export function scoreForecastsCommand(): Command {
  return new Command('score-forecasts')
    .description('Forecast the case records from rolling origins, one to four months ahead, and score the forecasts')
    .requiredOption('--country <dir>', 'directory with sources.json and model.json, such as raw-data/nigeria')
    .option('--raw-data <dir>', ABOUT_RAW_DATA)
    .option('--unpinned', 'use raw files that differ from the catalog')
    .option('--origins <first:last>', 'score these origins only, such as 2022-01:2022-12', parseOrigins)
    .option('--out <file.csv>', 'one row per forecast and method', fileToWrite)
    .option('--build <dir>', 'directory with the cache of stages', 'build')
    .option('--json', 'print the summary as JSON')
    .addHelpText(
      'after',
      `
Example:
  malaria-risk score-forecasts --country raw-data/nigeria --raw-data ../raw/nigeria --out forecasts.csv

An origin is the last month of data that a forecast may use: whatever is fitted or chosen is fitted or chosen again at
each origin. A forecast is the number of confirmed cases of an LGA or a state in a month, as 99 quantiles of its
logarithm. Origins start after two years of records by LGA. The level 'long' consists of the states whose own records
start years earlier; its origins start after three years.

  log_mae        mean of |ln median - ln observed|: 0.25 is an error by a factor of 1.28
  crps_log       continuous ranked probability score of ln cases, which scores the whole distribution; lower is better
  coverage_50    share of observed values between the quartiles, ideally 0.5; coverage_90 from q05 to q95, ideally 0.9
  crps_per_1000  the same score for cases per 1,000 people

Methods: case_model (pipeline/model/forecast/MODEL.md), and the simple ones that it has to beat: same_month_last_year,
month_climatology (mean of that calendar month), flat12 (mean of twelve months), persistence (the last month), and the
level of the last months (of 3, or 0.7 of 3 and 0.3 of 12) with the usual season. Their ranges come from their own past
errors. The months that model.json masks (parameters.season.masked) are missing for the case model and for the methods
with a season. Observed values and quantiles in --out are numbers of cases.`,
    )
    .action(async (options: ScoreForecastsOptions) => {
      const progress = showProgress([...NEEDED, WORK], options.json ?? false);
      const rows = await scoreCountry(options, progress.onEvent).finally(progress.end);
      if (rows.length === 0)
        throw new UsageError(
          `${options.country}: found no forecast to score, expected case records of more than two years${options.origins ? ' and origins among --origins' : ''}`,
        );
      if (options.out) await writeAtomic(options.out, `${toCsv(rows.map(toRow))}\n`);
      const summary = summarise(rows);
      if (options.json) say(JSON.stringify(summary));
      else {
        // Single years by horizon would make the table too long to read.
        const shown = summary.filter(({ origins, horizon }) => origins === 'all' || horizon === 'all');
        say(formatTable(shown.map(cells)), ...(options.out ? [`${options.out}: ${rows.length} rows`] : []));
      }
    });
}

async function scoreCountry(
  options: ScoreForecastsOptions,
  onEvent: (event: StageEvent) => void,
): Promise<ScoredForecast[]> {
  const panels = await panelsOf(options, onEvent);
  const began = performance.now();
  const all = panels.reduce((sum, panel) => sum + workOf(panel, options.origins), 0);
  let done = 0;
  onEvent({ type: 'started', stage: WORK, causes: [`${panels.length} levels of areas`] });
  const rows = panels.flatMap((panel) => {
    const each = workOf(panel, options.origins) / originsOf(panel, options.origins ?? null).length;
    return backtest(panel, forecasters(), options.origins ?? null, (origin) => {
      done += each;
      onEvent({ type: 'progress', stage: WORK, share: done / all, what: `${panel.level} ${origin}` });
    });
  });
  onEvent({ type: 'finished', stage: WORK, seconds: (performance.now() - began) / 1000 });
  return rows;
}

const workOf = (panel: Panel, span: OriginSpan | undefined) =>
  originsOf(panel, span ?? null).length * panel.areas.length;

/** The country's case records, through ingest's artifacts. */
function panelsOf(options: ScoreForecastsOptions, onEvent: (event: StageEvent) => void): Promise<Panel[]> {
  const part = { ...options, out: options.build, jobs: NEEDED.length, onEvent };
  return withArtifacts(NEEDED, part, ({ model }, io) => readPanels(io, model));
}

/** The columns of --out. */
function toRow({ area_level, area_code, origin, horizon, target, observed, method, ...scores }: ScoredForecast) {
  const { q05, q25, q50, q75, q95, crps_log } = scores;
  const quantiles = Object.entries({ q05, q25, q50, q75, q95 }).map(([name, value]) => [name, value.toFixed(1)]);
  return {
    area_level,
    area_code,
    origin,
    horizon,
    target,
    observed,
    method,
    ...Object.fromEntries(quantiles),
    crps_log: crps_log.toFixed(4),
  };
}

const cells = (row: SummaryRow) => ({ ...row, horizon: String(row.horizon) });

function parseOrigins(text: string): OriginSpan {
  const [first = '', last = '', ...more] = text.split(':');
  if (more.length > 0 || !isPeriod(first) || !isPeriod(last) || last < first)
    throw new InvalidArgumentError('expected two months such as 2022-01:2022-12');
  return { first, last };
}
