import type { Contents } from '../../snapshot/contents.ts';
import { html, type Markup, table } from '../markup.ts';
import { periodName } from '../names.ts';

/** What scores and forecasts rest on, state by state: the last survey, and the last case record. */
export function basisPart({ tables, coverage }: Pick<Contents, 'tables' | 'coverage'>): Markup {
  const rows = Map.groupBy(tables.basis, ({ code }) => code);
  const name = (period: string | null) => period && periodName(period);
  return html`<h3 id="basis">What months rest on</h3>
<p>Up to the last survey in a state, its scores rest on surveys; later months carry the last level on with the usual season. Reported cases are no part of any score, neither estimated nor forecast: they are forecast by themselves. LGAs and months: table <code>basis</code>.</p>
<details><summary>State by state</summary>${table(
    `Last evidence up to ${periodName(coverage.last_forecast)}`,
    [
      { head: 'State' },
      { head: 'Last survey' },
      { head: 'Estimated months since', number: true },
      { head: 'Last month of case records' },
      { head: 'Error of its case forecasts, one month ahead', number: true },
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
        estimated.filter(({ basis }) => basis === 'usual_season').length,
        name(known),
        errors[0]?.toFixed(3),
        errors[3]?.toFixed(3),
      ];
    }),
  )}</details>`;
}
