import * as d3 from 'd3';
import { addMonths, monthIndex } from '../../../contract/months.ts';
import { periodName } from '../shared/names.ts';
import { findRecordCode } from './cases.ts';
import { hatchedKey, legendKey, NO_VALUE_FILL } from './colours.ts';
import { h } from './dom.ts';
import { formatInteger, inSentence } from './format.ts';
import { areaName, areaSeason, data, decodeBase64, fullName, isState, lgaByCode, setView, view } from './store.ts';
import { mapChoice, selectedCode, type Tab } from './tab.ts';

const FILLS = { chosen: '#0b6b4f', other: '#cfdcd4' };
const { lga, state } = data.words;
const countsCases = data.cases_in === 'cases';
/** What a reader enters as an average month of an area, where the page may not tell its cases. */
const enteredMonths = new Map<string, number>();
const stateCodes = () => data.totals.states;
const areaTotals = (code: string) => data.totals.areas[code];

const spanIndex = () => Number(mapChoice(totalTab));
/** The names of the first and last month of a run, or of its only one. */
const spanEnds = ({ period, months }: (typeof data.totals.spans)[number]) =>
  [period, ...(months > 1 ? [addMonths(period, months - 1)] : [])].map(periodName);
/** `January 2024 to March 2024`. */
const spanName = (index: number) => spanEnds(data.totals.spans[index]!).join(' to ');

/** The states with records that are added up: those chosen, or all if no state is. */
const chosenStates = () => {
  const chosen = stateCodes().filter((code) => view.chosen.includes(code));
  return chosen.length + roughStates().length > 0 ? chosen : stateCodes();
};
/** Those chosen that have no records. */
const roughStates = () => statesWithoutRecords().filter((code) => view.chosen.includes(code));
/** Those whose season is all that is known of their months to come. */
const statesWithoutRecords = () =>
  data.has_season ? data.states.map((row) => row.state_code).filter((code) => !stateCodes().includes(code)) : [];

interface Total {
  /** The 5%, 50% and 95% quantiles, or a single number without a range. */
  range: readonly number[];
  unit: 'cases' | 'average months' | '';
}
const fromTable = (ranges: readonly (readonly number[])[], averageMonth?: number): Total => ({
  range: ranges[spanIndex()]!.map((value) => (countsCases ? value : (value / 100) * (averageMonth ?? 1))),
  unit: countsCases ? 'cases' : averageMonth === undefined ? 'average months' : '',
});
const totalOfArea = (code: string): Total =>
  areaTotals(code) ? fromTable(areaTotals(code)!, enteredMonths.get(code)) : totalBySeason(code);
/** What the season alone makes of a place without records. */
function totalBySeason(code: string): Total {
  const indices = areaSeason(code).seasonal_index;
  const { period, months } = data.totals.spans[spanIndex()]!;
  const sum = d3.sum(d3.range(months), (i) => indices[(monthIndex(period) + i) % 12]!) / d3.mean(indices)!;
  const entered = enteredMonths.get(code);
  return { range: [sum * (entered ?? 1)], unit: entered === undefined ? 'average months' : '' };
}
let decodedDraws: Uint32Array | null = null;
/** The total of some states; null if it is not known how the cases of one compare with those of another. */
function totalOfStates(codes: readonly string[]): Total | null {
  const isKnown = countsCases || codes.every((code) => enteredMonths.has(code));
  if (codes.length === 1) return totalOfArea(codes[0]!);
  if (codes.length === stateCodes().length && (countsCases || !isKnown)) return fromTable(data.totals.nation);
  if (!isKnown) return null;
  decodedDraws ??= new Uint32Array(decodeBase64(data.totals.values).buffer);
  const { spans, draws } = data.totals;
  const { period, months } = spans[spanIndex()]!;
  const monthCount = d3.max(spans, (span) => span.months)!;
  const sums = d3.range(draws).map((draw) =>
    d3.sum(codes, (code) => {
      const first = stateCodes().indexOf(code) * monthCount + monthIndex(period) - monthIndex(spans[0]!.period);
      const sum = d3.sum(d3.range(first, first + months), (month) => decodedDraws![month * draws + draw]!);
      return countsCases ? sum : (sum / 100) * enteredMonths.get(code)!;
    }),
  );
  return { range: [0.05, 0.5, 0.95].map((share) => d3.quantile(sums, share)!), unit: countsCases ? 'cases' : '' };
}
/** Without digits that a number lacking a range does not justify. */
const formatRoughly = (value: number) => formatInteger(Number(value.toPrecision(3)));
/** Median and 90% range. */
const inWords = ({ range, unit }: Total) => {
  const [low, middle, high] = range.map((value) =>
    unit === 'average months' ? value.toFixed(1) : range.length === 1 ? formatRoughly(value) : formatInteger(value),
  );
  const units = unit && ` ${unit}`;
  return range.length === 1
    ? `about ${low}${units} by its season alone, no range`
    : `${middle} (${low}–${high})${units}`;
};

export const totalTab: Tab = {
  id: 'total',
  months: [],
  period: () => spanName(spanIndex()),
  lists: 'all',
  get choices() {
    const label = (names: readonly string[]) => names.map((name) => name.slice(0, 3)).join('–');
    return data.totals.spans.map((span, i) => [String(i), label(spanEnds(span))] as const);
  },
  paint: (code) => {
    const recordCode = isState(code) ? code : lgaByCode(code).state_code;
    if (roughStates().includes(recordCode)) return { fill: FILLS.chosen, isUncertain: true };
    if (!stateCodes().includes(recordCode)) return { fill: NO_VALUE_FILL };
    return { fill: FILLS[chosenStates().includes(recordCode) ? 'chosen' : 'other'] };
  },
  legend: () => ({
    keys: [
      legendKey(FILLS.chosen, 'in the total'),
      legendKey(FILLS.other, 'not in it'),
      legendKey(NO_VALUE_FILL, 'no case records'),
      ...(roughStates().length > 0 ? [hatchedKey('by its season alone')] : []),
    ],
    note: '',
  }),
  headline: () => {
    const code = selectedCode();
    const forecastCode = code === null ? null : findForecastCode(code);
    if (forecastCode !== null)
      return `${fullName(forecastCode)}, ${spanName(spanIndex())}: ${inWords(totalOfArea(forecastCode))}`;
    if (code !== null) return `${fullName(code)} has no case records, so no total is forecast`;
    const [codes, rough] = [chosenStates(), roughStates()];
    const total = codes.length === 0 ? null : totalOfStates(codes);
    const names =
      codes.length === stateCodes().length ? `All ${state.many} with records` : inSentence(codes.map(areaName));
    const lacking = codes.filter((one) => !enteredMonths.has(one)).map(areaName);
    const forecast = total ? inWords(total) : `enter what an average month is in ${inSentence(lacking)}`;
    const canAdd = total?.unit !== 'average months' && rough.every((one) => enteredMonths.has(one));
    const numbers = total ? [total.range[1]!, ...rough.map(middle)] : [];
    return [
      ...(codes.length === 0 ? [] : [`${names}, ${spanName(spanIndex())}: ${forecast}`]),
      ...rough.map((one) => `${areaName(one)}: ${inWords(totalOfArea(one))}`),
      ...(canAdd && numbers.length > 1 ? [`together about ${formatRoughly(d3.sum(numbers))}`] : []),
    ].join('; ');
  },
  sentences: () =>
    withoutRecords() ?? [
      countsCases
        ? 'Reported cases of all ages, median and 90% range; treatments needed without a report come on top.'
        : `The producers of the records do not allow counts to be passed on. An average month is the mean of the place’s last twelve known months: multiply by what you used in one (cases, tests or treatments). Enter it below: a number scales the place it stands beside alone, since how a ${state.one}’s cases divide among its ${lga.many} may not be told. To add up several ${state.many}, enter it for each.`,
      `Ranges cannot be added up, neither of months nor of ${state.many} or ${lga.many}: not all reach their ends at once. The total has a range of its own. The total of the ${lga.many} of one ${state.one} is that ${state.one}’s.`,
    ],
  method: () => [
    `From ${data.totals.draws} draws of the forecasts that are joint over all ${state.many} and months, so that what rises together is added up together; each has the range of the forecasts by month, as wide as past errors require. The table forecasts_totals has every run of months, of all areas.`,
  ],
  tooltip: (code) => {
    const forecastCode = findForecastCode(code);
    return forecastCode === null
      ? ['no case records']
      : [`${forecastCode === code ? '' : `${fullName(forecastCode)}: `}${inWords(totalOfArea(forecastCode))}`];
  },
  sortCodes: (codes) => {
    const rough = statesWithoutRecords();
    const listed = codes.filter((code) => areaTotals(code) && (view.state !== null || isState(code)));
    return [...listed, ...codes.filter((code) => rough.includes(code))];
  },
  columns: () => [
    {
      head: 'Total and 90% range',
      kind: 'number',
      cell: (code) => inWords(totalOfArea(code)),
      sortValue: middle,
    },
  ],
  caption: () =>
    `${spanName(spanIndex())}, each place by itself.${countsCases ? '' : ` As in the last year would be ${data.totals.spans[spanIndex()]!.months}.`}`,
  controls,
  downloadFields: (code) => {
    const { period, months } = data.totals.spans[spanIndex()]!;
    if (findForecastCode(code) !== code) return { period, months, unit: '', total: null };
    const { range, unit } = totalOfArea(code);
    const [low, high] = range.length === 1 ? [null, null] : [range[0]!, range[2]!];
    return { period, months, unit, total: middle(code), total_low: low, total_high: high };
  },
};
const middle = (code: string) => d3.median(totalOfArea(code).range)!;
/** The place with the nearest records, or the place itself, by its season; null if that is unknown too. */
const findForecastCode = (code: string) => findRecordCode(code, data.totals.areas) ?? (data.has_season ? code : null);

/** What can be said of a selected place without records: by its season alone. */
function withoutRecords(): string[] | null {
  const code = selectedCode();
  if (code === null || findRecordCode(code, data.totals.areas) !== null) return null;
  return [
    ...(data.has_season
      ? [
          'The season alone is a rough way: multiply by what was used there in an average month of last year. It knows neither more nor fewer cases than usual.',
        ]
      : []),
    `For a forecast with a range, its monthly records are needed: ask ${data.case_producers}.`,
  ];
}

/** A box for each state and, where the page cannot tell it, a field for each area's average month. */
function controls(): HTMLElement {
  const boxes = [...Object.keys(data.totals.areas), ...statesWithoutRecords()].map((code) => {
    const box = h('input', { type: 'checkbox', value: code, change: () => setView({ chosen: ticked() }) });
    const amount = h('input', {
      type: 'number',
      min: '0',
      placeholder: 'average month',
      'aria-label': `An average month of ${fullName(code)}`,
    });
    amount.addEventListener('input', () => {
      const entered = Number((amount as HTMLInputElement).value);
      if (entered > 0) enteredMonths.set(code, entered);
      else enteredMonths.delete(code);
      setView(isState(code) && !view.chosen.includes(code) ? { chosen: [...view.chosen, code] } : {});
    });
    const isRough = !areaTotals(code);
    const label = `${areaName(code)}${isRough ? ' (no records)' : ''}`;
    const name = isState(code) ? h('label', {}, box, label) : label;
    const row = h('span', {}, name, ...(countsCases && !isRough ? [] : [amount]));
    return { code, box: box as HTMLInputElement, row };
  });
  const ticked = () => boxes.flatMap(({ code, box }) => (box.checked ? [code] : []));
  const element = h(
    'div',
    { class: 'summands', role: 'group', 'aria-label': 'Added up' },
    ...boxes.map(({ row }) => row),
  );
  element.addEventListener('follow', () => {
    for (const { code, box, row } of boxes) {
      box.checked = [...chosenStates(), ...roughStates()].includes(code);
      row.hidden = isState(code) ? view.state !== null && view.state !== code : countsCases || view.lga !== code;
    }
  });
  return element;
}
