import { monthName } from '../names.ts';
import { MEASURES, RUNS, VERDICTS, WINDOW_COLUMNS } from '../page-data.ts';
import { fillIn, NOTHING, scaleKey, YEARS } from './colours.ts';
import { data, indexOf, lgasInView, view } from './store.ts';
import { byFigure, chosen, scope, type Tab } from './tab.ts';
import { capital, h, shortMonth, whole } from './words.ts';

type Figures = Record<(typeof WINDOW_COLUMNS)[number], number | null> & { first: number; share: number };
type Measure = (typeof MEASURES)[number];
const NAMES: Record<Measure, string> = {
  reported_cases: 'reported cases',
  rain_transmission: 'rain-driven transmission',
};

/** The run of so many months that holds most of the year, by a measure. */
export function runOf(code: string, measure: Measure, months: number): Figures {
  const row = data.windows[indexOf(code)]!;
  const at =
    (MEASURES.indexOf(measure) * RUNS.length + RUNS.indexOf(months as (typeof RUNS)[number])) * WINDOW_COLUMNS.length;
  return Object.fromEntries(WINDOW_COLUMNS.map((name, i) => [name, row[at + i] ?? null])) as Figures;
}
const asked = () => {
  const [measure, months] = chosen(when).split(' ') as [Measure, string];
  return { measure, months: Number(months) };
};
const of = (code: string) => runOf(code, asked().measure, asked().months);
const lastOf = (first: number, months: number) => ((first + months - 2) % 12) + 1;
/** `Jul–Oct`. */
export const runInWords = ({ first }: { first: number }, months: number) =>
  `${shortMonth(first)}–${shortMonth(lastOf(first, months))}`;
const range = ({ low, high }: Figures) => (low === null || high === null ? '' : ` (${low}–${high})`);
const verdict = (figures: Figures) => (figures.verdict === null ? null : VERDICTS[figures.verdict]!);
/** What both measures say of four months; where they differ, nothing is known. */
export const together = (code: string) => {
  const [cases, rain] = MEASURES.map((measure) => verdict(runOf(code, measure, 4)));
  return cases === rain ? cases! : 'unknown';
};
/** Both verdicts, where they differ: `unknown: rain says reached, cases say unlikely`. */
export const togetherInWords = (code: string) => {
  const [cases, rain] = MEASURES.map((measure) => verdict(runOf(code, measure, 4)));
  return cases === rain ? cases! : `unknown: rain says ${rain}, cases say ${cases}`;
};
/** How sure the model is of the months, to one; rain's is of the rain alone. */
const sureOf = ({ start }: Figures) => (start === null ? '—' : start > 95 ? 'over 95%' : `${start}%`);
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
    unsure: of(code).start !== null && of(code).start! < 80,
  }),
  legend: () => ({
    keys: [scaleKey(YEARS)],
    note: `Share of the year’s ${NAMES[asked().measure]} in the ${asked().months} months on end that hold most of it. Hatched: those months are not right to a month with 80% probability.`,
  }),
  headline: () => {
    const { measure, months } = asked();
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
    const share = number === all ? `all ${whole(all)}` : `${whole(number)} of ${whole(all)}`;
    return `${runInWords({ first }, months)} hold most of the year’s ${NAMES[measure]} in ${share} ${lga.many}${where}`;
  },
  words: () => {
    const verdicts = d3.rollup(lgasInView(), (own) => own.length, together);
    const say = (word: (typeof VERDICTS)[number]) => whole(verdicts.get(word) ?? 0);
    return [
      `WHO first recommended seasonal chemoprevention where more than 60% of a year’s clinical malaria falls within four months (2012; since 2022 without that line). By both measures that is reached in ${say('reached')} ${lga.many}, unlikely in ${say('unlikely')}, unknown in ${say('unknown')}.`,
      'The measures differ, and children’s malaria lies somewhere between them: reported cases are of all ages and swing little; rain-driven transmission leaves out what needs no rain, and no record verifies it. How sure the months are comes of the index’s errors in places left out; for rain it is too sure if rain is not what decides.',
    ];
  },
  tip: (code) => {
    const { months } = asked();
    const figures = of(code);
    return [
      `${runInWords(figures, months)}: ${figures.share}%${range(figures)} of the year`,
      figures.start === null ? 'errors unknown' : `right to a month: ${sureOf(figures)}`,
    ];
  },
  order: (codes) => byFigure(codes, (code) => of(code).share),
  columns: () => {
    const { measure, months } = asked();
    const other = MEASURES.find((name) => name !== measure)!;
    return [
      { head: `${capital(NAMES[measure])}: months`, cell: (code: string) => runBar(of(code).first, months) },
      { head: 'Share of year', kind: 'number', cell: (code: string) => `${of(code).share}%${range(of(code))}` },
      { head: 'Right to a month', kind: 'number', cell: (code: string) => sureOf(of(code)) },
      {
        head: capital(NAMES[other]),
        kind: 'number',
        cell: (code: string) => {
          const figures = runOf(code, other, months);
          return `${runInWords(figures, months)} ${figures.share}%`;
        },
      },
      measure === 'reported_cases'
        ? { head: 'Own record', kind: 'number', cell: (code: string) => recordOf(code, months) }
        : { head: '60% in four months', cell: together },
    ];
  },
  caption: () => {
    const { measure } = asked();
    const own = ' Own record: share of its case record in the months shown, and its own best months.';
    return `Largest share of the year’s ${NAMES[measure]} first.${measure === 'reported_cases' ? own : ''}`;
  },
  record: (code) => ({
    months: asked().months,
    ...Object.fromEntries(
      MEASURES.flatMap((measure) => {
        const figures = runOf(code, measure, asked().months);
        return [
          [`${measure}_first_month`, figures.first],
          [`${measure}_last_month`, lastOf(figures.first, asked().months)],
          [`${measure}_share`, figures.share / 100],
          [`${measure}_share_low`, figures.low === null ? null : figures.low / 100],
          [`${measure}_share_high`, figures.high === null ? null : figures.high / 100],
        ];
      }),
    ),
    sixty_percent_in_four_months: together(code),
  }),
};

/** Twelve boxes, those of the run filled, and the months in words. */
export function runBar(first: number, months: number): HTMLElement {
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
