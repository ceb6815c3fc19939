import { type Words, wordsOf } from '../../../contract/words.ts';
import type { Contents } from '../../snapshot/contents.ts';
import { html, type Markup, table } from '../shared/markup.ts';
import { periodName } from '../shared/names.ts';

/** The evidence behind scores and forecasts by state: the last survey and the last case record. */
export function basisPart({ tables, coverage, model }: Pick<Contents, 'tables' | 'coverage' | 'model'>): Markup {
  const words = wordsOf(model.territory);
  const rows = Map.groupBy(tables.basis, ({ code }) => code);
  const name = (period: string | null) => period && periodName(period);
  return html`<h3 id="basis">Evidence behind each month</h3>
<p>Up to the last survey in ${words.a.state}, its scores are based on surveys; later months carry the last level forward with the usual season. ${casesPart(tables.basis, words)} For ${words.lga.many} and single months see the table <code>basis</code>.</p>
<details><summary>By ${words.state.one}</summary>${table(
    `Last evidence up to ${periodName(coverage.last_forecast)}`,
    [
      { head: words.State.one },
      { head: 'Last survey' },
      { head: 'Estimated months since', number: true },
      { head: 'Of these adjusted by cases', number: true },
      { head: 'Last month of case records' },
      { head: 'Error of case forecasts, one month ahead', number: true },
      { head: 'Four months ahead', number: true },
    ],
    tables.context_states.map(({ state_code, state }) => {
      const own = rows.get(state_code) ?? [];
      const last = own.at(-1);
      const known = last?.last_cases ?? null;
      const errors = own.filter((row) => row.last_cases === known).flatMap((row) => row.cases_log_mae ?? []);
      const estimated = own.filter(({ period }) => period <= coverage.last_estimated);
      return [
        state,
        name(last?.last_survey ?? null),
        estimated.filter(({ basis }) => basis !== 'survey').length,
        estimated.filter(({ basis }) => basis === 'cases' || basis === 'cases_elsewhere').length,
        name(known),
        errors[0]?.toFixed(3),
        errors[3]?.toFixed(3),
      ];
    }),
  )}</details>`;
}

/** Whether reported cases enter any score. */
function casesPart(rows: Contents['tables']['basis'], { state }: Words): string {
  const count = (which: string) =>
    new Set(rows.filter(({ area, basis }) => area === 'state' && basis === which).map(({ code }) => code)).size;
  const [own, elsewhere] = [count('cases'), count('cases_elsewhere')];
  if (own + elsewhere === 0)
    return 'Reported cases enter no score, neither estimated nor forecast, because surveys provide too little evidence of how prevalence follows them. They are forecast separately.';
  const others =
    elsewhere > 0 ? `, and those of ${elsewhere} ${state.many} without records by the mean of the others` : '';
  return `The later scores of ${own} ${state.many} are adjusted by the deviation of reported cases from their usual course${others}; the model card (link) shows by how much and on what evidence.`;
}
