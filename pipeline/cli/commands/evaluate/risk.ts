import { Command } from 'commander';
import { UsageError } from '../../../lib/errors.ts';
import { prepareRisk, readInputs } from '../../../model/risk/inputs.ts';
import { crossValidate, type HeldOut, settingsFor } from '../../../validate/cross-validation.ts';
import { readFolds, writeHeldOutDraws, writeScores } from '../../../validate/held-out-files.ts';
import { summariseRounds } from '../../../validate/score-summary.ts';
import { describeScreening, screenCountry } from '../../../validate/screening.ts';
import type { HeldOutScores, OverFolds } from '../../../validate/validation.ts';
import { addEvaluationOptions, type EvaluationOptions, fileToWrite, sayEvaluation } from '../../terminal/options.ts';
import { type Cells, formatTable } from '../../terminal/text-table.ts';
import { withStages } from '../with-stages.ts';

/** The risk models need the season; the context is there to refuse covariates that are measures of coverage. */
const STAGES = ['season', 'context'];

interface RiskOptions extends EvaluationOptions {
  folds: string;
  out?: string;
  covariates?: boolean;
  draws?: string;
}

/** `malaria-risk evaluate risk`. */
export function riskCommand(): Command {
  return addEvaluationOptions(new Command('risk'))
    .description(
      'Predict every survey cell with the risk model and the baseline, fitted without its fold, and score both',
    )
    .requiredOption('--folds <file.csv>', 'columns lga_pcode and fold')
    .option('--out <file.csv>', 'one row per held-out cell and model; required without --covariates', fileToWrite)
    .option('--draws <file.parquet>', 'posterior draws of prevalence and overdispersion per held-out cell', fileToWrite)
    .option('--covariates', 'show what each covariate in model.json does to the scores, instead of the scores')
    .addHelpText(
      'after',
      `
Example:
  malaria-risk evaluate risk --country raw-data/nigeria --raw-data ../raw/nigeria --folds folds.csv --out scores.csv

Trains only on rounds with data by cell. The summary compares the two models with the national mean of the round; ± is
the standard error over folds. log_score is the log of the mean over draws of the beta-binomial density of the cell's
count; crps (its fair estimator) and the quantiles are those of the observed share; mean_error is the mean absolute
error, and inside_90 the share of cells inside the central 90% range.

--covariates reports what each covariate in parameters.risk.covariates adds to the log score of held-out cells, paired
by fold and with its standard error; which ones would be chosen by folds within each fold's training data; and what that
choice adds on the fold itself. It fits about a hundred models, which takes minutes per covariate.`,
    )
    .action((options: RiskOptions) => (options.covariates ? screen(options) : score(options)));
}

async function score(options: RiskOptions): Promise<void> {
  const { out, draws } = options;
  if (out === undefined) throw new UsageError('found no --out, expected a file for the scores, or --covariates');
  const folds = await readFolds(options.folds);
  const rows = await withStages(
    STAGES,
    'folds',
    { ...options, out: options.build },
    ({ model }, io, onProgress): HeldOut[] => {
      const inputs = readInputs(io);
      const prepared = prepareRisk(inputs);
      return crossValidate(prepared, settingsFor(model, inputs, prepared, folds, null), onProgress);
    },
  );
  const shipped = rows.filter((row) => row.model !== 'national');
  await writeScores(out, shipped);
  if (draws) await writeHeldOutDraws(draws, shipped);
  const summary = summariseRounds(rows);
  const byRound = [...Map.groupBy(summary, ({ survey_year }) => survey_year).values()].flat();
  sayEvaluation(options, summary, [formatTable(byRound.map(cells)), `${out}: ${shipped.length} rows`]);
}

async function screen(options: RiskOptions): Promise<void> {
  const folds = await readFolds(options.folds);
  const screening = await withStages(
    STAGES,
    'screening',
    { ...options, out: options.build },
    ({ model }, io, onProgress) => screenCountry(model, readInputs(io), folds, onProgress),
  );
  sayEvaluation(options, screening, describeScreening(screening));
}

function cells(row: HeldOutScores): Cells {
  const figure = ({ mean, standard_error }: OverFolds, digits: number) =>
    standard_error === null ? mean.toFixed(digits) : `${mean.toFixed(digits)} ± ${standard_error.toFixed(digits)}`;
  return {
    round: row.survey_year ?? 'all',
    model: row.model,
    cells: row.cells,
    log_score: figure(row.log_score, 3),
    crps: figure(row.crps, 4),
    mean_error: figure(row.mean_absolute_error, 3),
    correlation: row.correlation.toFixed(2),
    ...Object.fromEntries(row.coverage.map(({ level, share }) => [`inside_${100 * level}`, share.toFixed(3)])),
  };
}
