import * as Plot from '@observablehq/plot';
import * as d3 from 'd3';
import { MONTHS, periodName } from '../../shared/names.ts';
import { availableWidth, caption, chart, monthScale, plotCard } from '../charts.ts';
import { monthDate } from '../format.ts';
import { data, elementById } from './data.ts';

/** Reported and modelled cases, transmission by month, and projections against the cases then reported. */
export function drawTransmission(): void {
  if (data.transmission === null) return;
  const { states, projections } = data.transmission;
  for (const { state, state_code, series } of states) {
    const rows = series.map((row) => ({ ...row, date: monthDate(row.period) }));
    const tooltip = {
      x: 'date',
      y: 'reported',
      title: (row: (typeof rows)[number]) =>
        `${state}, ${periodName(row.period)}\nreported ${row.reported.toFixed(0)}, modelled ${row.modelled.toFixed(0)}`,
    };
    elementById('fits').append(
      plotCard(
        state,
        statePlot(`${state}: reported and modelled cases (100 = mean of the reported months)`, [
          Plot.lineY(rows, { x: 'date', y: 'modelled', stroke: 'var(--accent)', strokeWidth: 2 }),
          Plot.dot(rows, {
            x: 'date',
            y: 'reported',
            r: 2.4,
            fill: (row) => (row.left_out ? 'var(--paper)' : 'var(--ink)'),
            stroke: 'var(--ink)',
            strokeWidth: 1,
          }),
          Plot.tip(rows, Plot.pointerX(tooltip)),
        ]),
      ),
    );
    const stateRows = projections.filter((row) => row.state_code === state_code);
    if (stateRows.length === 0) continue;
    const months = stateRows.flatMap(({ year, held_back, reported, model, same_month_last_year }) =>
      reported.map((value, month) => ({
        year,
        held_back,
        date: new Date(Date.UTC(year, month, 1)),
        reported: value,
        model: model[month]!,
        lastYear: same_month_last_year[month]!,
      })),
    );
    const heldBack = stateRows.filter((row) => row.held_back).map((row) => new Date(Date.UTC(row.year, 0, 1)));
    elementById('projections').append(
      plotCard(
        state,
        statePlot(`${state}: projections a year ahead against reported cases`, [
          Plot.rectX(heldBack, {
            x1: (date) => date,
            x2: (date) => d3.utcMonth.offset(date, 11),
            fill: 'currentColor',
            fillOpacity: 0.07,
          }),
          Plot.text(heldBack, {
            x: (date) => d3.utcMonth.offset(date, 5),
            frameAnchor: 'top',
            text: () => 'held back',
            dy: -2,
            fontSize: 12,
          }),
          Plot.lineY(months, {
            x: 'date',
            y: 'lastYear',
            z: 'year',
            stroke: 'var(--violet)',
            strokeWidth: 1.3,
            strokeDasharray: '3 3',
          }),
          Plot.lineY(months, { x: 'date', y: 'model', z: 'year', stroke: 'var(--accent)', strokeWidth: 2.2 }),
          Plot.dot(months, { x: 'date', y: 'reported', r: 2.4, fill: 'var(--ink)' }),
        ]),
      ),
    );
  }
  const reproduction = states.flatMap(({ state, reproduction_number, reproduction_range }) =>
    reproduction_number.map((value, i) => {
      const [low, high] = [reproduction_range?.low[i] ?? value, reproduction_range?.high[i] ?? value];
      return { state, month: i + 1, value, low, high };
    }),
  );
  elementById('reproduction').append(
    caption('New infections per infection, with 90% range: above 1, infections increase'),
    chart({
      width: availableWidth(elementById('reproduction'), 620),
      height: 190,
      marginLeft: 46,
      x: { ...monthScale, type: 'point' },
      fx: { label: null },
      y: { label: null, ticks: 4, nice: true },
      ariaLabel: 'Reproduction number by month',
      marks: [
        Plot.ruleY([1], { stroke: 'var(--ink)' }),
        Plot.areaY(reproduction, {
          fx: 'state',
          x: 'month',
          y1: 'low',
          y2: 'high',
          fill: 'var(--accent)',
          fillOpacity: 0.2,
        }),
        Plot.lineY(reproduction, { fx: 'state', x: 'month', y: 'value', stroke: 'var(--accent)', marker: 'dot' }),
        Plot.tip(
          reproduction,
          Plot.pointerX({
            fx: 'state',
            x: 'month',
            y: 'value',
            title: ({ state, month, value, low, high }) =>
              `${state}, ${MONTHS[month - 1]}\n${value.toFixed(2)} (${low.toFixed(2)}–${high.toFixed(2)})`,
          }),
        ),
      ],
    }),
  );
}

/** Width that the card around a plot takes. */
const CARD_PADDING = 40;

function statePlot(ariaLabel: string, marks: Plot.Markish[]): Element {
  return chart({
    width: availableWidth(elementById('fits'), 620) - CARD_PADDING,
    height: 190,
    marginLeft: 46,
    x: { type: 'utc', label: null },
    y: { label: null, ticks: 4, grid: true, zero: true, nice: true },
    ariaLabel,
    marks,
  });
}
