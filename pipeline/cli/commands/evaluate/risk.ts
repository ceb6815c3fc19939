import { Command } from 'commander';
import type { Country } from '../../../catalog/country.ts';
import type { StageIo } from '../../../catalog/country-stage.ts';
import { UsageError } from '../../../lib/errors.ts';
import { constantsOf } from '../../../model/risk/estimate.ts';
import { fitRisk } from '../../../model/risk/fit.ts';
import { addedCovariates, inputsOf, prepareRisk } from '../../../model/risk/inputs.ts';
import { withArtifacts } from '../../../release/with-artifacts.ts';
import { describeEffect } from '../../../validate/covariate-effects.ts';
import { crossValidate, type HeldOut } from '../../../validate/cross-validation.ts';
import { readFolds, writeHeldOutDraws, writeScores } from '../../../validate/held-out-files.ts';
import { summariseScores } from '../../../validate/score-summary.ts';
import { type Screening, screenCovariates } from '../../../validate/screening.ts';
import type { HeldOutScores, OverFolds } from '../../../validate/validation.ts';
import { ABOUT_RAW_DATA, fileToWrite, say } from '../../terminal/options.ts';

interface CrossValidateOptions {
  country: string;
  rawData?: string;
  unpinned?: boolean;
  folds: string;
  out?: string;
  covariates?: boolean;
  draws?: string;
  build: string;
  json?: boolean;
}

/** The stages that the risk models need, and those that check covariates. */
const NEEDED = ['ingest', 'boundaries', 'zonal', 'context', 'season'];

/** `malaria-risk cross-validate`. */
export function crossValidateCommand(): Command {
  return new Command('cross-validate')
    .description(
      'Predict every survey cell with the risk model and the baseline, fitted without its fold, and score both',
    )
    .requiredOption('--country <dir>', 'directory with sources.json and model.json, such as raw-data/nigeria')
    .option('--raw-data <dir>', ABOUT_RAW_DATA)
    .option('--unpinned', 'use raw files that differ from the catalog')
    .requiredOption('--folds <file.csv>', 'columns lga_pcode and fold')
    .option('--out <file.csv>', 'one row per held-out cell and model; required without --covariates', fileToWrite)
    .option('--draws <file.parquet>', 'posterior draws of prevalence and overdispersion per held-out cell', fileToWrite)
    .option('--covariates', 'show what each covariate in model.json does to the scores, instead of the scores')
    .option('--build <dir>', 'directory with the cache of stages', 'build')
    .option('--json', 'print the summary as JSON')
    .addHelpText(
      'after',
      `
Example:
  malaria-risk cross-validate --country raw-data/nigeria --raw-data ../raw/nigeria --folds folds.csv --out scores.csv

Trains only on rounds with data by cell. The summary compares the two models with the national mean of the round.
log_score is the log of the mean over draws of the beta-binomial density of the cell's count; crps (its fair estimator)
and the quantiles are those of the observed share.

--covariates reports what each covariate in parameters.risk.covariates adds to the log score of held-out cells, paired
by fold and with its standard error; which ones would be chosen by folds within each fold's training data; and what that
choice adds on the fold itself. It fits about a hundred models, which takes minutes per covariate.`,
    )
    .action(async (options: CrossValidateOptions) => {
      if (options.covariates) return screen(options);
      if (options.out === undefined)
        throw new UsageError('found no --out, expected a file for the scores, or --covariates');
      const rows = await heldOut(options);
      const shipped = rows.filter((row) => row.model !== 'national');
      await writeScores(options.out, shipped);
      if (options.draws) await writeHeldOutDraws(options.draws, shipped);
      const groups = [null, ...new Set(rows.map((row) => row.survey_year))].flatMap((survey_year) =>
        (['spatial', 'baseline', 'national'] as const).map((model) => {
          const own = rows.filter((row) => row.model === model && (survey_year ?? row.survey_year) === row.survey_year);
          return { survey_year, model, ...summariseScores(own) };
        }),
      );
      if (options.json) say(JSON.stringify(groups));
      else say(`${options.out}: ${shipped.length} rows`, ...groups.map(describe));
    });
}

/** Every fit of the screening starts from the fit to all data, as in a build's validation. */
async function screen(options: CrossValidateOptions): Promise<void> {
  const foldOf = await readFolds(options.folds);
  const found = await withNeeded(options, ({ model }, io) => {
    const { risk, seed } = model.parameters;
    const inputs = inputsOf(io);
    if (addedCovariates(inputs).length === 0)
      throw new UsageError('model.json: found no covariates, expected some in parameters.risk.covariates');
    const prepared = prepareRisk(inputs);
    const constants = constantsOf(risk, prepared.test);
    const observations = prepared.observed.map(({ risk }) => risk);
    const { optimum } = fitRisk(prepared.mesh, prepared.times, observations, constants);
    const states = inputs.areas.states.map((state) => state.state_code);
    const how = { states, foldOf, constants, draws: risk.draws, seed, like: optimum };
    return screenCovariates(inputs, how, (what) => void process.stderr.write(`${what}\n`));
  });
  if (options.json) say(JSON.stringify(found));
  else say(...describeScreening(found));
}

function describeScreening({ effects, all, chosen, of_chosen }: Screening): string[] {
  return [
    ...effects.map((effect) => {
      const times = chosen.filter(({ covariates }) => covariates.includes(effect.covariate)).length;
      const added = chosen[0]!.inner.some(({ covariate }) => covariate === effect.covariate);
      return `${describeEffect(effect)}${added ? `; chosen by the inner folds of ${times} in ${chosen.length}` : ''}`;
    }),
    ...(all ? [describeEffect({ ...all, covariate: 'all of the catalog together' })] : []),
    describeEffect({ ...of_chosen, covariate: 'what inner folds chose' }),
  ];
}

async function heldOut(options: CrossValidateOptions): Promise<HeldOut[]> {
  const foldOf = await readFolds(options.folds);
  return withNeeded(options, (country, io) => crossValidateCountry(country, io, foldOf));
}

function withNeeded<T>(options: CrossValidateOptions, work: (country: Country, io: StageIo) => T | Promise<T>) {
  const part = { ...options, out: options.build, jobs: NEEDED.length, onEvent: () => {} };
  return withArtifacts(NEEDED, part, work);
}

function crossValidateCountry({ model }: Country, io: StageIo, foldOf: Map<string, number>): HeldOut[] {
  const { risk, seed } = model.parameters;
  const inputs = inputsOf(io);
  const prepared = prepareRisk(inputs);
  const states = inputs.areas.states.map((state) => state.state_code);
  const constants = constantsOf(risk, prepared.test);
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
