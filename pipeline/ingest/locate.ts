import { bbox, booleanPointInPolygon, pointToPolygonDistance } from '@turf/turf';
import type { Areas, Polygons } from '../artifacts.ts';

/** Finds the LGA at a position; null outside all of them. */
export interface Locate {
  (longitude: number, latitude: number, stateCode?: string): string | null;
  /** How far a position lies outside an LGA, km; 0 inside it. */
  kmFrom(longitude: number, latitude: number, lgaCode: string): number;
}

/**
 * A look-up of LGAs by position. With a state given, a position outside that state's LGAs (displaced across a border,
 * into a lagoon or the sea) goes to the state's LGA with the nearest vertex, in degrees.
 */
export function locator(areas: Areas, polygons: Polygons): Locate {
  const shapes = polygons.lgas.map(({ lga_code, polygons }, i) => {
    const shape = { type: 'MultiPolygon' as const, coordinates: polygons };
    return { lga_code, state_code: areas.lgas[i]!.state_code, shape, box: bbox(shape) };
  });
  const byCode = new Map(shapes.map((shape) => [shape.lga_code, shape]));
  const holds = ({ box: [w, s, e, n], shape }: (typeof shapes)[number], x: number, y: number) =>
    x >= w && x <= e && y >= s && y <= n && booleanPointInPolygon([x, y], shape);

  const locate = (x: number, y: number, stateCode?: string): string | null => {
    const within = shapes.filter((s) => stateCode === undefined || s.state_code === stateCode);
    const inside = within.find((one) => holds(one, x, y));
    if (inside || stateCode === undefined) return inside?.lga_code ?? null;
    const distance = (shape: (typeof shapes)[number]['shape']) =>
      shape.coordinates
        .flat(2)
        .reduce((least, [a, b]) => Math.min(least, (a! - x) ** 2 + (b! - y) ** 2), Number.POSITIVE_INFINITY);
    return within.map((s) => ({ ...s, away: distance(s.shape) })).reduce((a, b) => (b.away < a.away ? b : a)).lga_code;
  };
  const kmFrom = (x: number, y: number, lgaCode: string): number => {
    const one = byCode.get(lgaCode)!;
    return holds(one, x, y) ? 0 : Math.max(0, pointToPolygonDistance([x, y], one.shape, { units: 'kilometers' }));
  };
  return Object.assign(locate, { kmFrom });
}
