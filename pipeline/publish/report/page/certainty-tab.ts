import * as d3 from 'd3';
import { clustersToHalve } from '../shared/spread.ts';
import { countTested, fewestTestedInWords, TESTED_COLUMNS, testedInWords, untestedLgas } from './children-tested.ts';
import { CHANCE_SCALE, CHILDREN_SCALE, scaleFill, scaleLegend, WIDTH_SCALE } from './colours.ts';
import { capitalize, formatCount, formatInteger, formatShare, formatWithRange } from './format.ts';
import {
  areaChance,
  areaScore,
  CERTAIN_PERCENT,
  type ChanceName,
  data,
  fullName,
  isState,
  levelName,
  levelOfScore,
  lgasInView,
  monthInWords,
  view,
} from './store.ts';
import { figureColumn, mapChoice, selectedCode, sortByFigure, type Tab } from './tab.ts';
import { rangeBar, scoreFields } from './where-tab.ts';

/** Lower ends of the levels from moderate on, each with the level's name. */
const LEVEL_CUTOFFS: [ChanceName, number, string][] = data.levels.flatMap(({ level, below }, i) =>
  below === null || below < 0.1
    ? []
    : [[`above_${level}` as ChanceName, below, `${capitalize(levelName(i + 1))} or above`]],
);
const HIGHEST_TENTH = 'nation';
const rangeWidth = (code: string) => areaScore(code, view.month).high - areaScore(code, view.month).low;
const chance = (code: string, name: ChanceName) => areaChance(code, view.month, name);
const { lga } = data.words;
/** The event whose chances the map shows. */
const describeEvent = () => {
  const choice = mapChoice(certaintyTab);
  const cutoff = LEVEL_CUTOFFS.find(([value]) => value === choice);
  if (cutoff) return `the true share is ${cutoff[1].toFixed(2)} or more`;
  return choice === HIGHEST_TENTH
    ? `the place is among the highest tenth of ${lga.many} in ${data.country}`
    : 'the level shown is the true one';
};
const shownFigure = (code: string) => {
  const choice = mapChoice(certaintyTab);
  if (choice === 'width') return rangeWidth(code);
  return choice === 'tested' ? countTested(code).children : chance(code, choice as ChanceName);
};
const shownScale = () => ({ width: WIDTH_SCALE, tested: CHILDREN_SCALE })[mapChoice(certaintyTab)] ?? CHANCE_SCALE;
/** Whether the map shows chances. */
const showsChances = () => shownScale() === CHANCE_SCALE;

export const certaintyTab: Tab = {
  id: 'sure',
  restsOnSurveys: true,
  get lists() {
    return mapChoice(certaintyTab) === 'width' ? ('lga' as const) : undefined;
  },
  choices: [
    ['level', 'Level is right'],
    ...LEVEL_CUTOFFS.map(([value, , label]) => [value, label] as const),
    [HIGHEST_TENTH, 'Highest tenth'],
    ['width', data.next_survey ? 'Where to survey next' : 'Width of range'],
    ...(data.tested ? [['tested', 'Children tested'] as const] : []),
  ],
  paint: (code) => ({ fill: scaleFill(shownScale(), shownFigure(code)) }),
  legend: () => ({
    keys: [scaleLegend(shownScale())],
    note: showsChances()
      ? `Chance that ${describeEvent()}, given the model and all surveys: darker is more likely.`
      : mapChoice(certaintyTab) === 'width'
        ? 'Width of the 90% range: darker is less certain.'
        : `Children tested in all rounds whose clusters are known; the lightest are ${lga.many} without any.`,
  }),
  headline: () => {
    const lgaCodes = lgasInView();
    const choice = mapChoice(certaintyTab);
    const code = selectedCode();
    if (choice === 'tested')
      return code === null
        ? `No child was tested in ${formatInteger(untestedLgas().length)} of ${formatCount(lgaCodes.length, lga)}`
        : `${fullName(code)}: ${testedInWords(code)}`;
    if (code !== null) {
      if (choice === 'width') return `The 90% range of ${fullName(code)} is ${formatShare(rangeWidth(code))} wide`;
      return choice === 'level'
        ? `The level of ${fullName(code)}, ${levelOfScore(areaScore(code, view.month).score)}, is ${chance(code, 'level')}% certain`
        : `${fullName(code)}: ${chance(code, choice as ChanceName)}% chance that ${describeEvent()}`;
    }
    if (choice === 'width') {
      const medianWidth = d3.median(lgaCodes, rangeWidth)!;
      return `Half of the ${lga.many} have a range wider than ${formatShare(medianWidth)}`;
    }
    if (choice === 'level') {
      const certainCount = lgaCodes.filter((code) => chance(code, 'level') >= CERTAIN_PERCENT).length;
      return `The level is at least ${CERTAIN_PERCENT}% certain in ${formatInteger(certainCount)} of ${formatCount(lgaCodes.length, lga)}`;
    }
    const likely = lgaCodes.filter((code) => chance(code, choice as ChanceName) > 50);
    const almostCertain = lgaCodes.filter((code) => chance(code, choice as ChanceName) >= 90);
    const predicate =
      choice === HIGHEST_TENTH
        ? `among the country’s highest tenth`
        : `at ${LEVEL_CUTOFFS.find(([value]) => value === choice)![1].toFixed(2)} or more`;
    return `${formatCount(likely.length, lga)} ${likely.length === 1 ? 'is' : 'are'} more likely than not ${predicate}; ${formatInteger(almostCertain.length)} with at least 90% probability`;
  },
  sentences: () => {
    const code = selectedCode();
    const choice = mapChoice(certaintyTab);
    if (code === null && choice === 'tested') return [fewestTestedInWords()];
    if (code === null && choice === 'width' && data.next_survey)
      return [
        `A survey tells most where ranges are wide: the list says how many clusters of ${data.next_survey.children} children would halve each.`,
      ];
    if (code === null || choice === 'tested') return [];
    return [
      `${monthInWords(view.month)}: score ${formatWithRange(areaScore(code, view.month))}.`,
      ...(data.tested ? [`${capitalize(testedInWords(code))}.`] : []),
      ...describeNextSurvey(code),
    ];
  },
  method: () => [
    'The clusters that would halve a range follow from its width, the children in a cluster and how alike these are; differences within the place can need more.',
    `A map of scores alone hides how certain each score is. Ranks are less certain than scores, because many ${lga.many} have similar scores.`,
    'The chances are the model’s own, from joint draws of all areas; where the model is wrong in ways that it does not account for, they are overconfident. See “How reliable”.',
  ],
  tooltip: (code) => [
    showsChances()
      ? `${shownFigure(code)}% chance that ${describeEvent()}`
      : mapChoice(certaintyTab) === 'width'
        ? `range ${formatShare(rangeWidth(code))} wide`
        : testedInWords(code),
    `score ${formatShare(areaScore(code, view.month).score)}, ${levelOfScore(areaScore(code, view.month).score)}`,
  ],
  sortCodes: (codes) =>
    sortByFigure(codes, (code) => (mapChoice(certaintyTab) === 'tested' ? -shownFigure(code) : shownFigure(code))),
  columns: () => {
    if (mapChoice(certaintyTab) === 'tested') return TESTED_COLUMNS;
    const axisEnd = Math.max(0.01, ...data.lgas.map(({ lga_code }) => areaScore(lga_code, view.month).high));
    return [
      { head: 'Score and 90% range', kind: 'bar', cell: (code) => rangeBar(areaScore(code, view.month), axisEnd) },
      figureColumn('Width', rangeWidth, (code) => formatShare(rangeWidth(code))),
      ...(mapChoice(certaintyTab) === 'width' && data.next_survey
        ? [figureColumn('Clusters that halve it', clusters)]
        : []),
      percentColumn('Level is right', 'level'),
      ...LEVEL_CUTOFFS.map(([value, , label]) => percentColumn(label, value)),
      percentColumn('Highest tenth', HIGHEST_TENTH),
    ];
  },
  caption: () =>
    showsChances()
      ? `By the chance that ${describeEvent()}, highest first.`
      : mapChoice(certaintyTab) === 'width'
        ? 'Widest range first.'
        : 'Fewest children first.',
  downloadFields: (code) => ({
    ...scoreFields(code),
    level: levelOfScore(areaScore(code, view.month).score),
    probability_of_level: chance(code, 'level') / 100,
    ...Object.fromEntries(
      LEVEL_CUTOFFS.map(([value, below]) => [`probability_of_${below}_or_more`, chance(code, value) / 100]),
    ),
    probability_highest_tenth: chance(code, HIGHEST_TENTH) / 100,
    ...(data.tested
      ? { clusters_tested: countTested(code).clusters, children_positive: countTested(code).positive }
      : {}),
    ...(data.next_survey && !isState(code) ? { clusters_to_halve_range: clusters(code) } : {}),
  }),
};

const clusters = (code: string) => clustersToHalve(areaScore(code, view.month), data.next_survey!);

/** How much a new survey here would narrow the range. */
function describeNextSurvey(code: string): string[] {
  if (data.next_survey === null || isState(code)) return [];
  return [
    `A survey here now would halve this range with about ${formatInteger(clusters(code))} clusters of ${data.next_survey.children} children.`,
  ];
}

const percentColumn = (head: string, name: ChanceName) =>
  figureColumn(
    head,
    (code) => chance(code, name),
    (code) => `${chance(code, name)}%`,
  );
