import { bbox } from '@turf/bbox';
import { booleanPointInPolygon } from '@turf/boolean-point-in-polygon';
import { pointToPolygonDistance } from '@turf/point-to-polygon-distance';
import type { Areas, Polygons } from './ingest-tables.ts';

/**
 * Largest displacement of DHS clusters plus tolerance for differing outlines, km; anything farther is another place.
 */
export const FARTHEST_KM = 11;

/** Finds the LGA at a position; null if it is outside all LGAs. */
export interface Locate {
  (longitude: number, latitude: number, stateCode?: string): string | null;
  /** Distance of a position from an LGA, km; 0 inside it. */
  kmFrom(longitude: number, latitude: number, lgaCode: string): number;
  /** The LGA with the nearest outline within `km`; null if there is none. */
  nearest(longitude: number, latitude: number, km: number): { lga_code: string; km: number } | null;
}

/**
 * Creates a look-up of LGAs by position. If a state is given, a position outside its LGAs (displaced across a border,
 * into a lagoon or the sea) is assigned to the state's LGA with the nearest vertex, in degrees.
 */
export function locator(areas: Areas, polygons: Polygons): Locate {
  const shapes = polygons.lgas.map(({ lga_code, polygons }, i) => {
    const shape = { type: 'MultiPolygon' as const, coordinates: polygons };
    return { lga_code, state_code: areas.lgas[i]!.state_code, shape, box: bbox(shape) };
  });
  const byCode = new Map(shapes.map((shape) => [shape.lga_code, shape]));
  const contains = ({ box: [west, south, east, north], shape }: (typeof shapes)[number], x: number, y: number) =>
    x >= west && x <= east && y >= south && y <= north && booleanPointInPolygon([x, y], shape);

  const locate = (x: number, y: number, stateCode?: string): string | null => {
    const within = shapes.filter(({ state_code }) => stateCode === undefined || state_code === stateCode);
    const inside = within.find((shape) => contains(shape, x, y));
    if (inside || stateCode === undefined) return inside?.lga_code ?? null;
    const distance = (shape: (typeof shapes)[number]['shape']) =>
      shape.coordinates
        .flat(2)
        .reduce((least, [a, b]) => Math.min(least, (a! - x) ** 2 + (b! - y) ** 2), Number.POSITIVE_INFINITY);
    return within
      .map(({ lga_code, shape }) => ({ lga_code, away: distance(shape) }))
      .reduce((a, b) => (b.away < a.away ? b : a)).lga_code;
  };
  const kmFrom = (x: number, y: number, lgaCode: string): number => {
    const lga = byCode.get(lgaCode)!;
    return contains(lga, x, y) ? 0 : Math.max(0, pointToPolygonDistance([x, y], lga.shape, { units: 'kilometers' }));
  };
  const nearest = (x: number, y: number, km: number) => {
    // A degree of latitude is at least 110.6 km, a degree of longitude that times the cosine.
    const [dy, dx] = [km / 110, km / (110 * Math.cos((y * Math.PI) / 180))];
    const near = shapes
      .filter(
        ({ box: [west, south, east, north] }) => x >= west - dx && x <= east + dx && y >= south - dy && y <= north + dy,
      )
      .map(({ lga_code }) => ({ lga_code, km: kmFrom(x, y, lga_code) }))
      .sort((a, b) => a.km - b.km)[0];
    return near && near.km <= km ? near : null;
  };
  return Object.assign(locate, { kmFrom, nearest });
}
