/**
 * The case model and others on files of records in CHAP's form, by the expanding windows of CHAP's evaluation: trained
 * once on the records before the first window, then a forecast from each window.
 *
 *   npm run bench -- chap --data DIR [--models DIR,…] [--splits 24] [--stride 1] [--out FILE.csv]
 *
 * --data    a directory of monthly CSV files with time_period, location, disease_cases and whatever the models need,
 *           without gaps in covariates; CHAP's own are in `example_data` of dhis2-chap/chap-core
 * --splits  number of windows, and --stride months from each to the next
 * --models  folders with an MLproject, which are run as CHAP would run them without their environment: what they need
 *           has to be installed
 *
 * The simple methods of `evaluate forecasts` are called for every month from the second year on, as they learn their
 * ranges from past errors; they know the records up to each window, and nothing of the split into train and predict.
 * Scores are those of the samples, or of the 99 quantiles: CRPS by CHAP's formula, of ln(1 + cases) and of cases; error
 * of the median as |ln max(k, 1/2)|. Samples below 0 are taken as 0. Only records whose cases are known are scored.
 *
 * It never fails because of a score.
 */
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { formatTable } from '../../pipeline/cli/terminal/text-table.ts';
import { HORIZONS, monthFromIndex, monthIndex } from '../../pipeline/contract/months.ts';
import { readCsv } from '../../pipeline/ingest/readers/csv.ts';
import { mean } from '../../pipeline/lib/numerics/averages.ts';
import { logCases } from '../../pipeline/lib/numerics/log-cases.ts';
import { quantile } from '../../pipeline/lib/numerics/quantiles.ts';
import { toCsv } from '../../pipeline/lib/tables/csv.ts';
import { BASELINES } from '../../pipeline/model/forecast/baselines.ts';
import { MONTHS_BEFORE_FORECASTS, type Panel, panelUpTo } from '../../pipeline/model/forecast/panel.ts';
import { withPastErrors } from '../../pipeline/model/forecast/past-errors.ts';
import { type ChapForecast, type ChapRow, evalAsChap, evaluable, monthsOf, windowEnds } from '../support/chap.ts';

const { values: given } = parseArgs({
  options: {
    data: { type: 'string' },
    models: { type: 'string', default: '' },
    splits: { type: 'string', default: '24' },
    stride: { type: 'string', default: '1' },
    out: { type: 'string' },
  },
});
const OURS = path.resolve(import.meta.dirname, '../../pipeline/model/chap');
const WINDOWS = { periods: HORIZONS.length, splits: Number(given.splits), stride: Number(given.stride) };

async function readRows(file: string): Promise<ChapRow[]> {
  const { header, rows } = await readCsv(file, file);
  const used = [...header.entries()].filter(([, name]) => name !== '' && !name.startsWith('Unnamed'));
  return rows.map(({ cells }) => Object.fromEntries(used.map(([i, name]) => [name, cells[i]])) as ChapRow);
}

function panelOf(rows: readonly ChapRow[]): Panel {
  const months = monthsOf(rows);
  const first = monthIndex(months[0]!);
  const areas = [...Map.groupBy(rows, ({ location }) => location)].map(([code, own]) => {
    const cases = new Float64Array(months.length).fill(Number.NaN);
    for (const { time_period, disease_cases } of own)
      if (disease_cases !== null) cases[monthIndex(time_period) - first] = Number(disease_cases);
    return { code, state_code: '', people: null, cases };
  });
  const disrupted = new Array(months.length).fill(false);
  return {
    level: 'lga',
    first,
    months: months.length,
    areas,
    disrupted,
    origins: { first_forecast: 0, first_scored: 0 },
  };
}

/** Forecasts of the simple methods; those that a method cannot make are left out. */
function simpleForecasts(rows: readonly ChapRow[]): [name: string, forecasts: ChapForecast[]][] {
  const panel = panelOf(rows);
  const ends = new Set(windowEnds(monthsOf(rows), WINDOWS).map((end) => monthIndex(end) - panel.first));
  return BASELINES.map((method) => {
    const { name, forecast } = withPastErrors(method);
    const made: ChapForecast[] = [];
    for (let origin = MONTHS_BEFORE_FORECASTS - 1; origin <= Math.max(...ends); origin++) {
      const quantiles = forecast(panelUpTo(panel, origin));
      if (!ends.has(origin)) continue;
      const at = panel.first + origin;
      for (const [a, { code }] of panel.areas.entries())
        for (const [h, horizon] of HORIZONS.entries()) {
          const own = quantiles[a]![h];
          if (!own) continue;
          made.push({
            end: monthFromIndex(at),
            location: code,
            period: monthFromIndex(at + horizon),
            horizon,
            samples: [...own],
          });
        }
    }
    return [name, made];
  });
}

/** E|X − y| − E|X − X'| / 2 over the samples, ascending. */
function crpsOf(sorted: readonly number[], observed: number): number {
  const n = sorted.length;
  const spread = sorted.reduce((sum, value, i) => sum + (2 * (i + 1) - n - 1) * value, 0) / (n * n);
  return mean(sorted.map((value) => Math.abs(value - observed))) - spread;
}

function scoreOf({ samples }: ChapForecast, observed: number) {
  const sorted = samples.map((value) => Math.max(0, value)).sort((a, b) => a - b);
  const at = (share: number) => quantile(sorted, share);
  const holds = (low: number, high: number) => Number(at(low) <= observed && observed <= at(high));
  return {
    crps_log1p: crpsOf(sorted.map(Math.log1p), Math.log1p(observed)),
    crps: crpsOf(sorted, observed),
    log_mae: Math.abs(logCases(at(0.5)) - logCases(observed)),
    coverage_50: holds(0.25, 0.75),
    coverage_90: holds(0.05, 0.95),
  };
}

if (given.data === undefined) {
  process.stdout.write('skipped: no --data DIR with CSV files in the form of CHAP\n');
  process.exit(0);
}
const table: Record<string, string | number>[] = [];
for (const name of readdirSync(given.data)
  .filter((file) => file.endsWith('.csv'))
  .sort()) {
  const rows = evaluable(await readRows(path.join(given.data, name)), WINDOWS);
  const observed = new Map(
    rows.flatMap(({ location, time_period, disease_cases }) =>
      disease_cases === null ? [] : [[`${location} ${time_period}`, Number(disease_cases)] as const],
    ),
  );
  const methods = simpleForecasts(rows);
  for (const folder of [...given.models.split(',').filter((text) => text !== ''), OURS]) {
    const directory = mkdtempSync(path.join(tmpdir(), 'chap-'));
    try {
      const began = performance.now();
      methods.push([path.basename(folder), await evalAsChap(folder, rows, WINDOWS, directory)]);
      process.stderr.write(`${name}: ${folder}, ${Math.round((performance.now() - began) / 1000)} s\n`);
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
  }
  for (const [method, forecasts] of methods) {
    const scored = forecasts.flatMap((own) => {
      const value = observed.get(`${own.location} ${own.period}`);
      return value === undefined ? [] : [{ horizon: own.horizon, ...scoreOf(own, value) }];
    });
    for (const [horizon, own] of [['all', scored] as const, ...Map.groupBy(scored, ({ horizon }) => horizon)]) {
      const score = (column: Exclude<keyof (typeof own)[number], 'horizon'>) =>
        Number(mean(own.map((row) => row[column])).toPrecision(3));
      table.push({
        file: name,
        method,
        horizon,
        forecasts: own.length,
        crps_log1p: score('crps_log1p'),
        crps: score('crps'),
        log_mae: score('log_mae'),
        coverage_50: score('coverage_50'),
        coverage_90: score('coverage_90'),
      });
    }
  }
}
if (given.out) writeFileSync(given.out, `${toCsv(table)}\n`);
process.stdout.write(`${formatTable(table)}\n`);
