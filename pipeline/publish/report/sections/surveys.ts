import type { SurveyTrend } from '../../../contract/schemas.ts';
import type { Contents } from '../../snapshot/contents.ts';
import { trendsOf } from '../../snapshot/documents.ts';
import type { Evidence } from '../evidence.ts';
import { type Content, html, type Markup, table } from '../markup.ts';
import { otherTests } from './tests.ts';

const share = (value: number | null) => value?.toFixed(4);

const figures = (row: SurveyTrend): Content[] => [
  share(row.positivity),
  row.low === null ? null : `${share(row.low)}–${share(row.high)}`,
  row.clusters,
  row.children_tested === null ? null : `${row.children_tested}${row.small_sample ? ' (few)' : ''}`,
];

/** The surveys' findings: the observations that every score rests on. */
export function surveySection({ tables, model }: Contents, { surveys }: Pick<Evidence, 'surveys'>): Markup {
  const trends = trendsOf(tables);
  const { small_sample, confidence } = model.parameters.survey;
  const { method, survey_method = method } = model.territory;
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
<h2 id="surveys-head">What surveys found</h2>
<p class="lead">Share of children aged ${model.territory.ages_months.join('–')} months who tested positive by ${survey_method}, round by round, with ranges from the survey’s design. These are observations; the scores are a model’s.</p>
<div class="pair"><div class="card"><figure id="survey-national" class="plot"></figure></div>
<div class="card">${table(
    'The whole country',
    [...columns, { head: 'Urban', number: true }, { head: 'Rural', number: true }],
    trends.national.map((row) => [...cells(row), share(row.urban), share(row.rural)]),
  )}</div></div>
<div class="card"><figure id="survey-scores" class="plot"></figure>
<p class="note">State scores in the middle month of each round against the round’s own figure. This is no test: the model has seen these figures. What it shows is how far the model draws small samples towards the whole. ${others.length > 0 && `The score is of ${method} in every round, and ${others.map(([year, words]) => `the figure of ${year} is by ${words}`).join(', ')}: there points off the diagonal tell of the test as well. `}Open circles: few children. Rounds before the first estimated month have no score.</p></div>
<details><summary>Every state’s rounds as a table</summary>
${table(
  `Places: where children were tested. Children: how many; “few” is fewer than ${small_sample}. A dash: not published`,
  [{ head: 'State' }, ...columns],
  tables.context_states.flatMap(({ state_code, state }) =>
    trends.ofState(state_code).map((row) => [state, ...cells(row)]),
  ),
)}</details>
</section>`;
}
