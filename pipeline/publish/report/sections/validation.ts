import type { OverFolds, Validation } from '../../../artifacts.ts';
import type { Territory } from '../../../contract/territory.ts';
import type { GroupScore } from '../../../validation/compare-truth.ts';
import type { KnownTruth } from '../../../validation/known-truth.ts';
import type { Contents } from '../../snapshot/contents.ts';
import type { Evidence } from '../evidence.ts';
import { html, type Markup, table } from '../markup.ts';
import { modelName } from '../names.ts';
import { basisPart } from './basis.ts';
import { forecastPart } from './forecasts.ts';

/** How the scores did on survey cells left out of the fit; says so where that was not measured. */
export function validationSection(
  { tables, coverage, model }: Contents,
  { risk, surveys, validation, known_truth }: Evidence,
): Markup {
  return html`<section id="validation" aria-labelledby="validation-head">
<h2 id="validation-head">Whether to believe it</h2>
<p class="lead">The scores shown are the <b>${modelName(risk.model).toLowerCase()}</b> model’s. Beside the spatial model stand two simple ones: the baseline, each state’s average of the nearest survey round, drawn towards the country’s and moved by the season; and the national mean, the whole country’s figure in that round. A model that does not beat these is not worth its trouble.</p>
${validation ? measured(validation, cellOf(surveys)) : html`<p class="missing">The scores of this version were not put to the test on survey cells left out of the fit. Nothing here says how often its ranges hold the truth; the season and the transmission model were checked as told above.</p>`}
${madeUp(known_truth, model.territory)}
${forecastPart(tables)}
${basisPart({ tables, coverage })}
${
  risk.spatial &&
  html`<details><summary>What the spatial model learnt</summary>${table(
    'Hyperparameters, posterior',
    [{ head: 'Name' }, { head: 'Scale' }, { head: 'Mean', number: true }, { head: 'Standard deviation', number: true }],
    risk.spatial.hyperparameters.map(({ name, scale, mean, sd }) => [name, scale, mean.toFixed(3), sd.toFixed(3)]),
  )}</details>`
}
</section>`;
}

/** Tables of the made-up countries; without those of their zones and of each of them where the zones are not this country's. */
function madeUp({ seeds, pooled, countries, of_this_code, confirmed_on }: KnownTruth, { zones }: Territory): Markup {
  const isLike = pooled.every(({ by, group }) => by !== 'zone' || Object.hasOwn(zones?.names ?? {}, group));
  const share = (value: number) => `${(100 * value).toFixed(1)}%`;
  const blocks = pooled.filter(({ by }) => by === 'block').map(({ coverage_90 }) => coverage_90);
  const all = pooled.filter(({ by }) => by === 'all');
  const byFamily = html`${table(
    'Made-up countries by family of truth',
    [{ head: 'Truth' }, { head: 'Months' }, ...FIGURES.map(([head]) => ({ head, number: true as const }))],
    all.map((row) => [row.truth, row.group, ...FIGURES.map(([, of]) => of(row))]),
  )}
<p class="note">In 90%: share of true values in the 90% range. Bias: mean of score less truth. Error: root mean square of the same, here and of the baseline. Interval score: width of the 90% range and 20 times the distance by which it misses; less is better.</p>`;
  return html`<h3>Where the truth is known</h3>
<p>The spatial model was also run on ${countries.filter(({ group }) => group === 'estimated').length} made-up countries (seeds ${seeds.join(', ')}), where the true prevalence of every LGA and month is known. Their truths are of several families: one is of the kind that the model assumes, the others depart from it. By family and three years its 90% ranges held ${share(Math.min(...blocks))} to ${share(Math.max(...blocks))} of the true values. ${isLike ? '' : 'Their areas and surveys are not made like this country’s. '}${ofThisCode(of_this_code, confirmed_on)} A real country may differ from them in ways that no test on them shows.</p>
${isLike ? byFamily : html`<details><summary>By family of truth</summary>${byFamily}</details>`}
${
  isLike &&
  html`<details><summary>By years, zone, distance from survey clusters, town and country</summary>${table(
    'Made-up countries by family of truth and group',
    [{ head: 'Truth' }, { head: 'Of' }, ...FIGURES.map(([head]) => ({ head, number: true as const }))],
    pooled.filter(({ by }) => by !== 'all').map((row) => [row.truth, row.group, ...FIGURES.map(([, of]) => of(row))]),
  )}</details>
<details><summary>Country by country</summary>${table(
    'Made-up countries one by one',
    [
      { head: 'Truth' },
      { head: 'Seed', number: true },
      { head: 'Months' },
      ...FIGURES.map(([head]) => ({ head, number: true as const })),
    ],
    countries.map((row) => [row.truth, row.seed, row.group, ...FIGURES.map(([, of]) => of(row))]),
  )}</details>`
}`;
}

function ofThisCode(same: boolean, confirmed: readonly string[]): string {
  if (!same) return 'The model’s code has changed since: take it as a guide.';
  if (confirmed.length === 0) return 'That is the very model of this version.';
  return `The model’s code has changed since; ${confirmed.length} of these countries, computed again, came out the same.`;
}

/** What each covariate that the catalog adds did to the scores above. */
function covariateTable(covariates: Validation['covariates']): Markup {
  return html`<h3>What each covariate does</h3>
<p>Besides how densely people live, the spatial model is told of ${covariates.map(({ covariate }) => covariate).join(', ')}. The same cells were predicted without each of these in turn. A difference of less than three standard errors may be chance.</p>
${table(
  'Scores with the covariate less those without it, ± one standard error of the difference between groups',
  [{ head: 'Covariate' }, { head: 'Log score', number: true }, { head: 'CRPS', number: true }],
  covariates.map((row) => [row.covariate, withError(row.log_score, 4), withError(row.crps, 5)]),
)}`;
}

/** Columns of the tables of made-up countries. */
const FIGURES: [string, (row: GroupScore) => string | number][] = [
  ['LGA-months', ({ lga_months }) => lga_months],
  ['In 90%', ({ coverage_90 }) => coverage_90.toFixed(3)],
  ['Bias', ({ bias }) => bias.toFixed(4)],
  ['Error', ({ rmse }) => rmse.toFixed(4)],
  ['Baseline’s', ({ baseline_rmse }) => baseline_rmse.toFixed(4)],
  ['Interval score', ({ interval_score }) => interval_score.toFixed(3)],
];

/** What was left out one by one: rows of a file that are clusters, or an LGA's clusters of one month together. */
const cellOf = ({ clusters }: Evidence['surveys']): string =>
  clusters.some(({ longitude }) => longitude !== null)
    ? 'A cell is a survey cluster in one round.'
    : 'A cell is what one survey round found in one LGA and month.';

function measured({ words, folds, block_degrees, scores, covariates }: Validation, cell: string): Markup {
  const levels = scores[0]?.coverage.map(({ level }) => level) ?? [];
  return html`<p>${words} Blocks of LGAs ${block_degrees}° a side were left out in ${folds.length} groups, each predicted by models fitted without it; rounds known by state only were left out throughout.</p>
<div class="triple"><div class="card"><figure id="calibration" class="plot"></figure><p class="note">Cells in ten groups, from the lowest prediction to the highest. On the diagonal, places predicted a share are found to have it. The further a model’s points reach, the better it tells places apart.</p></div>
<div class="card"><figure id="coverage" class="plot"></figure><p class="note">On the diagonal, ranges hold what was observed as often as they say. Below it, they are too narrow.</p></div>
<div class="card"><figure id="pit" class="plot"></figure><p class="note">Level bars are right: what is observed falls as often low as high in what was predicted. A U means ranges too narrow, a hump too wide.</p></div></div>
${table(
  'Scores on cells left out, ± one standard error between groups',
  [
    { head: 'Rounds' },
    { head: 'Model' },
    { head: 'Cells', number: true },
    { head: 'Log score', number: true },
    { head: 'CRPS', number: true },
    { head: 'Mean absolute error', number: true },
    { head: 'Correlation', number: true },
    ...levels.map((level) => ({ head: `In ${Math.round(level * 100)}%`, number: true })),
  ],
  roundByRound(scores).map((row) => [
    row.survey_year ?? 'all',
    modelName(row.model),
    row.cells,
    withError(row.log_score, 3),
    withError(row.crps, 4),
    withError(row.mean_absolute_error, 4),
    row.correlation.toFixed(3),
    ...row.coverage.map(({ share }) => share.toFixed(3)),
  ]),
)}
<p class="note">${cell} Log score: how probable the model held what was then observed, as a logarithm; higher is better. CRPS (continuous ranked probability score): how far the whole prediction lies from what was observed; lower is better. Mean absolute error: how far the predicted share lies; lower is better. In 90%: share of cells inside the model’s 90% range.</p>
${covariates.length > 0 && covariateTable(covariates)}`;
}

/** All rounds first, then round by round, the models beside each other. */
const roundByRound = (scores: Validation['scores']) =>
  [...Map.groupBy(scores, ({ survey_year }) => survey_year)]
    .sort(([a], [b]) => (a ?? 0) - (b ?? 0))
    .flatMap(([, rows]) => rows);

const withError = ({ mean, standard_error }: OverFolds, digits: number) =>
  standard_error === null ? mean.toFixed(digits) : `${mean.toFixed(digits)} ± ${standard_error.toFixed(digits)}`;
