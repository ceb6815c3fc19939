import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { Argument, Command } from 'commander';
import type { Manifest } from '../contract/manifest.ts';
import { type FileParameters, filePath, OPERATIONS, type OperationId } from '../contract/operations.ts';
import type * as schemas from '../contract/schemas.ts';
import { sparkline, toCsv } from './charts.ts';
import { say } from './options.ts';
import { modelCharts, type ReadAnswer, stateSeries, withRangeBars } from './show-charts.ts';
import { listTables, readTable } from './show-tables.ts';

interface ShowOptions {
  state?: string;
  period?: string;
  snapshot: string;
  json?: boolean;
  csv?: boolean;
  name?: string;
}

/** `malaria-risk show`. */
export function showCommand(): Command {
  return new Command('show')
    .description('Show what a snapshot says as a table in the terminal')
    .addArgument(new Argument('<what>', 'what to show').choices([...Object.keys(TABLES), 'tables']))
    .option('--state <code>', 'one state, by LGA')
    .option('--period <month>', 'month YYYY-MM; the latest estimated month if not given')
    .option('--snapshot <dir>', 'directory of the snapshot', 'build/current')
    .option('--name <table>', 'for tables: the rows of one of them')
    .option('--json', 'rows as JSON')
    .option('--csv', 'rows as CSV')
    .addHelpText(
      'after',
      '\nExamples:\n  malaria-risk show risk --state KN --period 2023-09\n  malaria-risk show season\n  malaria-risk show tables --name risk_lgas --csv > risk_lgas.csv',
    )
    .action(async (what: keyof typeof TABLES | 'tables', options: ShowOptions) => {
      const rows = what === 'tables' ? await tableRows(options) : TABLES[what](options);
      if (options.json) say(JSON.stringify(rows, null, 2));
      else if (options.csv) say(toCsv(rows));
      else
        say(
          ...chartsBefore(what, options),
          formatTable(what === 'risk' ? withRangeBars(rows) : rows),
          ...chartsAfter(what, options),
        );
    });
}

export type Cells = Record<string, string | number | boolean | null>;

const TABLES = {
  risk(options: ShowOptions): Cells[] {
    const period = options.period ?? read<schemas.Periods>(options, 'periods', {}).last_estimated;
    if (options.state)
      return read<schemas.RiskLgas>(options, 'risk-lgas', { state: options.state, period }).lgas.map((row) => ({
        ...row,
      }));
    return read<schemas.RiskStates>(options, 'risk-states', { period }).states.map((row) => ({ ...row }));
  },
  season(options: ShowOptions): Cells[] {
    const cells = (season: schemas.Season) => ({
      peak: season.peak_month,
      high_season: `${season.season_start_month}-${season.season_end_month}`,
      months: season.season_months,
      'J F M A M J J A S O N D': [...sparkline(season.seasonal_index, 1)].join(' '),
    });
    if (options.state)
      return read<schemas.TransmissionLgas>(options, 'transmission-lgas', { state: options.state }).lgas.map(
        ({ lga_code, lga, season }) => ({ lga_code, lga, ...cells(season) }),
      );
    const { national, states } = read<schemas.TransmissionStates>(options, 'transmission-states', {});
    return [
      { state_code: '', state: 'the country', ...cells(national.season) },
      ...states.map(({ state_code, state, season }) => ({ state_code, state, ...cells(season) })),
    ];
  },
  context(options: ShowOptions): Cells[] {
    if (options.state)
      return read<schemas.ContextLgas>(options, 'context-lgas', { state: options.state }).lgas.map((row) => ({
        ...row,
      }));
    return read<schemas.ContextStates>(options, 'context-states', {}).states.map((row) => ({ ...row }));
  },
  survey(options: ShowOptions): Cells[] {
    const { national, states } = read<schemas.TransmissionStates>(options, 'transmission-states', {});
    if (!options.state) return national.survey_trend.map((row) => ({ ...row }));
    const own = states.find(({ state_code }) => state_code === options.state);
    if (!own)
      throw new Error(
        `--state: found ${options.state}, expected one of ${states.map((row) => row.state_code).join(' ')}`,
      );
    return own.survey_trend.map((row) => ({ ...row }));
  },
  model(options: ShowOptions): Cells[] {
    return read<schemas.TransmissionModel>(options, 'transmission-model', {}).states.map((state) => ({
      state_code: state.state_code,
      state: state.state,
      fit_correlation: state.fit_correlation,
      months_growing: state.months_with_infection_growing.join(' '),
      year_round_share: state.share_of_transmission_year_round,
    }));
  },
};

const reader =
  (options: ShowOptions): ReadAnswer =>
  (id, values) =>
    read(options, id, values);

function chartsBefore(what: string, options: ShowOptions): string[] {
  if (what !== 'risk' || !options.state) return [];
  const { first_estimated } = manifestOf(options).coverage;
  return [...stateSeries(reader(options), options.state, first_estimated), ''];
}

function chartsAfter(what: string, options: ShowOptions): string[] {
  return what === 'model' ? modelCharts(reader(options)) : [];
}

async function tableRows({ snapshot, name, csv, json }: ShowOptions): Promise<Cells[]> {
  if (name === undefined) return listTables(snapshot);
  return readTable(snapshot, name, csv || json ? null : 20);
}

function read<T>(options: ShowOptions, id: OperationId, values: FileParameters): T {
  const file = filePath(OPERATIONS.find((operation) => operation.id === id)!, values);
  const full = path.join(options.snapshot, file);
  if (!Object.hasOwn(manifestOf(options).files, file))
    throw new Error(`${options.snapshot}: found no ${file}, expected a state and month it covers`);
  return JSON.parse(readFileSync(full, 'utf8'));
}

function manifestOf({ snapshot }: ShowOptions): Manifest {
  const file = path.join(snapshot, 'manifest.json');
  if (!existsSync(file)) throw new Error(`${snapshot}: no snapshot there; build one with \`malaria-risk build\``);
  return JSON.parse(readFileSync(file, 'utf8'));
}

/** Columns aligned, numbers to the right. */
function formatTable(rows: readonly Cells[]): string {
  const columns = Object.keys(rows[0] ?? {});
  const text = rows.map((row) => columns.map((column) => String(row[column] ?? '—')));
  const widths = columns.map((column, i) => Math.max(column.length, ...text.map((cells) => cells[i]!.length)));
  const numeric = columns.map((column) => rows.every((row) => typeof row[column] === 'number' || row[column] === null));
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, i) => (numeric[i] ? cell.padStart(widths[i]!) : cell.padEnd(widths[i]!)))
      .join('  ')
      .trimEnd();
  return [line(columns), ...text.map(line)].join('\n');
}
