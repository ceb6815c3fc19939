import { periodName } from '../shared/names.ts';
import { CHANGE_SCALE, hatchedKey, legendKey, NO_VALUE_FILL, scaleFill, scaleLegend } from './colours.ts';
import { formatCount, formatDifference, formatShare } from './format.ts';
import {
  areaScore,
  type Change,
  data,
  exceedsChance,
  fullName,
  isForecast,
  lgasInView,
  monthInWords,
  stateTrend,
  surveyChange,
  testSuffix,
  view,
  yearContrast,
} from './store.ts';
import { figureColumn, mapChoice, scopeName, selectedCode, sortByFigure, type Tab } from './tab.ts';
import { scoreColumn, scoreFields } from './where-tab.ts';

/** The year that the view is compared with; NaN if the choice is not a year. */
const chosenYear = () => Number(mapChoice(changesTab));
const changeAt = (code: string) =>
  Number.isNaN(chosenYear()) ? surveyChange(code, view.month) : yearContrast(code, view.month, chosenYear());
const { lga } = data.words;

/** The month that the view's month is compared with; null if there is none. */
function comparisonMonth(): string | null {
  if (!Number.isNaN(chosenYear())) {
    const sameMonth = `${chosenYear()}${data.periods[view.month]!.slice(4)}`;
    return sameMonth === data.periods[view.month] || !(data.periods as string[]).includes(sameMonth)
      ? null
      : periodName(sameMonth);
  }
  const survey = data.changes.survey_months[data.changes.grid.months.indexOf(view.month)];
  return survey == null ? null : periodName(survey);
}

const YEARS = [...new Set(data.periods.map((period) => period.slice(0, 4)))].slice(0, -1);

export const changesTab: Tab = {
  id: 'changed',
  restsOnSurveys: true,
  get months() {
    return Number.isNaN(chosenYear()) ? data.changes.grid.months : data.periods.map((_, month) => month);
  },
  get choices() {
    const years = data.contrasts === null ? [] : YEARS.map((year) => [year, `Since ${year}`] as const);
    return [['survey', 'Since the last survey'] as const, ...years];
  },
  paint: (code) => {
    const change = changeAt(code);
    return change === null
      ? { fill: NO_VALUE_FILL }
      : { fill: scaleFill(CHANGE_SCALE, change.change), isUncertain: !exceedsChance(change) };
  },
  legend: () => ({
    keys:
      comparisonMonth() === null
        ? [legendKey(NO_VALUE_FILL, 'no earlier month to compare with')]
        : [scaleLegend(CHANGE_SCALE), hatchedKey('may be chance: the 90% range includes 0')],
    note: 'Score now minus score then: orange is a rise, purple a fall.',
  }),
  headline: () => {
    const earlier = comparisonMonth();
    if (earlier === null) return 'There is no earlier month to compare these scores with';
    const code = selectedCode();
    const areaChange = code === null ? null : changeAt(code);
    if (code !== null && areaChange !== null) {
      const comparison =
        areaChange.change === 0
          ? 'as high as'
          : `${formatShare(Math.abs(areaChange.change))} ${areaChange.change > 0 ? 'above' : 'below'}`;
      return `${fullName(code)}, ${monthInWords(view.month)}: ${formatShare(areaScore(code, view.month).score)}, ${comparison} ${earlier}${exceedsChance(areaChange) ? '' : '; this may be chance'}`;
    }
    const realChanges = lgasInView().flatMap((code) => {
      const change = changeAt(code);
      return change && exceedsChance(change) ? [change] : [];
    });
    const rises = realChanges.filter(({ change }) => change > 0).length;
    const falls = realChanges.length - rises;
    if (realChanges.length === 0) return `No ${lga.one} has changed since ${earlier} by more than chance would explain`;
    return `Since ${earlier}, ${formatCount(rises, lga)} rose and ${falls} fell by more than chance would explain`;
  },
  sentences: () => {
    const code = selectedCode();
    const areaChange = code === null ? null : changeAt(code);
    return [
      ...(areaChange
        ? [
            `The change is ${formatDifference(areaChange.change)}, its 90% range ${formatDifference(areaChange.low)} to ${formatDifference(areaChange.high)}. The chance that it ${areaChange.change < 0 ? 'fell' : 'rose'} is ${Math.round(100 * (areaChange.change < 0 ? 1 - areaChange.chance : areaChange.chance))}%.`,
          ]
        : []),
      ...roundsInWords(),
    ];
  },
  method: () => [
    ...(Number.isNaN(chosenYear())
      ? []
      : [
          'Months are compared with the same month of another year, in which the season is the same; for two different months of the year, see the scores themselves. The range takes the change to be normally distributed, with the standard deviation of the model’s joint draws.',
        ]),
    `${comparisonMonth() === null ? '' : `${monthInWords(view.month)} compared with ${comparisonMonth()}. `}A change is more than chance would explain if its 90% range excludes 0. The errors of the two months are correlated, so this range is narrower than the ranges of the scores suggest.`,
    isForecast(view.month) || changeAt(data.states[0]!.state_code) === null
      ? 'Scores of months after the last survey carry its level forward, so they can show little change.'
      : 'After the last survey, scores carry its level forward with the usual season, so a change over a year there mostly shows how certain the level still is.',
    `What moved since the previous version, and why, is on the page that “malaria-risk review” keeps for version ${data.model_version} in the directory where it was built.`,
  ],
  tooltip: (code) => {
    const change = changeAt(code);
    return change === null
      ? ['no earlier month to compare with']
      : [
          `${formatDifference(change.change)} (${formatDifference(change.low)} to ${formatDifference(change.high)})`,
          `${Math.round(100 * change.chance)}% chance of a rise${exceedsChance(change) ? '' : '; may be chance'}`,
        ];
  },
  sortCodes: (codes) => sortByFigure(codes, (code) => Math.abs((changeAt(code)?.chance ?? 0.5) - 0.5)),
  columns: () => [
    figureColumn(
      'Change',
      (code) => changeAt(code)?.change ?? 0,
      (code) => changeCell(code, ({ change }) => formatDifference(change)),
    ),
    {
      head: '90% range',
      kind: 'number',
      cell: (code) => changeCell(code, ({ low, high }) => `${formatDifference(low)} to ${formatDifference(high)}`),
    },
    figureColumn(
      'Chance of a rise',
      (code) => changeAt(code)?.chance ?? 0,
      (code) => changeCell(code, ({ chance }) => `${Math.round(100 * chance)}%`),
    ),
    scoreColumn('Score now'),
  ],
  caption: () => 'Most certain change first, whether a rise or a fall.',
  downloadFields: (code) => {
    const change = changeAt(code);
    return {
      ...scoreFields(code),
      against: comparisonMonth(),
      change: change?.change ?? null,
      change_low: change?.low ?? null,
      change_high: change?.high ?? null,
      probability_of_rise: change?.chance ?? null,
    };
  },
};

/** A cell of the list; a dash if there is nothing to compare with. */
const changeCell = (code: string, text: (change: Change) => string) => {
  const change = changeAt(code);
  return change === null ? '—' : text(change);
};

/** The results of the surveys themselves, round by round. */
function roundsInWords(): string[] {
  const trend = view.state === null ? data.trend.national : stateTrend(view.state);
  if (trend.length < 2) return [];
  const figures = trend.map(
    ({ survey_year, positivity, low, high }) =>
      `${survey_year}${testSuffix(survey_year)} ${formatShare(positivity)}${low === null ? '' : ` (${formatShare(low)}–${formatShare(high!)})`}`,
  );
  const urbanAndRural = data.trend.national.flatMap(({ survey_year, urban, rural }) =>
    urban === null || rural === null ? [] : [`${survey_year} ${formatShare(urban)} and ${formatShare(rural)}`],
  );
  return [
    `Share positive in surveys of ${scopeName()}, with 95% ranges: ${figures.join(', ')}.`,
    ...(view.state === null && urbanAndRural.length > 0
      ? [`In towns and in rural areas: ${urbanAndRural.join(', ')}.`]
      : []),
  ];
}
