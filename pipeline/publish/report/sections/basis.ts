import { countryWords } from '../../../contract/words.ts';
import { type Html, html } from '../../../lib/pages/html.ts';
import { renderTable } from '../../../lib/pages/table.ts';
import type { Contents } from '../../snapshot/contents.ts';
import { periodName } from '../shared/names.ts';

const CASES_ENTER_NO_SCORE =
  'Reported cases enter no score, neither estimated nor forecast, because surveys provide too little evidence of how ' +
  'prevalence follows them. They are forecast separately.';

/** The evidence behind scores and forecasts by state: the last survey and the last case record. */
export function renderBasis({ tables, coverage, model }: Pick<Contents, 'tables' | 'coverage' | 'model'>): Html {
  const words = countryWords(model.territory);
  const rows = Map.groupBy(tables.basis, ({ code }) => code);
  const nameMonth = (period: string | null) => period && periodName(period);
  return html`<h3 id="basis">Evidence behind each month</h3>
<p>Up to the last survey in ${words.a.state}, its scores are based on surveys; later months carry the last level forward with the usual season. ${CASES_ENTER_NO_SCORE} For ${words.lga.many} and single months see the table <code>basis</code>.</p>
<details><summary>By ${words.state.one}</summary>${renderTable(
    `Last evidence up to ${periodName(coverage.last_forecast)}`,
    [
      { title: words.State.one, cell: ({ state }) => state },
      { title: 'Last survey', cell: ({ lastRow }) => nameMonth(lastRow?.last_survey ?? null) },
      { title: 'Estimated months since', cell: ({ monthsAfterSurvey }) => monthsAfterSurvey.length },
      { title: 'Last month of case records', cell: ({ lastCases }) => nameMonth(lastCases) },
      { title: 'Error of case forecasts, one month ahead', decimals: 3, cell: ({ logErrors }) => logErrors[0] },
      { title: 'Four months ahead', decimals: 3, cell: ({ logErrors }) => logErrors[3] },
    ],
    tables.context_states.map(({ state_code, state }) => {
      const areaRows = rows.get(state_code) ?? [];
      const lastRow = areaRows.at(-1);
      const lastCases = lastRow?.last_cases ?? null;
      const logErrors = areaRows
        .filter((row) => row.last_cases === lastCases)
        .flatMap((row) => row.cases_log_mae ?? []);
      const monthsAfterSurvey = areaRows.filter(
        ({ period, basis }) => period <= coverage.last_estimated && basis !== 'survey',
      );
      return { state, lastRow, lastCases, logErrors, monthsAfterSurvey };
    }),
  )}</details>`;
}
