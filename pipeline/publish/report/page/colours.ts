import * as d3 from 'd3';
import { LEVEL_FILLS, SCORE_CLASSES } from '../shared/names.ts';
import { h, svgElement } from './dom.ts';
import { data, elementById, levelIndex } from './store.ts';

/** How a map shows an area: the fill of its class, hatched if the class is uncertain. */
export interface Paint {
  fill: string;
  isUncertain?: boolean;
}
export interface Legend {
  keys: Node[];
  note: string;
}

export const levelFills = data.levels.map(({ level }) => LEVEL_FILLS[level]);
export const levelFill = (score: number) => levelFills[levelIndex(score)]!;
/** Fill of areas without a value, or outside the question. */
export const NO_VALUE_FILL = '#c9ccc8';

/** A scale of classes: `upperEnds` are those of all classes but the last. */
export interface Scale {
  upperEnds: readonly number[];
  fills: readonly string[];
  /** An end as the legend shows it. */
  format: (end: number) => string;
}
export const scaleFill = ({ upperEnds, fills }: Scale, value: number) =>
  fills[d3.bisectRight(upperEnds as number[], value)]!;

export const SCORE_SCALE: Scale = {
  upperEnds: SCORE_CLASSES.slice(0, -1).map(({ below }) => below),
  fills: SCORE_CLASSES.map(({ fill }) => fill),
  format: (end) => end.toFixed(2),
};
const rampColours = (interpolate: (share: number) => string, steps: number) =>
  d3.range(steps).map((i) => interpolate(i / (steps - 1)));
/** Chances in per cent. */
export const CHANCE_SCALE: Scale = {
  upperEnds: [5, 20, 50, 80, 95],
  fills: rampColours(d3.interpolateRgbBasis(['#f6f4fb', '#b9b5dc', '#7a68b4', '#3a1a6e']), 6),
  format: (end) => `${end}%`,
};
export const WIDTH_SCALE: Scale = {
  upperEnds: [0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4],
  fills: rampColours(d3.interpolateRgbBasis(['#f2f8fb', '#a5c8dd', '#5288b0', '#173d63']), 8),
  format: (end) => end.toFixed(2),
};
/** Children tested; the first class is none. */
export const CHILDREN_SCALE: Scale = {
  upperEnds: [1, 10, 20, 50, 100, 200],
  fills: rampColours(d3.interpolateRgbBasis(['#f7f2ea', '#d9c39a', '#9a7b3d', '#4d3a12']), 7),
  format: String,
};
/** Orange is a rise, purple a fall; the middle class is no relevant change. */
export const CHANGE_SCALE: Scale = {
  upperEnds: [-0.1, -0.05, -0.02, -0.005, 0.005, 0.02, 0.05, 0.1],
  fills: d3.range(9).map((i) => d3.interpolatePuOr(i / 8)),
  format: (end) => (end > 0 ? '+' : '−') + String(Math.abs(end)),
};
/** Shares of a year in per cent. */
export const YEAR_SHARE_SCALE: Scale = {
  upperEnds: [30, 40, 50, 60, 70, 80],
  fills: rampColours(d3.interpolateRgbBasis(['#f0f7f0', '#a6d5b4', '#3f9a76', '#0b4a3a']), 7),
  format: (end) => `${end}%`,
};

/** A scale's classes side by side, their ends below. */
export function scaleLegend({ upperEnds, fills, format }: Scale): Node {
  return h(
    'span',
    { class: 'classes' },
    ...fills.map((fill, i) =>
      h(
        'span',
        {},
        h('i', { style: `background:${fill}` }),
        h('small', {}, i < upperEnds.length ? format(upperEnds[i]!) : ''),
      ),
    ),
  );
}
export const legendKey = (fill: string, name: string) => h('span', {}, h('i', { style: `background:${fill}` }), name);
export const hatchedKey = (name: string) => h('span', {}, h('i', { class: 'hatched' }), name);

const hatchPatterns = new Map<string, SVGElement>();
/** Map units between two lines of the hatching when the whole country is shown. */
const HATCH_SPACING = 95;

/** The fill attribute for a paint. */
export function fillAttribute({ fill, isUncertain }: Paint): string {
  if (!isUncertain) return fill;
  const id = `hatch-${fill.replace(/\W/g, '')}`;
  if (!hatchPatterns.has(fill)) {
    const isDark = d3.lab(fill).l < 60;
    const pattern = svgElement('pattern', {
      id,
      patternUnits: 'userSpaceOnUse',
      width: HATCH_SPACING,
      height: HATCH_SPACING,
    });
    pattern.append(
      svgElement('rect', { width: HATCH_SPACING, height: HATCH_SPACING, fill }),
      svgElement('rect', {
        width: HATCH_SPACING / 5,
        height: HATCH_SPACING,
        fill: isDark ? '#fff' : '#000',
        opacity: isDark ? '.5' : '.42',
      }),
    );
    hatchPatterns.set(fill, pattern);
    scaleHatching(hatchScale);
    patternContainer().append(pattern);
  }
  return `url(#${id})`;
}

function patternContainer(): Element {
  const map = elementById('map');
  if (!map.querySelector('defs')) map.prepend(svgElement('defs', {}));
  return map.querySelector('defs')!;
}

let hatchScale = 1;
/** Keeps the distance of the lines on the screen when the map is zoomed. */
export function scaleHatching(unit: number): void {
  hatchScale = unit;
  for (const pattern of hatchPatterns.values()) pattern.setAttribute('patternTransform', `rotate(45) scale(${unit})`);
}
