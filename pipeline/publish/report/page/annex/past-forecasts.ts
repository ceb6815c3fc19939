import * as Plot from '@observablehq/plot';
import * as d3 from 'd3';
import { periodName } from '../../shared/names.ts';
import { appendSmallPlot } from '../charts.ts';
import { monthDate } from '../format.ts';
import { data } from './data.ts';

/** Plots of each state's forecast cases and the cases that were then reported. */
export function drawPastForecasts(): void {
  const container = document.getElementById('past-forecasts');
  if (!container) return;
  for (const [state, series] of d3.group(data.past_forecasts, (row) => row.state)) {
    const atHorizon = (horizon: number) =>
      (series.find((row) => row.horizon === horizon)?.months ?? []).map(({ period, values }) => {
        const [low, median, high, observed] = values as [number, number, number, number];
        return { period, date: monthDate(period), low, median, high, observed };
      });
    const [shortest, longest] = d3.extent(series, ({ horizon }) => horizon) as [number, number];
    const [shortRows, longRows] = [atHorizon(shortest), atHorizon(longest)];
    const rowByPeriod = new Map([...shortRows, ...longRows].map((row) => [row.period, row]));
    const insideCount = longRows.filter(({ low, high, observed }) => low <= observed && observed <= high).length;
    appendSmallPlot(container, `${state} · ${insideCount} of ${longRows.length} within the range`, {
      height: 140,
      x: { type: 'utc', ticks: 4, label: null },
      y: {
        domain: [0, d3.max([...rowByPeriod.values()], ({ observed }) => observed * 1.3)!],
        clamp: true,
        ticks: 3,
        label: null,
      },
      ariaLabel: `${state}: forecast cases and the cases then reported`,
      marks: [
        Plot.areaY(longRows, { x: 'date', y1: 'low', y2: 'high', fill: 'var(--accent)', fillOpacity: 0.22 }),
        Plot.lineY(shortRows, { x: 'date', y: 'median', stroke: 'var(--accent)', strokeWidth: 1.6 }),
        Plot.dot([...rowByPeriod.values()], {
          x: 'date',
          y: 'observed',
          r: 2.2,
          fill: 'var(--ink)',
          title: (row) => `${periodName(row.period)}: ${row.observed.toFixed(2)} of the mean`,
        }),
      ],
    });
  }
}
