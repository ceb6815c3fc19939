import { periodName } from '../names.ts';
import { CHANGES, fillIn, hatchKey, key, NOTHING, scaleKey } from './colours.ts';
import { type Change, changeOf, data, isForecast, lgasInView, type Since, scoreOf, view } from './store.ts';
import { byFigure, chosen, scope, type Tab } from './tab.ts';
import { scoreRecord } from './where.ts';
import { byTest, count, h, monthInWords, share, signed } from './words.ts';

const of = (code: string) => changeOf(code, view.month, chosen(changed) as Since);
/** The range of a change that is more than chance leaves out 0. */
const isReal = ({ low, high }: Change) => low > 0 || high < 0;
const { lga } = data.words;

/** The month that the view's is held against. */
function before(): string | null {
  if (chosen(changed) === 'year') {
    const earlier = data.periods[view.month - 12];
    return earlier === undefined ? null : periodName(earlier);
  }
  const survey = data.changes.survey_months[data.changes.months.indexOf(view.month)];
  return survey == null ? null : periodName(survey);
}

export const changed: Tab = {
  id: 'changed',
  months: data.changes.months,
  choices: [
    ['survey', 'Since the last survey'],
    ['year', 'In a year'],
  ],
  paint: (code) => {
    const change = of(code);
    return change === null ? { fill: NOTHING } : { fill: fillIn(CHANGES, change.change), unsure: !isReal(change) };
  },
  legend: () => ({
    keys:
      before() === null
        ? [key(NOTHING, 'nothing to hold it against')]
        : [scaleKey(CHANGES), hatchKey('may be chance: the 90% range holds 0')],
    note: 'Score less what it was: orange is more, purple less.',
  }),
  headline: () => {
    const earlier = before();
    if (earlier === null) return 'There is no earlier month to hold these scores against';
    const real = lgasInView().flatMap((code) => {
      const change = of(code);
      return change && isReal(change) ? [change] : [];
    });
    const up = real.filter(({ change }) => change > 0).length;
    const down = real.length - up;
    const where = view.state === null ? '' : ` of ${scope()}`;
    if (real.length === 0) return `No ${lga.one}${where} has changed since ${earlier} by more than chance may explain`;
    return `Since ${earlier}, ${count(up, lga)}${where} rose and ${down} fell by more than chance explains`;
  },
  words: () => [
    `${monthInWords(view.month)} against ${before() ?? 'nothing'}. A change counts as real where its own 90% range leaves out 0; the two months’ errors go together, so this range is narrower than the scores’ ranges suggest.`,
    isForecast(view.month) || of(data.states[0]!.state_code) === null
      ? 'Months after the last survey carry its level on: what they can show of a change is little.'
      : 'After the last survey, scores carry its level on with the usual season: a year’s change there is mostly how sure the level still is.',
    ...rounds(),
    h(
      'span',
      {},
      'Against the version before this one: ',
      h('a', { href: `../../../releases/${data.model_version}/review.html` }, 'the page of its review'),
      ', in the directory that it was built in, once ',
      h('code', {}, 'malaria-risk review'),
      ' has written it: what moved, and why.',
    ),
  ],
  tip: (code) => {
    const change = of(code);
    return change === null
      ? ['nothing to hold it against']
      : [
          `${signed(change.change)} (${signed(change.low)} to ${signed(change.high)})`,
          `${Math.round(100 * change.chance)}% likely a rise${isReal(change) ? '' : '; may be chance'}`,
        ];
  },
  order: (codes) => byFigure(codes, (code) => Math.abs((of(code)?.chance ?? 0.5) - 0.5)),
  columns: () => [
    { head: 'Change', kind: 'number', cell: (code) => told(code, ({ change }) => signed(change)) },
    {
      head: '90% range',
      kind: 'number',
      cell: (code) => told(code, ({ low, high }) => `${signed(low)} to ${signed(high)}`),
    },
    {
      head: 'Chance of a rise',
      kind: 'number',
      cell: (code) => told(code, ({ chance }) => `${Math.round(100 * chance)}%`),
    },
    { head: 'Score now', kind: 'number', cell: (code) => share(scoreOf(code, view.month).score) },
  ],
  caption: () => 'Surest change first, whether rise or fall.',
  record: (code) => {
    const change = of(code);
    return {
      ...scoreRecord(code),
      against: before(),
      change: change?.change ?? null,
      change_low: change?.low ?? null,
      change_high: change?.high ?? null,
      probability_of_rise: change?.chance ?? null,
    };
  },
};

const told = (code: string, text: (change: Change) => string) => {
  const change = of(code);
  return change === null ? '—' : text(change);
};

/** What the surveys themselves found, from round to round. */
function rounds(): string[] {
  const trend =
    view.state === null
      ? data.trend.national
      : data.trend.states[data.states.findIndex(({ state_code }) => state_code === view.state)]!;
  if (trend.length < 2) return [];
  const figures = trend.map(
    ({ survey_year, positivity, low, high }) =>
      `${survey_year}${byTest(survey_year)} ${share(positivity)}${low === null ? '' : ` (${share(low)}–${share(high!)})`}`,
  );
  return [`What surveys found in ${scope()}: ${figures.join(', ')}; 95% ranges.`];
}
