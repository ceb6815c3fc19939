import { bbox } from '@turf/bbox';
import { booleanPointInPolygon } from '@turf/boolean-point-in-polygon';
import { pointToPolygonDistance } from '@turf/point-to-polygon-distance';
import type { Areas, Polygons } from './ingest-tables.ts';

/**
 * Largest displacement of DHS clusters plus tolerance for differing outlines, km; anything farther is another place.
 */
export const MOST_DISPLACEMENT_KM = 11;

interface LgaShape {
  lga_code: string;
  state_code: string;
  outline: { type: 'MultiPolygon'; coordinates: Polygons['lgas'][number]['polygons'] };
  box: ReturnType<typeof bbox>;
}

/** Finds LGAs by position. */
export class Locator {
  readonly #shapes: ReadonlyMap<string, LgaShape>;

  constructor(areas: Areas, polygons: Polygons) {
    this.#shapes = new Map(
      polygons.lgas.map(({ lga_code, polygons: coordinates }, i) => {
        const outline = { type: 'MultiPolygon' as const, coordinates };
        return [lga_code, { lga_code, state_code: areas.lgas[i]!.state_code, outline, box: bbox(outline) }];
      }),
    );
  }

  /**
   * The LGA at a position; null if it is outside all LGAs. If a state is given, a position outside its LGAs (displaced
   * across a border, into a lagoon or the sea) is assigned to the state's LGA with the nearest vertex, in degrees.
   */
  lgaAt(longitude: number, latitude: number, stateCode?: string): string | null {
    const shapes = [...this.#shapes.values()];
    const candidates = shapes.filter(({ state_code }) => stateCode === undefined || state_code === stateCode);
    const containing = candidates.find((candidate) => contains(candidate, longitude, latitude));
    if (containing || stateCode === undefined) return containing?.lga_code ?? null;
    const squaredDistance = ({ outline }: LgaShape) =>
      outline.coordinates
        .flat(2)
        .reduce(
          (least, [x, y]) => Math.min(least, (x! - longitude) ** 2 + (y! - latitude) ** 2),
          Number.POSITIVE_INFINITY,
        );
    return candidates
      .map((candidate) => ({ lga_code: candidate.lga_code, distance: squaredDistance(candidate) }))
      .reduce((a, b) => (b.distance < a.distance ? b : a)).lga_code;
  }

  /** Distance of a position from an LGA, km; 0 inside it. */
  distanceKm(longitude: number, latitude: number, lgaCode: string): number {
    const lga = this.#shapes.get(lgaCode)!;
    if (contains(lga, longitude, latitude)) return 0;
    return Math.max(0, pointToPolygonDistance([longitude, latitude], lga.outline, { units: 'kilometers' }));
  }

  /** The LGA with the nearest outline within `withinKm`; null if there is none. */
  nearestLga(longitude: number, latitude: number, withinKm: number): { lga_code: string; km: number } | null {
    // A degree of latitude is at least 110.6 km, a degree of longitude that times the cosine.
    const [latitudeReach, longitudeReach] = [withinKm / 110, withinKm / (110 * Math.cos((latitude * Math.PI) / 180))];
    const isNear = ({ box: [west, south, east, north] }: LgaShape) =>
      longitude >= west - longitudeReach &&
      longitude <= east + longitudeReach &&
      latitude >= south - latitudeReach &&
      latitude <= north + latitudeReach;
    const nearestLga = [...this.#shapes.values()]
      .filter(isNear)
      .map(({ lga_code }) => ({ lga_code, km: this.distanceKm(longitude, latitude, lga_code) }))
      .sort((a, b) => a.km - b.km)[0];
    return nearestLga && nearestLga.km <= withinKm ? nearestLga : null;
  }
}

const contains = ({ box: [west, south, east, north], outline }: LgaShape, x: number, y: number): boolean =>
  x >= west && x <= east && y >= south && y <= north && booleanPointInPolygon([x, y], outline);
