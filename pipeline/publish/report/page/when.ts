import * as d3 from 'd3';
import { monthName } from '../shared/names.ts';
import { MEASURES, VERDICTS, WINDOW_COLUMNS } from '../shared/page-data.ts';
import { fillIn, NOTHING, scaleKey, YEARS } from './colours.ts';
import { areaIndex, data, fullName, lgasInView } from './store.ts';
import { byFigure, type Column, chosen, selected, type Tab } from './tab.ts';
import { capital, count, h, inSentence, integer, shortMonth } from './words.ts';

type Figures = Record<(typeof WINDOW_COLUMNS)[number], number | null> & { first: number; share: number };
type Measure = (typeof MEASURES)[number];
const NAMES: Record<Measure, string> = {
  reported_cases: 'reported cases',
  rain_transmission: 'rain-driven transmission',
};
/** Months of a run, and rounds of seasonal chemoprevention. */
const MONTHS_OF_RUN = 4;
/** Per cent of the year in four months from which WHO first recommended seasonal chemoprevention. */
const THRESHOLD = 60;

/** The four consecutive months with the largest share of the year, by a measure. */
export function bestWindow(code: string, measure: Measure): Figures {
  const row = data.windows[areaIndex(code)]!;
  const offset = MEASURES.indexOf(measure) * WINDOW_COLUMNS.length;
  return Object.fromEntries(WINDOW_COLUMNS.map((name, i) => [name, row[offset + i] ?? null])) as Figures;
}
const measure = () => chosen(when) as Measure;
const windowAt = (code: string) => bestWindow(code, measure());
const lastMonth = (first: number) => ((first + MONTHS_OF_RUN - 2) % 12) + 1;
/** `Jul–Oct`. */
export const runInWords = ({ first }: { first: number }) => `${shortMonth(first)}–${shortMonth(lastMonth(first))}`;
const range = ({ low, high }: Figures) => (low === null || high === null ? '' : ` (${low}–${high})`);
const verdict = (figures: Figures) => (figures.verdict === null ? null : VERDICTS[figures.verdict]!);
const areaVerdicts = (code: string) => MEASURES.map((measure) => verdict(bestWindow(code, measure)));
/** The verdict on four months by both measures; `unknown` if they differ. */
const together = (code: string) => {
  const [cases, rain] = areaVerdicts(code);
  return cases === rain ? cases! : 'unknown';
};
/** Whether a measure reaches the threshold. */
const isSeasonal = (code: string) => areaVerdicts(code).includes('reached');
/** Probability that the run's start is right to within a month; for rain that of the rain alone. */
const startInWords = ({ start }: Figures) => (start === null ? '—' : start > 95 ? 'over 95%' : `${start}%`);
const { lga } = data.words;

/** When to start, or why seasonal chemoprevention would reach too little of the year. */
export function advice(code: string): string {
  const [cases, rain] = [bestWindow(code, 'reported_cases'), bestWindow(code, 'rain_transmission')];
  if (!isSeasonal(code)) {
    const [least, most] = d3.extent([100 - rain.share, 100 - cases.share]) as [number, number];
    return `not seasonal: four rounds would miss ${least === most ? '' : `${least} to `}${most}% of the year’s malaria`;
  }
  const ahead = (rain.first - cases.first + 12) % 12;
  const starts = ahead === 0 ? [rain] : ahead <= 6 ? [cases, rain] : [rain, cases];
  return `start in ${starts.map(({ first }) => monthName(first)).join(' or ')}, four rounds`;
}

/** The evidence for the advice, by both measures. */
export function seasonEvidence(code: string): string {
  const [cases, rain] = [bestWindow(code, 'reported_cases'), bestWindow(code, 'rain_transmission')];
  const ahead = (rain.first - cases.first + 12) % 12;
  const apart = Math.min(ahead, 12 - ahead);
  const differ =
    apart === 0 ? 'the two agree on the start' : `the two disagree by ${apart === 1 ? 'a month' : `${apart} months`}`;
  return `By rain ${runInWords(rain)}, with ${rain.share}%${range(rain)} of the year’s transmission; by reported cases ${runInWords(cases)}, with ${cases.share}%${range(cases)} of the year’s cases: ${differ}.`;
}

export const when: Tab = {
  id: 'when',
  months: [],
  choices: [
    ['rain_transmission', 'By rain'],
    ['reported_cases', 'By reported cases'],
  ],
  paint: (code) => ({
    fill: fillIn(YEARS, windowAt(code).share) ?? NOTHING,
    uncertain: windowAt(code).start !== null && windowAt(code).start! < 80,
  }),
  legend: () => ({
    keys: [scaleKey(YEARS)],
    note: `Share of the year’s ${NAMES[measure()]} in the four consecutive months with the largest share. Hatched: the probability that these months are right to within a month is below 80%.`,
  }),
  headline: () => {
    const code = selected();
    if (code !== null) return `${fullName(code)}: ${advice(code)}`;
    const all = lgasInView();
    const seasonal = all.filter(isSeasonal);
    return `Four months have ${THRESHOLD}% or more of the year’s malaria in ${integer(seasonal.length)} of ${count(all.length, lga)}, by rain or by reported cases`;
  },
  words: () => {
    const code = selected();
    if (code !== null) return [seasonEvidence(code), threshold(code)];
    const seasonal = lgasInView().filter(isSeasonal);
    const starts = d3
      .rollups(
        seasonal,
        (codes) => codes.length,
        (codes) => windowAt(codes).first,
      )
      .sort((a, b) => b[1] - a[1]);
    return [
      ...(starts.length > 0
        ? [
            `There, by ${NAMES[measure()]}, they start in ${inSentence(starts.map(([first, number]) => `${monthName(first)} (${count(number, lga)})`))}.`,
          ]
        : []),
      `In the other ${integer(lgasInView().length - seasonal.length)}, malaria is spread over the year, and four rounds would miss much of it.`,
    ];
  },
  method: () => [
    `WHO first recommended seasonal chemoprevention where more than ${THRESHOLD}% of a year’s clinical malaria falls within four months (2012; since 2022 without that threshold).`,
    'The two measures differ, and malaria in children lies somewhere between them. Reported cases are of all ages and vary little over the year. Rain-driven transmission excludes transmission that does not depend on rain, and no record verifies it. The certainty of the months is derived from the errors of the seasonal index in places left out of the fit; for rain-driven transmission it is too high if rain is not the deciding factor.',
    'Own case record: share of its cases in the months shown; then its own best months and their share. Runs of three and five months are in the table season_windows.',
  ],
  tip: (code) => {
    const figures = windowAt(code);
    return [
      `${runInWords(figures)}: ${figures.share}%${range(figures)} of the year`,
      figures.start === null ? 'errors unknown' : `right to within a month: ${startInWords(figures)}`,
    ];
  },
  order: (codes) => byFigure(codes, (code) => windowAt(code).share),
  columns: () => {
    const columns: (Column | false)[] = [
      { head: 'Start', cell: (code) => shortMonth(windowAt(code).first), by: (code) => -windowAt(code).first },
      { head: 'Months', cell: (code) => runBar(windowAt(code).first) },
      {
        head: 'Share of year',
        kind: 'number',
        cell: (code) => `${windowAt(code).share}%${range(windowAt(code))}`,
        by: (code) => windowAt(code).share,
      },
      {
        head: 'Right to within a month',
        kind: 'number',
        cell: (code) => startInWords(windowAt(code)),
        by: (code) => windowAt(code).start ?? 0,
      },
      { head: `${THRESHOLD}% or more`, cell: (code) => verdict(windowAt(code)) ?? '—' },
      measure() === 'reported_cases' && { head: 'Own case record', kind: 'number', cell: recordInWords },
    ];
    return columns.filter((column) => column !== false);
  },
  caption: () => `Largest share of the year’s ${NAMES[measure()]} in four consecutive months first.`,
  record: (code) => ({
    months: MONTHS_OF_RUN,
    ...Object.fromEntries(
      MEASURES.flatMap((measure) => {
        const figures = bestWindow(code, measure);
        return [
          [`${measure}_first_month`, figures.first],
          [`${measure}_last_month`, lastMonth(figures.first)],
          [`${measure}_share`, figures.share / 100],
          [`${measure}_share_low`, figures.low === null ? null : figures.low / 100],
          [`${measure}_share_high`, figures.high === null ? null : figures.high / 100],
        ];
      }),
    ),
    sixty_percent_in_four_months: together(code),
  }),
};

/** What a place's verdicts mean. */
function threshold(code: string): string {
  const [cases, rain] = areaVerdicts(code);
  if (cases === rain) {
    if (cases === 'reached')
      return `Both are above the ${THRESHOLD}% from which WHO first recommended seasonal chemoprevention.`;
    return cases === 'unlikely'
      ? `Both are below the ${THRESHOLD}% from which WHO first recommended seasonal chemoprevention: what protects here has to last all year.`
      : `Whether ${THRESHOLD}% of the year falls within four months is not known.`;
  }
  const verdicts = [
    ['rain', rain],
    ['reported cases', cases],
  ].map(
    ([name, verdict]) =>
      `by ${name} ${verdict === 'unlikely' ? 'it is unlikely to be' : verdict === 'reached' ? 'it is' : 'it is not known whether it is'} reached`,
  );
  return `WHO first recommended seasonal chemoprevention from ${THRESHOLD}% on: ${verdicts.join('; ')}.`;
}

/** Twelve boxes, filled for the months of the run, and the months in words. */
function runBar(first: number): HTMLElement {
  const isIn = (month: number) => (month - first + 12) % 12 < MONTHS_OF_RUN;
  return h(
    'span',
    { class: 'year', title: `${monthName(first)} to ${monthName(lastMonth(first))}` },
    ...d3.range(1, 13).map((month) => h('i', isIn(month) ? { class: 'in' } : {})),
    h('span', {}, runInWords({ first })),
  );
}

function recordInWords(code: string): string {
  const { record, record_first, record_best } = bestWindow(code, 'reported_cases');
  if (record_first === null) return '—';
  return `${record}%; ${runInWords({ first: record_first })} ${record_best}%`;
}

/** The advice on a place as a sentence of its own. */
export const adviceInWords = (code: string) => `${capital(advice(code))}. ${seasonEvidence(code)}`;
