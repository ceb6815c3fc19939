import type { SurveyTrend } from '../../../contract/schemas.ts';
import { wordsOf } from '../../../contract/words.ts';
import type { Contents } from '../../snapshot/contents.ts';
import { trendsOf } from '../../snapshot/contents.ts';
import type { Evidence } from '../shared/evidence.ts';
import { type Content, html, type Markup, table } from '../shared/markup.ts';
import { otherTests } from './tests.ts';

const share = (value: number | null) => value?.toFixed(4);

const figures = (row: SurveyTrend): Content[] => [
  share(row.positivity),
  row.low === null ? null : `${share(row.low)}–${share(row.high)}`,
  row.clusters,
  row.children_tested === null ? null : `${row.children_tested}${row.small_sample ? ' (few)' : ''}`,
];

/** The results of the surveys: the observations that every score is based on. */
export function surveySection({ tables, model }: Contents, { surveys }: Pick<Evidence, 'surveys'>): Markup {
  const trends = trendsOf(tables);
  const { small_sample, confidence } = model.parameters.survey;
  const { method, survey_method = method } = model.territory;
  const { state, State } = wordsOf(model.territory);
  const tests = otherTests(model, { surveys });
  const others = Object.entries(tests);
  const cells = (row: SurveyTrend) => [
    row.survey_year,
    ...(others.length > 0 ? [tests[row.survey_year] ?? method] : []),
    ...figures(row),
  ];
  const columns = [
    { head: 'Round' },
    ...(others.length > 0 ? [{ head: 'Test' }] : []),
    { head: 'Positive', number: true },
    { head: `${100 * confidence}% range`, number: true },
    { head: 'Places', number: true },
    { head: 'Children', number: true },
  ];
  return html`<section id="surveys" aria-labelledby="surveys-head">
<h2 id="surveys-head">Survey results</h2>
<p class="lead">Share of children aged ${model.territory.ages_months.join('–')} months who tested positive by ${survey_method}, round by round, with ranges from the survey’s design. These are observations; the scores are modelled.</p>
<div class="pair"><div class="card"><figure id="survey-national" class="plot"></figure></div>
<div class="card">${table(
    'National',
    [...columns, { head: 'Urban', number: true }, { head: 'Rural', number: true }],
    trends.national.map((row) => [...cells(row), share(row.urban), share(row.rural)]),
  )}</div></div>
<div class="card"><figure id="survey-scores" class="plot"></figure>
<p class="note">Scores of ${state.many} in the middle month of each round, against the survey result of that round. This is not a test, because the model was fitted to these results: it shows how strongly the model pulls small samples towards the rest. ${others.length > 0 && `The score refers to ${method} in every round, whereas ${others.map(([year, words]) => `the result of ${year} is by ${words}`).join(', ')}; there, points off the diagonal also reflect the difference between the tests. `}Open circles: few children. Rounds before the first estimated month have no score.</p></div>
<details><summary>All rounds of all ${state.many}</summary>
${table(
  `Places: number of places where children were tested. Children: number tested; “few” means fewer than ${small_sample}. A dash means not published`,
  [{ head: State.one }, ...columns],
  tables.context_states.flatMap(({ state_code, state: name }) =>
    trends.ofState(state_code).map((row) => [name, ...cells(row)]),
  ),
)}</details>
</section>`;
}
