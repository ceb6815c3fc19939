import * as Plot from '@observablehq/plot';
import * as d3 from 'd3';
import { modelName } from '../../shared/names.ts';
import { availableWidth, caption, chart } from '../charts.ts';
import { data, elementById } from './data.ts';

const PLOT_HEIGHT = 330;
/** Gives each model the same colour and symbol in every plot. */
const modelScale = (models: string[]) => ({
  color: { domain: models.map(modelName), range: ['var(--accent)', 'var(--second)', 'var(--third)'] },
  symbol: { domain: models.map(modelName), range: ['circle', 'diamond2', 'square2'], legend: true },
});
const diagonal = (from: number, to: number) =>
  Plot.link([0], { x1: from, y1: from, x2: to, y2: to, strokeOpacity: 0.5, strokeDasharray: '3 4' });

/** Plots of predictions against observations in cells that were left out. */
export function drawValidation(): void {
  if (!data.validation) return;
  const { scores, calibration, pit } = data.validation;
  const models = scores.filter((row) => row.survey_year === null).map(({ model }) => model);
  drawCalibration(models, calibration);
  drawCoverage(models, scores);
  if (pit.length > 0) drawPit(models, pit);
}

type Validation = NonNullable<typeof data.validation>;

function drawCalibration(models: string[], calibration: Validation['calibration']): void {
  const points = calibration.flatMap(({ model, groups }) =>
    groups.map((group) => ({ model: modelName(model), ...group })),
  );
  if (points.length === 0) return;
  const axisEnd = Math.max(...points.map(({ predicted, observed }) => Math.max(predicted, observed))) * 1.04;
  elementById('calibration').append(
    caption('Predicted and observed shares, in ten groups'),
    chart({
      width: availableWidth(elementById('calibration')),
      height: PLOT_HEIGHT,
      marginLeft: 46,
      marginBottom: 50,
      grid: true,
      x: { domain: [0, axisEnd], label: 'predicted share', labelOffset: 40, ticks: 5, tickFormat: '.1f' },
      y: { domain: [0, axisEnd], label: 'observed share', ticks: 5, tickFormat: '.1f' },
      ...modelScale(models),
      ariaLabel: 'Observed share against predicted share, in ten groups of ascending prediction, by model',
      marks: [
        diagonal(0, axisEnd),
        Plot.lineY(points, { x: 'predicted', y: 'observed', stroke: 'model', strokeOpacity: 0.55 }),
        Plot.dot(points, {
          x: 'predicted',
          y: 'observed',
          stroke: 'model',
          fill: 'model',
          symbol: 'model',
          r: 4,
          title: (row) =>
            `${row.model}, ${row.cells} cells: predicted ${row.predicted.toFixed(3)}, observed ${row.observed.toFixed(3)}`,
        }),
      ],
    }),
  );
}

function drawCoverage(models: string[], scores: Validation['scores']): void {
  const points = scores
    .filter((row) => row.survey_year === null)
    .flatMap(({ model, coverage }) =>
      coverage.map(({ level, share: insideShare }) => ({ model: modelName(model), level, inside: insideShare })),
    );
  if (points.length === 0) return;
  const axisStart = Math.floor(10 * Math.min(...points.map(({ level, inside }) => Math.min(level, inside))) - 0.5) / 10;
  elementById('coverage').append(
    caption('How often ranges contain the observed share'),
    chart({
      width: availableWidth(elementById('coverage')),
      height: PLOT_HEIGHT,
      marginLeft: 46,
      marginBottom: 50,
      grid: true,
      x: { domain: [axisStart, 1], label: 'range', labelOffset: 40, tickFormat: '.0%', ticks: 6 },
      y: { domain: [axisStart, 1], label: 'cells inside', tickFormat: '.0%', ticks: 6 },
      ...modelScale(models),
      ariaLabel: 'Share of cells inside ranges of 50 to 95%, by model',
      marks: [
        diagonal(axisStart, 1),
        Plot.lineY(points, { x: 'level', y: 'inside', stroke: 'model', strokeOpacity: 0.55 }),
        Plot.dot(points, {
          x: 'level',
          y: 'inside',
          stroke: 'model',
          fill: 'model',
          symbol: 'model',
          r: 4,
          title: (row) =>
            `${row.model}: ${(100 * row.inside).toFixed(1)}% in the ${Math.round(100 * row.level)}% range`,
        }),
      ],
    }),
  );
}

function drawPit(models: string[], pit: Validation['pit']): void {
  const bars = pit.flatMap(({ model, cells }) => {
    const total = d3.sum(cells);
    return cells.map((count, i) => ({
      model: modelName(model),
      from: i / cells.length,
      to: (i + 1) / cells.length,
      density: (count / total) * cells.length,
    }));
  });
  elementById('pit').append(
    caption('Position of observed shares in the predictive distribution'),
    chart({
      width: availableWidth(elementById('pit')),
      height: PLOT_HEIGHT,
      marginLeft: 40,
      marginBottom: 50,
      marginRight: 108,
      fy: { domain: models.map(modelName), label: null },
      x: { domain: [0, 1], label: 'predicted probability of a lower share', labelOffset: 40, ticks: 5 },
      y: { label: null, ticks: 3 },
      ariaLabel: 'Probability integral transform of the observed shares, by model',
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
