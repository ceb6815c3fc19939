import type { Territory } from '../../../contract/territory.ts';
import { countryWords, type Words } from '../../../contract/words.ts';
import { type Html, html } from '../../../lib/pages/html.ts';
import { type Column, renderTable } from '../../../lib/pages/table.ts';
import type { GroupScore } from '../../../validate/compare-truth.ts';
import type { KnownTruth } from '../../../validate/known-truth.ts';
import type { FoldMean, Validation } from '../../../validate/validation.ts';
import type { Contents } from '../../snapshot/contents.ts';
import type { Evidence } from '../shared/evidence.ts';
import { joinInSentence, modelName } from '../shared/names.ts';
import { renderBasis } from './basis.ts';
import { renderForecasts } from './forecasts.ts';

/** Performance of the scores on survey cells left out of the fit, or a statement that it was not measured. */
export function renderValidation(
  { tables, coverage, model }: Contents,
  { risk, surveys, validation, known_truth }: Evidence,
): Html {
  const words = countryWords(model.territory);
  if (risk.model === null)
    return html`<section id="validation" aria-labelledby="validation-head">
<h2 id="validation-head">How reliable the forecasts are</h2>
${renderForecasts(tables, words)}
</section>`;
  return html`<section id="validation" aria-labelledby="validation-head">
<h2 id="validation-head">How reliable the scores are</h2>
<p class="lead">The scores shown are those of the <b>${modelName(risk.model).toLowerCase()}</b> model. The spatial model is compared with two simple ones: the baseline, which is each ${words.state.one}’s average in the nearest survey round, pulled towards the national average and adjusted for the season; and the national mean, which is the national figure of that round. A model that does not beat these is not worth its complexity.</p>
${validation ? renderScores(validation, defineCell(surveys, words), words) : html`<p class="notice">The scores of this version were not tested on survey cells left out of the fit, so nothing here shows how often its ranges contain the truth. For checks of the season and of the transmission model see below.</p>`}
${renderKnownTruth(known_truth, model.territory, words)}
${renderForecasts(tables, words)}
${renderBasis({ tables, coverage, model })}
${
  risk.spatial &&
  html`<details><summary>Hyperparameters of the spatial model</summary>${renderTable(
    'Posterior of the hyperparameters',
    [
      { title: 'Name', cell: ({ name }) => name },
      { title: 'Scale', cell: ({ scale }) => scale },
      { title: 'Mean', decimals: 3, cell: ({ mean }) => mean },
      { title: 'Standard deviation', decimals: 3, cell: ({ sd }) => sd },
    ],
    risk.spatial.hyperparameters,
  )}</details>`
}
</section>`;
}

/** Results for the made-up countries; if their zones are not this country's, only those by family of truth. */
function renderKnownTruth(truth: KnownTruth, { zones }: Territory, words: Words): Html {
  const isSameCountry = truth.pooled.every(
    ({ by, group }) => by !== 'zone' || Object.hasOwn(zones?.names ?? {}, group),
  );
  const byFamily = renderFamilyTable(truth, words);
  return html`<h3>Tests with known truth</h3>
<p>${describeKnownTruth(truth, isSameCountry, words)}</p>
${isSameCountry ? byFamily : html`<details><summary>By family of truth</summary>${byFamily}</details>`}
${isSameCountry && renderTruthDetails(truth, words)}`;
}

function describeKnownTruth(
  { seeds, pooled, countries, of_this_code, confirmed_on }: KnownTruth,
  isSameCountry: boolean,
  { lga }: Words,
): string {
  const tested = countries.filter(({ group }) => group === 'estimated').length;
  const coverages = pooled.filter(({ by }) => by === 'block').map(({ coverage_90 }) => coverage_90);
  const [lowest, highest] = [Math.min(...coverages), Math.max(...coverages)].map(
    (value) => `${(100 * value).toFixed(1)}%`,
  );
  return [
    `The spatial model was also run on ${tested} made-up countries (seeds ${seeds.join(', ')}), where the true`,
    `prevalence of every ${lga.one} and month is known. The truths come from several families: one is as the model`,
    `assumes, the others depart from its assumptions. By family and three-year period, the 90% ranges contained`,
    `${lowest} to ${highest} of the true values.`,
    ...(isSameCountry ? [] : ['Their areas and surveys do not resemble this country’s.']),
    describeCode(of_this_code, confirmed_on),
    'A real country may differ from them in ways that no such test shows.',
  ].join(' ');
}

function describeCode(isSameCode: boolean, confirmedCountries: readonly string[]): string {
  if (!isSameCode) return 'The model’s code has changed since, so these results are only a guide.';
  if (confirmedCountries.length === 0) return 'They were run with exactly the model of this version.';
  return (
    `The model’s code has changed since; ${confirmedCountries.length} of these countries, computed again, gave the same ` +
    'results.'
  );
}

const renderFamilyTable = ({ pooled }: KnownTruth, { Lga }: Words): Html => html`${renderTable(
  'Made-up countries by family of truth',
  [TRUTH_COLUMN, MONTHS_COLUMN, ...scoreColumns(Lga.one)],
  pooled.filter(({ by }) => by === 'all'),
)}
<p class="note">In 90%: share of true values in the 90% range. Bias: mean of score minus truth. Error: root mean square of that difference, of the score and of the baseline. Interval score: width of the 90% range plus 20 times the distance by which it misses; lower is better.</p>`;

const renderTruthDetails = ({ pooled, countries }: KnownTruth, { Lga }: Words): Html =>
  html`<details><summary>By period, zone, distance from survey clusters, urban and rural</summary>${renderTable(
    'Made-up countries by family of truth and group',
    [TRUTH_COLUMN, { title: 'Group', cell: ({ group }) => group }, ...scoreColumns(Lga.one)],
    pooled.filter(({ by }) => by !== 'all'),
  )}</details>
<details><summary>By country</summary>${renderTable(
    'Each made-up country',
    [TRUTH_COLUMN, { title: 'Seed', cell: ({ seed }) => seed }, MONTHS_COLUMN, ...scoreColumns(Lga.one)],
    countries,
  )}</details>`;

/** The effect of each covariate from the catalog on the scores above. */
function renderCovariates(covariates: Validation['covariates']): Html {
  return html`<h3>Effect of each covariate</h3>
<p>In addition to population density, the spatial model uses ${joinInSentence(covariates.map(({ covariate }) => covariate))}. The same cells were predicted without each of these in turn. A difference of less than three standard errors may be due to chance.</p>
${renderTable(
  'Scores with the covariate minus those without it, ± one standard error of the difference between groups',
  [
    { title: 'Covariate', cell: ({ covariate }) => covariate },
    { title: 'Log score', variant: 'number', cell: ({ log_score }) => formatWithError(log_score, 4) },
    { title: 'CRPS', variant: 'number', cell: ({ crps }) => formatWithError(crps, 5) },
  ],
  covariates,
)}`;
}

/** Columns of the tables of made-up countries. */
const scoreColumns = (Lga: string): Column<GroupScore>[] => [
  { title: `${Lga}-months`, cell: ({ lga_months }) => lga_months },
  { title: 'In 90%', decimals: 3, cell: ({ coverage_90 }) => coverage_90 },
  { title: 'Bias', decimals: 4, cell: ({ bias }) => bias },
  { title: 'Error', decimals: 4, cell: ({ rmse }) => rmse },
  { title: 'Error of baseline', decimals: 4, cell: ({ baseline_rmse }) => baseline_rmse },
  { title: 'Interval score', decimals: 3, cell: ({ interval_score }) => interval_score },
];
const TRUTH_COLUMN: Column<{ truth: string }> = { title: 'Truth', cell: ({ truth }) => truth };
const MONTHS_COLUMN: Column<{ group: string }> = { title: 'Months', cell: ({ group }) => group };

/**
 * Defines a cell, the unit left out: a row of the file if it is a cluster, else an LGA's clusters of one month
 * together.
 */
const defineCell = ({ clusters }: Evidence['surveys'], { lga }: Words): string =>
  clusters.some(({ longitude }) => longitude !== null)
    ? 'A cell is a survey cluster in one round.'
    : `A cell is what one survey round found in one ${lga.one} and month.`;

function renderScores(
  { words, folds, block_degrees, scores, covariates }: Validation,
  cell: string,
  { state, lga }: Words,
): Html {
  const levels = scores[0]?.coverage.map(({ level }) => level) ?? [];
  return html`<p>${words} Blocks of ${lga.many} with sides of ${block_degrees}° were left out in ${folds.length} groups, each predicted by models fitted without it; rounds known only by ${state.one} were left out throughout.</p>
<div class="cards"><div class="card"><figure id="calibration" class="plot"></figure><p class="note">Cells in ten groups, from the lowest prediction to the highest. On the diagonal, observed shares equal predicted shares. The wider a model’s points are spread, the better it distinguishes places.</p></div>
<div class="card"><figure id="coverage" class="plot"></figure><p class="note">On the diagonal, ranges contain the observed share as often as they should. Below it, they are too narrow.</p></div>
<div class="card"><figure id="pit" class="plot"></figure><p class="note">Bars of equal height are ideal: observed shares fall equally often in each part of the predictive distribution. A U shape means that ranges are too narrow, a hump that they are too wide.</p></div></div>
${renderTable(
  'Scores on cells left out, ± one standard error between groups',
  [
    { title: 'Rounds', cell: ({ survey_year }) => survey_year ?? 'all' },
    { title: 'Model', cell: ({ model }) => modelName(model) },
    { title: 'Cells', cell: ({ cells }) => cells },
    { title: 'Log score', variant: 'number', cell: ({ log_score }) => formatWithError(log_score, 3) },
    { title: 'CRPS', variant: 'number', cell: ({ crps }) => formatWithError(crps, 4) },
    { title: 'Mean absolute error', variant: 'number', cell: (row) => formatWithError(row.mean_absolute_error, 4) },
    { title: 'Correlation', decimals: 3, cell: ({ correlation }) => correlation },
    ...levels.map((level, i) => ({
      title: `In ${Math.round(level * 100)}%`,
      decimals: 3,
      cell: ({ coverage }: Validation['scores'][number]) => coverage[i]!.share,
    })),
  ],
  sortByRound(scores),
)}
<p class="note">${cell} Log score: logarithm of the probability that the model gave to the observation; higher is better. CRPS (continuous ranked probability score): distance of the predictive distribution from the observation; lower is better. Mean absolute error: distance of the predicted share from the observed one; lower is better. In 90%: share of cells inside the model’s 90% range.</p>
${covariates.length > 0 && renderCovariates(covariates)}`;
}

/** Scores over all rounds first, then those of each round, with its models next to each other. */
const sortByRound = (scores: Validation['scores']) =>
  [...Map.groupBy(scores, ({ survey_year }) => survey_year)]
    .sort(([a], [b]) => (a ?? 0) - (b ?? 0))
    .flatMap(([, rows]) => rows);

const formatWithError = ({ mean, standard_error }: FoldMean, digits: number) =>
  standard_error === null ? mean.toFixed(digits) : `${mean.toFixed(digits)} ± ${standard_error.toFixed(digits)}`;
