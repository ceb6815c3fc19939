import * as d3 from 'd3';
import { monthName, periodName } from '../shared/names.ts';
import { MEASURES, VERDICTS, WINDOW_COLUMNS } from '../shared/page-data.ts';
import { NO_VALUE_FILL, scaleFill, scaleLegend, YEAR_SHARE_SCALE } from './colours.ts';
import { h } from './dom.ts';
import { capitalize, formatCount, formatInteger, inSentence, shortMonth } from './format.ts';
import { areaIndex, data, fullName, lgasInView } from './store.ts';
import { type Column, mapChoice, selectedCode, sortByFigure, type Tab } from './tab.ts';

type WindowFigures = Record<(typeof WINDOW_COLUMNS)[number], number | null> & { first: number; share: number };
type Measure = (typeof MEASURES)[number];
const MEASURE_NAMES: Record<Measure, string> = {
  reported_cases: 'reported cases',
  rain_transmission: 'rain-driven transmission',
};
/** Months of a run, and rounds of seasonal chemoprevention. */
const WINDOW_MONTHS = 4;
/** Per cent of the year in four months from which WHO first recommended seasonal chemoprevention. */
const SEASONAL_PERCENT = 60;

/** The four consecutive months with the largest share of the year, by a measure. */
export function bestWindow(code: string, measure: Measure): WindowFigures {
  const row = data.windows[areaIndex(code)]!;
  const offset = MEASURES.indexOf(measure) * WINDOW_COLUMNS.length;
  return Object.fromEntries(WINDOW_COLUMNS.map((name, i) => [name, row[offset + i] ?? null])) as WindowFigures;
}
const shownMeasure = () => mapChoice(whenTab) as Measure;
const shownWindow = (code: string) => bestWindow(code, shownMeasure());
const lastMonth = (first: number) => ((first + WINDOW_MONTHS - 2) % 12) + 1;
/** `Jul–Oct`. */
export const runInWords = ({ first }: { first: number }) => `${shortMonth(first)}–${shortMonth(lastMonth(first))}`;
const rangeInWords = ({ low, high }: WindowFigures) => (low === null || high === null ? '' : ` (${low}–${high})`);
const verdictName = (figures: WindowFigures) => (figures.verdict === null ? null : VERDICTS[figures.verdict]!);
const areaVerdicts = (code: string) => MEASURES.map((measure) => verdictName(bestWindow(code, measure)));
/** Whether a measure reaches the threshold. */
const isSeasonal = (code: string) => areaVerdicts(code).includes('reached');
/** Probability that the run's start is right to within a month; for rain that of the rain alone. */
const startCertaintyInWords = ({ start }: WindowFigures) =>
  start === null ? '—' : start > 95 ? 'over 95%' : `${start}%`;
const { lga } = data.words;

/** When to start, or why seasonal chemoprevention would reach too little of the year. */
export function describeAdvice(code: string): string {
  const [cases, rain] = [bestWindow(code, 'reported_cases'), bestWindow(code, 'rain_transmission')];
  if (!isSeasonal(code)) {
    const [lowest, highest] = d3.extent([100 - rain.share, 100 - cases.share]) as [number, number];
    return `not seasonal: four rounds would miss ${lowest === highest ? '' : `${lowest} to `}${highest}% of the year’s malaria`;
  }
  const rainDelay = (rain.first - cases.first + 12) % 12;
  const starts = rainDelay === 0 ? [rain] : rainDelay <= 6 ? [cases, rain] : [rain, cases];
  return `start in ${starts.map(({ first }) => monthName(first)).join(' or ')}, four rounds`;
}

/** The evidence for the advice, by both measures. */
export function seasonEvidence(code: string): string {
  const [cases, rain] = [bestWindow(code, 'reported_cases'), bestWindow(code, 'rain_transmission')];
  const rainDelay = (rain.first - cases.first + 12) % 12;
  const monthsApart = Math.min(rainDelay, 12 - rainDelay);
  const agreement =
    monthsApart === 0
      ? 'the two agree on the start'
      : `the two disagree by ${monthsApart === 1 ? 'a month' : `${monthsApart} months`}`;
  return `By rain ${runInWords(rain)}, with ${rain.share}%${rangeInWords(rain)} of the year’s transmission; by reported cases ${runInWords(cases)}, with ${cases.share}%${rangeInWords(cases)} of the year’s cases: ${agreement}.`;
}

export const whenTab: Tab = {
  id: 'when',
  months: [],
  period: () => '',
  choices: [
    ['rain_transmission', 'By rain'],
    ['reported_cases', 'By reported cases'],
  ],
  paint: (code) => ({
    fill: scaleFill(YEAR_SHARE_SCALE, shownWindow(code).share) ?? NO_VALUE_FILL,
    isUncertain: shownWindow(code).start !== null && shownWindow(code).start! < 80,
  }),
  legend: () => ({
    keys: [scaleLegend(YEAR_SHARE_SCALE)],
    note: `Share of the year’s ${MEASURE_NAMES[shownMeasure()]} in the four consecutive months with the largest share. Hatched: the probability that these months are right to within a month is below 80%.`,
  }),
  headline: () => {
    const code = selectedCode();
    if (code !== null) return `${fullName(code)}: ${describeAdvice(code)}`;
    const lgaCodes = lgasInView();
    const seasonal = lgaCodes.filter(isSeasonal);
    return `Four months have ${SEASONAL_PERCENT}% or more of the year’s malaria in ${formatInteger(seasonal.length)} of ${formatCount(lgaCodes.length, lga)}, by rain or by reported cases`;
  },
  sentences: () => {
    const code = selectedCode();
    if (code !== null) return [seasonEvidence(code), verdictsInWords(code), recordSentence(code), evidenceYears()];
    const seasonal = lgasInView().filter(isSeasonal);
    const starts = d3
      .rollups(
        seasonal,
        (codes) => codes.length,
        (codes) => shownWindow(codes).first,
      )
      .sort((a, b) => b[1] - a[1]);
    return [
      ...(starts.length > 0
        ? [
            `There, by ${MEASURE_NAMES[shownMeasure()]}, they start in ${inSentence(starts.map(([first, number]) => `${monthName(first)} (${formatCount(number, lga)})`))}.`,
          ]
        : []),
      `In the other ${formatInteger(lgasInView().length - seasonal.length)}, malaria is spread over the year, and four rounds would miss much of it.`,
      evidenceYears(),
    ];
  },
  method: () => [
    `WHO first recommended seasonal chemoprevention where more than ${SEASONAL_PERCENT}% of a year’s clinical malaria falls within four months (2012; since 2022 without that threshold).`,
    'The two measures differ, and malaria in children lies somewhere between them. Reported cases are of all ages and vary little over the year. Rain-driven transmission excludes transmission that does not depend on rain, and no record verifies it. The certainty of the months is derived from the errors of the seasonal index in places left out of the fit; for rain-driven transmission it is too high if rain is not the deciding factor.',
    'Own case record: share of its cases in the months shown; then its own best months and their share. Runs of three and five months are in the table season_windows.',
  ],
  tooltip: (code) => {
    const figures = shownWindow(code);
    return [
      `${runInWords(figures)}: ${figures.share}%${rangeInWords(figures)} of the year`,
      figures.start === null ? 'errors unknown' : `right to within a month: ${startCertaintyInWords(figures)}`,
    ];
  },
  sortCodes: (codes) => sortByFigure(codes, (code) => shownWindow(code).share),
  columns: () => {
    const columns: (Column | false)[] = [
      {
        head: 'Start',
        cell: (code) => shortMonth(shownWindow(code).first),
        sortValue: (code) => -shownWindow(code).first,
      },
      { head: 'Months', cell: (code) => runBar(shownWindow(code).first) },
      {
        head: 'Share of year',
        kind: 'number',
        cell: (code) => `${shownWindow(code).share}%${rangeInWords(shownWindow(code))}`,
        sortValue: (code) => shownWindow(code).share,
      },
      {
        head: 'Right to within a month',
        kind: 'number',
        cell: (code) => startCertaintyInWords(shownWindow(code)),
        sortValue: (code) => shownWindow(code).start ?? 0,
      },
      { head: `${SEASONAL_PERCENT}% or more`, cell: (code) => verdictName(shownWindow(code)) ?? '—' },
      shownMeasure() === 'reported_cases' && { head: 'Own case record', kind: 'number', cell: recordInWords },
    ];
    return columns.filter((column) => column !== false);
  },
  caption: () => `Largest share of the year’s ${MEASURE_NAMES[shownMeasure()]} in four consecutive months first.`,
  downloadFields: (code) => ({
    months: WINDOW_MONTHS,
    ...Object.fromEntries(
      MEASURES.flatMap((measure) => {
        const figures = bestWindow(code, measure);
        return [
          [`${measure}_first_month`, figures.first],
          [`${measure}_last_month`, lastMonth(figures.first)],
          [`${measure}_share`, figures.share / 100],
          [`${measure}_share_low`, figures.low === null ? null : figures.low / 100],
          [`${measure}_share_high`, figures.high === null ? null : figures.high / 100],
          [`${measure}_start_probability`, figures.start === null ? null : figures.start / 100],
          [`${measure}_sixty_percent`, verdictName(figures)],
          [`${measure}_own_record`, figures.record_first === null ? null : recordInWords(code)],
        ];
      }),
    ),
  }),
};

/** What the case record of the place itself says, beside what is modelled. */
function recordSentence(code: string): string {
  const { first, record, record_first, record_best } = bestWindow(code, 'reported_cases');
  if (record_first === null) return `${fullName(code)} has no case record of its own that tells its season.`;
  return `Its own case record has ${record}% of its cases in ${runInWords({ first })}${first === record_first ? ', its best months' : `, and most, ${record_best}%, in ${runInWords({ first: record_first })}`}.`;
}

/** Of when the evidence is; surveys, which are of one time of the year each, tell no season. */
const evidenceYears = () =>
  `Evidence: ${data.observed
    .filter(({ months }) => months.length > 0)
    .map(
      ({ what, months, span }) =>
        `${what.toLowerCase()} ${span ? months.map(periodName).join(' to ') : `last in ${periodName(months.at(-1)!)}, on which the season does not rest`}`,
    )
    .join('; ')}.`;

/** What a place's verdicts mean. */
function verdictsInWords(code: string): string {
  const [cases, rain] = areaVerdicts(code);
  const verdicts = [
    ['rain', rain],
    ['reported cases', cases],
  ].map(
    ([name, verdict]) =>
      `by ${name} ${verdict === 'unlikely' ? 'it is unlikely to be' : verdict === 'reached' ? 'it is' : 'it is not known whether it is'} reached`,
  );
  return `WHO first recommended seasonal chemoprevention from ${SEASONAL_PERCENT}% on: ${verdicts.join('; ')}.`;
}

/** Twelve boxes, filled for the months of the run, and the months in words. */
function runBar(first: number): HTMLElement {
  const isInWindow = (month: number) => (month - first + 12) % 12 < WINDOW_MONTHS;
  return h(
    'span',
    { class: 'year', title: `${monthName(first)} to ${monthName(lastMonth(first))}` },
    ...d3.range(1, 13).map((month) => h('i', isInWindow(month) ? { class: 'in' } : {})),
    h('span', {}, runInWords({ first })),
  );
}

function recordInWords(code: string): string {
  const { record, record_first, record_best } = bestWindow(code, 'reported_cases');
  if (record_first === null) return '—';
  return `${record}%; ${runInWords({ first: record_first })} ${record_best}%`;
}

/** The advice on a place as a sentence of its own. */
export const adviceInWords = (code: string) => `${capitalize(describeAdvice(code))}. ${seasonEvidence(code)}`;
