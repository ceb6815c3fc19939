import type { OverFolds, Validation } from '../../artifacts.ts';
import type { Evidence } from '../encode.ts';
import { html, type Markup, table } from '../markup.ts';
import { modelName } from './words.ts';

/** How the scores did on survey cells that the model had not seen; plainly nothing where that was not measured. */
export function validationSection({ risk, validation }: Evidence): Markup {
  return html`<section id="validation" aria-labelledby="validation-head">
<h2 id="validation-head">Whether to believe it</h2>
<p class="lead">The scores shown are the <b>${modelName(risk.model).toLowerCase()}</b> model’s. The baseline is each state’s average of the nearest survey round, drawn towards the country’s, moved by the season; the national mean is the whole country’s in that round. A model that does not beat it is not worth its trouble.</p>
${validation ? measured(validation) : html`<p class="missing">The scores of this version were not put to the test on survey cells left out of the fit. Nothing here says how often its ranges hold the truth; the season and the transmission model were checked as told above.</p>`}
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

function measured({ words, folds, block_degrees, scores }: Validation): Markup {
  const levels = scores[0]?.coverage.map(({ level }) => level) ?? [];
  return html`<p>${words} Blocks of LGAs ${block_degrees}° a side were left out in ${folds.length} groups, each predicted by models fitted without it; rounds known by state only were left out throughout.</p>
<div class="pair"><div class="card"><figure id="coverage" class="plot"></figure><p class="note">On the diagonal, ranges hold the truth as often as they say. Below it, they are too narrow.</p></div>
<div class="card"><figure id="pit" class="plot"></figure><p class="note">Where observed shares fell in their predicted distributions. Level bars are right; a U means ranges too narrow, a hump too wide.</p></div></div>
${table(
  'Scores on cells left out. Log score: higher is better; CRPS and error: lower. ± one standard error over folds; In 90%: share of cells inside the 90% range',
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
  scores.map((row) => [
    row.survey_year ?? 'all',
    modelName(row.model),
    row.cells,
    withError(row.log_score, 3),
    withError(row.crps, 4),
    withError(row.mean_absolute_error, 4),
    row.correlation.toFixed(3),
    ...row.coverage.map(({ share }) => share.toFixed(3)),
  ]),
)}`;
}

const withError = ({ mean, standard_error }: OverFolds, digits: number) =>
  standard_error === null ? mean.toFixed(digits) : `${mean.toFixed(digits)} ± ${standard_error.toFixed(digits)}`;
