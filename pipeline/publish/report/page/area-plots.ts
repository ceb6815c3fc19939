import * as Plot from '@observablehq/plot';
import * as d3 from 'd3';
import { MONTHS, periodName } from '../shared/names.ts';
import { availableWidth, chart } from './charts.ts';
import { formatShare, monthDate, monthInitial } from './format.ts';
import { areaScore, data, elementById, monthDates, setView, testSuffix, view } from './store.ts';

/** Width of the card, so that text keeps its size on a phone. */
export const plotWidth = () => Math.min(560, availableWidth(elementById('place'), 280));
const lastEstimatedDate = () => monthDates[data.estimated - 1]!;
const januaries = monthDates.filter((_, i) => data.periods[i]!.endsWith('-01'));
/** Time scale for a plot of the given width, with a tick per year; two digits where four would overlap. */
export const timeScale = (width: number) =>
  ({
    type: 'utc',
    domain: [monthDates[0]!, monthDates.at(-1)!],
    ticks: januaries,
    tickFormat: width < 42 * januaries.length ? '’%y' : '%Y',
    label: null,
  }) as const;

/** Score with its range, forecast months set apart, and survey results. A click selects the month. */
export function seriesPlot(code: string, trend: (typeof data.trend.states)[number]): Element {
  const rows = data.periods.map((period, month) => ({ period, date: monthDates[month]!, ...areaScore(code, month) }));
  const [estimates, forecasts] = [rows.slice(0, data.estimated), rows.slice(data.estimated - 1)];
  const surveys = trend.flatMap((row) => {
    const round = data.rounds.find(({ survey_year }) => survey_year === row.survey_year);
    const date = monthDate(round?.middle ?? `${row.survey_year}-07`);
    return date < monthDates[0]! ? [] : [{ ...row, date }];
  });
  const axisEnd = Math.max(...rows.map((row) => row.high), ...surveys.map((row) => row.high ?? row.positivity));
  const levelBoundaries = data.levels.flatMap(({ below }) => (below !== null && below < axisEnd ? [below] : []));
  const plot = chart({
    width: plotWidth(),
    height: 250,
    marginLeft: 42,
    marginRight: 12,
    x: timeScale(plotWidth()),
    y: { domain: [0, axisEnd], nice: true, label: null, ticks: 5, tickFormat: '.2f' },
    ariaLabel: 'Score month by month with its 90% range',
    marks: [
      Plot.rectX([0], {
        x1: lastEstimatedDate(),
        x2: monthDates.at(-1)!,
        className: 'ahead',
        fill: 'currentColor',
        fillOpacity: 0.06,
      }),
      Plot.ruleY(levelBoundaries, { stroke: 'currentColor', strokeOpacity: 0.25, strokeDasharray: '2 4' }),
      Plot.areaY(estimates, { x: 'date', y1: 'low', y2: 'high', fill: 'var(--accent)', fillOpacity: 0.22 }),
      Plot.areaY(forecasts, { x: 'date', y1: 'low', y2: 'high', fill: 'var(--violet)', fillOpacity: 0.28 }),
      Plot.lineY(estimates, { x: 'date', y: 'score', stroke: 'var(--accent)', strokeWidth: 1.8 }),
      Plot.lineY(forecasts, { x: 'date', y: 'score', stroke: 'var(--violet)', strokeWidth: 2, strokeDasharray: '4 3' }),
      Plot.ruleX(
        surveys.filter((row) => row.low !== null),
        { x: 'date', y1: 'low', y2: 'high', stroke: 'var(--ink)', strokeWidth: 1.4 },
      ),
      Plot.dot(surveys, {
        x: 'date',
        y: 'positivity',
        r: 4.5,
        fill: (row) => (row.small_sample ? 'var(--paper)' : 'var(--ink)'),
        stroke: 'var(--ink)',
        strokeWidth: 1.4,
        title: (row) =>
          `Survey ${row.survey_year}${testSuffix(row.survey_year)}: ${formatShare(row.positivity)}${row.low === null ? '' : `, 95% range ${formatShare(row.low)}–${formatShare(row.high!)}`}${row.children_tested === null ? '' : `, ${row.children_tested} children`}${row.small_sample ? ' (few children)' : ''}`,
      }),
      Plot.ruleX([monthDates[view.month]!], { stroke: 'var(--ink)', strokeWidth: 1 }),
      Plot.dot([rows[view.month]!], {
        x: 'date',
        y: 'score',
        r: 4,
        fill: 'var(--accent)',
        stroke: 'var(--paper)',
        strokeWidth: 1.5,
      }),
      Plot.tip(
        rows,
        Plot.pointerX({
          x: 'date',
          y: 'score',
          title: (row) =>
            `${periodName(row.period)}\n${formatShare(row.score)} (${formatShare(row.low)}–${formatShare(row.high)})`,
        }),
      ),
    ],
  });
  plot.addEventListener('click', () => {
    const row = (plot as unknown as { value: { period: string } | null }).value;
    if (row) setView({ month: data.periods.indexOf(row.period) });
  });
  return plot;
}

/** Expected cases by month as shares of the peak, the high season darker. */
export function seasonPlot({ seasonal_index, high_months, peak_month }: typeof data.seasons.national): Element {
  const rows = seasonal_index.map((index, i) => ({ month: i + 1, index, isHigh: high_months.includes(i + 1) }));
  return chart({
    width: plotWidth(),
    height: 120,
    marginLeft: 42,
    marginRight: 12,
    marginTop: 16,
    x: { domain: d3.range(1, 13), tickFormat: monthInitial, label: null, tickSize: 0, padding: 0.15 },
    y: { domain: [0, 1], ticks: [0, 0.5, 1], label: null },
    ariaLabel: 'Expected cases by month as a share of the peak',
    marks: [
      Plot.barY(rows, {
        x: 'month',
        y: 'index',
        fill: 'var(--accent)',
        fillOpacity: (row) => (row.isHigh ? 0.85 : 0.3),
        title: (row) => `${MONTHS[row.month - 1]}: ${formatShare(row.index)} of the peak`,
      }),
      Plot.ruleY([0.5], { stroke: 'currentColor', strokeOpacity: 0.5, strokeDasharray: '2 4' }),
      Plot.text([peak_month], { x: (month) => month, y: 1, dy: -7, text: () => 'peak', fontSize: 12 }),
    ],
  });
}
