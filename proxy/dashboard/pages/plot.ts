/** Bar charts by day as SVG, rendered on the server: colours come from the style sheet, and titles have the counts. */
import { type Html, html } from '../../../pipeline/lib/pages/html.ts';
import { number } from '../kit/parts.ts';

export interface DayCount {
  /** `YYYY-MM-DD` */
  day: string;
  live: number;
  test: number;
}

interface Shape {
  width: number;
  height: number;
  /** Small plots in a table have none. */
  hasAxes: boolean;
  /** The screens on which the style sheet shows it; all by default. */
  on?: 'broad' | 'narrow';
}

const LEFT = 52;
const BOTTOM = 26;
const TOP = 8;

/** A round step that divides the range from 0 to `most` into two to five parts. */
function axisStep(most: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, most)));
  const step = [0.2, 0.5, 1, 2].map((factor) => factor * power).find((each) => most / each <= 5) ?? 2 * power;
  return Math.max(1, step);
}

/** Requests by day: those of live keys below, those of test keys above them. */
export function dayPlot(label: string, days: readonly DayCount[], { width, height, hasAxes, on }: Shape): Html {
  const most = Math.max(1, ...days.map(({ live, test }) => live + test));
  const step = axisStep(most);
  const top = hasAxes ? Math.ceil(most / step) * step : most;
  const [left, bottom] = hasAxes ? [LEFT, height - BOTTOM] : [0, height];
  const slot = (width - left) / days.length;
  const y = (value: number) => round(bottom - (value / top) * (bottom - (hasAxes ? TOP : 0)));
  const bar = (variant: string, from: number, to: number, i: number) =>
    to > from &&
    html`<rect class="${variant}" x="${round(left + i * slot + slot * 0.1)}" y="${y(to)}" width="${round(slot * 0.8)}" height="${round(y(from) - y(to))}"/>`;
  const ticks = hasAxes ? Array.from({ length: Math.round(top / step) + 1 }, (_, i) => i * step) : [];
  const every = Math.ceil(days.length / (width / 110));
  return html`<svg class="plot${on && ` ${on}`}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${label}">
    ${ticks.map(
      (tick) => html`<line class="grid" x1="${left}" x2="${width}" y1="${y(tick)}" y2="${y(tick)}"/>
      <text class="tick end" x="${left - 8}" y="${y(tick) + 4}">${number(tick)}</text>`,
    )}
    ${days.map(
      ({ day, live, test }, i) => html`<g><title>${day}: ${number(live)} live, ${number(test)} test</title>
      ${bar('live', 0, live, i)}${bar('test', live, live + test, i)}
      ${hasAxes && i % every === 0 && html`<text class="tick" x="${round(left + i * slot)}" y="${height - 6}">${dayName(day)}</text>`}</g>`,
    )}
    ${!hasAxes && html`<line class="grid" x1="0" x2="${width}" y1="${height}" y2="${height}"/>`}
  </svg>`;
}

const round = (value: number) => Math.round(value * 10) / 10;

function dayName(day: string): string {
  return new Date(`${day}T00:00:00Z`).toLocaleDateString('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });
}
