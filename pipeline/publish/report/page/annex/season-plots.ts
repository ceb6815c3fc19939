import * as Plot from '@observablehq/plot';
import { MONTHS } from '../../shared/names.ts';
import { appendSmallPlot, availableWidth, caption, chart, monthScale } from '../charts.ts';
import { capitalize, formatShare } from '../format.ts';
import { data, elementById } from './data.ts';

/** The season of every state, from north to south. */
export function drawSeasons(): void {
  if (!document.getElementById('season-states')) return;
  const order = data.seasons.map(({ state }) => state);
  const cells = data.seasons.flatMap(({ state, seasonal_index }) =>
    seasonal_index.map((index, x) => ({ state, month: x + 1, index })),
  );
  const lowest = Math.floor(Math.min(...cells.map((cell) => cell.index)) * 10) / 10;
  const peaks = data.seasons.map(({ state, peak_month }) => ({ state, month: peak_month }));
  elementById('season-states').append(
    caption(`${capitalize(data.states_many)} from north to south; white dots are peak months`),
    chart({
      width: availableWidth(elementById('season-states'), 620),
      height: 60 + 19 * order.length,
      marginLeft: 165,
      x: { ...monthScale, axis: 'both', tickFormat: (x: number) => MONTHS[x - 1]!.slice(0, 3) },
      y: { domain: order, label: null, tickSize: 0 },
      color: {
        type: 'linear',
        range: ['#f4fbf4', '#08402f'],
        interpolate: 'lab',
        domain: [lowest, 1],
        label: 'Expected cases as a share of the place’s own peak',
        legend: true,
      },
      ariaLabel: `Seasons of the ${data.states_many} from north to south`,
      marks: [
        Plot.cell(cells, {
          x: 'month',
          y: 'state',
          fill: 'index',
          inset: 0.5,
          title: (row) => `${row.state}, ${MONTHS[row.month - 1]}: ${formatShare(row.index)} of the peak`,
        }),
        Plot.dot(peaks, { x: 'month', y: 'state', r: 3.5, fill: '#fff', stroke: '#08402f' }),
      ],
    }),
  );
}

/** Case records of each state against the season expected of it when it was left out of the fit. */
export function drawSeasonCheck(): void {
  const container = document.getElementById('season-check');
  if (!container) return;
  for (const { state, expected, recorded, correlation } of data.season_check) {
    const rows = expected.map((value, i) => ({ month: i + 1, expected: value, recorded: recorded[i]! }));
    appendSmallPlot(container, `${state} · ${correlation.toFixed(2)}`, {
      height: 130,
      x: { ...monthScale, type: 'point' },
      y: { domain: [0, 1], ticks: [0, 0.5, 1], label: null },
      ariaLabel: `${state}: expected season and case records`,
      marks: [
        Plot.ruleY([0.5], { stroke: 'currentColor', strokeOpacity: 0.4, strokeDasharray: '2 4' }),
        Plot.lineY(rows, { x: 'month', y: 'expected', stroke: 'var(--accent)', strokeWidth: 2 }),
        Plot.dot(rows, {
          x: 'month',
          y: 'recorded',
          r: 2.6,
          fill: 'var(--ink)',
          title: (row) =>
            `${MONTHS[row.month - 1]}: recorded ${row.recorded.toFixed(2)}, expected ${row.expected.toFixed(2)}`,
        }),
      ],
    });
  }
}
