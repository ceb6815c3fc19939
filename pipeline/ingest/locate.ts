import { bbox } from '@turf/bbox';
import { booleanPointInPolygon } from '@turf/boolean-point-in-polygon';
import { pointToPolygonDistance } from '@turf/point-to-polygon-distance';
import type { Areas, Polygons } from './ingest-tables.ts';

/**
 * Largest displacement of DHS clusters plus tolerance for differing outlines, km; anything farther is another place.
 */
export const FARTHEST_KM = 11;

interface Shape {
  lga_code: string;
  state_code: string;
  shape: { type: 'MultiPolygon'; coordinates: Polygons['lgas'][number]['polygons'] };
  box: ReturnType<typeof bbox>;
}

/** Finds LGAs by position. */
export class Locator {
  readonly #shapes: ReadonlyMap<string, Shape>;

  constructor(areas: Areas, polygons: Polygons) {
    this.#shapes = new Map(
      polygons.lgas.map(({ lga_code, polygons: coordinates }, i) => {
        const shape = { type: 'MultiPolygon' as const, coordinates };
        return [lga_code, { lga_code, state_code: areas.lgas[i]!.state_code, shape, box: bbox(shape) }];
      }),
    );
  }

  /**
   * The LGA at a position; null if it is outside all LGAs. If a state is given, a position outside its LGAs (displaced
   * across a border, into a lagoon or the sea) is assigned to the state's LGA with the nearest vertex, in degrees.
   */
  lgaAt(longitude: number, latitude: number, stateCode?: string): string | null {
    const shapes = [...this.#shapes.values()];
    const within = shapes.filter(({ state_code }) => stateCode === undefined || state_code === stateCode);
    const inside = within.find((shape) => contains(shape, longitude, latitude));
    if (inside || stateCode === undefined) return inside?.lga_code ?? null;
    const distance = ({ shape }: Shape) =>
      shape.coordinates
        .flat(2)
        .reduce(
          (least, [x, y]) => Math.min(least, (x! - longitude) ** 2 + (y! - latitude) ** 2),
          Number.POSITIVE_INFINITY,
        );
    return within
      .map((shape) => ({ lga_code: shape.lga_code, away: distance(shape) }))
      .reduce((a, b) => (b.away < a.away ? b : a)).lga_code;
  }

  /** Distance of a position from an LGA, km; 0 inside it. */
  kmFrom(longitude: number, latitude: number, lgaCode: string): number {
    const lga = this.#shapes.get(lgaCode)!;
    if (contains(lga, longitude, latitude)) return 0;
    return Math.max(0, pointToPolygonDistance([longitude, latitude], lga.shape, { units: 'kilometers' }));
  }

  /** The LGA with the nearest outline within `km`; null if there is none. */
  nearest(longitude: number, latitude: number, km: number): { lga_code: string; km: number } | null {
    // A degree of latitude is at least 110.6 km, a degree of longitude that times the cosine.
    const [dy, dx] = [km / 110, km / (110 * Math.cos((latitude * Math.PI) / 180))];
    const isNear = ({ box: [west, south, east, north] }: Shape) =>
      longitude >= west - dx && longitude <= east + dx && latitude >= south - dy && latitude <= north + dy;
    const near = [...this.#shapes.values()]
      .filter(isNear)
      .map(({ lga_code }) => ({ lga_code, km: this.kmFrom(longitude, latitude, lga_code) }))
      .sort((a, b) => a.km - b.km)[0];
    return near && near.km <= km ? near : null;
  }
}

const contains = ({ box: [west, south, east, north], shape }: Shape, x: number, y: number): boolean =>
  x >= west && x <= east && y >= south && y <= north && booleanPointInPolygon([x, y], shape);
