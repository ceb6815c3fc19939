import { area, bbox, centerOfMass, feature, featureCollection, polygon } from '@turf/turf';
import type { Outlines } from '../artifacts.ts';
import type { AreaGeometry } from '../contract/schemas.ts';
import { polygonsOf } from '../models/outline-check.ts';
import { html, type Markup, raw } from './markup.ts';

/** Units of the map per degree of latitude: about 110 m each, finer than a screen's pixel at the scale of a state. */
const UNITS = 1000;

/**
 * All LGAs and states as one SVG. Longitude is shrunk by the cosine of the middle latitude, so that shapes look right;
 * positions are whole units relative to the one before, which is what keeps the file small.
 * @param fill an LGA's fill before any script has run
 */
export function renderMap({ lgas, states }: Outlines, label: string, fill: (lga_code: string) => string): Markup {
  const [west, south, east, north] = bbox(featureCollection(states.map(({ geometry }) => feature(geometry))));
  const shrink = Math.cos((((south + north) / 2) * Math.PI) / 180);
  const project: Project = ([x, y]) => [Math.round((x - west) * shrink * UNITS), Math.round((north - y) * UNITS)];
  const [width, height] = project([east, south]);
  const margin = 120;
  const box = `${-margin} ${-margin} ${width + 2 * margin} ${height + 2 * margin}`;
  return html`<svg id="map" viewBox="${box}" role="img" aria-label="${label}">
<g id="lgas">${lgas.map(({ lga_code, geometry }) => html`<path data-code="${lga_code}" fill="${fill(lga_code)}" d="${raw(pathOf(geometry, project))}"/>\n`)}</g>
<g id="states">${states.map(({ state_code, geometry }) => html`<path data-code="${state_code}" d="${raw(pathOf(geometry, project))}"/>\n`)}</g>
<g id="labels">${states.map(({ state_code, geometry }) => {
    const [x, y] = project(labelPoint(geometry));
    return html`<text x="${x}" y="${y}">${state_code}</text>`;
  })}</g>
<path id="selected" d=""/></svg>`;
}

type Project = (position: readonly [number, number]) => [number, number];

/** Rings as `m` and relative lines; what falls onto one unit is one point, and rings of fewer than three are left out. */
export function pathOf(geometry: AreaGeometry, project: Project): string {
  let path = '';
  for (const ring of polygonsOf(geometry).flat()) {
    const points = ring
      .map((position) => project(position as [number, number]))
      .filter(([x, y], i, all) => i === 0 || x !== all[i - 1]![0] || y !== all[i - 1]![1])
      .slice(0, -1);
    if (points.length < 3) continue;
    const steps = points.slice(1).map(([x, y], i) => `${x - points[i]![0]} ${y - points[i]![1]}`);
    path += `M${points[0]!.join(' ')}l${steps.join(' ').replaceAll(' -', '-')}z`;
  }
  return path;
}

/** Centre of the largest part. */
function labelPoint(geometry: AreaGeometry): [number, number] {
  const parts = polygonsOf(geometry).map((rings) => polygon(rings as [number, number][][]));
  const largest = parts.reduce((best, part) => (area(part) > area(best) ? part : best));
  return centerOfMass(largest).geometry.coordinates as [number, number];
}
