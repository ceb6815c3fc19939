import { hasCases, hasRain } from '../../../catalog/missing-data.ts';
import type { Season } from '../../../contract/schemas.ts';
import { countryWords, type Words } from '../../../contract/words.ts';
import { type Html, html } from '../../../lib/pages/html.ts';
import { renderTable } from '../../../lib/pages/table.ts';
import type { Contents } from '../../snapshot/contents.ts';
import { makeSeasonLookup } from '../../snapshot/contents.ts';
import type { Evidence } from '../shared/evidence.ts';
import { monthName } from '../shared/names.ts';

/** When cases are expected to be highest, by state; the best months to act are in the report and its table. */
export function renderSeason(contents: Contents): Html {
  const { description, cases_follow_rain_by_months } = contents.season_method;
  const { context_states: states } = contents.tables;
  if (contents.tables.season.length === 0)
    return html`<section id="season" aria-labelledby="season-head"><h2 id="season-head">Season</h2>
<p class="notice">${description} Scores are the same in all months of a year.</p></section>`;
  const findSeason = makeSeasonLookup(contents);
  const words = countryWords(contents.model.territory);
  return html`<section id="season" aria-labelledby="season-head">
<h2 id="season-head">Season</h2>
<p class="lead">Expected reported cases in each month, as a share of the place’s own peak: this shows when cases are highest, not how many there are. The high season is the run of months at half the peak or more; it is more reliable than the peak month, which is accurate to about a month. ${describeEvenSeasons(
    states.map(({ state_code }) => findSeason(state_code)),
    words,
  )}</p>
<div class="card"><figure id="season-states" class="plot"></figure></div>
<p>${description}${hasRain(contents.sources) && ` Cases follow rain by about ${cases_follow_rain_by_months} months.`}</p>
</section>`;
}

/** Comparison of the season with case records that were left out of its fit. */
export function renderSeasonCheck(contents: Contents, { season_check }: Evidence): Html | null {
  if (contents.tables.season.length === 0) return null;
  const { check } = contents.season_method;
  const { state, State } = countryWords(contents.model.territory);
  const names = new Map(contents.tables.context_states.map(({ state_code, state }) => [state_code, state]));
  return html`<section id="season-checked" aria-labelledby="season-checked-head"><h2 id="season-checked-head">Check of the season</h2>
${check.series === 0 && html`<p class="notice">${!hasCases(contents.sources) ? 'This country’s data contain no monthly case records' : `No more than one ${state.one} has case records that suffice`}, so its season has not been checked here${hasCases(contents.sources) ? '' : ', and season and survey answers are left out of the API'}.</p>`}
${
  check.series > 0 &&
  html`<p>Monthly case records of ${check.series} ${state.many} were left out in turn: the median correlation is <b>${check.median_correlation.toFixed(3)}</b>; on average, the midpoint of the high season is off by <b>${check.mean_months_off.toFixed(2)}</b> months and the peak by <b>${check.mean_months_peak_is_off.toFixed(2)}</b> months.</p>
<p class="key"><span class="line model"></span> expected ${hasRain(contents.sources) && 'from rain '}without the ${state.one}’s records <span class="dot reported"></span> case records</p>
<div id="season-check" class="small-multiples"></div>
<details><summary>The same as a table</summary>${renderTable(
    `Each ${state.one}’s records against the season expected without them`,
    [
      { title: State.one, cell: ({ state_code }) => names.get(state_code) },
      { title: 'Correlation', decimals: 3, cell: ({ correlation }) => correlation },
      { title: 'Peak expected', cell: ({ peak_expected }) => monthName(peak_expected) },
      { title: 'Peak recorded', cell: ({ peak_recorded }) => monthName(peak_recorded) },
      { title: 'Midpoint off by, months', decimals: 1, cell: ({ midpoint_off }) => midpoint_off },
      { title: 'Error, share of the peak', decimals: 2, cell: ({ index_error }) => index_error },
      {
        title: 'Months on the wrong side of half the peak',
        cell: ({ wrong_months }) => wrong_months,
      },
    ],
    season_check,
  )}</details>`
}
</section>`;
}

/** An explanation of states whose season lasts all year; empty if there are none. */
function describeEvenSeasons(states: readonly Season[], { state }: Words): string {
  const evenCount = states.filter(({ high_months }) => high_months.length === 12).length;
  if (evenCount === 0) return '';
  const where =
    evenCount === states.length ? `In every ${state.one}` : `In ${evenCount} of ${states.length} ${state.many}`;
  return (
    `${where} it lasts twelve months: reported cases are not expected to fall below half the peak. The shading ` +
    'shows which months stand out.'
  );
}
