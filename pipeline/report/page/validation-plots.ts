import { caption, widthOf } from './figures.ts';
import { data, element } from './store.ts';
import { PLOT_STYLE } from './words.ts';

/** Coverage and calibration on cells that were left out. */
export function validation(): void {
  if (!data.validation) return;
  const all = data.validation.scores.filter((row) => row.survey_year === null);
  const points = all.flatMap(({ model, coverage }) =>
    coverage.map(({ level, share: held }) => ({ model, level, held })),
  );
  element('coverage').append(
    caption('How often ranges hold what was observed'),
    Plot.plot({
      width: widthOf(element('coverage')),
      height: 340,
      marginLeft: 46,
      marginBottom: 50,
      style: PLOT_STYLE,
      grid: true,
      x: { domain: [0.4, 1], label: 'range', labelOffset: 40, tickFormat: '.0%', ticks: 6 },
      y: { domain: [0.4, 1], label: 'cells inside', tickFormat: '.0%', ticks: 6 },
      color: { range: ['#0b6b4f', '#c0572b', '#4a5a9b'], legend: true },
      ariaLabel: 'Coverage of ranges',
      marks: [
        Plot.link([0], { x1: 0.4, y1: 0.4, x2: 1, y2: 1, strokeOpacity: 0.5, strokeDasharray: '3 4' }),
        Plot.lineY(points, { x: 'level', y: 'held', stroke: 'model' }),
        Plot.dot(points, {
          x: 'level',
          y: 'held',
          fill: 'model',
          symbol: 'model',
          r: 5,
          title: (row) => `${row.model}: ${(100 * row.held).toFixed(1)}% in the ${Math.round(100 * row.level)}% range`,
        }),
      ],
    }),
  );
  const bars = data.validation.pit.flatMap(({ model, cells }) => {
    const total = d3.sum(cells);
    return cells.map((count, i) => ({
      model,
      from: i / cells.length,
      to: (i + 1) / cells.length,
      density: (count / total) * cells.length,
    }));
  });
  if (bars.length === 0) return;
  element('pit').append(
    caption('Observed shares in their predicted distributions'),
    Plot.plot({
      width: widthOf(element('pit')),
      height: 340,
      marginLeft: 46,
      marginBottom: 50,
      style: PLOT_STYLE,
      marginRight: 70,
      fy: { label: null },
      x: { domain: [0, 1], label: 'predicted probability below the observed share', labelOffset: 40 },
      y: { label: null, ticks: 3 },
      ariaLabel: 'Probability integral transform',
      marks: [
        Plot.rectY(bars, {
          fy: 'model',
          x1: 'from',
          x2: 'to',
          y: 'density',
          fill: 'var(--accent)',
          fillOpacity: 0.7,
          inset: 0.5,
        }),
        Plot.ruleY([1], { strokeDasharray: '3 4' }),
      ],
    }),
  );
}
