import * as d3 from 'd3';
import { monthName } from '../shared/names.ts';
import { MEASURES, RUNS, VERDICTS, WINDOW_COLUMNS } from '../shared/page-data.ts';
import { fillIn, NOTHING, scaleKey, YEARS } from './colours.ts';
import { data, indexOf, lgasInView, view } from './store.ts';
import { byFigure, chosen, scope, type Tab } from './tab.ts';
import { capital, count, h, integer, shortMonth } from './words.ts';

type Figures = Record<(typeof WINDOW_COLUMNS)[number], number | null> & { first: number; share: number };
type Measure = (typeof MEASURES)[number];
const NAMES: Record<Measure, string> = {
  reported_cases: 'reported cases',
  rain_transmission: 'rain-driven transmission',
};

/** The run of `months` consecutive months with the largest share of the year, by a measure. */
export function runOf(code: string, measure: Measure, months: number): Figures {
  const row = data.windows[indexOf(code)]!;
  const at =
    (MEASURES.indexOf(measure) * RUNS.length + RUNS.indexOf(months as (typeof RUNS)[number])) * WINDOW_COLUMNS.length;
  return Object.fromEntries(WINDOW_COLUMNS.map((name, i) => [name, row[at + i] ?? null])) as Figures;
}
const choice = () => {
  const [measure, months] = chosen(when).split(' ') as [Measure, string];
  return { measure, months: Number(months) };
};
const of = (code: string) => runOf(code, choice().measure, choice().months);
const lastOf = (first: number, months: number) => ((first + months - 2) % 12) + 1;
/** `Jul–Oct`. */
export const runInWords = ({ first }: { first: number }, months: number) =>
  `${shortMonth(first)}–${shortMonth(lastOf(first, months))}`;
const range = ({ low, high }: Figures) => (low === null || high === null ? '' : ` (${low}–${high})`);
const verdict = (figures: Figures) => (figures.verdict === null ? null : VERDICTS[figures.verdict]!);
/** The verdict on four months by both measures; `unknown` if they differ. */
export const together = (code: string) => {
  const [cases, rain] = MEASURES.map((measure) => verdict(runOf(code, measure, 4)));
  return cases === rain ? cases! : 'unknown';
};
/** The verdict by both measures, and if they differ each of them: `unknown (rain: reached, cases: unlikely)`. */
export const togetherInWords = (code: string) => {
  const [cases, rain] = MEASURES.map((measure) => verdict(runOf(code, measure, 4)));
  return cases === rain ? cases! : `unknown (rain: ${rain}, cases: ${cases})`;
};
/** Probability that the run's start is right to within a month; for rain that of the rain alone. */
const certaintyOf = ({ start }: Figures) => (start === null ? '—' : start > 95 ? 'over 95%' : `${start}%`);
const { lga } = data.words;

export const when: Tab = {
  id: 'when',
  months: [],
  choices: [4, 3, 5].flatMap((months) =>
    (['rain_transmission', 'reported_cases'] as const).map(
      (measure) =>
        [`${measure} ${months}`, `${months} months, by ${measure === 'reported_cases' ? 'cases' : 'rain'}`] as const,
    ),
  ),
  paint: (code) => ({
    fill: fillIn(YEARS, of(code).share) ?? NOTHING,
    uncertain: of(code).start !== null && of(code).start! < 80,
  }),
  legend: () => ({
    keys: [scaleKey(YEARS)],
    note: `Share of the year’s ${NAMES[choice().measure]} in the ${choice().months} consecutive months with the largest share. Hatched: the probability that these months are right to within a month is below 80%.`,
  }),
  headline: () => {
    const { measure, months } = choice();
    const starts = d3
      .rollups(
        lgasInView(),
        (own) => own.length,
        (code) => of(code).first,
      )
      .sort((a, b) => b[1] - a[1]);
    const [first, number] = starts[0]!;
    const where = view.state === null ? '' : ` of ${scope()}`;
    const all = lgasInView().length;
    const share = number === all ? `all ${integer(all)}` : `${integer(number)} of ${integer(all)}`;
    return `${runInWords({ first }, months)} are the ${months} months with the most ${NAMES[measure]} in ${share} ${lga.many}${where}`;
  },
  words: () => {
    const verdicts = d3.rollup(lgasInView(), (own) => own.length, together);
    const numbers = VERDICTS.filter((verdict) => verdicts.has(verdict)).map(
      (verdict) =>
        `${verdict === 'unlikely' ? 'unlikely to be reached' : verdict} in ${count(verdicts.get(verdict)!, lga)}`,
    );
    return [
      `WHO first recommended seasonal chemoprevention where more than 60% of a year’s clinical malaria falls within four months (2012; since 2022 without that threshold). By both measures, the threshold is ${numbers.join(', ')}.`,
      'The two measures differ, and malaria in children lies somewhere between them. Reported cases are of all ages and vary little over the year. Rain-driven transmission excludes transmission that does not depend on rain, and no record verifies it. The certainty of the months is derived from the errors of the seasonal index in places left out of the fit; for rain-driven transmission it is too high if rain is not the deciding factor.',
    ];
  },
  tip: (code) => {
    const { months } = choice();
    const figures = of(code);
    return [
      `${runInWords(figures, months)}: ${figures.share}%${range(figures)} of the year`,
      figures.start === null ? 'errors unknown' : `right to within a month: ${certaintyOf(figures)}`,
    ];
  },
  order: (codes) => byFigure(codes, (code) => of(code).share),
  columns: () => {
    const { measure, months } = choice();
    const other = MEASURES.find((name) => name !== measure)!;
    return [
      { head: `${capital(NAMES[measure])}: months`, cell: (code: string) => runBar(of(code).first, months) },
      { head: 'Share of year', kind: 'number', cell: (code: string) => `${of(code).share}%${range(of(code))}` },
      { head: 'Right to within a month', kind: 'number', cell: (code: string) => certaintyOf(of(code)) },
      {
        head: capital(NAMES[other]),
        kind: 'number',
        cell: (code: string) => {
          const figures = runOf(code, other, months);
          return `${runInWords(figures, months)} ${figures.share}%`;
        },
      },
      measure === 'reported_cases'
        ? { head: 'Own case record', kind: 'number', cell: (code: string) => recordOf(code, months) }
        : { head: '60% in four months', cell: together },
    ];
  },
  caption: () => {
    const { measure } = choice();
    const own = ' Own case record: share of its cases in the months shown; then its own best months and their share.';
    return `Largest share of the year’s ${NAMES[measure]} first.${measure === 'reported_cases' ? own : ''}`;
  },
  record: (code) => ({
    months: choice().months,
    ...Object.fromEntries(
      MEASURES.flatMap((measure) => {
        const figures = runOf(code, measure, choice().months);
        return [
          [`${measure}_first_month`, figures.first],
          [`${measure}_last_month`, lastOf(figures.first, choice().months)],
          [`${measure}_share`, figures.share / 100],
          [`${measure}_share_low`, figures.low === null ? null : figures.low / 100],
          [`${measure}_share_high`, figures.high === null ? null : figures.high / 100],
        ];
      }),
    ),
    sixty_percent_in_four_months: together(code),
  }),
};

/** Twelve boxes, filled for the months of the run, and the months in words. */
function runBar(first: number, months: number): HTMLElement {
  const isIn = (month: number) => (month - first + 12) % 12 < months;
  return h(
    'span',
    { class: 'year', title: `${monthName(first)} to ${monthName(lastOf(first, months))}` },
    ...d3.range(1, 13).map((month) => h('i', isIn(month) ? { class: 'in' } : {})),
    h('span', {}, runInWords({ first }, months)),
  );
}

function recordOf(code: string, months: number): string {
  const { record, record_first, record_best } = runOf(code, 'reported_cases', months);
  if (record_first === null) return '—';
  return `${record}%; ${runInWords({ first: record_first }, months)} ${record_best}%`;
}
