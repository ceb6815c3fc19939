import type { Model } from '../catalog/model.ts';
import { calendarMonth, calendarYear, type Period } from '../contract/months.ts';
import type { Areas, Cluster } from '../ingest/ingest-tables.ts';
import type { PredictionCells, ZonalRow } from '../measure/zonal/zonal-tables.ts';
import { lgaCentres, type Point } from './lga-centres.ts';

/** Groupings of LGA-months: `all` into estimated and forecast months, the others of the estimated months. */
export const GROUPINGS = ['all', 'block', 'year', 'months', 'zone', 'distance', 'setting'] as const;
export type Grouping = (typeof GROUPINGS)[number];

/** The properties by which an LGA is grouped. */
export interface LgaGroups {
  zone: string;
  /** Class of the distance from its centre of population to the nearest survey cluster of any round. */
  distance: string;
  setting: 'urban' | 'rural';
}
export interface Span {
  first_estimated: Period;
  last_estimated: Period;
  /** Months of the year, 1 to 12, in which some round had clusters in the field. */
  surveyed: ReadonlySet<number>;
}

/** Upper ends of the classes of distance, km; the last class has none. */
const DISTANCES = [5, 10, 20];
const BLOCK_YEARS = 3;
/** Mean radius of the sphere (IUGG). */
const EARTH_RADIUS_KM = 6371.0088;

/**
 * The properties by which each LGA is grouped.
 * @param clusters those without coordinates are placed at their LGA's centre of population; those without an LGA are
 *   ignored
 */
export function groupLgas(
  areas: Areas,
  zonal: readonly ZonalRow[],
  cells: PredictionCells,
  clusters: readonly Cluster[],
): Map<string, LgaGroups> {
  const zones = new Map(areas.states.map(({ state_code, zone }) => [state_code, zone]));
  const urban = new Map(zonal.map((row) => [row.lga_code, row.urban_population > row.population / 2]));
  const centres = lgaCentres(cells);
  const spots = clusters.flatMap(({ longitude, latitude, lga_code }): Point[] => {
    if (longitude !== null && latitude !== null) return [{ longitude, latitude }];
    const centre = lga_code === null ? undefined : centres.get(lga_code);
    return centre ? [centre] : [];
  });
  return new Map(
    areas.lgas.map(({ lga_code, state_code }) => {
      const centre = centres.get(lga_code);
      const km = centre ? nearest(centre, spots) : Number.POSITIVE_INFINITY;
      const setting = urban.get(lga_code) ? 'urban' : 'rural';
      return [lga_code, { zone: zones.get(state_code)!, distance: distanceClass(km), setting }];
    }),
  );
}

export function coveredSpan({ first_estimated, last_estimated }: Model, clusters: readonly Cluster[]): Span {
  return { first_estimated, last_estimated, surveyed: new Set(clusters.map(({ period }) => calendarMonth(period))) };
}

/**
 * The groups to which an LGA's month belongs, one of each grouping; forecast months belong to a group of `all` only.
 */
export function monthGroups(period: Period, lga: LgaGroups, span: Span): [Grouping, string][] {
  if (period > span.last_estimated) return [['all', 'forecast']];
  const year = calendarYear(period);
  const first = calendarYear(span.first_estimated);
  const start = year - ((year - first) % BLOCK_YEARS);
  const end = Math.min(start + BLOCK_YEARS - 1, calendarYear(span.last_estimated));
  return [
    ['all', 'estimated'],
    ['block', start === end ? String(start) : `${start}-${end}`],
    ['year', String(year)],
    ['months', span.surveyed.has(calendarMonth(period)) ? 'months of fieldwork' : 'other months'],
    ['zone', lga.zone],
    ['distance', lga.distance],
    ['setting', lga.setting],
  ];
}

function nearest(from: Point, spots: readonly Point[]): number {
  return spots.reduce((least, spot) => Math.min(least, distanceKm(from, spot)), Number.POSITIVE_INFINITY);
}

/** Great-circle distance on a sphere (haversine). */
function distanceKm(a: Point, b: Point): number {
  const radians = (degrees: number) => (degrees * Math.PI) / 180;
  const [north, east] = [radians(b.latitude - a.latitude), radians(b.longitude - a.longitude)];
  const h =
    Math.sin(north / 2) ** 2 + Math.cos(radians(a.latitude)) * Math.cos(radians(b.latitude)) * Math.sin(east / 2) ** 2;
  return 2 * EARTH_RADIUS_KM * Math.asin(Math.sqrt(h));
}

function distanceClass(km: number): string {
  const k = DISTANCES.findIndex((end) => km < end);
  if (k < 0) return `${DISTANCES.at(-1)} km or more`;
  return k === 0 ? `below ${DISTANCES[0]} km` : `${DISTANCES[k - 1]}-${DISTANCES[k]} km`;
}
