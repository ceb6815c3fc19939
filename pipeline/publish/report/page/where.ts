import * as d3 from 'd3';
import { fillIn, fillOf, hatchKey, key, levelFill, levelFills, SCORES, scaleKey } from './colours.ts';
import {
  CERTAIN,
  certaintyInWords,
  chanceOf,
  data,
  fullName,
  HAS_CHANCES,
  isUncertain,
  levelName,
  levelOf,
  lgasInView,
  nameOf,
  type Score,
  scoreOf,
  view,
} from './store.ts';
import { byFigure, type Column, chosen, scope, type Tab } from './tab.ts';
import { count, h, integer, monthInWords, share, withRange } from './words.ts';

const of = (code: string) => scoreOf(code, view.month);

/** A score as a mark on the bar of its range. */
export function rangeBar({ score, low, high }: Score, top: number): HTMLElement {
  const at = (value: number) => `${((100 * value) / top).toFixed(2)}%`;
  return h(
    'span',
    { class: 'track' },
    h('span', {
      class: 'extent',
      style: `left:${at(low)};width:${at(high - low)};background:${fillIn(SCORES, score)}`,
    }),
    h('span', { class: 'at', style: `left:${at(score)}` }),
  );
}
const populationOf = (code: string) =>
  (data.lgas.find((row) => row.lga_code === code) ?? data.states.find((row) => row.state_code === code))!.population;

const { lga } = data.words;

export const where: Tab = {
  id: 'where',
  choices: [
    ['score', 'Score'],
    ['level', 'Level'],
  ],
  paint: (code) => ({
    fill: chosen(where) === 'level' ? levelFill(of(code).score) : fillIn(SCORES, of(code).score),
    uncertain: isUncertain(code),
  }),
  legend: () => ({
    keys: [
      ...(chosen(where) === 'level' ? levelFills.map((fill, i) => key(fill, levelName(i))) : [scaleKey(SCORES)]),
      ...(HAS_CHANCES ? [hatchKey(`level less than ${CERTAIN}% certain`)] : []),
    ],
    note: 'Levels are classes of the score by WHO’s transmission cut-offs: very low below 0.01, low below 0.10, moderate below 0.35 and high from 0.35. Very high, from 0.50, is a class added here.',
  }),
  headline: () => {
    const areas = view.state === null ? data.states.map(({ state_code }) => state_code) : lgasInView();
    const [highest] = byFigure([...areas], (code) => of(code).score);
    const certain = lgasInView().filter((code) => !isUncertain(code)).length;
    const within = view.state === null ? '' : ` in ${scope()}`;
    if (!HAS_CHANCES) return `${nameOf(highest!)} has the highest score${within}: ${withRange(of(highest!))}`;
    return `${nameOf(highest!)} has the highest score${within}; the level is at least ${CERTAIN}% certain in ${integer(certain)} of ${count(lgasInView().length, lga)}`;
  },
  words: () => {
    const [lowest, highest] = d3.extent(lgasInView(), (code) => of(code).score) as [number, number];
    const [first] = byFigure(lgasInView(), (code) => of(code).score);
    return [
      `${monthInWords(view.month)}: scores of ${lga.many} range from ${share(lowest)} to ${share(highest)}. The highest is that of ${fullName(first!)}: ${withRange(of(first!))}.`,
      `The score is the modelled share of children aged ${data.ages_months.join('–')} months who would test positive; its 90% range is in brackets.${HAS_CHANCES ? ` Hatched: the model gives the level shown a probability of less than ${CERTAIN}%, so the true level may well be another.` : ''}`,
    ];
  },
  tip: (code) => [
    `${share(of(code).score)} · ${levelName(levelOf(of(code).score))}${certaintyInWords(code)}`,
    `90% range ${share(of(code).low)}–${share(of(code).high)}`,
  ],
  order: (codes) => byFigure(codes, (code) => of(code).score),
  columns: () => {
    const top = Math.max(0.01, ...data.lgas.map(({ lga_code }) => of(lga_code).high));
    const columns: Column[] = [
      { head: 'Score and 90% range', kind: 'bar', cell: (code) => rangeBar(of(code), top) },
      { head: 'Score', kind: 'number', cell: (code) => share(of(code).score) },
      { head: '90% range', kind: 'number range', cell: (code) => `${share(of(code).low)}–${share(of(code).high)}` },
      {
        head: HAS_CHANCES ? 'Level, certainty' : 'Level',
        kind: 'level',
        cell: (code) => `${levelName(levelOf(of(code).score))}${certaintyInWords(code).replace(' certain', '')}`,
      },
      { head: 'People', kind: 'number people', cell: (code) => integer(populationOf(code)) },
    ];
    return columns;
  },
  caption: () => 'Highest score first. Where ranges overlap, the order may be due to chance.',
  record: (code) => ({
    ...scoreRecord(code),
    level: levelName(levelOf(of(code).score)),
    ...(HAS_CHANCES ? { probability_of_level: chanceOf(code, view.month, 'level') / 100 } : {}),
    population: populationOf(code),
  }),
};

/** A score's columns in downloaded files. */
export const scoreRecord = (code: string) => {
  const { score, low, high } = of(code);
  return { score, score_low: low, score_high: high };
};

/** Fill of an area on the map of scores, for marks beside it. */
export const mark = (code: string) => fillOf({ fill: fillIn(SCORES, of(code).score) });
