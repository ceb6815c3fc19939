import type { TransmissionModel } from '../../../contract/schemas.ts';
import { type Words, wordsOf } from '../../../contract/words.ts';
import { describeProjections, describeStanding } from '../../../model/transmission/limits.ts';
import type { Contents } from '../../snapshot/contents.ts';
import type { Evidence } from '../shared/evidence.ts';
import { html, type Markup, table } from '../shared/markup.ts';
import { inSentence, monthName } from '../shared/names.ts';
import { isReported, methodName } from './words.ts';

/** The compartmental model: fits, projections against the cases then reported, and limits. */
export function transmissionSection({ transmission, model }: Contents, { fits }: Evidence): Markup {
  return html`<section id="transmission" aria-labelledby="transmission-head">
<h2 id="transmission-head">Transmission model <span class="tag">research</span></h2>
${transmission ? fitted(transmission, fits, wordsOf(model.territory)) : html`<p class="missing">This country has no monthly case records, so no transmission model was fitted.</p>`}
</section>`;
}

function fitted(
  { states, assumed, projection_test, limits }: TransmissionModel,
  fits: Evidence['fits'],
  { state, lga, a, State }: Words,
): Markup {
  const { development, development_years, held_back, held_back_year } = projection_test;
  const figures = new Map(fits?.states.map((row) => [row.state_code, row]));
  return html`<p class="lead">A compartmental model (susceptible, infectious, immune) fitted to monthly confirmed cases of ${inSentence(states.map((row) => row.state))}. An infection is assumed to stay infectious for ${assumed.infectious_months} months and immunity to last ${assumed.immune_months}. It does not describe other ${state.many} or ${lga.many}.</p>
<p class="key"><span class="dot reported"></span> reported <span class="dot left-out"></span> reported, left out of the fit <span class="line model"></span> modelled; cases as an index (100 = mean of ${a.state}’s reported months)</p>
<div id="fits" class="stack"></div>
<div class="card"><figure id="reproduction" class="plot"></figure></div>
${table(
  'Fits',
  [
    { head: State.one },
    { head: 'Correlation with reports', number: true },
    { head: 'Correlation of the season, trend removed', number: true },
    { head: 'Months with growing infection' },
    { head: 'Share of transmission that does not depend on rain', number: true },
  ],
  states.map((row) => [
    row.state,
    row.fit_correlation.toFixed(3),
    figures.get(row.state_code)?.detrended_correlation?.toFixed(3),
    row.months_with_infection_growing.map((month) => monthName(month).slice(0, 3)).join(' '),
    row.share_of_transmission_year_round.toFixed(3),
  ]),
)}
<h3>Projecting a year ahead</h3>
<p>For each year, the model was fitted only to the months before January. Its design was chosen on ${inSentence(development_years.map(String))}; ${held_back_year} was held back.${fits && ` ${describeProjections(`held-back year ${held_back_year}`, fits.projection.held_back)} ${describeStanding(fits.standing)}`}</p>
<div class="card"><figure id="errors" class="plot"></figure></div>
<p class="key"><span class="dot reported"></span> reported <span class="line model"></span> projected by the model <span class="line rival"></span> same month last year</p>
<div id="projections" class="stack"></div>
${table(
  'Mean absolute error, confirmed cases per 1,000 people',
  [
    { head: 'Years' },
    { head: 'Months', number: true },
    { head: 'Model', number: true },
    { head: 'Same month last year', number: true },
    { head: 'Same month, three years', number: true },
    { head: 'Correlation of seasonal shapes', number: true },
  ],
  (
    [
      [`Development: ${development_years.join(', ')}`, development],
      [`Held back: ${held_back_year}`, held_back],
    ] as const
  ).map(([name, scores]) => {
    const error = scores.mean_absolute_error;
    return [
      name,
      scores.months,
      ...[
        error.model,
        error.same_month_last_year,
        error.same_month_last_three_years,
        scores.seasonal_shape_correlation,
      ].map((value) => value.toFixed(3)),
    ];
  }),
)}
${
  fits &&
  table(
    'Mean absolute error, with further simple methods',
    [{ head: 'Method' }, { head: 'Development', number: true }, { head: `Held back, ${held_back_year}`, number: true }],
    Object.keys(fits.projection.held_back.errors)
      .filter(isReported)
      .map((method) => [
        methodName(method),
        fits.projection.development.errors[method]?.toFixed(3),
        fits.projection.held_back.errors[method]!.toFixed(3),
      ]),
  )
}
<h3>What this model does not show</h3>
<ul>${limits.map((limit) => html`<li>${limit}</li>`)}</ul>`;
}
