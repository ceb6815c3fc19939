import { LEVEL_FILLS, SCORE_CLASSES } from '../names.ts';
import { data, element, levelOf } from './store.ts';
import { h } from './words.ts';

/** What a map shows of an area: its class's fill, and hatching where that class is not sure. */
export interface Paint {
  fill: string;
  unsure?: boolean;
}
export interface Legend {
  keys: Node[];
  note: string;
}

/** As in the legend that the page came with. */
const LEVELS = data.levels.map(({ level }) => LEVEL_FILLS[level]);
export const levelFill = (score: number) => LEVELS[levelOf(score)]!;
export const levelFills = LEVELS;
/** Of what is not there or not asked about. */
export const NOTHING = '#c9ccc8';

/** A scale of classes: `ends` are the upper ends of all but the last. */
export interface Scale {
  ends: readonly number[];
  fills: readonly string[];
  /** How its ends are told. */
  format: (end: number) => string;
}
export const fillIn = ({ ends, fills }: Scale, value: number) => fills[d3.bisectRight(ends as number[], value)]!;

export const SCORES: Scale = {
  ends: SCORE_CLASSES.slice(0, -1).map(({ below }) => below),
  fills: SCORE_CLASSES.map(({ fill }) => fill),
  format: (end) => end.toFixed(2),
};
const ramp = (interpolate: (t: number) => string, steps: number) =>
  d3.range(steps).map((i) => interpolate(i / (steps - 1)));
/** Chances in whole percent. */
export const CHANCES: Scale = {
  ends: [5, 20, 50, 80, 95],
  fills: ramp(d3.interpolateRgbBasis(['#f6f4fb', '#b9b5dc', '#7a68b4', '#3a1a6e']), 6),
  format: (end) => `${end}%`,
};
export const WIDTHS: Scale = {
  ends: [0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4],
  fills: ramp(d3.interpolateRgbBasis(['#f2f8fb', '#a5c8dd', '#5288b0', '#173d63']), 8),
  format: (end) => end.toFixed(2),
};
/** Orange is more, purple less; the middle is no change to speak of. */
export const CHANGES: Scale = {
  ends: [-0.1, -0.05, -0.02, -0.005, 0.005, 0.02, 0.05, 0.1],
  fills: d3.range(9).map((i) => d3.interpolatePuOr(i / 8)),
  format: (end) => (end > 0 ? '+' : '−') + String(Math.abs(end)),
};
/** Shares of a year in whole percent. */
export const YEARS: Scale = {
  ends: [30, 40, 50, 60, 70, 80],
  fills: ramp(d3.interpolateRgbBasis(['#f0f7f0', '#a6d5b4', '#3f9a76', '#0b4a3a']), 7),
  format: (end) => `${end}%`,
};

/** A scale's classes side by side, their ends below. */
export function scaleKey({ ends, fills, format }: Scale): Node {
  return h(
    'span',
    { class: 'classes' },
    ...fills.map((fill, i) =>
      h('span', {}, h('i', { style: `background:${fill}` }), h('small', {}, i < ends.length ? format(ends[i]!) : '')),
    ),
  );
}
export const key = (fill: string, name: string) => h('span', {}, h('i', { style: `background:${fill}` }), name);
export const hatchKey = (name: string) => h('span', {}, h('i', { class: 'hatched' }), name);

const SVG = 'http://www.w3.org/2000/svg';
const svg = (tag: string, attributes: Record<string, string>) => {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
};
const hatched = new Map<string, SVGElement>();
/** Units of the map between two lines of the hatching, the whole country shown. */
const SPACING = 95;

/** The fill attribute for a paint. */
export function fillOf({ fill, unsure }: Paint): string {
  if (!unsure) return fill;
  const id = `hatch-${fill.replace(/\W/g, '')}`;
  if (!hatched.has(fill)) {
    const dark = d3.lab(fill).l < 60;
    const pattern = svg('pattern', {
      id,
      patternUnits: 'userSpaceOnUse',
      width: String(SPACING),
      height: String(SPACING),
    });
    pattern.append(
      svg('rect', { width: String(SPACING), height: String(SPACING), fill }),
      svg('rect', {
        width: String(SPACING / 5),
        height: String(SPACING),
        fill: dark ? '#fff' : '#000',
        opacity: dark ? '.5' : '.42',
      }),
    );
    hatched.set(fill, pattern);
    scaleHatching(scaled);
    hatches().append(pattern);
  }
  return `url(#${id})`;
}

function hatches(): Element {
  const map = element('map');
  const found = map.querySelector('defs');
  if (found) return found;
  const made = svg('defs', {});
  map.prepend(made);
  return made;
}

let scaled = 1;
/** Keeps the lines as far apart on the screen when the map is drawn nearer. */
export function scaleHatching(unit: number): void {
  scaled = unit;
  for (const pattern of hatched.values()) pattern.setAttribute('patternTransform', `rotate(45) scale(${unit})`);
}
