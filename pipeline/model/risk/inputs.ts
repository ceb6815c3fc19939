import type { StageIo } from '../../catalog/country-stage.ts';
import type { Method } from '../../catalog/shared-schemas.ts';
import { calendarMonth, monthIndex, type Period } from '../../contract/months.ts';
import type { AreaRound, Areas, Cluster, Surveys } from '../../ingest/ingest-tables.ts';
import * as ingest from '../../ingest/ingest-tables.ts';
import { readAreas, readSurveys } from '../../ingest/read-areas.ts';
import { mean } from '../../lib/numerics/averages.ts';
import { assertTestCounts } from '../../lib/numerics/beta-binomial.ts';
import { valuesByCode } from '../../lib/tables/table.ts';
import type { PredictionCells } from '../../measure/zonal/zonal-tables.ts';
import * as zonal from '../../measure/zonal/zonal-tables.ts';
import type { SeasonCheckRow } from '../season/season-tables.ts';
import * as season from '../season/season-tables.ts';
import type { BaselineObservation } from './baseline.ts';
import {
  type CellCovariate,
  cellCovariates,
  type Features,
  riskFeatures,
  selectFeatures,
} from './covariate-columns.ts';
import { createClusterLocator, type WeightedCells } from './displacement.ts';
import type { RiskObservation } from './likelihood.ts';
import { createMesh, type Mesh, RESOLUTION, type RiskCells } from './mesh.ts';

export interface RiskInputs {
  areas: Areas;
  cells: PredictionCells;
  /** Covariates of the catalog. */
  covariates: CellCovariate[];
  surveys: Surveys;
  /** The score's diagnostic method; an offset is estimated for rows by another. */
  score_method: Method;
  /** By LGA; the index January to December, peak 1. */
  season: Record<string, readonly number[]>;
  /**
   * Number of independent tests that a state's figure without numbers tested counts for. Nigeria's 2021 round tested
   * 10,631 children: 287 per state, some 19 per cluster. With ρ = 0.13, as in other rounds, the design effect is 1 + 18
   * ρ = 3.3, which leaves 86; set to 100.
   */
  state_only_effective_size: number;
  /** Standard deviation of the seasonal index's error, as a share of the peak. */
  season_error: number;
  /** Without an index, `season` is 1 in every month, and the error is that of a month relative to fieldwork's. */
  is_season_unknown?: boolean;
}

/** Error of the index if fewer than three states have case records to measure it; Nigeria's twelve give about 0.1. */
const DEFAULT_SEASON_ERROR = 0.15;

/** Root mean square error of the index in states left out of its fit, as a share of the peak. */
function seasonError(check: readonly SeasonCheckRow[]): number {
  return check.length < 3 ? DEFAULT_SEASON_ERROR : Math.sqrt(mean(check.map(({ index_error }) => index_error ** 2)));
}

/** The model's inputs, from the artifacts that a stage reads. */
export function readInputs(io: StageIo): RiskInputs {
  const { state_only_effective_size, covariates = [] } = io.model.parameters.risk;
  const { season_unknown } = io.model.parameters.risk;
  const cells = io.columns(zonal.CELLS);
  const areas = readAreas(io);
  const index = valuesByCode(io.table(season.LGAS), 'lga_code', 'seasonal_index');
  const isSeasonUnknown = Object.keys(index).length === 0;
  const constantIndex = Object.fromEntries(areas.lgas.map(({ lga_code }) => [lga_code, new Array<number>(12).fill(1)]));
  return {
    areas,
    cells,
    covariates: cellCovariates(covariates, cells, io.table(ingest.COVARIATES), io.table(zonal.COVARIATES)),
    surveys: readSurveys(io),
    score_method: [io.model.parameters.survey.method].flat()[0]!,
    season: isSeasonUnknown ? constantIndex : index,
    is_season_unknown: isSeasonUnknown,
    state_only_effective_size,
    season_error: isSeasonUnknown ? season_unknown!.sd : seasonError(io.artifact<SeasonCheckRow[]>('season/check')),
  };
}

/** An observation in the forms that the model, the baseline and cross-validation need. */
export interface SurveyObservation {
  risk: RiskObservation;
  baseline: BaselineObservation;
  /** LGA that contains (most of) the place; null if only the state is known. */
  lga_code: string | null;
}

export interface PreparedRisk {
  /** The score's diagnostic method. */
  score_method: Method;
  mesh: Mesh;
  /** Survey years and their mean times in years, ascending. */
  rounds: number[];
  times: number[];
  observations: SurveyObservation[];
  /** ln of the seasonal index of each LGA, by month 1-12 at `month - 1`. */
  log_season: Float64Array[];
  /** The feature columns of each covariate. */
  covariates: Features['covariates'];
  /** Share of the children examined in each month of the year, January first. */
  fieldwork: number[];
  /** The last month of each round's fieldwork; for a round without clusters, its middle month. */
  fieldwork_ends: Period[];
  season_error: number;
}

/** Floor of the seasonal index, since a month without any expected cases would have no logarithm. */
export const MIN_SEASONAL_INDEX = 0.01;

/** The middle of a month, in years: 2018-01 is 2018 + 1/24. */
export function midMonth(period: Period): number {
  return (monthIndex(period) + 0.5) / 12;
}

/**
 * Joins surveys, cells and season into the input of both models. Every LGA needs cells and a season.
 * @throws RangeError if a survey's place is unknown, a count is invalid, an LGA has no cells or season, there are no
 *   surveys, or a round's fieldwork does not follow that of the previous round
 */
export function prepareRisk(inputs: RiskInputs): PreparedRisk {
  const { score_method, surveys, season_error } = inputs;
  const areas = indexAreas(inputs.areas);
  const { cells, covariates } = riskCells(inputs, areas);
  const mesh = createMesh(cells, areas.stateByLga, inputs.areas.states.length, RESOLUTION);
  const log_season = logSeasonalIndices(inputs);
  const rounds = surveyRounds(surveys);
  const observations = toObservations(inputs, rounds, log_season, mesh, createCellFinder(areas, cells, mesh));
  const times = meanTimes(surveys, rounds);
  const periods = [...surveys.clusters, ...surveys.area_rounds].map(({ period }) => period);
  return {
    score_method,
    mesh,
    rounds,
    times,
    observations,
    log_season,
    // without a season there is nothing that the months of fieldwork could pin down
    fieldwork: inputs.is_season_unknown ? new Array<number>(12).fill(0) : fieldworkShares(observations, periods),
    fieldwork_ends: rounds.map((_, r) => latestPeriod(periods.filter((_, i) => observations[i]!.risk.round === r))),
    season_error,
    covariates,
  };
}

/** Positions of the areas by code, and the state of each LGA. */
interface AreaIndex {
  lgas: Map<string, number>;
  states: Map<string, number>;
  stateByLga: Int32Array;
}

function indexAreas(areas: Areas): AreaIndex {
  const states = new Map(areas.states.map(({ state_code }, s) => [state_code, s]));
  return {
    lgas: new Map(areas.lgas.map(({ lga_code }, a) => [lga_code, a])),
    states,
    stateByLga: Int32Array.from(areas.lgas, (lga) => positionByCode(states, lga.state_code)),
  };
}

type CellsWithDensity = RiskCells & { density: ArrayLike<number> };

/** The prediction cells in the model's form, and the feature columns of each covariate. */
function riskCells(
  { cells, covariates: catalogCovariates }: RiskInputs,
  { lgas }: AreaIndex,
): { cells: CellsWithDensity; covariates: Features['covariates'] } {
  const { covariates, ...features } = riskFeatures(cells, catalogCovariates);
  return {
    cells: {
      lga: Int32Array.from(cells.lga_code, (code) => positionByCode(lgas, code)),
      longitude: cells.longitude,
      latitude: cells.latitude,
      population: cells.population,
      density: cells.population_density,
      ...features,
    },
    covariates,
  };
}

/** ln of the seasonal index of each LGA, by month of the year. */
function logSeasonalIndices({ areas, season }: RiskInputs): Float64Array[] {
  return Array.from({ length: 12 }, (_, m) =>
    Float64Array.from(areas.lgas, ({ lga_code }) => {
      const index = season[lga_code]?.[m];
      if (index === undefined) throw new RangeError(`area ${lga_code} has no seasonal index for month ${m + 1}`);
      return Math.log(Math.max(index, MIN_SEASONAL_INDEX));
    }),
  );
}

/** The survey years, ascending. */
function surveyRounds({ clusters, area_rounds }: Surveys): number[] {
  const years = new Set([...clusters, ...area_rounds].map(({ survey_year }) => survey_year));
  if (years.size === 0) throw new RangeError('no survey observations, expected at least one');
  return [...years].sort((a, b) => a - b);
}

/** Finds the cells in which surveyed places may be. */
interface CellFinder {
  /** @param name for the message if there is no cell near it */
  cellsOfCluster(cluster: Cluster, name: string): WeightedCells;
  cellsOfArea(area: Pick<Cluster, 'lga_code' | 'state_code'>): WeightedCells;
}

/** A displaced cluster that is neither urban nor rural is treated as rural, which has the larger displacement. */
function createCellFinder(
  { lgas, states, stateByLga }: AreaIndex,
  cells: CellsWithDensity,
  { first_cell }: Mesh,
): CellFinder {
  const weightByPopulation = (positions: number[]): WeightedCells => {
    const total = positions.reduce((sum, c) => sum + cells.population[c]!, 0);
    return {
      cells: Int32Array.from(positions),
      weights: Float64Array.from(positions, (c) => cells.population[c]! / total),
    };
  };
  const lgaCells = (a: number) =>
    weightByPopulation(Array.from({ length: first_cell[a + 1]! - first_cell[a]! }, (_, i) => first_cell[a]! + i));
  const stateCells = (state_code: string) => {
    const s = positionByCode(states, state_code);
    return weightByPopulation(Array.from(cells.lga.keys()).filter((c) => stateByLga[cells.lga[c]!] === s));
  };
  const locateCluster = createClusterLocator(cells);
  const cellsOfArea: CellFinder['cellsOfArea'] = ({ lga_code, state_code }) =>
    lga_code === null ? stateCells(state_code) : lgaCells(positionByCode(lgas, lga_code));
  return {
    cellsOfCluster(cluster, name) {
      const { lga_code, longitude, latitude, displaced, urban } = cluster;
      if (longitude === null || latitude === null) return cellsOfArea(cluster);
      const lga = lga_code === null ? null : positionByCode(lgas, lga_code);
      const displacement_km = !displaced ? 0 : urban ? 2 : 5;
      return locateCluster(longitude, latitude, lga, displacement_km, `cluster ${name}`);
    },
    cellsOfArea,
  };
}

/** The observations: those of clusters, then those of areas in rounds without clusters. */
function toObservations(
  inputs: RiskInputs,
  rounds: readonly number[],
  log_season: readonly Float64Array[],
  mesh: Mesh,
  cellFinder: CellFinder,
): SurveyObservation[] {
  const { surveys, state_only_effective_size: examined } = inputs;
  const clusterName = clusterNamer(surveys.clusters);
  const observe = (result: NamedResult) => toObservation(inputs, rounds, log_season, mesh, result);
  return [
    ...surveys.clusters.map((cluster) => {
      const name = clusterName(cluster);
      return observe({
        name,
        survey: cluster,
        surveyedCells: cellFinder.cellsOfCluster(cluster, name),
        clustered: true,
      });
    }),
    ...surveys.area_rounds.map((round) => {
      const { survey_year, state_code, lga_code } = round;
      return observe({
        name: `${survey_year} ${lga_code ?? state_code}`,
        survey: { ...round, examined: round.examined ?? examined },
        surveyedCells: cellFinder.cellsOfArea(round),
        clustered: false,
      });
    }),
  ];
}

/** A row of a survey, and the cells in which its children may live. */
interface NamedResult {
  name: string;
  survey: (Cluster | AreaRound) & { examined: number };
  surveyedCells: WeightedCells;
  /** As in `RiskObservation`. */
  clustered: boolean;
}

function toObservation(
  { cells, score_method }: RiskInputs,
  rounds: readonly number[],
  log_season: readonly Float64Array[],
  mesh: Mesh,
  { name, survey, surveyedCells, clustered }: NamedResult,
): SurveyObservation {
  const tested = { examined: survey.examined, positive: survey.positivity * survey.examined };
  assertTestCounts(tested, clustered ? `cluster ${name}` : name);
  const season = log_season[calendarMonth(survey.period) - 1]!;
  const meanSeason = surveyedCells.cells.reduce(
    (sum, c, k) => sum + surveyedCells.weights[k]! * season[mesh.cells.lga[c]!]!,
    0,
  );
  const mainCell = surveyedCells.cells[surveyedCells.weights.indexOf(Math.max(...surveyedCells.weights))]!;
  const isLocated = survey.lga_code !== null || ('longitude' in survey && survey.longitude !== null);
  return {
    lga_code: isLocated ? cells.lga_code[mainCell]! : null,
    risk: {
      name,
      round: rounds.indexOf(survey.survey_year),
      log_season: season,
      clustered,
      other_test: survey.method !== score_method,
      ...surveyedCells,
      ...tested,
    },
    baseline: {
      state_code: survey.state_code,
      survey_year: survey.survey_year,
      log_season: meanSeason,
      clustered,
      ...tested,
    },
  };
}

/**
 * Mean time of each round's fieldwork in years, weighted by children examined; for a round without clusters
 * all rows count alike.
 * @throws RangeError if a round's is not later than that of the previous round
 */
function meanTimes({ clusters, area_rounds }: Surveys, rounds: readonly number[]): number[] {
  const times = rounds.map((year) => {
    const clustersOfRound = clusters.filter(({ survey_year }) => survey_year === year);
    const roundResults =
      clustersOfRound.length > 0
        ? clustersOfRound
        : area_rounds.filter(({ survey_year }) => survey_year === year).map((round) => ({ ...round, examined: 1 }));
    const examined = roundResults.reduce((sum, survey) => sum + survey.examined, 0);
    return roundResults.reduce((sum, survey) => sum + survey.examined * midMonth(survey.period), 0) / examined;
  });
  const firstOutOfOrder = times.findIndex((time, r) => r > 0 && !(time > times[r - 1]!));
  if (firstOutOfOrder === -1) return times;
  const [round, previous] = [firstOutOfOrder, firstOutOfOrder - 1].map((r) => ({
    year: rounds[r]!,
    time: times[r]!.toFixed(2),
  }));
  throw new RangeError(
    `round ${round!.year} has its mean fieldwork at ${round!.time}, ` +
      `expected later than round ${previous!.year} at ${previous!.time}`,
  );
}

const latestPeriod = (periods: readonly Period[]): Period =>
  periods.reduce((last, period) => (period > last ? period : last));

/** The same input with only the named covariates. */
export function withCovariates(prepared: PreparedRisk, names: readonly string[]): PreparedRisk {
  const { cells } = prepared.mesh;
  const { covariates, ...selected } = selectFeatures({ ...cells, covariates: prepared.covariates }, names);
  return { ...prepared, covariates, mesh: { ...prepared.mesh, cells: { ...cells, ...selected } } };
}

/** Share of the children examined in each month of the year. */
function fieldworkShares(observations: readonly SurveyObservation[], periods: readonly Period[]): number[] {
  const children = new Array<number>(12).fill(0);
  observations.forEach(({ risk }, i) => {
    children[calendarMonth(periods[i]!) - 1]! += risk.examined;
  });
  const total = children.reduce((a, b) => a + b, 0);
  return children.map((n) => n / total);
}

/** A cluster's id, prefixed with its round if another round has the same id, since every survey numbers from 1. */
function clusterNamer(clusters: readonly Cluster[]): (cluster: Cluster) => string {
  const clustersById = Map.groupBy(clusters, ({ cluster_id }) => cluster_id);
  return (cluster) =>
    clustersById.get(cluster.cluster_id)!.length > 1
      ? `${cluster.survey_year} ${cluster.cluster_id}`
      : cluster.cluster_id;
}

function positionByCode(index: Map<string, number>, code: string): number {
  const position = index.get(code);
  if (position === undefined) throw new RangeError(`area ${code} is not among the ${index.size} known`);
  return position;
}
