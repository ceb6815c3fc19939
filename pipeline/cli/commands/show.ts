import { Argument, Command } from 'commander';
import { NO_RAIN } from '../../catalog/missing.ts';
import type { Model } from '../../catalog/model.ts';
import { isPeriod, type Period } from '../../contract/months.ts';
import type { FileParameters, OperationId } from '../../contract/operations.ts';
import type * as schemas from '../../contract/schemas.ts';
import { tableFile } from '../../contract/table-list.ts';
import { UsageError } from '../../lib/errors.ts';
import { toCsv } from '../../lib/tables/csv.ts';
import { CASE_SERIES_UNITS } from '../../model/transmission/case-series-form.ts';
import { type Provenance, provenanceOf } from '../../publish/snapshot/provenance.ts';
import { openSnapshot } from '../../publish/snapshot/read.ts';
import { sparkline } from '../terminal/charts.ts';
import { say, terminalWidth } from '../terminal/options.ts';
import { modelCharts, stateSeries, withRangeBars } from '../terminal/show-charts.ts';
import { type Cells, formatTable } from '../terminal/text-table.ts';

interface ShowOptions {
  state?: string;
  period?: string;
  snapshot: string;
  json?: boolean;
  csv?: boolean;
}

/** `malaria-risk show`. */
export function showCommand(): Command {
  return new Command('show')
    .description('Show the content of a snapshot as a table in the terminal')
    .addArgument(new Argument('<what>', 'what to show').choices([...Object.keys(TABLES), 'provenance']))
    .argument('[file]', 'for provenance: a file in the snapshot, such as v1/risk/lgas/2023-09/KN.json')
    .option('--state <name>', 'show one state by LGA; its code or name')
    .option('--period <month>', 'month YYYY-MM, estimated or forecast; default: the latest estimated month')
    .option('--snapshot <dir>', 'directory of the snapshot', 'build/current')
    .option('--json', 'rows as JSON')
    .option('--csv', 'rows as CSV')
    .addHelpText(
      'after',
      `
Examples:
  malaria-risk show risk --state KN --period 2023-09
  malaria-risk show context --state 'Akwa Ibom'
  malaria-risk show season
  malaria-risk show provenance v1/risk/lgas/2023-09/KN.json`,
    )
    .action((what: keyof typeof TABLES | 'provenance', file: string | undefined, options: ShowOptions) => {
      if (what === 'provenance') {
        if (file === undefined)
          throw new UsageError('show provenance: found no file, expected one such as v1/risk/lgas/2023-09/KN.json');
        const found = provenanceOf(openSnapshot(options.snapshot).manifest, file);
        say(options.json ? JSON.stringify(found, null, 2) : formatProvenance(found));
        return;
      }
      if (file !== undefined) throw new UsageError(`show ${what}: found ${file}, expected no file`);
      refuseMissing(what, options);
      if (options.state !== undefined) options.state = stateCalled(options, options.state);
      const rows = TABLES[what](options);
      if (options.json) say(JSON.stringify(rows, null, 2));
      else if (options.csv) say(toCsv(rows));
      else {
        const width = terminalWidth();
        say(
          ...chartsBefore(what, options),
          formatTable(what === 'risk' ? withRangeBars(rows, width) : rows, width),
          ...chartsAfter(what, options),
        );
      }
    });
}

const TABLES = {
  risk(options: ShowOptions): Cells[] {
    const { last_estimated, last_forecast } = read<schemas.Periods>(options, 'periods', {});
    const period = options.period ?? last_estimated;
    if (isPeriod(period) && period > last_estimated && period <= last_forecast) return forecastRows(options, period);
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
    return states.find(({ state_code }) => state_code === options.state)!.survey_trend.map((row) => ({ ...row }));
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

/**
 * Season and surveys are shown from answers that exist only with case records. Their tables exist without them, too.
 * @throws UsageError that names the table, or gives the reason why there is none
 */
function refuseMissing(what: string, { snapshot }: ShowOptions): void {
  const { manifest } = openSnapshot(snapshot);
  if (manifest.coverage.transmission) return;
  const refuse = (why: string) => new UsageError(`show ${what}: ${manifest.model_version} has no such answer. ${why}`);
  if (what === 'survey') throw refuse('Surveys are in the table: malaria-risk query "FROM survey_trend"');
  if (what === 'season')
    throw refuse(
      tableFile('season', 'parquet') in manifest.files
        ? 'The season is in the table: malaria-risk query "FROM season"'
        : NO_RAIN,
    );
}

/**
 * Code of the state with this code or name, whatever its case, accents and punctuation.
 * @throws UsageError with the nearest names if there is none
 */
function stateCalled(options: ShowOptions, asked: string): string {
  const { states } = read<schemas.ContextStates>(options, 'context-states', {});
  const plain = (text: string) =>
    text
      .normalize('NFD')
      .replaceAll(/[^\p{L}\p{N}]/gu, '')
      .toLowerCase();
  const found = states.find(({ state_code, state }) =>
    [state_code, state].some((name) => plain(name) === plain(asked)),
  );
  if (found) return found.state_code;
  const near = states.filter(({ state }) => plain(state).startsWith(plain(asked).slice(0, 2)));
  const offered = (near.length > 0 ? near : states).map(({ state_code, state }) => `${state_code} ${state}`);
  throw new UsageError(
    `--state: found ${asked}, expected ${near.length > 0 ? 'perhaps' : 'one of'} ${offered.join(', ')}`,
  );
}

/** The rows of a forecast month, in the form of those of estimated months. */
function forecastRows(options: ShowOptions, period: Period): Cells[] {
  const of = <T extends { period: string }>(reports: T[]): T => reports.find((report) => report.period === period)!;
  if (options.state) {
    const { forecasts } = read<schemas.ForecastsLgas>(options, 'forecasts-lgas', { state: options.state, months: 4 });
    return of(forecasts).lgas.map((row) => ({ ...row }));
  }
  const { forecasts } = read<schemas.ForecastsStates>(options, 'forecasts-states', { months: 4 });
  return of(forecasts).states.map((row) => ({ ...row }));
}

function chartsBefore(what: string, { state, snapshot }: ShowOptions): string[] {
  if (what !== 'risk' || !state) return [];
  const { manifest, answer } = openSnapshot(snapshot);
  return [...stateSeries(answer, state, manifest.coverage.first_estimated), ''];
}

function chartsAfter(what: string, { snapshot }: ShowOptions): string[] {
  if (what !== 'model') return [];
  const { answer, json } = openSnapshot(snapshot);
  const card = json<{ parameters: Partial<Model['parameters']> }>('model-card.json');
  return modelCharts(answer, CASE_SERIES_UNITS[card?.parameters.publication?.case_series ?? 'exact']);
}

function read<T>(options: ShowOptions, id: OperationId, values: FileParameters): T {
  return openSnapshot(options.snapshot).answer<T>(id, values);
}

/** The stages and raw files behind a file, with the raw files' citations and licences. */
function formatProvenance(found: Provenance): string {
  const { file, bytes, sha256, model_version, updated_at, made_of } = found;
  return [
    `${file}: ${bytes} bytes, SHA-256 ${sha256}`,
    `${model_version}, updated ${updated_at}`,
    `Made from ${made_of.join(', ') || 'model.json alone'}`,
    '',
    'Stages behind it, the last one first:',
    ...found.stages.map(
      ({ stage, key, reads, code }) =>
        `  ${stage.padEnd(13)} key ${key.slice(0, 16)}, ${code.length} files of code${reads.length ? `; reads ${reads.join(', ')}` : ''}`,
    ),
    '',
    'Raw files behind it:',
    ...found.raw.flatMap((raw) => [
      `  ${raw.path} (read by ${raw.read_by.join(', ')})`,
      `    SHA-256 ${raw.sha256}`,
      `    ${raw.title}, release ${raw.release}: ${raw.citation}; ${raw.licence}`,
    ]),
  ].join('\n');
}
