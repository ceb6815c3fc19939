import * as d3 from 'd3';
import { countTested } from './children-tested.ts';
import {
  fillAttribute,
  hatchedKey,
  legendKey,
  levelFill,
  levelFills,
  SCORE_SCALE,
  scaleFill,
  scaleLegend,
} from './colours.ts';
import { h } from './dom.ts';
import { formatCount, formatInteger, formatPeople, formatShare, formatWithRange, inSentence } from './format.ts';
import { nationInWords } from './nation.ts';
import {
  areaChance,
  areaFigures,
  areaName,
  areaScore,
  CERTAIN_PERCENT,
  certaintyInWords,
  data,
  fullName,
  HAS_CHANCES,
  isUncertain,
  levelName,
  levelOfScore,
  lgasInView,
  monthInWords,
  nameInList,
  type Score,
  SURE_PERCENT,
  untestedNote,
  view,
} from './store.ts';
import { figureColumn, mapChoice, scopeName, selectedCode, sortByFigure, type Tab } from './tab.ts';

const scoreAt = (code: string) => areaScore(code, view.month);

/** A score as a mark on the bar of its range. */
export function rangeBar({ score, low, high }: Score, axisEnd: number): HTMLElement {
  const percent = (value: number) => `${((100 * value) / axisEnd).toFixed(2)}%`;
  return h(
    'span',
    { class: 'track' },
    h('span', {
      class: 'extent',
      style: `left:${percent(low)};width:${percent(high - low)};background:${scaleFill(SCORE_SCALE, score)}`,
    }),
    h('span', { class: 'at', style: `left:${percent(score)}` }),
  );
}
const areaPopulation = (code: string) => areaFigures(code).population;

const { lga } = data.words;

export const whereTab: Tab = {
  id: 'where',
  restsOnSurveys: true,
  choices: [
    ['score', 'Score'],
    ['level', 'Level'],
  ],
  paint: (code) => ({
    fill:
      mapChoice(whereTab) === 'level' ? levelFill(scoreAt(code).score) : scaleFill(SCORE_SCALE, scoreAt(code).score),
    isUncertain: isUncertain(code),
  }),
  legend: () => ({
    keys: [
      ...(mapChoice(whereTab) === 'level'
        ? levelFills.map((fill, i) => legendKey(fill, levelName(i)))
        : [scaleLegend(SCORE_SCALE)]),
      ...(HAS_CHANCES ? [hatchedKey(`level less than ${CERTAIN_PERCENT}% certain`)] : []),
    ],
    note: '',
  }),
  headline: () => {
    const code = selectedCode();
    if (code !== null)
      return `${fullName(code)}, ${monthInWords(view.month)}: ${formatWithRange(scoreAt(code))}, ${levelOfScore(scoreAt(code).score)}`;
    const stateCodes = data.states.map(({ state_code }) => state_code);
    const [highest] = sortByFigure(stateCodes, (code) => scoreAt(code).score);
    const certain = lgasInView().filter((code) => !isUncertain(code)).length;
    if (!HAS_CHANCES) return `${areaName(highest!)} has the highest score: ${formatWithRange(scoreAt(highest!))}`;
    return `${areaName(highest!)} has the highest score; the level is at least ${CERTAIN_PERCENT}% certain in ${formatInteger(certain)} of ${formatCount(lgasInView().length, lga)}`;
  },
  sentences: () => {
    const code = selectedCode();
    const sentences = code === null ? [] : [`${scoreInChildren(code)}${levelCertaintyInWords(code)}`];
    if (view.lga !== null) return [...sentences, rankInWords(view.lga)];
    const [lowest, highest] = d3.extent(lgasInView(), (code) => scoreAt(code).score) as [number, number];
    const [first] = sortByFigure(lgasInView(), (code) => scoreAt(code).score);
    return [
      ...sentences,
      ...(code === null ? [...nationInWords(), ...highestTenthInWords()] : []),
      `${code === null ? `${monthInWords(view.month)}: scores` : 'Scores'} of ${lga.many}${code === null ? '' : ` of ${scopeName()}`} range from ${formatShare(lowest)} to ${formatShare(highest)}, the highest in ${code === null ? fullName(first!) : areaName(first!)}: ${formatWithRange(scoreAt(first!))}.`,
    ];
  },
  method: () => [
    `The score is the modelled share of children aged ${data.ages_months.join('–')} months who would test positive; its 90% range is in brackets.${HAS_CHANCES ? ` Hatched: the model gives the level shown a probability of less than ${CERTAIN_PERCENT}%, so the true level may well be another.` : ''}`,
    'Levels are classes of the score by WHO’s transmission cut-offs: very low below 0.01, low below 0.10, moderate below 0.35 and high from 0.35. Very high, from 0.50, is a class added here.',
    'Where ranges overlap, the order of two places may be due to chance.',
  ],
  tooltip: (code) => [
    `${formatShare(scoreAt(code).score)} · ${levelOfScore(scoreAt(code).score)}${certaintyInWords(code)}`,
    `90% range ${formatShare(scoreAt(code).low)}–${formatShare(scoreAt(code).high)}`,
  ],
  sortCodes: (codes) => sortByFigure(codes, (code) => scoreAt(code).score),
  columns: () => {
    const axisEnd = Math.max(0.01, ...data.lgas.map(({ lga_code }) => scoreAt(lga_code).high));
    return [
      { head: 'Score and 90% range', kind: 'bar', cell: (code) => rangeBar(scoreAt(code), axisEnd) },
      scoreColumn('Score'),
      {
        head: '90% range',
        kind: 'number range',
        cell: (code) => `${formatShare(scoreAt(code).low)}–${formatShare(scoreAt(code).high)}`,
      },
      {
        head: HAS_CHANCES ? 'Level, certainty' : 'Level',
        kind: 'level',
        cell: (code) => `${levelOfScore(scoreAt(code).score)}${certaintyInWords(code).replace(' certain', '')}`,
      },
      figureColumn('People', areaPopulation, (code) => formatPeople(areaPopulation(code)), 'number people'),
    ];
  },
  caption: () => 'Highest score first.',
  downloadFields: (code) => ({
    ...scoreFields(code),
    level: levelOfScore(scoreAt(code).score),
    ...(HAS_CHANCES ? { probability_of_level: areaChance(code, view.month, 'level') / 100 } : {}),
    population: areaPopulation(code),
  }),
};

/** A score and its range as numbers of children. */
export function scoreInChildren(code: string): string {
  const { score, low, high } = scoreAt(code);
  // From the rounded share, which stands beside it: .2149 is 0.21 and 21, and .5951 is 0.60 and 60.
  const inHundred = (value: number) => Math.round(100 * Number(formatShare(value)));
  return (
    `About ${inHundred(score)} of 100 children aged ${data.ages_months.join('–')} months would test positive; ` +
    `the 90% range is ${inHundred(low)} to ${inHundred(high)}.`
  );
}

const levelCertaintyInWords = (code: string) =>
  HAS_CHANCES ? ` The level shown is ${areaChance(code, view.month, 'level')}% certain.` : '';

/** Which places surely belong to the highest tenth, and for how many that is open. */
function highestTenthInWords(): string[] {
  if (!HAS_CHANCES) return [];
  const chance = (code: string) => areaChance(code, view.month, 'nation');
  const likelyCodes = sortByFigure(lgasInView(), chance).filter((code) => chance(code) >= SURE_PERCENT);
  const openCount = lgasInView().filter(
    (code) => chance(code) < SURE_PERCENT && chance(code) > 100 - SURE_PERCENT,
  ).length;
  const names = likelyCodes.slice(0, MAX_NAMED).map((code) => nameInList(code, untestedNote(code)));
  const unnamedCount = likelyCodes.length - names.length;
  const subject =
    likelyCodes.length === 0
      ? `No ${lga.one} is surely`
      : `${unnamedCount > 0 ? `${names.join(', ')} and ${formatInteger(unnamedCount)} more` : inSentence(names)} ${likelyCodes.length === 1 ? 'is' : 'are'} surely`;
  return [
    `${subject} among the highest tenth (${SURE_PERCENT}% or more); for ${formatCount(openCount, lga)} that is open, so their order may be chance.`,
  ];
}
const MAX_NAMED = 4;

function rankInWords(code: string): string {
  const rank = sortByFigure(lgasInView(), (lgaCode) => scoreAt(lgaCode).score).indexOf(code) + 1;
  const tenthSentence = HAS_CHANCES
    ? ` With ${areaChance(code, view.month, 'nation')}% probability it is among the highest tenth of ${data.country}.`
    : '';
  return `Rank ${rank} of ${formatCount(lgasInView().length, lga)} of ${scopeName()}.${tenthSentence}`;
}

export const scoreColumn = (head: string) =>
  figureColumn(
    head,
    (code) => scoreAt(code).score,
    (code) => formatShare(scoreAt(code).score),
  );

/** A score's columns in downloaded files. */
export const scoreFields = (code: string) => {
  const { score, low, high } = scoreAt(code);
  const tested = data.tested && { children_tested: countTested(code).children };
  return { score, score_low: low, score_high: high, ...tested };
};

/** Fill of an area on the map of scores, for marks beside it. */
export const markFill = (code: string) => fillAttribute({ fill: scaleFill(SCORE_SCALE, scoreAt(code).score) });
