import * as Plot from '@observablehq/plot';
import * as d3 from 'd3';
import { addMonths } from '../../../contract/months.ts';
import { periodName } from '../shared/names.ts';
import type { PageCases } from '../shared/page-data.ts';
import { plotWidth } from './area-plots.ts';
import { chart } from './charts.ts';
import { h, note } from './dom.ts';
import { formatQuantiles, monthDate } from './format.ts';
import { areaName, data, isState, lgaByCode } from './store.ts';

/** The nearest place with a record: the LGA itself, or its state; null if neither has any. */
export const findRecordCode = (code: string, records: object = data.cases): string | null =>
  code in records ? code : isState(code) ? null : findRecordCode(lgaByCode(code).state_code, records);

/** Reported cases of a place and their forecast, which the score does not use. */
export function casesPart(code: string): Node[] {
  if (Object.keys(data.cases).length === 0) return [];
  const recordCode = findRecordCode(code);
  const title = h(
    'h4',
    {},
    `Reported cases${recordCode === null || recordCode === code ? '' : ` of ${areaName(recordCode)}`}, all ages`,
  );
  if (recordCode === null)
    return [
      title,
      h(
        'p',
        { class: 'note' },
        `There are no case records of ${areaName(code)}${isState(code) ? '' : ` or its ${data.words.state.one}`}, so none are forecast.`,
      ),
    ];
  const cases = data.cases[recordCode]!;
  return [
    title,
    h(
      'p',
      { class: 'words', id: 'case-forecast' },
      `${recordCode === code ? '' : `${areaName(code)} has no records of its own. `}${casesInWords(cases)}`,
    ),
    casesPlot(areaName(recordCode), cases),
    h(
      'p',
      { class: 'key' },
      h('span', { class: 'dot reported' }),
      'reported ',
      h('span', { class: 'band ahead' }),
      'forecast, 90% range ',
      h('span', { class: 'line rival' }),
      'last year’s figure of the month',
    ),
    note(
      `${data.cases_in === 'cases' ? '' : 'As an index: 100 is the mean of the last twelve reported months. '}This is not the score.`,
    ),
  ];
}

/** The months to come of an area with records, and the 5%, 50% and 95% quantiles of their forecasts. */
export const monthsAhead = (code: string) => {
  const cases = data.cases[code];
  return cases?.ahead.map((range, i) => ({ period: addMonths(cases.last, i + 1), range })) ?? [];
};

/** The figure of the same month a year before a month to come. */
const yearBefore = ({ reported }: PageCases, monthPosition: number) => reported.at(monthPosition - 12) ?? null;

function casesInWords(cases: PageCases): string {
  return cases.ahead
    .map((quantiles, i) => {
      const [, middle] = quantiles;
      const yearAgo = yearBefore(cases, i);
      const change = yearAgo === null || yearAgo === 0 ? null : Math.round(100 * (middle! / yearAgo - 1));
      const comparison =
        change === null
          ? ''
          : change === 0
            ? ', as a year before'
            : `, ${Math.abs(change)}% ${change > 0 ? 'more' : 'fewer'} than a year before`;
      return `${periodName(addMonths(cases.last, i + 1))}: ${formatQuantiles(quantiles)}${comparison}.`;
    })
    .join(' ');
}

function casesPlot(name: string, cases: PageCases): Element {
  const { last, reported, ahead } = cases;
  const first = addMonths(last, 1 - reported.length);
  const reportedRows = reported.flatMap((value, i) =>
    value === null ? [] : [{ period: addMonths(first, i), date: monthDate(addMonths(first, i)), value }],
  );
  const forecastRows = ahead.map(([low, middle, high], i) => {
    const period = addMonths(last, i + 1);
    return { period, date: monthDate(period), low: low!, middle: middle!, high: high!, before: yearBefore(cases, i) };
  });
  const rowsWithYearAgo = forecastRows.filter(({ before }) => before !== null);
  return chart({
    width: plotWidth(),
    height: 190,
    marginLeft: 52,
    marginRight: 12,
    x: { type: 'utc', label: null, ticks: d3.utcMonth.every(6)!, tickFormat: '%b %Y' },
    y: { label: null, ticks: 4, grid: true, zero: true, nice: true },
    ariaLabel: `Reported cases of ${name} from ${periodName(first)} and their forecast to ${periodName(addMonths(last, ahead.length))}`,
    marks: [
      Plot.lineY(reportedRows, { x: 'date', y: 'value', stroke: 'var(--ink)', strokeOpacity: 0.35 }),
      Plot.dot(reportedRows, { x: 'date', y: 'value', r: 2.6, fill: 'var(--ink)' }),
      Plot.areaY(forecastRows, { x: 'date', y1: 'low', y2: 'high', fill: 'var(--violet)', fillOpacity: 0.28 }),
      Plot.lineY(forecastRows, { x: 'date', y: 'middle', stroke: 'var(--violet)', strokeWidth: 2 }),
      Plot.lineY(rowsWithYearAgo, {
        x: 'date',
        y: 'before',
        stroke: 'var(--violet)',
        strokeWidth: 1.3,
        strokeDasharray: '3 3',
      }),
      Plot.tip(
        [
          ...reportedRows.map(({ period, date, value }) => ({
            date,
            value,
            title: `${periodName(period)}\n${value} reported`,
          })),
          ...forecastRows.map(({ period, date, low, middle, high }) => ({
            date,
            value: middle,
            title: `${periodName(period)}\n${middle} (${low}–${high}) forecast`,
          })),
        ],
        Plot.pointerX({ x: 'date', y: 'value', title: 'title' }),
      ),
    ],
  });
}
