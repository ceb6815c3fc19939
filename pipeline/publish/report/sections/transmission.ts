import { hasCases } from '../../../catalog/missing-data.ts';
import type { TransmissionModel } from '../../../contract/schemas.ts';
import { countryWords, type Words } from '../../../contract/words.ts';
import { type Html, html } from '../../../lib/pages/html.ts';
import { renderTable } from '../../../lib/pages/table.ts';
import { describeProjections, describeStanding } from '../../../model/transmission/limits.ts';
import type { Contents } from '../../snapshot/contents.ts';
import type { Evidence } from '../shared/evidence.ts';
import { joinInSentence, monthName } from '../shared/names.ts';
import { isReported, methodName } from './risk-limits.ts';

/** The compartmental model: fits, projections against the cases then reported, and limits. */
export function renderTransmission({ transmission, model, sources }: Contents, { fits }: Evidence): Html {
  const reason = hasCases(sources)
    ? `No ${countryWords(model.territory).state.one} has both a sufficient case record and climate data`
    : 'This country has no monthly case records';
  return html`<section id="transmission" aria-labelledby="transmission-head">
<h2 id="transmission-head">Transmission model <span class="mark soft">research</span></h2>
${transmission ? renderFits(transmission, fits, countryWords(model.territory)) : html`<p class="notice">${reason}, so no transmission model was fitted.</p>`}
</section>`;
}

function renderFits(
  { states, assumed, projection_test, limits }: TransmissionModel,
  fits: Evidence['fits'],
  { state, lga, a, State }: Words,
): Html {
  const { development, development_years, held_back, held_back_year } = projection_test;
  const fitByState = new Map(fits?.states.map((row) => [row.state_code, row]));
  return html`<p class="lead">A compartmental model (susceptible, infectious, immune) fitted to monthly confirmed cases of ${joinInSentence(states.map((row) => row.state))}. An infection is assumed to stay infectious for ${assumed.infectious_months} months and immunity to last ${assumed.immune_months}. It does not describe other ${state.many} or ${lga.many}.</p>
<p class="key"><span class="dot reported"></span> reported <span class="dot left-out"></span> reported, left out of the fit <span class="line model"></span> modelled; cases as an index (100 = mean of ${a.state}’s reported months)</p>
<div id="fits" class="stack"></div>
<div class="card"><figure id="reproduction" class="plot"></figure></div>
${renderTable(
  'Fits',
  [
    { title: State.one, cell: (row) => row.state },
    { title: 'Correlation with reports', decimals: 3, cell: (row) => row.fit_correlation },
    {
      title: 'Correlation of the season, trend removed',
      decimals: 3,
      cell: (row) => fitByState.get(row.state_code)?.detrended_correlation,
    },
    {
      title: 'Months with growing infection',
      cell: (row) => row.months_with_infection_growing.map((month) => monthName(month).slice(0, 3)).join(' '),
    },
    {
      title: 'Share of transmission that does not depend on rain',
      decimals: 3,
      cell: (row) => row.share_of_transmission_year_round,
    },
  ],
  states,
)}
<h3>Projecting a year ahead</h3>
<p>For each year, the model was fitted only to the months before January. Its design was chosen on ${joinInSentence(development_years.map(String))}; ${held_back_year} was held back.${fits && ` ${describeProjections(`held-back year ${held_back_year}`, fits.projection.held_back)} ${describeStanding(fits.standing)}`}</p>
<p class="key"><span class="dot reported"></span> reported <span class="line model"></span> projected by the model <span class="line rival"></span> same month last year</p>
<div id="projections" class="stack"></div>
${renderTable(
  'Projected months, and whether their seasons have the shape of those reported',
  [
    { title: 'Years', cell: ({ years }) => years },
    { title: 'Months', cell: ({ scores }) => scores.months },
    { title: 'Correlation of seasonal shapes', decimals: 3, cell: ({ scores }) => scores.seasonal_shape_correlation },
  ],
  [
    { years: `Development: ${development_years.join(', ')}`, scores: development },
    { years: `Held back: ${held_back_year}`, scores: held_back },
  ],
)}
${
  fits &&
  renderTable(
    'Mean absolute error of the model and of simple methods, confirmed cases per 1,000 people',
    [
      { title: 'Method', cell: methodName },
      { title: 'Development', decimals: 3, cell: (method) => fits.projection.development.errors[method] },
      {
        title: `Held back, ${held_back_year}`,
        decimals: 3,
        cell: (method) => fits.projection.held_back.errors[method],
      },
    ],
    Object.keys(fits.projection.held_back.errors).filter(isReported),
  )
}
<h3>What this model does not show</h3>
<ul>${limits.map((limit) => html`<li>${limit}</li>`)}</ul>`;
}
