import * as d3 from 'd3';
import { monthIndex } from '../../../contract/months.ts';
import { monthName, periodName } from '../shared/names.ts';
import { seasonPlot, seriesPlot } from './area-plots.ts';
import { briefButton } from './brief.ts';
import { casesPart, findRecordCode } from './cases.ts';
import { countTested, testedInWords, untestedMark } from './children-tested.ts';
import { levelFill, levelFills } from './colours.ts';
import { contextList } from './context.ts';
import { h, note } from './dom.ts';
import { capitalize, formatInteger, formatPeople, formatShare, formatWithRange, inSentence } from './format.ts';
import { chanceAbove, hasDraws, likelyInWords } from './joint-draws.ts';
import { pinButton, pinsPart } from './pins.ts';
import {
  areaFigures,
  areaIndex,
  areaName,
  areaScore,
  areaSeason,
  areaSelection,
  certaintyInWords,
  data,
  elementById,
  fullName,
  hasArrived,
  isForecast,
  isState,
  levelIndex,
  levelName,
  levelOfScore,
  lgaByCode,
  monthInWords,
  onViewChange,
  SURE_PERCENT,
  setView,
  stateByCode,
  stateTrend,
  testSuffix,
  untestedNote,
  view,
} from './store.ts';
import { sortByFigure } from './tab.ts';
import { openTab } from './tabs.ts';
import { adviceInWords } from './when-tab.ts';

/** Keeps the card of the selected place, or of the country, and the pins. */
export function startAreaPanel(): void {
  onViewChange(() => {
    if (!openTab()) return;
    const parts = view.state === null ? countryCard() : areaCard(view.lga ?? view.state);
    elementById('place').replaceChildren(...parts);
    const pins = pinsPart();
    elementById('pins').replaceChildren(...pins);
    elementById('pins').hidden = pins.length === 0;
    elementById('announcement').textContent = announcementText();
  });
}

/** Text that a screen reader announces when the place changes, instead of the whole card. */
function announcementText(): string {
  if (view.state === null) return '';
  const code = view.lga ?? view.state;
  const { score, low, high } = areaScore(code, view.month);
  return `${areaName(code)}: ${formatShare(score)}, ${levelOfScore(score)}, 90% range ${formatShare(low)} to ${formatShare(high)}`;
}

function countryCard(): Node[] {
  const peopleByLevel = data.levels.map(() => 0);
  for (const { lga_code, population } of data.lgas)
    peopleByLevel[levelIndex(areaScore(lga_code, view.month).score)]! += population;
  const population = peopleByLevel.reduce((a, b) => a + b, 0);
  const { lga, state } = data.words;
  const title = h('h3', { tabindex: '-1' }, data.country);
  if (view.tab !== 'where')
    return [title, note('Select a place on the map, or search for it by name, to see its own figures.')];
  return [
    title,
    note(
      `${formatPeople(population)} people in ${data.lgas.length} ${lga.many} of ${data.states.length} ${state.many}, by the level of their ${lga.one} in ${monthInWords(view.month)}`,
    ),
    h(
      'ul',
      { class: 'levels' },
      ...peopleByLevel.map((people, i) =>
        h(
          'li',
          {},
          h('i', { style: `background:${levelFills[i]}` }),
          h('span', {}, levelName(i)),
          h('b', {}, `${Math.round((100 * people) / population)}%`),
          h('small', {}, formatPeople(people)),
        ),
      ),
    ),
  ];
}

function seasonParts(code: string): Node[] {
  const season = areaSeason(code);
  return [
    h('h4', {}, 'Season'),
    ...(data.has_season
      ? [seasonPlot(season), note(seasonInWords(season))]
      : [note('The season is unknown, because there are no monthly rain data.')]),
    ...(data.windows.length === 0 ? [] : [h('p', { class: 'words' }, adviceInWords(code))]),
  ];
}

/** Some countries have no zones. */
const zoneInWords = ({ zone }: { zone: string | null }) => (zone === null ? '' : `, ${zone}`);

function areaCard(code: string): Node[] {
  const isLga = view.lga !== null;
  const { words } = data;
  const state = stateByCode(view.state!);
  const { score, low, high } = areaScore(code, view.month);
  const month = periodName(data.periods[view.month]!);
  const trend = stateTrend(state.state_code);
  return [
    h('h3', { tabindex: '-1' }, areaName(code)),
    note(
      isLga
        ? `${capitalize(words.lga.one)} of ${state.state}${zoneInWords(state)} · ${code} · ${lgaByCode(code).is_urban ? 'urban' : 'rural'}${untestedNote(code) && ` · ${untestedNote(code)}`}`
        : `${capitalize(words.state.one)}${zoneInWords(state)} · ${code} · ${state.lgas} ${words.lga.many}`,
    ),
    h('p', { class: 'actions' }, pinButton(code), briefButton(code)),
    h(
      'div',
      { class: `figure${isForecast(view.month) ? ' forecast' : ''}` },
      h('b', { id: 'score', class: 'big', title: score.toFixed(4) }, formatShare(score)),
      h(
        'div',
        {},
        h(
          'span',
          { class: 'chip' },
          h('i', { style: `background:${levelFill(score)}` }),
          `${levelOfScore(score)}${certaintyInWords(code)}`,
        ),
        h('span', { id: 'range' }, `90% range ${formatShare(low)}–${formatShare(high)}`),
        h('small', {}, `${month}, ${isForecast(view.month) ? 'forecast' : 'estimated'}${nearestRoundInWords()}`),
      ),
    ),
    ...(hasArrived('history') ? seriesParts(code, isLga ? [] : trend) : []),
    ...(trend.length ? surveyParts(trend, isLga ? state.state : null) : []),
    ...(hasArrived('cases') ? casesPart(code) : []),
    ...(hasArrived('season') ? seasonParts(code) : []),
    ...whyParts(code),
    h('h4', {}, 'Context (not part of the score)'),
    contextList(areaFigures(code)),
    h('h4', {}, 'Neighbours'),
    ...neighbourParts(code),
  ];
}

/** What the numbers rest on, in short. */
function whyParts(code: string): Node[] {
  const children = (codes: readonly string[]) => formatInteger(d3.sum(codes, (one) => countTested(one).children));
  const { state_code, state } = stateByCode(view.state!);
  const [score, mean] = [code, state_code].map((one) => areaScore(one, view.month).score) as [number, number];
  const recordCode = hasArrived('cases') ? findRecordCode(code) : null;
  const month = Number(data.periods[view.month]!.slice(5));
  const sentences = [
    data.tested &&
      `${capitalize(testedInWords(code))}. In its neighbours: ${children(neighbourCodes(code))} children${isState(code) ? '' : `; in all of ${state}: ${children([state_code])}`}. Those count most that are near and in places like this one.`,
    !isState(code) &&
      `The score is ${formatShare(Math.abs(score - mean))} ${score < mean ? 'below' : 'above'} ${formatShare(mean)}, the mean of ${state}.`,
    data.covariates.length > 0 && `Between the places tested, the score follows ${inSentence(data.covariates)}.`,
    data.has_season &&
      hasArrived('season') &&
      `Season: ${monthName(month)} has ${formatShare(areaSeason(code).seasonal_index[month - 1]!)} of the cases of the peak month.`,
    recordCode !== null &&
      `Its forecast of cases rests on the record of ${areaName(recordCode)} up to ${periodName(data.cases[recordCode]!.last)}, most on the last twelve months and the same month of each year.`,
  ];
  const shown = sentences.filter((sentence) => typeof sentence === 'string');
  return [h('h4', {}, 'Why this number'), h('ul', { id: 'why' }, ...shown.map((sentence) => h('li', {}, sentence)))];
}

/** @param surveys rounds to draw; an LGA has none of its own */
const seriesParts = (code: string, surveys: ReturnType<typeof stateTrend>): Node[] => [
  h('h4', {}, 'Month by month'),
  seriesPlot(code, surveys),
  h(
    'p',
    { class: 'key' },
    h('span', { class: 'line model' }),
    'score ',
    h('span', { class: 'band' }),
    '90% range ',
    h('span', { class: 'band ahead' }),
    'forecast ',
    ...(surveys.length === 0 ? [] : [h('span', { class: 'dot reported' }), 'survey, 95% range']),
  ),
];

/** How far the month is from the nearest survey. */
function nearestRoundInWords(): string {
  const selectedMonth = monthIndex(data.periods[view.month]!);
  const nearest = [...data.rounds].sort(
    (a, b) => Math.abs(monthIndex(a.middle) - selectedMonth) - Math.abs(monthIndex(b.middle) - selectedMonth),
  )[0];
  if (!nearest) return '';
  const monthsOff = selectedMonth - monthIndex(nearest.middle);
  const months = Math.abs(monthsOff) === 1 ? '1 month' : `${Math.abs(monthsOff)} months`;
  return ` · ${monthsOff === 0 ? 'middle month' : `${months} ${monthsOff > 0 ? 'after' : 'before'} the middle`} of the ${nearest.survey_year} survey`;
}

function seasonInWords({
  peak_month,
  season_start_month,
  season_end_month,
  season_months,
  high_months,
}: typeof data.seasons.national): string {
  if (season_months === 12)
    return `Reported cases of all ages are expected to peak in ${monthName(peak_month)} and to be at half the peak or more ${high_months.length === 12 ? 'in every month' : 'for most of the year'}${data.windows.length > 0 ? '; rain-driven transmission varies more' : ''}.`;
  return `High season ${monthName(season_start_month)} to ${monthName(season_end_month)} (${season_months} months), with the peak in ${monthName(peak_month)}.`;
}

const neighbourCodes = (code: string) => data.neighbours[areaIndex(code)]!.split(' ').filter(Boolean);

/** Neighbours with their ranges: which are surely higher or lower, as far as joint draws tell. */
function neighbourParts(code: string): Node[] {
  const neighbours = sortByFigure(neighbourCodes(code), (neighbour) => areaScore(neighbour, view.month).score);
  if (!hasDraws()) return [neighbourList(neighbours, () => '')];
  const chances = new Map(neighbours.map((neighbour) => [neighbour, chanceAbove(neighbour, code)]));
  const groups: [string, (chance: number) => boolean][] = [
    [`Surely higher (chance ${SURE_PERCENT}% or more)`, (chance) => chance >= SURE_PERCENT],
    ['Not told apart', (chance) => chance < SURE_PERCENT && chance > 100 - SURE_PERCENT],
    [`Surely lower (chance ${SURE_PERCENT}% or more)`, (chance) => chance <= 100 - SURE_PERCENT],
  ];
  return groups.flatMap(([name, belongs]) => {
    const members = neighbours.filter((neighbour) => belongs(chances.get(neighbour)!));
    const chanceInWords = (neighbour: string) => `, ${likelyInWords(chances.get(neighbour)!)}`;
    return members.length === 0 ? [] : [h('h5', {}, name), neighbourList(members, chanceInWords)];
  });
}

const isInState = (code: string) => isState(code) || lgaByCode(code).state_code === view.state;
const neighbourList = (neighbours: readonly string[], more: (code: string) => string) =>
  h(
    'ul',
    { class: 'near' },
    ...neighbours.map((neighbour) =>
      h(
        'li',
        {},
        h(
          'button',
          { type: 'button', class: 'link', click: () => setView(areaSelection(neighbour)) },
          isInState(neighbour) ? areaName(neighbour) : fullName(neighbour),
        ),
        ` ${formatWithRange(areaScore(neighbour, view.month))}${more(neighbour)} `,
        untestedMark(neighbour),
      ),
    ),
  );

/** Survey results; for an LGA those of its state, since surveys reach few children or none in one LGA. */
function surveyParts(trend: (typeof data.trend.states)[number], stateOfLga: string | null): Node[] {
  if (stateOfLga === null) return [surveyTable(trend)];
  return [
    h('h4', {}, `Surveys of ${stateOfLga}`),
    note(
      `Surveys are designed to describe ${data.words.state.many}: in one ${data.words.lga.one} they reach few children or none.`,
    ),
    surveyTable(trend),
  ];
}

function surveyTable(trend: (typeof data.trend.states)[number]): HTMLElement {
  const heads = ['Survey', 'Positive', '95% range', 'Children'];
  const rows = trend.map((row) => [
    `${row.survey_year}${testSuffix(row.survey_year)}`,
    formatShare(row.positivity),
    row.low === null ? '—' : `${formatShare(row.low)}–${formatShare(row.high!)}`,
    row.children_tested === null ? '—' : `${row.children_tested}${row.small_sample ? ' (few)' : ''}`,
  ]);
  return h(
    'table',
    {},
    h('thead', {}, h('tr', {}, ...heads.map((name) => h('th', { scope: 'col', class: 'number' }, name)))),
    h('tbody', {}, ...rows.map((cells) => h('tr', {}, ...cells.map((cell) => h('td', { class: 'number' }, cell))))),
  );
}
