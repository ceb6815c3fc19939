import * as d3 from 'd3';
import { clustersToHalve } from '../shared/spread.ts';
import { CHANCES, CHILDREN, fillIn, scaleKey, WIDTHS } from './colours.ts';
import {
  areaChance,
  areaName,
  areaScore,
  CERTAIN,
  type Chance,
  data,
  fullName,
  isState,
  levelIndex,
  levelName,
  lgaByCode,
  lgasInView,
  monthInWords,
  view,
} from './store.ts';
import { byFigure, type Column, chosen, selected, type Tab } from './tab.ts';
import { fewest, TESTED, testedIn, testedInWords, untested } from './tested.ts';
import { rangeBar, scoreRecord } from './where.ts';
import { capital, count, integer, share, withRange } from './words.ts';

/** Lower ends of the levels from moderate on, each with the level's name. */
const CUTS: [Chance, number, string][] = data.levels.flatMap(({ level, below }, i) =>
  below === null || below < 0.1 ? [] : [[`above_${level}` as Chance, below, `${capital(levelName(i + 1))} or above`]],
);
const TENTH = 'nation';
const widthOfRange = (code: string) => areaScore(code, view.month).high - areaScore(code, view.month).low;
const chance = (code: string, which: Chance) => areaChance(code, view.month, which);
const { lga } = data.words;
/** The event that the chances shown are of. */
const event = () => {
  const by = chosen(sure);
  const cut = CUTS.find(([value]) => value === by);
  if (cut) return `the true share is ${cut[1].toFixed(2)} or more`;
  return by === TENTH
    ? `the place is among the highest tenth of ${lga.many} in ${data.country}`
    : 'the level shown is the true one';
};
const figure = (code: string) => {
  const by = chosen(sure);
  if (by === 'width') return widthOfRange(code);
  return by === 'tested' ? testedIn(code).children : chance(code, by as Chance);
};
const scale = () => ({ width: WIDTHS, tested: CHILDREN })[chosen(sure)] ?? CHANCES;
/** Whether the map shows chances. */
const isChance = () => scale() === CHANCES;

export const sure: Tab = {
  id: 'sure',
  choices: [
    ['level', 'Level is right'],
    ...CUTS.map(([value, , label]) => [value, label] as const),
    [TENTH, 'Highest tenth'],
    ['width', 'Width of range'],
    ...(data.tested ? [['tested', 'Children tested'] as const] : []),
  ],
  paint: (code) => ({ fill: fillIn(scale(), figure(code)) }),
  legend: () => ({
    keys: [scaleKey(scale())],
    note: isChance()
      ? `Chance that ${event()}, given the model and all surveys: darker is more likely.`
      : chosen(sure) === 'width'
        ? 'Width of the 90% range: darker is less certain.'
        : `Children tested in all rounds whose clusters are known; the lightest are ${lga.many} without any.`,
  }),
  headline: () => {
    const all = lgasInView();
    const by = chosen(sure);
    const code = selected();
    if (by === 'tested')
      return code === null
        ? `No child was tested in ${integer(untested().length)} of ${count(all.length, lga)}`
        : `${fullName(code)}: ${testedInWords(code)}`;
    if (code !== null) {
      if (by === 'width') return `The 90% range of ${fullName(code)} is ${share(widthOfRange(code))} wide`;
      return by === 'level'
        ? `The level of ${fullName(code)}, ${levelName(levelIndex(areaScore(code, view.month).score))}, is ${chance(code, 'level')}% certain`
        : `${fullName(code)}: ${chance(code, by as Chance)}% chance that ${event()}`;
    }
    if (by === 'width') {
      const middle = d3.median(all, widthOfRange)!;
      return `Half of the ${lga.many} have a range wider than ${share(middle)}`;
    }
    if (by === 'level') {
      const certain = all.filter((code) => chance(code, 'level') >= CERTAIN).length;
      return `The level is at least ${CERTAIN}% certain in ${integer(certain)} of ${count(all.length, lga)}`;
    }
    const likely = all.filter((code) => chance(code, by as Chance) > 50);
    const certain = all.filter((code) => chance(code, by as Chance) >= 90);
    const tail =
      by === TENTH
        ? `among the country’s highest tenth`
        : `at ${CUTS.find(([value]) => value === by)![1].toFixed(2)} or more`;
    return `${count(likely.length, lga)} ${likely.length === 1 ? 'is' : 'are'} more likely than not ${tail}; ${integer(certain.length)} with at least 90% probability`;
  },
  words: () => {
    const code = selected();
    if (code === null) return chosen(sure) === 'tested' ? [fewest()] : byState();
    if (chosen(sure) === 'tested') return [];
    return [
      `${monthInWords(view.month)}: score ${withRange(areaScore(code, view.month))}.`,
      ...(data.tested ? [`${capital(testedInWords(code))}.`] : []),
      ...oneMore(code),
    ];
  },
  method: () => [
    'The clusters that would halve a range follow from its width, the children in a cluster and how alike these are; differences within the place can need more.',
    `A map of scores alone hides how certain each score is. Ranks are less certain than scores, because many ${lga.many} have similar scores.`,
    'The chances are the model’s own, from joint draws of all areas; where the model is wrong in ways that it does not account for, they are overconfident. See “How reliable”.',
  ],
  tip: (code) => [
    isChance()
      ? `${figure(code)}% chance that ${event()}`
      : chosen(sure) === 'width'
        ? `range ${share(widthOfRange(code))} wide`
        : testedInWords(code),
    `score ${share(areaScore(code, view.month).score)}, ${levelName(levelIndex(areaScore(code, view.month).score))}`,
  ],
  order: (codes) => byFigure(codes, (code) => (chosen(sure) === 'tested' ? -figure(code) : figure(code))),
  columns: () => {
    if (chosen(sure) === 'tested') return TESTED;
    const top = Math.max(0.01, ...data.lgas.map(({ lga_code }) => areaScore(lga_code, view.month).high));
    return [
      { head: 'Score and 90% range', kind: 'bar', cell: (code) => rangeBar(areaScore(code, view.month), top) },
      percentColumn('Level is right', 'level'),
      ...CUTS.map(([value, , label]) => percentColumn(label, value)),
      percentColumn('Highest tenth', TENTH),
    ];
  },
  caption: () =>
    isChance()
      ? `By the chance that ${event()}, highest first.`
      : chosen(sure) === 'width'
        ? 'Widest range first.'
        : 'Fewest children first.',
  record: (code) => ({
    ...scoreRecord(code),
    level: levelName(levelIndex(areaScore(code, view.month).score)),
    probability_of_level: chance(code, 'level') / 100,
    ...Object.fromEntries(CUTS.map(([value, below]) => [`probability_of_${below}_or_more`, chance(code, value) / 100])),
    probability_highest_tenth: chance(code, TENTH) / 100,
    ...(data.tested ? { children_tested: testedIn(code).children, clusters: testedIn(code).clusters } : {}),
  }),
};

/** What a survey here would tell. */
function oneMore(code: string): string[] {
  if (data.next_survey === null || isState(code)) return [];
  const clusters = clustersToHalve(areaScore(code, view.month), data.next_survey);
  return [
    `A survey here now would halve this range with about ${integer(clusters)} clusters of ${data.next_survey.children} children.`,
  ];
}

const percentColumn = (head: string, which: Chance): Column => ({
  head,
  kind: 'number',
  cell: (code) => `${chance(code, which)}%`,
  by: (code) => chance(code, which),
});

/** The states with most of the LGAs that the headline counts. */
function byState(): string[] {
  const by = chosen(sure);
  if (by === 'width' || by === 'level') return [];
  const likely = lgasInView().filter((code) => chance(code, by as Chance) > 50);
  const counts = d3.rollups(
    likely,
    (codes) => codes.length,
    (code) => lgaByCode(code).state_code,
  );
  if (counts.length < 2) return [];
  const most = counts.sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).slice(0, 6);
  return [`Most are in ${most.map(([code, number]) => `${areaName(code)} (${number})`).join(', ')}.`];
}
