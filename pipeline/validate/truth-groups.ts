import { distance } from '@turf/distance';
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
export interface EstimatedSpan {
  first_estimated: Period;
  last_estimated: Period;
  /** Months of the year, 1 to 12, in which some round had clusters in the field. */
  fieldwork_months: ReadonlySet<number>;
}

/** Upper ends of the classes of distance, km; the last class has none. */
const DISTANCE_CLASS_ENDS_KM = [5, 10, 20];
const BLOCK_YEARS = 3;

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
  const zoneByState = new Map(areas.states.map(({ state_code, zone }) => [state_code, zone]));
  const isUrban = new Map(zonal.map((row) => [row.lga_code, row.urban_population > row.population / 2]));
  const centres = lgaCentres(cells);
  const clusterPoints = clusters.flatMap(({ longitude, latitude, lga_code }): Point[] => {
    if (longitude !== null && latitude !== null) return [{ longitude, latitude }];
    const centre = lga_code === null ? undefined : centres.get(lga_code);
    return centre ? [centre] : [];
  });
  return new Map(
    areas.lgas.map(({ lga_code, state_code }) => {
      const centre = centres.get(lga_code);
      const km = centre ? nearestKm(centre, clusterPoints) : Number.POSITIVE_INFINITY;
      const setting = isUrban.get(lga_code) ? 'urban' : 'rural';
      return [lga_code, { zone: zoneByState.get(state_code)!, distance: distanceClass(km), setting }];
    }),
  );
}

export function estimatedSpan({ first_estimated, last_estimated }: Model, clusters: readonly Cluster[]): EstimatedSpan {
  return {
    first_estimated,
    last_estimated,
    fieldwork_months: new Set(clusters.map(({ period }) => calendarMonth(period))),
  };
}

/**
 * The groups to which an LGA's month belongs, one of each grouping; forecast months belong to a group of `all` only.
 */
export function monthGroups(period: Period, lga: LgaGroups, span: EstimatedSpan): [Grouping, string][] {
  if (period > span.last_estimated) return [['all', 'forecast']];
  const year = calendarYear(period);
  const first = calendarYear(span.first_estimated);
  const start = year - ((year - first) % BLOCK_YEARS);
  const end = Math.min(start + BLOCK_YEARS - 1, calendarYear(span.last_estimated));
  return [
    ['all', 'estimated'],
    ['block', start === end ? String(start) : `${start}-${end}`],
    ['year', String(year)],
    ['months', span.fieldwork_months.has(calendarMonth(period)) ? 'months of fieldwork' : 'other months'],
    ['zone', lga.zone],
    ['distance', lga.distance],
    ['setting', lga.setting],
  ];
}

function nearestKm(centre: Point, points: readonly Point[]): number {
  const coordinates = ({ longitude, latitude }: Point) => [longitude, latitude];
  return Math.min(...points.map((point) => distance(coordinates(centre), coordinates(point))));
}

function distanceClass(km: number): string {
  const classIndex = DISTANCE_CLASS_ENDS_KM.findIndex((end) => km < end);
  if (classIndex < 0) return `${DISTANCE_CLASS_ENDS_KM.at(-1)} km or more`;
  return classIndex === 0
    ? `below ${DISTANCE_CLASS_ENDS_KM[0]} km`
    : `${DISTANCE_CLASS_ENDS_KM[classIndex - 1]}-${DISTANCE_CLASS_ENDS_KM[classIndex]} km`;
}
