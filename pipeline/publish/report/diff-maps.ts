import { interpolateBuPu, interpolatePuOr } from 'd3';
import { type Html, html } from '../../lib/pages/html.ts';
import type { SnapshotDiff, Tally } from '../snapshot/diff.ts';
import { type DiffOutlines, makeNameLookup } from './diff-sections.ts';
import { type MapOutlines, renderMap } from './shared/map.ts';

const CELL_SIZE = { width: 8, height: 14, left: 30, top: 18 };
const NOT_COMPARED_FILL = '#b9b9b9';

/** Colour scale of changes from `-largest` to `largest`. */
export interface ChangeScale {
  largest: number;
  fill: (change: number) => string;
}

/** One scale for the whole page, up to the largest mean change of an LGA, or of a state in a month. */
export function makeChangeScale({ lgas, states_by_period }: SnapshotDiff): ChangeScale {
  const largest = Math.max(0.01, ...[...lgas, ...states_by_period].map(({ mean_change }) => Math.abs(mean_change)));
  return { largest, fill: (change) => interpolatePuOr(0.5 + change / largest / 2) };
}

/** Maps by LGA of the mean change and, if there are any, of months with a different level and with ranges apart. */
export function renderChangeMaps(
  diff: SnapshotDiff,
  diffOutlines: DiffOutlines,
  { fill: changeColour, largest }: ChangeScale,
): Html[] {
  const { states, lgas } = diffOutlines;
  const lgaName = makeNameLookup(diffOutlines).lga;
  const byLga = new Map(diff.lgas.map((row) => [row.lga_code, row]));
  const outlines: MapOutlines = {
    lgas: lgas.map(({ geometry, properties }) => ({ lga_code: properties.lgaCode, geometry })),
    states: states.map(({ geometry, properties }) => ({ state_code: properties.code, geometry })),
  };
  const tooltip = (code: string) => {
    const row = byLga.get(code);
    return row
      ? `${lgaName(row)}: mean change ${row.mean_change.toFixed(4)}, largest ${row.largest_change.toFixed(4)}; of ` +
          `${row.compared} months, ${row.flipped} with a different level, ${row.disjoint} with ranges that do not ` +
          'overlap'
      : `${code}: not compared`;
  };
  const renderCard = (label: string, fill: (row: Tally) => string, ends: [string, string], steps: string[]) =>
    html`<div class="card"><h3>${label}</h3>${renderMap(outlines, {
      label: `${label}, by area`,
      title: tooltip,
      fill: (code) => {
        const row = byLga.get(code);
        return row ? fill(row) : NOT_COMPARED_FILL;
      },
    })}<div class="legend"><b>${ends[0]}</b><span class="ramp" style="background:linear-gradient(90deg,${steps.join(',')})"></span><b>${ends[1]}</b></div></div>`;
  const renderShareCard = (label: string, field: 'flipped' | 'disjoint') => {
    const shareChanged = (row: Tally) => row[field] / row.compared;
    const highestShare = Math.max(...diff.lgas.map(shareChanged));
    const fill = (share: number) => interpolateBuPu(share / highestShare);
    return renderCard(
      label,
      (row) => fill(shareChanged(row)),
      ['none', `${(100 * highestShare).toFixed(0)}%`],
      colourSteps((portion) => fill(portion * highestShare)),
    );
  };
  return [
    renderCard(
      'Mean change of score: orange is a rise, purple a fall',
      (row) => changeColour(row.mean_change),
      [(-largest).toFixed(3), `+${largest.toFixed(3)}`],
      colourSteps((portion) => changeColour(largest * (2 * portion - 1))),
    ),
    ...(diff.all.flipped > 0 ? [renderShareCard('Months with a different level', 'flipped')] : []),
    ...(diff.all.disjoint > 0 ? [renderShareCard('Months with ranges that do not overlap', 'disjoint')] : []),
  ];
}

const colourSteps = (colour: (portion: number) => string) => Array.from({ length: 21 }, (_, i) => colour(i / 20));

export function renderHeatMap({ states, periods, states_by_period }: SnapshotDiff, { fill }: ChangeScale): Html {
  const { width, height, left, top } = CELL_SIZE;
  const leftByPeriod = new Map(periods.map(({ period }, i) => [period, left + i * width]));
  const topByState = new Map(states.map(({ state_code }, i) => [state_code, top + i * height]));
  const cells = states_by_period.map(
    ({ state_code, period, mean_change }) =>
      html`<rect x="${leftByPeriod.get(period)}" y="${topByState.get(state_code)}" width="${width - 0.5}" height="${height - 1}" fill="${fill(mean_change)}"><title>${state_code} ${period}: ${mean_change.toFixed(4)}</title></rect>`,
  );
  const years = periods.filter(({ period }) => period.endsWith('-01'));
  return html`<svg width="${left + periods.length * width}" height="${top + states.length * height}" role="img" aria-label="Mean change by area and month" font-size="11" fill="currentColor">
${years.map(({ period }) => html`<text x="${leftByPeriod.get(period)}" y="12">${period.slice(0, 4)}</text>`)}
${states.map(({ state_code }) => html`<text x="0" y="${topByState.get(state_code)! + height - 3}">${state_code}</text>`)}
${cells}</svg>`;
}
