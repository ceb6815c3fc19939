/** Bar charts by day as SVG, rendered on the server: colours come from the style sheet, and titles have the counts. */
import { type Html, html } from '../../../pipeline/lib/pages/html.ts';
import { formatNumber } from '../kit/parts.ts';

export interface DayCount {
  /** `YYYY-MM-DD` */
  day: string;
  live: number;
  test: number;
}

interface PlotOptions {
  width: number;
  height: number;
  /** Small plots in a table have none. */
  hasAxes: boolean;
  /** The screens on which the style sheet shows it; all by default. */
  screens?: 'broad' | 'narrow';
}

const LEFT_MARGIN = 52;
const BOTTOM_MARGIN = 26;
const TOP_MARGIN = 8;

/** A round step that divides the range from 0 to `largest` into two to five parts. */
function axisStep(largest: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, largest)));
  const step =
    [0.2, 0.5, 1, 2].map((factor) => factor * power).find((candidate) => largest / candidate <= 5) ?? 2 * power;
  return Math.max(1, step);
}

/** Requests by day: those of live keys below, those of test keys above them. */
export function dayPlot(
  label: string,
  days: readonly DayCount[],
  { width, height, hasAxes, screens }: PlotOptions,
): Html {
  const largest = Math.max(1, ...days.map(({ live, test }) => live + test));
  const step = axisStep(largest);
  const axisEnd = hasAxes ? Math.ceil(largest / step) * step : largest;
  const [left, bottom] = hasAxes ? [LEFT_MARGIN, height - BOTTOM_MARGIN] : [0, height];
  const dayWidth = (width - left) / days.length;
  const yOf = (value: number) => round(bottom - (value / axisEnd) * (bottom - (hasAxes ? TOP_MARGIN : 0)));
  const bar = (variant: string, from: number, to: number, i: number) =>
    to > from &&
    html`<rect class="${variant}" x="${round(left + i * dayWidth + dayWidth * 0.1)}" y="${yOf(to)}" width="${round(dayWidth * 0.8)}" height="${round(yOf(from) - yOf(to))}"/>`;
  const ticks = hasAxes ? Array.from({ length: Math.round(axisEnd / step) + 1 }, (_, i) => i * step) : [];
  const daysPerLabel = Math.ceil(days.length / (width / 110));
  return html`<svg class="plot${screens && ` ${screens}`}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${label}">
    ${ticks.map(
      (tick) => html`<line class="grid" x1="${left}" x2="${width}" y1="${yOf(tick)}" y2="${yOf(tick)}"/>
      <text class="tick end" x="${left - 8}" y="${yOf(tick) + 4}">${formatNumber(tick)}</text>`,
    )}
    ${days.map(
      ({ day, live, test }, i) => html`<g><title>${day}: ${formatNumber(live)} live, ${formatNumber(test)} test</title>
      ${bar('live', 0, live, i)}${bar('test', live, live + test, i)}
      ${hasAxes && i % daysPerLabel === 0 && html`<text class="tick" x="${round(left + i * dayWidth)}" y="${height - 6}">${shortDate(day)}</text>`}</g>`,
    )}
    ${!hasAxes && html`<line class="grid" x1="0" x2="${width}" y1="${height}" y2="${height}"/>`}
  </svg>`;
}

const round = (value: number) => Math.round(value * 10) / 10;

function shortDate(day: string): string {
  return new Date(`${day}T00:00:00Z`).toLocaleDateString('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });
}
