/** Records in CHAP's form, and the calls that CHAP makes to evaluate a model on them. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { addMonths, calendarMonth } from '../../pipeline/contract/months.ts';
import { readCsv } from '../../pipeline/ingest/readers/csv.ts';
import { drawPoisson } from '../../pipeline/lib/numerics/distributions.ts';
import { randomStream } from '../../pipeline/lib/numerics/random.ts';
import { toCsv } from '../../pipeline/lib/tables/csv.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');

/** A row of a CHAP file; further columns are covariates. */
export interface ChapRow {
  time_period: string;
  location: string;
  /** Null or empty if unknown. */
  disease_cases: number | string | null;
  [covariate: string]: number | string | null;
}

/**
 * Made-up records with a season and a level that wanders, from 2015-01, place by place.
 * @param usual mean number of cases a month, of the first place; each further one has twice as many
 */
export function chapRows(set: { places: readonly string[]; months: number; usual?: number }): ChapRow[] {
  const random = randomStream(49, 'chap');
  return set.places.flatMap((location, a) => {
    let level = Math.log((set.usual ?? 20) * 2 ** a);
    return Array.from({ length: set.months }, (_, t): ChapRow => {
      const time_period = addMonths('2015-01', t);
      const season = Math.cos((2 * Math.PI * (calendarMonth(time_period) - 8)) / 12);
      level += 0.1 * random.normal();
      return {
        time_period,
        rainfall: 100 + 90 * season,
        mean_temperature: 25 + random.normal(),
        disease_cases: drawPoisson(random, Math.exp(level + 0.6 * season)),
        population: 10_000,
        location,
      };
    });
  });
}

/** The rows as CHAP writes them: numbers of rows in a first column without a name. */
export function csvOf(rows: readonly object[], without: readonly string[] = []): string {
  const columns = Object.keys(rows[0]!).filter((name) => !without.includes(name));
  const numbered = rows.map((row, i) => ({ ...Object.fromEntries([['', i]]), ...row }));
  return `${toCsv<Record<string, unknown>>(numbered, ['', ...columns])}\n`;
}

export interface ChapWindows {
  /** Months of a forecast, number of forecasts, and months from each to the next. */
  periods: number;
  splits: number;
  stride: number;
}

/** CHAP's expanding windows: the last months of all records before each forecast, first to last. */
export function windowEnds(months: readonly string[], { periods, splits, stride }: ChapWindows): string[] {
  return Array.from({ length: splits }, (_, i) => months.at(i * stride - (periods + (splits - 1) * stride + 1))!);
}

/** The rows without locations of which nothing is known before the last window, which CHAP leaves out. */
export function evaluable(rows: readonly ChapRow[], { periods, splits, stride }: ChapWindows): ChapRow[] {
  const months = monthsOf(rows);
  const end = months.at(-(periods + (splits - 1) * stride + 1))!;
  const isKnown = ({ disease_cases }: ChapRow) => disease_cases !== null && disease_cases !== '';
  const known = new Set(rows.filter((row) => row.time_period <= end && isKnown(row)).map(({ location }) => location));
  return rows.filter(({ location }) => known.has(location));
}

export const monthsOf = (rows: readonly ChapRow[]): string[] =>
  [...new Set(rows.map(({ time_period }) => time_period))].sort();

export interface ChapForecast {
  /** Last month of the records. */
  end: string;
  location: string;
  period: string;
  /** Months from `end`. */
  horizon: number;
  samples: number[];
}

/**
 * Runs a model as `chap eval` does: in a copy of its folder, the command `train` of its MLproject on the records before
 * the first window, then `predict` for each window.
 * @param folder with an MLproject
 * @param directory a new one, in which the model runs
 * @param polygons GeoJSON that comes with the records
 * @throws Error if a command fails, or if predictions are not what CHAP reads: a row for each location and month of the
 *   future, with finite numbers in `sample_0`, `sample_1`, …
 */
export async function evalAsChap(
  folder: string,
  rows: readonly ChapRow[],
  windows: ChapWindows,
  directory: string,
  polygons?: string,
): Promise<ChapForecast[]> {
  cpSync(folder, directory, { recursive: true });
  const put = (name: string, text: string) => writeFileSync(path.join(directory, name), text);
  const call = commandsOf(folder, directory);
  const months = monthsOf(rows);
  const ends = windowEnds(months, windows);
  if (polygons) put('polygons.geojson', polygons);
  put('training_data.csv', csvOf(rows.filter(({ time_period }) => time_period <= ends[0]!)));
  call('train', { train_data: 'training_data.csv', model: 'model' });
  const forecasts: ChapForecast[] = [];
  for (const end of ends) {
    const start = addMonths(end, 1);
    const last = addMonths(end, windows.periods);
    const names = {
      historic_data: `historic_data_${start}-01.csv`,
      future_data: `future_data_${start}-01.csv`,
      out_file: `predictions_${start}-01.csv`,
    };
    const future = rows.filter(({ time_period }) => time_period >= start && time_period <= last);
    put(names.historic_data, csvOf(rows.filter(({ time_period }) => time_period <= end)));
    put(names.future_data, csvOf(future, ['disease_cases']));
    put(names.out_file, '');
    put('options.yaml', 'user_option_values:\n  samples: 1000\n');
    call('predict', { model: 'model', model_config: 'options.yaml', ...names });
    forecasts.push(...(await samplesIn(path.join(directory, names.out_file), end, future)));
  }
  return forecasts;
}

/**
 * Runs the entry points of an MLproject in a shell, with their placeholders filled in, and with `malaria-risk` on PATH.
 */
function commandsOf(folder: string, directory: string) {
  const project = readFileSync(path.join(folder, 'MLproject'), 'utf8');
  const bin = path.join(directory, '.bin');
  mkdirSync(bin, { recursive: true });
  const program = path.join(ROOT, 'pipeline/cli/malaria-risk.js');
  writeFileSync(path.join(bin, 'malaria-risk'), `#!/bin/sh\nexec "${process.execPath}" "${program}" "$@"\n`, {
    mode: 0o755,
  });
  return (name: string, values: Record<string, string>) => {
    const [, command] = new RegExp(`^  ${name}:\\n(?:   .*\\n)*?    command: "(.*)"`, 'm').exec(project) ?? [];
    if (command === undefined) throw new Error(`${folder}/MLproject: no command ${name}`);
    const filled = command.replaceAll(/\{(\w+)\}/g, (_, key: string) => {
      if (values[key] === undefined) throw new Error(`${folder}/MLproject: ${name} asks for {${key}}`);
      return values[key];
    });
    execFileSync('sh', ['-c', filled], {
      cwd: directory,
      env: { ...process.env, NODE_OPTIONS: '', PATH: `${bin}:${process.env.PATH}` },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  };
}

/** What CHAP's reader of samples takes. */
async function samplesIn(file: string, end: string, future: readonly ChapRow[]): Promise<ChapForecast[]> {
  const { header, rows } = await readCsv(file, file);
  const [at, time] = [header.indexOf('location'), header.indexOf('time_period')];
  const count = header.filter((name) => name.startsWith('sample_')).length;
  const columns = Array.from({ length: count }, (_, i) => header.indexOf(`sample_${i}`));
  if (count === 0 || columns.includes(-1) || at < 0 || time < 0)
    throw new Error(`${file}: found ${header.slice(0, 5)}`);
  const found = new Map(
    rows.map(({ cells }) => [`${cells[at]} ${cells[time]}`, columns.map((c) => Number.parseFloat(cells[c] ?? ''))]),
  );
  if (found.size !== rows.length || found.size !== future.length)
    throw new Error(`${file}: ${rows.length} rows for ${future.length} locations and months`);
  const months = monthsOf(future);
  return future.map(({ location, time_period: period }) => {
    const samples = found.get(`${location} ${period}`);
    if (!samples?.every(Number.isFinite)) throw new Error(`${file}: no finite samples of ${location} ${period}`);
    return { end, location, period, horizon: months.indexOf(period) + 1, samples };
  });
}
