/** Simple baseline methods, which give a point forecast of ln(1 + cases) by area and horizon. */
import { HORIZONS } from '../../contract/months.ts';
import { mean, median } from '../../lib/numerics/averages.ts';
import { hideDisrupted, type Panel } from './panel.ts';
import { pooledSeason } from './pooled-season.ts';

export interface PointMethod {
  name: string;
  /** By area and horizon (the first is one month after the panel's last); NaN if no forecast is possible. */
  forecastPoints: (panel: Panel) => number[][];
}

/** A method that forecasts each area from its record alone. */
const forecastByArea =
  (value: (y: Float64Array, horizon: number) => number): PointMethod['forecastPoints'] =>
  (panel) =>
    panelLogs(panel).map(({ y }) => HORIZONS.map((horizon) => value(y, horizon)));

interface AreaLogs {
  state_code: string;
  /** ln(1 + cases) by month; NaN if unknown. */
  y: Float64Array;
}

const panelLogs = ({ areas }: Panel): AreaLogs[] =>
  areas.map(({ state_code, cases }) => ({ state_code, y: cases.map(Math.log1p) }));

/** Mean of the known values in the last `monthCount` months, or else the last known value; NaN if there is none. */
function recentLevel(y: Float64Array, monthCount: number): number {
  const recent = y.slice(-monthCount).filter((value) => !Number.isNaN(value));
  if (recent.length > 0) return mean(recent);
  return y.findLast((value) => !Number.isNaN(value)) ?? Number.NaN;
}

/** Values of earlier years for the calendar month `horizon` months after the end, latest first. */
function sameMonths(y: Float64Array, horizon: number): number[] {
  const values: number[] = [];
  for (let t = y.length - 1 + horizon - 12; t >= 0; t -= 12) if (!Number.isNaN(y[t]!)) values.push(y[t]!);
  return values;
}

/** Means of the last months, with weights that add up to 1. */
type LevelWeights = readonly { months: number; weight: number }[];

/** The deseasonalised level of the last months, plus the season of the target. */
function levelAndSeason(
  panel: Panel,
  levelWeights: LevelWeights,
  estimateSeasons: (areas: readonly AreaLogs[], first: number) => (area: AreaLogs) => Float64Array,
): number[][] {
  const { first } = panel;
  const areas = panelLogs(hideDisrupted(panel));
  const seasons = estimateSeasons(areas, first);
  return areas.map((area) => {
    const season = (t: number) => seasons(area)[(first + t) % 12]!;
    const deseasonalised = area.y.map((value, t) => value - season(t));
    const level = levelWeights.reduce(
      (sum, { months, weight }) => sum + weight * recentLevel(deseasonalised, months),
      0,
    );
    return HORIZONS.map((horizon) => level + season(deseasonalised.length - 1 + horizon));
  });
}

function stateSeasons(areas: readonly AreaLogs[], first: number): (area: AreaLogs) => Float64Array {
  const states = Map.groupBy(areas, ({ state_code }) => state_code);
  const seasons = new Map([...states].map(([code, logs]) => [code, pooledSeason(logs, first)]));
  return ({ state_code }) => seasons.get(state_code)!;
}

/** Shrinkage of the season, which is half the state's and half that of all areas. */
const SEASON_SHRINKAGE = 0.8;

function shrunkSeasons(areas: readonly AreaLogs[], first: number): (area: AreaLogs) => Float64Array {
  const stateSeason = stateSeasons(areas, first);
  const pooled = pooledSeason(areas, first);
  return (area) => stateSeason(area).map((value, m) => (SEASON_SHRINKAGE * (value + pooled[m]!)) / 2);
}

const LAST_3_MONTHS: LevelWeights = [{ months: 3, weight: 1 }];
const LAST_3_AND_12_MONTHS: LevelWeights = [
  { months: 3, weight: 0.7 },
  { months: 12, weight: 0.3 },
];

export const BASELINES: readonly PointMethod[] = [
  {
    name: 'same_month_last_year',
    forecastPoints: forecastByArea((y, horizon) => sameMonths(y, horizon)[0] ?? Number.NaN),
  },
  { name: 'month_climatology', forecastPoints: forecastByArea((y, horizon) => mean(sameMonths(y, horizon))) },
  { name: 'month_median', forecastPoints: forecastByArea((y, horizon) => median(sameMonths(y, horizon))) },
  { name: 'flat12', forecastPoints: forecastByArea((y) => recentLevel(y, 12)) },
  { name: 'persistence', forecastPoints: forecastByArea((y) => recentLevel(y, 1)) },
  { name: 'last3_x_season', forecastPoints: (panel) => levelAndSeason(panel, LAST_3_MONTHS, stateSeasons) },
  {
    name: 'last3+12_x_shrunk_season',
    forecastPoints: (panel) => levelAndSeason(panel, LAST_3_AND_12_MONTHS, shrunkSeasons),
  },
];
