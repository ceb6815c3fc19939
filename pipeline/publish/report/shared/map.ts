import { area } from '@turf/area';
import { bbox } from '@turf/bbox';
import { centerOfMass } from '@turf/center-of-mass';
import { feature, featureCollection, polygon } from '@turf/helpers';
import type { AreaGeometry } from '../../../contract/schemas.ts';
import { type Html, html } from '../../../lib/pages/html.ts';
import { toPolygons } from '../../../measure/boundaries/outline-check.ts';

/** The outlines that a map needs. */
export interface MapOutlines {
  lgas: readonly { lga_code: string; geometry: AreaGeometry }[];
  states: readonly { state_code: string; geometry: AreaGeometry }[];
}

/** Map units per degree of latitude: about 110 m each, finer than a screen's pixel at the scale of a state. */
const UNITS_PER_DEGREE = 1000;

export interface MapStyle {
  /** Text alternative of the map. */
  label: string;
  /** An LGA's fill, before any script has run. */
  fill: (lga_code: string) => string;
  /** The tooltip of an LGA, for a map without scripts. */
  title?: (lga_code: string) => string;
  /** Whether its parts have ids for scripts, which only one map of a page can have. */
  scripted?: boolean;
}

/**
 * All LGAs and states as one SVG. Longitude is scaled by the cosine of the middle latitude, so that shapes look right.
 * Positions are integers relative to the previous one, to keep the file small.
 */
export function renderMap({ lgas, states }: MapOutlines, { label, fill, title, scripted }: MapStyle): Html {
  const nameAttributes = (name: string) => html`${scripted && html` id="${name}"`} class="${name}"`;
  const [west, south, east, north] = bbox(featureCollection(states.map(({ geometry }) => feature(geometry))));
  const longitudeScale = Math.cos((((south + north) / 2) * Math.PI) / 180);
  const project: Project = ([x, y]) => [
    Math.round((x - west) * longitudeScale * UNITS_PER_DEGREE),
    Math.round((north - y) * UNITS_PER_DEGREE),
  ];
  const [width, height] = project([east, south]);
  const margin = 120;
  const box = `${-margin} ${-margin} ${width + 2 * margin} ${height + 2 * margin}`;
  // Converts map units back to degrees, for downloads.
  const projection =
    scripted &&
    html` data-west="${west}" data-north="${north}" data-shrink="${longitudeScale}" data-units="${UNITS_PER_DEGREE}"`;
  return html`<svg${nameAttributes('map')}${projection} viewBox="${box}" role="img" aria-label="${label}">
<g${nameAttributes('lgas')}>${lgas.map(({ lga_code, geometry }) => html`<path data-code="${lga_code}" fill="${fill(lga_code)}" d="${svgPath(geometry, project)}"${title ? html`><title>${title(lga_code)}</title></path>` : html`/>`}\n`)}</g>
<g${nameAttributes('states')}>${states.map(({ state_code, geometry }) => html`<path data-code="${state_code}" d="${svgPath(geometry, project)}"/>\n`)}</g>
<g${nameAttributes('labels')}>${states.map(({ state_code, geometry }) => {
    const [x, y] = project(labelPoint(geometry));
    return html`<text x="${x}" y="${y}">${state_code}</text>`;
  })}</g>
${scripted && html`<g id="lga-names" class="labels lga-names"></g><path${nameAttributes('selected')} d=""/>`}</svg>`;
}

type Project = (position: readonly [number, number]) => [number, number];

/**
 * Rings as `M` and relative lines. Neighbouring points on the same unit become one; rings of fewer than three are left
 * out.
 */
export function svgPath(geometry: AreaGeometry, project: Project): string {
  let path = '';
  for (const ring of toPolygons(geometry).flat()) {
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
  const parts = toPolygons(geometry).map((rings) => polygon(rings as [number, number][][]));
  const largest = parts.reduce((largestPart, part) => (area(part) > area(largestPart) ? part : largestPart));
  return centerOfMass(largest).geometry.coordinates as [number, number];
}
