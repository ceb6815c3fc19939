import * as d3 from 'd3';
import { CHANCES, fillIn, scaleKey, WIDTHS } from './colours.ts';
import {
  CERTAIN,
  type Chance,
  chanceOf,
  data,
  levelName,
  levelOf,
  lgaOf,
  lgasInView,
  nameOf,
  scoreOf,
  view,
} from './store.ts';
import { byFigure, chosen, scope, type Tab } from './tab.ts';
import { rangeBar, scoreRecord } from './where.ts';
import { count, integer, monthInWords, share } from './words.ts';

const CUTS: [Chance, number, string][] = data.levels.flatMap(({ level, below }) =>
  below === null || below < 0.1 ? [] : [[`above_${level}` as Chance, below, `${below.toFixed(2)} or more`]],
);
const TENTH = 'nation';
const widthOfRange = (code: string) => scoreOf(code, view.month).high - scoreOf(code, view.month).low;
const chance = (code: string, which: Chance) => chanceOf(code, view.month, which);
const { lga } = data.words;
/** The event that the chances shown are of. */
const event = () => {
  const by = chosen(sure);
  const cut = CUTS.find(([value]) => value === by);
  if (cut) return `the true share is ${cut[2]}`;
  return by === TENTH
    ? `the place is among the highest tenth of ${lga.many} in ${data.country}`
    : 'the level shown is the true one';
};
const figure = (code: string) => (chosen(sure) === 'width' ? widthOfRange(code) : chance(code, chosen(sure) as Chance));

export const sure: Tab = {
  id: 'sure',
  choices: [
    ['level', 'Level is right'],
    ...CUTS.map(([value, , label]) => [value, label] as const),
    [TENTH, 'Highest tenth'],
    ['width', 'Width of range'],
  ],
  paint: (code) => ({ fill: fillIn(chosen(sure) === 'width' ? WIDTHS : CHANCES, figure(code)) }),
  legend: () =>
    chosen(sure) === 'width'
      ? { keys: [scaleKey(WIDTHS)], note: 'Width of the 90% range: darker is less certain.' }
      : {
          keys: [scaleKey(CHANCES)],
          note: `Chance that ${event()}, given the model and all surveys: darker is more likely.`,
        },
  headline: () => {
    const all = lgasInView();
    const by = chosen(sure);
    if (by === 'width') {
      const middle = d3.median(all, widthOfRange)!;
      return `Half of the ${lga.many}${inState()} have a range wider than ${share(middle)}`;
    }
    if (by === 'level') {
      const certain = all.filter((code) => chance(code, 'level') >= CERTAIN).length;
      return `The level is at least ${CERTAIN}% certain in ${integer(certain)} of ${count(all.length, lga)}${inState()}`;
    }
    const likely = all.filter((code) => chance(code, by as Chance) > 50);
    const certain = all.filter((code) => chance(code, by as Chance) >= 90);
    const tail = by === TENTH ? `among the country’s highest tenth` : `at ${CUTS.find(([value]) => value === by)![2]}`;
    return `${count(likely.length, lga)}${inState()} ${likely.length === 1 ? 'is' : 'are'} more likely than not ${tail}; ${integer(certain.length)} with at least 90% probability`;
  },
  words: () => [
    ...byState(),
    `${monthInWords(view.month)}. A map of scores alone hides how certain each score is. Ranks are less certain than scores, because many ${lga.many} have similar scores.`,
    'The chances are the model’s own, from joint draws of all areas; where the model is wrong in ways that it does not account for, they are overconfident. See “How reliable”.',
  ],
  tip: (code) => [
    chosen(sure) === 'width' ? `range ${share(widthOfRange(code))} wide` : `${figure(code)}% chance that ${event()}`,
    `score ${share(scoreOf(code, view.month).score)}, ${levelName(levelOf(scoreOf(code, view.month).score))}`,
  ],
  order: (codes) => byFigure(codes, figure),
  columns: () => {
    const top = Math.max(0.01, ...data.lgas.map(({ lga_code }) => scoreOf(lga_code, view.month).high));
    return [
      { head: 'Score and 90% range', kind: 'bar', cell: (code) => rangeBar(scoreOf(code, view.month), top) },
      { head: 'Level is right', kind: 'number', cell: (code) => `${chance(code, 'level')}%` },
      ...CUTS.map(([value, , label]) => ({
        head: label,
        kind: 'number',
        cell: (code: string) => `${chance(code, value)}%`,
      })),
      { head: 'Highest tenth', kind: 'number', cell: (code) => `${chance(code, TENTH)}%` },
    ];
  },
  caption: () => (chosen(sure) === 'width' ? 'Widest range first.' : `By the chance that ${event()}, highest first.`),
  record: (code) => ({
    ...scoreRecord(code),
    level: levelName(levelOf(scoreOf(code, view.month).score)),
    probability_of_level: chance(code, 'level') / 100,
    ...Object.fromEntries(CUTS.map(([value, below]) => [`probability_of_${below}_or_more`, chance(code, value) / 100])),
    probability_highest_tenth: chance(code, TENTH) / 100,
  }),
};

const inState = () => (view.state === null ? '' : ` of ${scope()}`);

/** The states with most of the LGAs that the headline counts. */
function byState(): string[] {
  const by = chosen(sure);
  if (view.state !== null || by === 'width' || by === 'level') return [];
  const likely = lgasInView().filter((code) => chance(code, by as Chance) > 50);
  const counts = d3.rollups(
    likely,
    (own) => own.length,
    (code) => lgaOf(code).state_code,
  );
  if (counts.length < 2) return [];
  const most = counts.sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).slice(0, 6);
  return [`Most are in ${most.map(([code, number]) => `${nameOf(code)} (${number})`).join(', ')}.`];
}
