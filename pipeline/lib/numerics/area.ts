import { area } from '@turf/area';
import type { Grid } from './grid.ts';

/** Rings of [longitude, latitude]: the exterior ring first, then the holes; every ring is closed. */
export type Polygon = [number, number][][];

/** WGS 84: semi-major axis in km and squared eccentricity. */
const SEMI_MAJOR_KM = 6378.137;
const ECCENTRICITY_SQUARED = 0.00669437999014;
const ECCENTRICITY = Math.sqrt(ECCENTRICITY_SQUARED);
/** Earth radius used by @turf/area, km. */
const TURF_RADIUS_KM = 6371.0088;

/** Snyder's q(φ) (1987, eq. 3-12): proportional to the ellipsoid's area between the equator and latitude φ. */
function zoneArea(sinLatitude: number): number {
  const eSine = ECCENTRICITY * sinLatitude;
  return (1 - ECCENTRICITY_SQUARED) * (sinLatitude / (1 - eSine * eSine) + Math.atanh(eSine) / ECCENTRICITY);
}
const POLE_ZONE_AREA = zoneArea(1);
/** Radius of the sphere with the ellipsoid's area, km (Snyder 1987, eq. 3-13). */
const AUTHALIC_RADIUS_KM = SEMI_MAJOR_KM * Math.sqrt(POLE_ZONE_AREA / 2);

/**
 * Authalic latitude of a geodetic latitude, degrees, which maps the ellipsoid to a sphere of equal area (Snyder, 3-11).
 */
function authalicLatitude(latitude: number): number {
  const q = zoneArea(Math.sin((latitude * Math.PI) / 180));
  return (Math.asin(Math.max(-1, Math.min(1, q / POLE_ZONE_AREA))) * 180) / Math.PI;
}

/**
 * Area in km² on the WGS 84 ellipsoid of polygons in degrees, by the spherical formula on the authalic sphere. With
 * geodetic latitudes the areas near the equator would be 0.4% too large.
 */
export function areaKm2(polygons: readonly Polygon[]): number {
  const coordinates = polygons.map((rings) => rings.map((ring) => ring.map(([x, y]) => [x, authalicLatitude(y)])));
  const squareMetres = area({ type: 'MultiPolygon', coordinates });
  return (squareMetres / 1e6) * (AUTHALIC_RADIUS_KM / TURF_RADIUS_KM) ** 2;
}

/** Area in km² on the WGS 84 ellipsoid of a cell bounded by meridians and parallels, degrees. */
export function cellAreaKm2(west: number, south: number, east: number, north: number): number {
  const sine = (degrees: number) => Math.sin((degrees * Math.PI) / 180);
  const zone = zoneArea(sine(north)) - zoneArea(sine(south));
  return ((SEMI_MAJOR_KM ** 2 / 2) * zone * (east - west) * Math.PI) / 180;
}

/** Area in km² on the WGS 84 ellipsoid of each cell in `row` of a grid. */
export function gridCellAreaKm2(grid: Grid, row: number): number {
  const north = grid.north - row * grid.cellHeight;
  return cellAreaKm2(0, north - grid.cellHeight, grid.cellWidth, north);
}
