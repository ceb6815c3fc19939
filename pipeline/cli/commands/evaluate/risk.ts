import { Command } from 'commander';
import { UsageError } from '../../../lib/errors.ts';
import { prepareRisk, readInputs } from '../../../model/risk/inputs.ts';
import { crossValidate, crossValidationSettings, type HeldOutCell } from '../../../validate/cross-validation.ts';
import { readFolds, writeHeldOutDraws, writeHeldOutScores } from '../../../validate/held-out-files.ts';
import { summariseRounds } from '../../../validate/score-summary.ts';
import type { FoldMean, HeldOutScores } from '../../../validate/validation.ts';
import {
  addEvaluationOptions,
  type EvaluationOptions,
  parseFileToWrite,
  printEvaluation,
} from '../../terminal/options.ts';
import { type Cells, formatTable } from '../../terminal/text-table.ts';
import { withStages } from '../with-stages.ts';

/** The risk models need the season; the context is there to refuse covariates that are measures of coverage. */
const NEEDED_STAGES = ['season', 'context'];

interface RiskOptions extends EvaluationOptions {
  folds: string;
  out: string;
  draws?: string;
}

export function riskCommand(): Command {
  return addEvaluationOptions(new Command('risk'))
    .description(
      'Predict every survey cell with the risk model and the baseline, fitted without its fold, and score both',
    )
    .requiredOption('--folds <file.csv>', 'columns lga_pcode and fold')
    .requiredOption('--out <file.csv>', 'one row per held-out cell and model', parseFileToWrite)
    .option(
      '--draws <file.parquet>',
      'posterior draws of prevalence and overdispersion per held-out cell',
      parseFileToWrite,
    )
    .addHelpText(
      'after',
      `
Example:
  malaria-risk evaluate risk --country raw-data/nigeria --raw-data ../raw/nigeria --folds folds.csv --out scores.csv

Trains only on rounds with data by cell. The summary compares the two models with the national mean of the round; ± is
the standard error over folds. log_score is the log of the mean over draws of the beta-binomial density of the cell's
count; crps (its fair estimator) and the quantiles are those of the observed share; mean_error is the mean absolute
error, and inside_90 the share of cells inside the central 90% range.`,
    )
    .action(evaluateRisk);
}

async function evaluateRisk(options: RiskOptions): Promise<void> {
  const { out, draws } = options;
  const foldByLga = await readFolds(options.folds);
  const rows = await withStages(
    NEEDED_STAGES,
    'folds',
    { ...options, out: options.build },
    ({ model }, io, onProgress): HeldOutCell[] => {
      const inputs = readInputs(io);
      const { clusters, area_rounds } = inputs.surveys;
      if (clusters.length + area_rounds.length === 0)
        throw new UsageError(
          'this country has no survey of malaria infection, so there are no survey cells to predict',
        );
      const prepared = prepareRisk(inputs);
      return crossValidate(prepared, crossValidationSettings(model, inputs, prepared, foldByLga, null), onProgress);
    },
  );
  const riskModelRows = rows.filter((row) => row.model !== 'national');
  await writeHeldOutScores(out, riskModelRows);
  if (draws) await writeHeldOutDraws(draws, riskModelRows);
  const summary = summariseRounds(rows);
  const byRound = [...Map.groupBy(summary, ({ survey_year }) => survey_year).values()].flat();
  printEvaluation(options, summary, [formatTable(byRound.map(toTableRow)), `${out}: ${riskModelRows.length} rows`]);
}

function toTableRow(row: HeldOutScores): Cells {
  const formatMean = ({ mean, standard_error }: FoldMean, digits: number) =>
    standard_error === null ? mean.toFixed(digits) : `${mean.toFixed(digits)} ± ${standard_error.toFixed(digits)}`;
  return {
    round: row.survey_year ?? 'all',
    model: row.model,
    cells: row.cells,
    log_score: formatMean(row.log_score, 3),
    crps: formatMean(row.crps, 4),
    mean_error: formatMean(row.mean_absolute_error, 3),
    correlation: row.correlation.toFixed(2),
    ...Object.fromEntries(row.coverage.map(({ level, share }) => [`inside_${100 * level}`, share.toFixed(3)])),
  };
}
