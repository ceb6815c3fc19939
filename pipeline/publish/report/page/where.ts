import { fillIn, fillOf, hatchKey, key, levelFill, levelFills, SCORES, scaleKey } from './colours.ts';
import {
  chanceOf,
  data,
  fullName,
  HAS_CHANCES,
  isUnsure,
  levelName,
  levelOf,
  lgasInView,
  nameOf,
  type Score,
  SURE,
  scoreOf,
  sureness,
  view,
} from './store.ts';
import { byFigure, type Column, chosen, scope, type Tab } from './tab.ts';
import { count, h, monthInWords, share, whole, withRange } from './words.ts';

const of = (code: string) => scoreOf(code, view.month);

/** A score as a mark on its range. */
export function rangeBar({ score, low, high }: Score, top: number, fill = fillIn(SCORES, score)): HTMLElement {
  const at = (value: number) => `${((100 * value) / top).toFixed(2)}%`;
  return h(
    'span',
    { class: 'track' },
    h('span', { class: 'extent', style: `left:${at(low)};width:${at(high - low)};background:${fill}` }),
    h('span', { class: 'at', style: `left:${at(score)}` }),
  );
}
export const populationOf = (code: string) =>
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
    unsure: isUnsure(code),
  }),
  legend: () => ({
    keys: [
      ...(chosen(where) === 'level' ? levelFills.map((fill, i) => key(fill, levelName(i))) : [scaleKey(SCORES)]),
      ...(HAS_CHANCES ? [hatchKey(`level not held with ${SURE}% probability`)] : []),
    ],
    note: 'Levels are classes of the score by WHO’s transmission cut-offs: very low below 0.01, low below 0.10, moderate below 0.35, high; very high from 0.50.',
  }),
  headline: () => {
    const areas = view.state === null ? data.states.map(({ state_code }) => state_code) : lgasInView();
    const [highest] = byFigure([...areas], (code) => of(code).score);
    const held = lgasInView().filter((code) => !isUnsure(code)).length;
    const place = view.state === null ? '' : ` in ${scope()}`;
    if (!HAS_CHANCES) return `${nameOf(highest!)} is highest${place}: ${withRange(of(highest!))}`;
    return `${nameOf(highest!)} is highest${place}; ${whole(held)} of ${count(lgasInView().length, lga)} hold their level with ${SURE}% probability`;
  },
  words: () => {
    const [lowest, highest] = d3.extent(lgasInView(), (code) => of(code).score) as [number, number];
    const [first] = byFigure(lgasInView(), (code) => of(code).score);
    return [
      `${monthInWords(view.month)}: scores of ${lga.many} run from ${share(lowest)} to ${share(highest)}. ${fullName(first!)} is the highest ${lga.one}, ${withRange(of(first!))}.`,
      `The score is the modelled share of children aged ${data.ages_months.join('–')} months who would test positive; in brackets its 90% range.${HAS_CHANCES ? ` Hatched: the model gives its level less than ${SURE}%, so it may well be another.` : ''}`,
    ];
  },
  tip: (code) => [
    `${share(of(code).score)} · ${levelName(levelOf(of(code).score))}${sureness(code)}`,
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
        head: HAS_CHANCES ? 'Level, how sure' : 'Level',
        kind: 'level',
        cell: (code) => `${levelName(levelOf(of(code).score))}${sureness(code).replace(' sure', '')}`,
      },
      { head: 'People', kind: 'number people', cell: (code) => whole(populationOf(code)) },
    ];
    return columns;
  },
  caption: () => 'Highest score first. Where bars overlap, the order may be by chance.',
  record: (code) => ({
    ...scoreRecord(code),
    level: levelName(levelOf(of(code).score)),
    ...(HAS_CHANCES ? { probability_of_level: chanceOf(code, view.month, 'level') / 100 } : {}),
    population: populationOf(code),
  }),
};

/** A score as files have it. */
export const scoreRecord = (code: string) => {
  const { score, low, high } = of(code);
  return { score, score_low: low, score_high: high };
};

/** Fill of an area as it stands on the map of scores, for marks beside it. */
export const mark = (code: string) => fillOf({ fill: fillIn(SCORES, of(code).score) });
