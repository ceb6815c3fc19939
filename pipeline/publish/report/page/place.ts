import { MONTHS, periodName } from '../names.ts';
import { levelFill } from './colours.ts';
import { populationPlot, seasonPlot, seriesPlot } from './place-plots.ts';
import { data, element, isForecast, levelName, levelOf, lgaOf, onView, scoreOf, stateOf, view } from './store.ts';
import { h, share, whole } from './words.ts';

type Figures = (typeof data.states)[number] | (typeof data.lgas)[number];

/** The place that is looked at, or the whole country. */
export function startPlace(): void {
  onView(() => {
    const parts = view.state === null ? country() : place(view.lga ?? view.state);
    element('place').replaceChildren(...parts);
    element('said').textContent = spoken();
  });
}

/** What a screen reader says of a change, instead of the whole card. */
function spoken(): string {
  if (view.state === null) return '';
  const code = view.lga ?? view.state;
  const { score, low, high } = scoreOf(code, view.month);
  const name = view.lga === null ? stateOf(code).state : lgaOf(code).lga;
  return `${name}: ${share(score)}, ${levelName(levelOf(score))}, 90% range ${share(low)} to ${share(high)}`;
}

function country(): Node[] {
  const byLevel = data.levels.map(() => 0);
  for (const { lga_code, population } of data.lgas)
    byLevel[levelOf(scoreOf(lga_code, view.month).score)]! += population;
  const all = byLevel.reduce((a, b) => a + b, 0);
  const name = periodName(data.periods[view.month]!);
  return [
    h('h3', { tabindex: '-1' }, data.country),
    h(
      'p',
      { class: 'sub' },
      `${whole(all)} people in ${data.lgas.length} LGAs of ${data.states.length} states, by their LGA’s level in ${name}${isForecast(view.month) ? ' (forecast)' : ''}`,
    ),
    h(
      'ul',
      { class: 'levels' },
      ...byLevel.map((people, i) =>
        h(
          'li',
          {},
          h('i', { style: `background:${fillAt(i)}` }),
          h('span', {}, levelName(i)),
          h('b', {}, `${((100 * people) / all).toFixed(1)}%`),
          h('small', {}, whole(people)),
        ),
      ),
    ),
    h('h4', {}, 'People by level of their LGA, month by month'),
    populationPlot(),
    h('h4', {}, 'Season of the country'),
    ...seasonParts(data.seasons.national),
  ];
}

/** A fill for each level: that of a score inside it. */
const fillAt = (level: number) => levelFill(level === 0 ? 0 : data.levels[level - 1]!.below!);

/** The season's plot and words; a country without one has no section for it to lead to. */
const seasonParts = (season: typeof data.seasons.national): Node[] =>
  document.getElementById('season-states')
    ? [seasonPlot(season), h('p', { class: 'note' }, seasonWords(season))]
    : [h('p', { class: 'note' }, 'The season is not known: there is no monthly rain.')];

/** Some countries have no zones. */
const zoneOf = ({ zone }: { zone: string | null }) => (zone === null ? '' : `, ${zone}`);

function place(code: string): Node[] {
  const isLga = view.lga !== null;
  const state = stateOf(view.state!);
  const figures: Figures = isLga ? lgaOf(code) : state;
  const name = isLga ? lgaOf(code).lga : state.state;
  const { score, low, high } = scoreOf(code, view.month);
  const month = periodName(data.periods[view.month]!);
  const season = isLga
    ? data.seasons.lgas[data.lgas.findIndex((row) => row.lga_code === code)]!
    : data.seasons.states[data.states.indexOf(state)]!;
  const trend = data.trend.states[data.states.indexOf(state)]!;
  const inHundred = (value: number) => Math.round(100 * value);
  return [
    h('h3', { tabindex: '-1' }, name),
    h(
      'p',
      { class: 'sub' },
      isLga
        ? `LGA of ${state.state}${zoneOf(state)} · ${code} · ${lgaOf(code).is_urban ? 'urban' : 'rural'}`
        : `State${zoneOf(state)} · ${code} · ${state.lgas} LGAs`,
    ),
    h(
      'div',
      { class: `figure${isForecast(view.month) ? ' forecast' : ''}` },
      h('b', { id: 'score', class: 'big' }, share(score)),
      h(
        'div',
        {},
        h('span', { class: 'chip' }, h('i', { style: `background:${levelFill(score)}` }), levelName(levelOf(score))),
        h('span', { id: 'range' }, `90% range ${share(low)}–${share(high)}`),
        h('small', {}, `${month}, ${isForecast(view.month) ? 'forecast' : 'estimated'}${nearestRound()}`),
      ),
    ),
    h(
      'p',
      { class: 'words' },
      `About ${inHundred(score)} of 100 children aged ${data.ages_months.join('–')} months would test positive; the model’s range is ${inHundred(low)} to ${inHundred(high)}.`,
    ),
    h('h4', {}, 'Month by month'),
    seriesPlot(code, isLga ? [] : trend),
    h(
      'p',
      { class: 'key' },
      h('span', { class: 'line model' }),
      'score ',
      h('span', { class: 'band' }),
      '90% range ',
      h('span', { class: 'band ahead' }),
      'forecast ',
      ...(isLga || trend.length === 0 ? [] : [h('span', { class: 'dot reported' }), 'survey, 95% range']),
    ),
    ...(trend.length ? surveyParts(trend, isLga ? state.state : null) : []),
    h('h4', {}, 'Season'),
    ...seasonParts(season),
    h('h4', {}, 'Context, no part of the score'),
    contextList(figures),
  ];
}

/** How far the month is from what surveys saw. */
function nearestRound(): string {
  const at = (period: string) => Number(period.slice(0, 4)) * 12 + Number(period.slice(5));
  const own = at(data.periods[view.month]!);
  const nearest = [...data.rounds].sort((a, b) => Math.abs(at(a.middle) - own) - Math.abs(at(b.middle) - own))[0];
  if (!nearest) return '';
  const off = own - at(nearest.middle);
  const months = Math.abs(off) === 1 ? '1 month' : `${Math.abs(off)} months`;
  return ` · ${off === 0 ? 'month' : `${months} ${off > 0 ? 'after' : 'before'} the middle`} of the ${nearest.survey_year} survey`;
}

function seasonWords({
  peak_month,
  season_start_month,
  season_end_month,
  season_months,
  high_months,
}: typeof data.seasons.national): string {
  const month = (m: number) => MONTHS[m - 1]!;
  if (season_months === 12)
    return `Cases are expected to be highest in ${month(peak_month)}, and at half the peak or more${high_months.length === 12 ? ' in every month: there is no low season' : ' most of the year'}.`;
  return `High season ${month(season_start_month)} to ${month(season_end_month)} (${season_months} months), highest in ${month(peak_month)}.`;
}

function contextList(row: Figures): HTMLElement {
  const percent = (value: number | null) => (value === null ? 'no estimate' : `${(100 * value).toFixed(1)}%`);
  const figures: [string, string][] = [
    ['Population', whole(row.population)],
    ['Area', `${whole(row.area_km2)} km²`],
    ['Slept under a treated net', percent(row.itn_use)],
    ['Access to a treated net', percent(row.itn_access)],
    ['Protected by spraying', percent(row.irs_coverage)],
    ['Cases treated effectively', percent(row.effective_treatment)],
    [
      'Travel to care',
      row.travel_minutes_to_care === null ? 'no estimate' : `${row.travel_minutes_to_care.toFixed(1)} min`,
    ],
    [
      'Response index (mean of net use and treatment)',
      row.response_index === null ? 'no estimate' : share(row.response_index),
    ],
  ];
  return h('dl', { class: 'context' }, ...figures.flatMap(([name, value]) => [h('dt', {}, name), h('dd', {}, value)]));
}

/** Surveys sample a state: of an LGA they reach few children or none, so its state's figures stand for it. */
function surveyParts(trend: (typeof data.trend.states)[number], stateOfLga: string | null): Node[] {
  if (stateOfLga === null) return [surveyTable(trend)];
  return [
    h('h4', {}, `Surveys in the whole of ${stateOfLga}`),
    h('p', { class: 'note' }, 'Surveys are made to describe states: in one LGA they reach few children or none.'),
    surveyTable(trend),
  ];
}

function surveyTable(trend: (typeof data.trend.states)[number]): HTMLElement {
  const head = ['Survey', 'Positive', '95% range', 'Children'];
  const rows = trend.map((row) => [
    String(row.survey_year),
    share(row.positivity),
    row.low === null ? '—' : `${share(row.low)}–${share(row.high!)}`,
    row.children_tested === null ? '—' : `${row.children_tested}${row.small_sample ? ' (few)' : ''}`,
  ]);
  return h(
    'table',
    {},
    h('thead', {}, h('tr', {}, ...head.map((name) => h('th', { scope: 'col', class: 'number' }, name)))),
    h('tbody', {}, ...rows.map((cells) => h('tr', {}, ...cells.map((cell) => h('td', { class: 'number' }, cell))))),
  );
}
