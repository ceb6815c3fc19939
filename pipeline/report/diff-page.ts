import { interpolatePuOr } from 'd3';
import type { BoundariesStates } from '../contract/schemas.ts';
import type { SnapshotDiff } from '../snapshot/diff.ts';
import type { Tally } from '../snapshot/diff-tally.ts';
import { pageStyle } from './bundle.ts';
import { renderMap } from './map.ts';
import { type Column, html, type Markup, raw, table } from './markup.ts';

const CELL = { width: 8, height: 14, left: 30, top: 18 };
const TALLY: Column[] = [
  { head: 'Compared', number: true },
  { head: 'Moved', number: true },
  { head: 'Level flipped', number: true },
  { head: 'Ranges apart', number: true },
  { head: 'Mean change', number: true },
  { head: 'Largest change', number: true },
];

/**
 * What a new version does to an old one, as a static page: map of changes, levels flipped, ranges apart, forecasts
 * scored. Nothing in it runs.
 * @param outlines of the new version's states
 */
export function renderDiffPage(diff: SnapshotDiff, outlines: BoundariesStates): string {
  const { all, states, states_by_period, past_forecasts: past } = diff;
  const names = new Map(outlines.features.map(({ properties }) => [properties.code, properties.name]));
  const shapes = outlines.features.map(({ geometry, properties }) => ({ code: properties.code, geometry }));
  const top = Math.max(0.01, ...states_by_period.map(({ mean_change }) => Math.abs(mean_change)));
  const fill = (change: number | undefined) =>
    change === undefined ? '#b9b9b9' : interpolatePuOr(0.5 + change / top / 2);
  const byState = new Map(states.map((row) => [row.state_code, row.mean_change]));
  const map = renderMap(
    {
      lgas: shapes.map(({ code, geometry }) => ({ lga_code: code, geometry })),
      states: shapes.map(({ code, geometry }) => ({ state_code: code, geometry })),
    },
    'Mean change of score by state',
    (code) => fill(byState.get(code)),
  );
  const steps = Array.from({ length: 21 }, (_, i) => fill(top * (i / 10 - 1)));
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">
<title>${diff.a} to ${diff.b}</title><style>${raw(pageStyle())}</style></head><body>
<header><div class="wrap"><h1>What the new version changes</h1><p><code>${diff.a}</code> to <code>${diff.b}</code>: ${all.compared} scores of LGAs and months compared</p></div></header>
<main class="wrap">
${diff.over.length > 0 && html`<section><h2>Over the thresholds</h2><ul>${diff.over.map((what) => html`<li class="missing">${what}</li>`)}</ul></section>`}
<section><h2>Where, and when</h2><p class="lead">Mean change of the LGAs’ scores, new less old: orange is more, purple less.</p>
<div class="pair"><div class="card">${map}<div class="legend"><b>${(-top).toFixed(3)}</b><span class="ramp" style="background:linear-gradient(90deg,${steps.join(',')})"></span><b>+${top.toFixed(3)}</b></div></div>
<div class="card scroll">${heat(diff, fill)}</div></div></section>
<section><h2>How much</h2>
${table(`A score has moved when it changed by more than ${diff.thresholds?.score_change ?? 0}; ranges are apart when they no longer overlap`, [{ head: 'Of' }, ...TALLY], [['all LGAs', ...tallyCells(all)], ['states’ own scores', ...tallyCells(diff.state_scores)], ...states.map((row) => [names.get(row.state_code) ?? row.state_code, ...tallyCells(row)])])}
${
  diff.levels_flipped.length > 0 &&
  table(
    'Levels',
    [{ head: 'Was' }, { head: 'Is' }, { head: 'LGA-months', number: true }],
    diff.levels_flipped.map(({ from, to, count }) => [from, to, count]),
  )
}
${
  diff.largest.length > 0 &&
  table(
    'Largest changes',
    [
      { head: 'LGA' },
      { head: 'State' },
      { head: 'Month' },
      { head: 'Was', number: true },
      { head: 'Is', number: true },
    ],
    diff.largest.map(({ lga_code, state_code, period, a, b }) => [
      lga_code,
      names.get(state_code),
      period,
      withRange(a),
      withRange(b),
    ]),
  )
}</section>
<section><h2>How good the old forecasts were</h2>
${
  past
    ? table(
        `Forecasts of ${past.periods.join(', ')} against the new estimates; errors in the score’s unit`,
        [
          { head: 'Months ahead' },
          { head: 'Forecasts', number: true },
          { head: 'Error', number: true },
          { head: 'Last month carried on', number: true },
          { head: 'Same month last year', number: true },
          { head: 'Bias', number: true },
          { head: 'Inside the range', number: true },
        ],
        [...past.by_horizon.map((row) => [row.horizon_months, row] as const), ['all', past.all] as const].map(
          ([ahead, row]) => [
            ahead,
            row.forecasts,
            row.mean_absolute_error.forecast.toFixed(4),
            row.mean_absolute_error.persistence.toFixed(4),
            row.mean_absolute_error.same_month_last_year?.toFixed(4),
            row.bias.toFixed(4),
            row.coverage.toFixed(3),
          ],
        ),
      )
    : html`<p class="missing">The new version estimates no month that the old one forecast, so its forecasts cannot be scored yet.</p>`
}</section>
<section><h2>Answers</h2>${table(
    'Files of each operation',
    [
      { head: 'Operation' },
      { head: 'Same bytes', number: true },
      { head: 'Changed', number: true },
      { head: 'Only old', number: true },
      { head: 'Only new', number: true },
    ],
    diff.answers.map((row) => [row.operation, row.same, row.changed, row.only_in_a, row.only_in_b]),
  )}</section>
</main></body></html>
`.markup;
}

const tallyCells = (tally: Tally) => [
  tally.compared,
  tally.moved,
  tally.flipped,
  tally.disjoint,
  tally.mean_change.toFixed(4),
  tally.largest_change.toFixed(4),
];

const withRange = ({ score, score_low, score_high }: { score: number; score_low: number; score_high: number }) =>
  `${score.toFixed(4)} (${score_low.toFixed(4)}–${score_high.toFixed(4)})`;

/** States by months, a cell each. */
function heat({ states, periods, states_by_period }: SnapshotDiff, fill: (change: number) => string): Markup {
  const { width, height, left, top } = CELL;
  const x = new Map(periods.map(({ period }, i) => [period, left + i * width]));
  const y = new Map(states.map(({ state_code }, i) => [state_code, top + i * height]));
  const cells = states_by_period.map(
    ({ state_code, period, mean_change }) =>
      html`<rect x="${x.get(period)}" y="${y.get(state_code)}" width="${width - 0.5}" height="${height - 1}" fill="${fill(mean_change)}"><title>${state_code} ${period}: ${mean_change.toFixed(4)}</title></rect>`,
  );
  const years = periods.filter(({ period }) => period.endsWith('-01'));
  return html`<svg width="${left + periods.length * width}" height="${top + states.length * height}" role="img" aria-label="Mean change by state and month" font-size="11" fill="currentColor">
${years.map(({ period }) => html`<text x="${x.get(period)}" y="12">${period.slice(0, 4)}</text>`)}
${states.map(({ state_code }) => html`<text x="0" y="${y.get(state_code)! + height - 3}">${state_code}</text>`)}
${cells}</svg>`;
}
