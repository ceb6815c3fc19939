import type { OverFolds, Validation } from '../../../artifacts.ts';
import type { KnownTruth } from '../../../validation/known-truth.ts';
import type { Evidence } from '../evidence.ts';
import { html, type Markup, table } from '../markup.ts';
import { modelName } from '../names.ts';

/** How the scores did on survey cells that the model had not seen; plainly nothing where that was not measured. */
export function validationSection({ risk, validation, known_truth }: Evidence): Markup {
  return html`<section id="validation" aria-labelledby="validation-head">
<h2 id="validation-head">Whether to believe it</h2>
<p class="lead">The scores shown are the <b>${modelName(risk.model).toLowerCase()}</b> model’s. Beside the spatial model stand two simple ones: the baseline, each state’s average of the nearest survey round, drawn towards the country’s and moved by the season; and the national mean, the whole country’s figure in that round. A model that does not beat these is not worth its trouble.</p>
${validation ? measured(validation) : html`<p class="missing">The scores of this version were not put to the test on survey cells left out of the fit. Nothing here says how often its ranges hold the truth; the season and the transmission model were checked as told above.</p>`}
${madeUp(known_truth)}
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

function madeUp({ seeds, all, countries, of_this_code }: KnownTruth): Markup {
  const [estimated, forecast] = (['estimated', 'forecast'] as const).map(
    (kind) => all.find((row) => row.kind === kind)!,
  );
  const share = (value: number) => `${(100 * value).toFixed(1)}%`;
  const ratio = (row: (typeof all)[number]) => (row.rmse / row.baseline_rmse).toFixed(2);
  return html`<h3>Where the truth is known</h3>
<p>The spatial model was also run on ${seeds.length} made-up countries, where the true prevalence of every LGA and month is known. Its 90% ranges held ${share(estimated!.coverage)} of the true values in estimated months and ${share(forecast!.coverage)} in forecast months; its error (root mean square) was ${ratio(estimated!)} times the baseline’s in estimated and ${ratio(forecast!)} times in forecast months. ${of_this_code ? 'That is the very model of this version.' : 'The model’s code has changed since: take it as a guide.'} A real country may differ from them in ways that no test on them shows.</p>
<details><summary>Country by country</summary>${table(
    'Made-up countries: share of true values in the 90% range; error as root mean square of shares',
    [
      { head: 'Seed', number: true },
      { head: 'Months' },
      { head: 'LGA-months', number: true },
      { head: 'In 90%', number: true },
      { head: 'Error', number: true },
      { head: 'Baseline’s', number: true },
    ],
    countries.map((row) => [
      row.seed,
      row.kind,
      row.lga_months,
      row.coverage.toFixed(3),
      row.rmse.toFixed(4),
      row.baseline_rmse.toFixed(4),
    ]),
  )}</details>`;
}

function measured({ words, folds, block_degrees, scores }: Validation): Markup {
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
<p class="note">A cell is what one survey round found in one LGA and month. Log score: how probable the model held what was then observed, as a logarithm; higher is better. CRPS (continuous ranked probability score): how far the whole prediction lies from what was observed; lower is better. Mean absolute error: how far the predicted share lies; lower is better. In 90%: share of cells inside the model’s 90% range.</p>`;
}

/** All rounds first, then round by round, the models beside each other. */
const roundByRound = (scores: Validation['scores']) =>
  [...Map.groupBy(scores, ({ survey_year }) => survey_year)]
    .sort(([a], [b]) => (a ?? 0) - (b ?? 0))
    .flatMap(([, rows]) => rows);

const withError = ({ mean, standard_error }: OverFolds, digits: number) =>
  standard_error === null ? mean.toFixed(digits) : `${mean.toFixed(digits)} ± ${standard_error.toFixed(digits)}`;
