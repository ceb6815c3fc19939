import type { SeasonWindow } from '../../../artifacts.ts';
import type { Tables } from '../../snapshot/tables.ts';
import { html, type Markup, table } from '../markup.ts';
import { monthName } from '../names.ts';

type Measure = SeasonWindow['measure'];

/** Which months on end hold most of a year, for whoever plans seasonal chemoprevention; by state, LGAs in the tables. */
export function windowsPart({ season_windows, context_states }: Tables): Markup {
  const rows = new Map(
    season_windows.map((row) => [`${row.code} ${row.measure} ${row.months}`, row] satisfies [string, SeasonWindow]),
  );
  const of = (state_code: string, measure: Measure, months: number) => rows.get(`${state_code} ${measure} ${months}`)!;
  const by = (months: number) =>
    context_states.map(({ state_code, state }) => {
      const [cases, rain] = [of(state_code, 'reported_cases', months), of(state_code, 'rain_transmission', months)];
      return { state, cases, rain };
    });
  const four = by(4);
  const count = (verdict: string) => four.filter((row) => overall(row.cases, row.rain) === verdict).length;
  const shown = (months: number) =>
    by(months).map(({ state, cases, rain }) => [state, ...cellsOf(cases), ...cellsOf(rain), recordOf(cases)]);
  const columns = [
    { head: 'State' },
    { head: 'Reported cases: months' },
    { head: 'Share (90% range)', number: true },
    { head: 'Right to a month', number: true },
    { head: 'Rain’s transmission: months' },
    { head: 'Share (90% range)', number: true },
    { head: 'Right to a month', number: true },
    { head: 'Own record: share in the months by cases; its own best' },
  ];
  return html`<h3 id="season-windows">Months to act in</h3>
<p>Seasonal chemoprevention is given in the months on end that hold most of a year’s malaria. Two measures, because they differ: <b>reported cases</b>, the index above, whose swing is that of facilities’ records of all ages; and <b>rain’s transmission</b>, the part of transmission that follows rain, without what needs none and without immunity, which no record verifies. Children’s malaria lies somewhere between them. Ranges and chances come of how far the index was off in states left out; for the second measure they are the same errors, so too sure if rain is not what decides.</p>
<p>WHO first recommended chemoprevention where more than 60% of a year’s clinical malaria falls within four months on end (2012, 2013; since 2022 without that line). By both measures that is <b>reached</b> in ${count('reached')} states, <b>unlikely</b> in ${count('unlikely')}, and <b>unknown</b> in ${count('unknown')}, mostly because rain says yes and reported cases say no. A share of rain of 60% or more in three months marked places past the line in Cairns et al. (2012) with a sensitivity of 95% and a specificity of 74%.</p>
${table(
  'Four months on end',
  [
    ...columns,
    { head: '60%: by cases' },
    { head: 'By rain' },
    { head: 'Together' },
    { head: 'Rain in its wettest three months', number: true },
  ],
  four.map(({ state, cases, rain }, i) => [
    ...[state, ...cellsOf(cases), ...cellsOf(rain), recordOf(cases)],
    ...[chanceOf(cases), chanceOf(rain), overall(cases, rain)],
    percent(of(context_states[i]!.state_code, 'reported_cases', 3).rain_share),
  ]),
)}
<details><summary>Three and five months</summary>${table('Three months on end', columns, shown(3))}${table('Five months on end', columns, shown(5))}</details>
<p class="note">LGAs: table <code>season_windows</code>.</p>`;
}

/** What both measures say; where they differ, nothing is known. */
const overall = (cases: SeasonWindow, rain: SeasonWindow) =>
  cases.criterion === rain.criterion ? cases.criterion : 'unknown';

const percent = (share: number) => `${(100 * share).toFixed(0)}%`;
const short = (month: number) => monthName(month).slice(0, 3);

function cellsOf({ first_month, last_month, share, share_low, share_high, start_probability }: SeasonWindow) {
  const range =
    share_low !== null && share_high !== null && ` (${(100 * share_low).toFixed(0)}–${(100 * share_high).toFixed(0)})`;
  return [
    `${short(first_month)}–${short(last_month)}`,
    html`${percent(share)}${range}`,
    start_probability === null ? null : percent(start_probability),
  ];
}

const chanceOf = ({ criterion, criterion_probability }: SeasonWindow) =>
  criterion_probability === null ? criterion : `${criterion}, ${percent(criterion_probability)}`;

const recordOf = ({ record_first_month, record_share, record_best_share, months }: SeasonWindow) =>
  record_first_month === null
    ? null
    : `${percent(record_share!)}; ${short(record_first_month)}–${short(((record_first_month + months - 2) % 12) + 1)} ${percent(record_best_share!)}`;
