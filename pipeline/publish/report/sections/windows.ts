import type { Words } from '../../../contract/words.ts';
import { type Html, html } from '../../../lib/pages/html.ts';
import { type Column, table } from '../../../lib/pages/table.ts';
import type { SeasonWindow } from '../../../model/season/season-tables.ts';
import type { SnapshotTables } from '../../snapshot/snapshot-tables.ts';
import { monthName } from '../shared/names.ts';

type Measure = SeasonWindow['measure'];
interface Row {
  state_code: string;
  state: string;
  cases: SeasonWindow;
  rain: SeasonWindow;
}

/** The consecutive months with most of a year's malaria, by state, for planners of seasonal chemoprevention. */
export function windowsPart(
  { season_windows, context_states }: SnapshotTables,
  { state: level, lga, State }: Words,
): Html {
  const rows = new Map(
    season_windows.map((row) => [`${row.code} ${row.measure} ${row.months}`, row] satisfies [string, SeasonWindow]),
  );
  const of = (state_code: string, measure: Measure, months: number) => rows.get(`${state_code} ${measure} ${months}`)!;
  const four = context_states.map(
    ({ state_code, state }): Row => ({
      state_code,
      state,
      cases: of(state_code, 'reported_cases', 4),
      rain: of(state_code, 'rain_transmission', 4),
    }),
  );
  const count = (verdict: string) => four.filter((row) => overall(row.cases, row.rain) === verdict).length;
  const byRainOnly = four.filter(({ cases, rain }) => rain.criterion === 'reached' && cases.criterion !== 'reached');
  const columns: Column<Row>[] = [
    { title: State.one, cell: ({ state }) => state },
    ...columnsOf('Reported cases: months', ({ cases }) => cases),
    ...columnsOf('Rain-driven transmission: months', ({ rain }) => rain),
    {
      title: 'Own case record: share in these months by cases; its own best months',
      cell: ({ cases }) => recordOf(cases),
    },
  ];
  return html`<h3 id="season-windows">Best months to act</h3>
<p>Seasonal chemoprevention is given in the consecutive months with most of a year’s malaria. Two measures are shown, because they differ: <b>reported cases</b>, the index above, which varies as the records of health facilities for all ages do; and <b>rain-driven transmission</b>, the part of transmission that follows rain. The latter excludes transmission that does not depend on rain, ignores immunity, and is verified by no record. Malaria in children lies somewhere between the two. Ranges and chances are derived from the errors of the index in ${level.many} left out of the fit; the second measure uses the same errors, so it is overconfident if rain is not the deciding factor.</p>
<p>WHO first recommended chemoprevention where more than 60% of a year’s clinical malaria falls within four consecutive months (2012, 2013; since 2022 without that threshold). By both measures, the threshold is <b>reached</b> in ${count('reached')} ${level.many}, <b>unlikely</b> to be reached in ${count('unlikely')} and <b>unknown</b> in ${count('unknown')}${byRainOnly.length > count('unknown') / 2 && ', mostly because it is reached by rain but not by reported cases'}. In Cairns et al. (2012), 60% or more of a year’s rain in three months identified places above the threshold with a sensitivity of 95% and a specificity of 74%.</p>
${table(
  'Four consecutive months',
  [
    ...columns,
    { title: '60%: by cases', cell: ({ cases }) => chanceOf(cases) },
    { title: 'By rain', cell: ({ rain }) => chanceOf(rain) },
    { title: 'Both', cell: ({ cases, rain }) => overall(cases, rain) },
    {
      title: 'Share of rain in the wettest three months',
      variant: 'number',
      cell: ({ state_code }) => percent(of(state_code, 'reported_cases', 3).rain_share),
    },
  ],
  four,
)}
<p class="note">For three and five months, and for ${lga.many}, see the table <code>season_windows</code>.</p>`;
}

/** The verdict by both measures; `unknown` if they differ. */
const overall = (cases: SeasonWindow, rain: SeasonWindow) =>
  cases.criterion === rain.criterion ? cases.criterion : 'unknown';

const percent = (share: number) => `${(100 * share).toFixed(0)}%`;
const short = (month: number) => monthName(month).slice(0, 3);

/** The months of one measure, their share and how likely they are right. */
const columnsOf = (title: string, of: (row: Row) => SeasonWindow): Column<Row>[] => [
  {
    title,
    cell: (row) => `${short(of(row).first_month)}–${short(of(row).last_month)}`,
  },
  { title: 'Share (90% range)', variant: 'number', cell: (row) => shareOf(of(row)) },
  {
    title: 'Right to within a month',
    variant: 'number',
    cell: (row) => {
      const { start_probability } = of(row);
      return start_probability === null ? null : percent(start_probability);
    },
  },
];

const shareOf = ({ share, share_low, share_high }: SeasonWindow) =>
  share_low === null || share_high === null
    ? percent(share)
    : `${percent(share)} (${(100 * share_low).toFixed(0)}–${(100 * share_high).toFixed(0)})`;

const chanceOf = ({ criterion, criterion_probability }: SeasonWindow) =>
  criterion_probability === null ? criterion : `${criterion}, ${percent(criterion_probability)}`;

const recordOf = ({ record_first_month, record_share, record_best_share, months }: SeasonWindow) =>
  record_first_month === null
    ? null
    : `${percent(record_share!)}; ${short(record_first_month)}–${short(((record_first_month + months - 2) % 12) + 1)} ${percent(record_best_share!)}`;
