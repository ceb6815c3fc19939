import { Command } from 'commander';
import type { HeldOutScores, OverFolds } from '../artifacts.ts';
import type { Country } from '../engine/country.ts';
import type { StageIo } from '../engine/stage.ts';
import { GIVEN } from '../risk/estimate.ts';
import { inputsOf, prepareRisk } from '../risk/inputs.ts';
import { crossValidate, type HeldOut } from '../validation/cross-validation.ts';
import { readFolds, writeDraws, writeScores } from '../validation/held-out-files.ts';
import { summariseScores } from '../validation/score-summary.ts';
import { withArtifacts } from '../with-artifacts.ts';
import { say } from './options.ts';

interface CrossValidateOptions {
  country: string;
  rawData?: string;
  unpinned?: boolean;
  folds: string;
  out: string;
  draws?: string;
  build: string;
  json?: boolean;
}

/** Stages whose artifacts the risk models stand on. */
const NEEDED = ['ingest', 'zonal', 'season'];

/** `malaria-risk cross-validate`. */
export function crossValidateCommand(): Command {
  return new Command('cross-validate')
    .description(
      'Predict every survey cell with the risk model and the baseline, fitted without its fold, and score both',
    )
    .requiredOption('--country <dir>', 'directory with sources.json and model.json, such as raw-data/nigeria')
    .option('--raw-data <dir>', 'where the raw files are, if not next to the catalog')
    .option('--unpinned', 'take raw files that differ from the catalog')
    .requiredOption('--folds <file.csv>', 'columns lga_pcode and fold')
    .requiredOption('--out <file.csv>', 'a row per held-out cell and model')
    .option('--draws <file.parquet>', 'posterior draws of prevalence and overdispersion per held-out cell')
    .option('--build <dir>', 'directory with the cache of stages', 'build')
    .option('--json', 'the summary as JSON')
    .addHelpText(
      'after',
      `
Example:
  malaria-risk cross-validate --country raw-data/nigeria --raw-data ../raw/nigeria --folds folds.csv --out scores.csv

Trains only on rounds known by cell. The summary compares the two models with the national mean of the round. log_score
is the log of the mean over draws of the beta-binomial density of the cell's count; crps, in its fair form, and the
quantiles are of the observed share.`,
    )
    .action(async (options: CrossValidateOptions) => {
      const rows = await heldOut(options);
      const shipped = rows.filter((row) => row.model !== 'national');
      writeScores(options.out, shipped);
      if (options.draws) await writeDraws(options.draws, shipped);
      const groups = [null, ...new Set(rows.map((row) => row.survey_year))].flatMap((survey_year) =>
        (['spatial', 'baseline', 'national'] as const).map((model) => {
          const own = rows.filter((r) => r.model === model && (survey_year ?? r.survey_year) === r.survey_year);
          return { survey_year, model, ...summariseScores(own) };
        }),
      );
      if (options.json) say(JSON.stringify(groups));
      else say(`${options.out}: ${shipped.length} rows`, ...groups.map(describe));
    });
}

async function heldOut(options: CrossValidateOptions): Promise<HeldOut[]> {
  const foldOf = await readFolds(options.folds);
  const part = { ...options, out: options.build, jobs: NEEDED.length, onEvent: () => {} };
  return withArtifacts(NEEDED, part, (country, io) => crossValidateCountry(country, io, foldOf));
}

function crossValidateCountry({ model }: Country, io: StageIo, foldOf: Map<string, number>): HeldOut[] {
  const { risk, seed } = model.parameters;
  const inputs = inputsOf(io, risk.state_only_effective_size);
  const prepared = prepareRisk(inputs);
  const states = inputs.areas.states.map((state) => state.state_code);
  const constants = { season_exponent: risk.season_exponent, ...GIVEN };
  return [...crossValidate(prepared, { states, foldOf, constants, draws: risk.draws, seed, like: null })];
}

function describe(group: HeldOutScores): string {
  const figure = ({ mean, standard_error }: OverFolds, digits: number) =>
    standard_error === null ? mean.toFixed(digits) : `${mean.toFixed(digits)} ± ${standard_error.toFixed(digits)}`;
  return [
    `${group.survey_year ?? 'all'} ${group.model}:`,
    `${group.cells} cells, log score ${figure(group.log_score, 3)}, CRPS ${figure(group.crps, 4)},`,
    `mean absolute error ${figure(group.mean_absolute_error, 3)}, correlation ${group.correlation.toFixed(2)},`,
    `coverage ${group.coverage.map(({ level, share }) => `${share.toFixed(3)} of ${level}`).join(', ')}`,
  ].join(' ');
}
