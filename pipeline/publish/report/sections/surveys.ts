import type { SurveyTrend } from '../../../contract/schemas.ts';
import { countryWords } from '../../../contract/words.ts';
import { type Html, html } from '../../../lib/pages/html.ts';
import { type Column, renderTable } from '../../../lib/pages/table.ts';
import type { Contents } from '../../snapshot/contents.ts';
import { surveyTrends } from '../../snapshot/contents.ts';
import type { Evidence } from '../shared/evidence.ts';
import { otherTestsByYear } from './diagnostic-tests.ts';

/** The results of the surveys: the observations that every score is based on. */
export function renderSurveys({ tables, model }: Contents, { surveys }: Pick<Evidence, 'surveys'>): Html {
  const trends = surveyTrends(tables);
  const { small_sample, confidence } = model.parameters.survey;
  const { method, survey_method = method } = model.territory;
  const { state, State } = countryWords(model.territory);
  const testsByYear = otherTestsByYear(model, { surveys });
  const otherRounds = Object.entries(testsByYear);
  const columns: (Column<SurveyTrend> | false)[] = [
    { title: 'Round', cell: ({ survey_year }) => survey_year },
    otherRounds.length > 0 && { title: 'Test', cell: ({ survey_year }) => testsByYear[survey_year] ?? method },
    { title: 'Positive', decimals: 4, cell: ({ positivity }) => positivity },
    {
      title: `${100 * confidence}% range`,
      variant: 'number',
      cell: ({ low, high }) => (low === null ? null : `${low.toFixed(4)}–${high?.toFixed(4)}`),
    },
    { title: 'Places', cell: ({ clusters }) => clusters },
    {
      title: 'Children',
      variant: 'number',
      cell: ({ children_tested, small_sample }) =>
        children_tested === null ? null : `${children_tested}${small_sample ? ' (few)' : ''}`,
    },
  ];
  return html`<section id="surveys" aria-labelledby="surveys-head">
<h2 id="surveys-head">Survey results</h2>
<p class="lead">Share of children aged ${model.territory.ages_months.join('–')} months who tested positive by ${survey_method}, round by round, with ranges from the survey’s design. These are observations; the scores are modelled.</p>
<div class="cards"><div class="card"><figure id="survey-national" class="plot"></figure></div>
<div class="card">${renderTable(
    'National',
    [
      ...columns,
      { title: 'Urban', decimals: 4, cell: ({ urban }) => urban },
      { title: 'Rural', decimals: 4, cell: ({ rural }) => rural },
    ],
    trends.national,
  )}</div></div>
<div class="card"><figure id="survey-scores" class="plot"></figure>
<p class="note">Scores of ${state.many} in the middle month of each round, against the survey result of that round. This is not a test, because the model was fitted to these results: it shows how strongly the model pulls small samples towards the rest. ${otherRounds.length > 0 && `The score refers to ${method} in every round, whereas ${otherRounds.map(([year, words]) => `the result of ${year} is by ${words}`).join(', ')}; there, points off the diagonal also reflect the difference between the tests. `}Open circles: few children. Rounds before the first estimated month have no score.</p></div>
<details><summary>All rounds of all ${state.many}</summary>
${renderTable(
  `Places: number of places where children were tested. Children: number tested; “few” means fewer than ${small_sample}. A dash means not published`,
  [{ title: State.one, cell: ({ state }) => state }, ...columns],
  tables.context_states.flatMap(({ state_code, state }) =>
    trends.forState(state_code).map((row) => ({ ...row, state })),
  ),
)}</details>
</section>`;
}
