import type { StageIo } from '../../catalog/country-stage.ts';
import type { Method } from '../../catalog/values.ts';
import { calendarMonth, monthIndex, type Period } from '../../contract/months.ts';
import type { Areas, Cluster, StateRound, Surveys } from '../../ingest/ingest-tables.ts';
import * as ingest from '../../ingest/ingest-tables.ts';
import { readAreas, readSurveys } from '../../ingest/read-areas.ts';
import { mean } from '../../lib/numerics/averages.ts';
import { assertTested } from '../../lib/numerics/beta-binomial.ts';
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
import { findSurroundings } from './displacement.ts';
import type { RiskObservation } from './likelihood.ts';
import { createMesh, type Mesh, RESOLUTION } from './mesh.ts';
import { type VaryingCovariate, valuesIn, varyingCovariates } from './varying.ts';

export interface RiskInputs {
  areas: Areas;
  cells: PredictionCells;
  /** Covariates of the catalog that do not vary over time. */
  covariates: CellCovariate[];
  /** Covariates of the catalog that do. */
  varying?: VaryingCovariate[];
  surveys: Surveys;
  /** The score's diagnostic method; an offset is estimated for rows by another. */
  test: Method;
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
  /** There is no index: `season` is 1 in every month, and the error is that of any month relative to fieldwork's. */
  season_unknown?: boolean;
}

/** Error of the index if fewer than three states have case records to measure it; Nigeria's twelve give about 0.1. */
const USUAL_SEASON_ERROR = 0.15;

/** Root mean square error of the index in states left out of its fit, as a share of the peak. */
function seasonError(check: readonly SeasonCheckRow[]): number {
  return check.length < 3 ? USUAL_SEASON_ERROR : Math.sqrt(mean(check.map(({ index_error }) => index_error ** 2)));
}

/** The model's inputs, from the artifacts that a stage reads. */
export function readInputs(io: StageIo): RiskInputs {
  const { state_only_effective_size, covariates = [] } = io.model.parameters.risk;
  const { season_unknown } = io.model.parameters.risk;
  const cells = io.columns(zonal.CELLS);
  const areas = readAreas(io);
  const index = valuesByCode(io.table(season.LGAS), 'lga_code', 'seasonal_index');
  const unknown = Object.keys(index).length === 0;
  const even = Object.fromEntries(areas.lgas.map(({ lga_code }) => [lga_code, new Array<number>(12).fill(1)]));
  return {
    areas,
    cells,
    covariates:
      covariates.length === 0
        ? []
        : cellCovariates(covariates, cells, io.table(ingest.COVARIATES), io.table(zonal.COVARIATES)),
    varying:
      covariates.length === 0
        ? []
        : varyingCovariates(covariates, areas.lgas, cells, [
            ...io.table(ingest.COVARIATES),
            ...io.table(zonal.DATED_COVARIATES),
          ]),
    surveys: readSurveys(io),
    test: [io.model.parameters.survey.method].flat()[0]!,
    season: unknown ? even : index,
    season_unknown: unknown,
    state_only_effective_size,
    season_error: unknown ? season_unknown!.sd : seasonError(io.artifact<SeasonCheckRow[]>('season/check')),
  };
}

/** Names of the covariates that the catalog adds. */
export const addedCovariates = ({ covariates, varying = [] }: RiskInputs): string[] =>
  [...covariates, ...varying].map(({ name }) => name);

/** An observation in the forms that the model, the baseline and cross-validation need. */
export interface Observed {
  risk: RiskObservation;
  baseline: BaselineObservation;
  /** LGA that contains (most of) the place; null if only the state is known. */
  lga_code: string | null;
}

export interface PreparedRisk {
  /** The score's diagnostic method. */
  test: Method;
  mesh: Mesh;
  /** Survey years and their mean times in years, ascending. */
  rounds: number[];
  times: number[];
  observed: Observed[];
  /** ln of the seasonal index of each LGA, by month 1-12 at `month - 1`. */
  log_season: Float64Array[];
  /** The feature columns of each covariate; none for those in `varying`. */
  covariates: Features['covariates'];
  varying: VaryingCovariate[];
  /** Share of the children examined in each month of the year, January first. */
  fieldwork: number[];
  /** The last month of each round's fieldwork; for a round published by state only, its middle month. */
  fieldwork_ends: Period[];
  season_error: number;
}

/** Floor of the seasonal index, since a month without any expected cases would have no logarithm. */
export const LEAST_INDEX = 0.01;

/** The middle of a month, in years: 2018-01 is 2018 + 1/24. */
export function midMonth(period: Period): number {
  return (monthIndex(period) + 0.5) / 12;
}

/**
 * Joins surveys, cells and season into the input of both models. Every LGA needs cells and a season.
 *
 * A displaced cluster that is neither urban nor rural is treated as rural, which has the larger displacement.
 * @throws RangeError if a survey's place is unknown, a count is invalid, an LGA has no cells or season, there are no
 *   surveys, or a round's fieldwork does not follow that of the previous round
 */
export function prepareRisk(inputs: RiskInputs): PreparedRisk {
  const { test, areas, cells, surveys, season_error, varying = [] } = inputs;
  const lgaIndex = new Map(areas.lgas.map((lga, a) => [lga.lga_code, a]));
  const states = areas.states.map(({ state_code }) => state_code);
  const stateIndex = new Map(states.map((code, s) => [code, s]));
  const stateByLga = Int32Array.from(areas.lgas, (lga) => lookUp(stateIndex, lga.state_code));
  const { features, feature_count, covariates } = riskFeatures(cells, inputs.covariates);
  const riskCells = {
    lga: Int32Array.from(cells.lga_code, (code) => lookUp(lgaIndex, code)),
    longitude: cells.longitude,
    latitude: cells.latitude,
    population: cells.population,
    density: cells.population_density,
    features,
    feature_count,
  };
  const mesh = createMesh(riskCells, stateByLga, states.length, RESOLUTION);
  const log_season = Array.from({ length: 12 }, (_, m) =>
    Float64Array.from(areas.lgas, ({ lga_code }) => {
      const index = inputs.season[lga_code]?.[m];
      if (index === undefined) throw new RangeError(`area ${lga_code} has no seasonal index for month ${m + 1}`);
      return Math.log(Math.max(index, LEAST_INDEX));
    }),
  );

  const rounds = [...surveys.clusters, ...surveys.state_rounds].map(({ survey_year }) => survey_year);
  const years = [...new Set(rounds)].sort((a, b) => a - b);
  if (years.length === 0) throw new RangeError('no survey observations, expected at least one');
  const weighted = (cs: number[]) => {
    const total = cs.reduce((sum, c) => sum + cells.population[c]!, 0);
    return { cells: Int32Array.from(cs), weights: Float64Array.from(cs, (c) => cells.population[c]! / total) };
  };
  const ofLga = (a: number) =>
    weighted(Array.from({ length: mesh.first_cell[a + 1]! - mesh.first_cell[a]! }, (_, i) => mesh.first_cell[a]! + i));
  const ofState = (s: number) =>
    weighted(Array.from(riskCells.lga.keys()).filter((c) => stateByLga[riskCells.lga[c]!] === s));
  const surroundings = findSurroundings(riskCells);
  const clusterName = clusterNames(surveys.clusters);

  const clusterCells = (cluster: Cluster) => {
    const lga = cluster.lga_code === null ? null : lookUp(lgaIndex, cluster.lga_code);
    if (cluster.longitude !== null && cluster.latitude !== null) {
      const reach_km = !cluster.displaced ? 0 : cluster.urban ? 2 : 5;
      return surroundings(cluster.longitude, cluster.latitude, lga, reach_km, `cluster ${clusterName(cluster)}`);
    }
    return lga === null ? ofState(lookUp(stateIndex, cluster.state_code)) : ofLga(lga);
  };
  const observe = (
    name: string,
    survey: (Cluster | StateRound) & { examined: number },
    at: { cells: Int32Array; weights: Float64Array },
    clustered: boolean,
  ): Observed => {
    const tested = { examined: survey.examined, positive: survey.positivity * survey.examined };
    assertTested(tested, clustered ? `cluster ${name}` : name);
    const season = log_season[calendarMonth(survey.period) - 1]!;
    const usual = at.cells.reduce((sum, c, k) => sum + at.weights[k]! * season[riskCells.lga[c]!]!, 0);
    const heaviest = at.cells[at.weights.indexOf(Math.max(...at.weights))]!;
    const placed = 'cluster_id' in survey && (survey.lga_code !== null || survey.longitude !== null);
    return {
      lga_code: placed ? cells.lga_code[heaviest]! : null,
      risk: {
        name,
        round: years.indexOf(survey.survey_year),
        log_season: season,
        varying: varying.map((covariate) => valuesIn(covariate, survey.period)),
        clustered,
        other_test: survey.method !== test,
        ...at,
        ...tested,
      },
      baseline: {
        state_code: survey.state_code,
        survey_year: survey.survey_year,
        log_season: usual,
        clustered,
        ...tested,
      },
    };
  };
  const clusters = surveys.clusters.map((cluster) =>
    observe(clusterName(cluster), cluster, clusterCells(cluster), true),
  );
  const stateOnly = surveys.state_rounds.map((round) =>
    observe(
      `${round.survey_year} ${round.state_code}`,
      { ...round, examined: inputs.state_only_effective_size },
      ofState(lookUp(stateIndex, round.state_code)),
      false,
    ),
  );
  const times = years.map((year) => {
    const own = surveys.clusters.filter((cluster) => cluster.survey_year === year);
    const dated =
      own.length > 0
        ? own
        : surveys.state_rounds
            .filter((round) => round.survey_year === year)
            .map((round) => ({ ...round, examined: 1 }));
    const examined = dated.reduce((sum, survey) => sum + survey.examined, 0);
    return dated.reduce((sum, survey) => sum + survey.examined * midMonth(survey.period), 0) / examined;
  });
  const late = times.findIndex((time, r) => r > 0 && !(time > times[r - 1]!));
  if (late !== -1)
    throw new RangeError(
      `round ${years[late]} has its mean fieldwork at ${times[late]!.toFixed(2)}, expected later than round ${years[late - 1]} at ${times[late - 1]!.toFixed(2)}`,
    );
  const observed = [...clusters, ...stateOnly];
  const periods = [...surveys.clusters, ...surveys.state_rounds].map(({ period }) => period);
  // without a season there is nothing that the months of fieldwork could pin down
  const fieldwork = inputs.season_unknown ? new Array<number>(12).fill(0) : fieldworkEnds(observed, periods);
  const fieldwork_ends = years.map((_, r) =>
    periods.filter((_, i) => observed[i]!.risk.round === r).reduce((last, period) => (period > last ? period : last)),
  );
  return {
    test,
    mesh,
    rounds: years,
    times,
    observed,
    log_season,
    fieldwork,
    fieldwork_ends,
    season_error,
    varying,
    covariates: [...covariates, ...varying.map(({ name }) => ({ name, columns: [] }))],
  };
}

/** The same input with only the named covariates. */
export function withCovariates(prepared: PreparedRisk, names: readonly string[]): PreparedRisk {
  const { cells } = prepared.mesh;
  const { covariates, ...selected } = selectFeatures({ ...cells, covariates: prepared.covariates }, names);
  const kept = prepared.varying.map(({ name }) => names.includes(name));
  return {
    ...prepared,
    covariates,
    mesh: { ...prepared.mesh, cells: { ...cells, ...selected } },
    varying: prepared.varying.filter((_, k) => kept[k]),
    observed: prepared.observed.map((observation) => ({
      ...observation,
      risk: { ...observation.risk, varying: observation.risk.varying!.filter((_, k) => kept[k]) },
    })),
  };
}

function fieldworkEnds(observed: readonly Observed[], periods: readonly Period[]): number[] {
  const children = new Array<number>(12).fill(0);
  observed.forEach(({ risk }, i) => {
    children[calendarMonth(periods[i]!) - 1]! += risk.examined;
  });
  const total = children.reduce((a, b) => a + b, 0);
  return children.map((n) => n / total);
}

/** A cluster's id, prefixed with its round if another round has the same id, since every survey numbers from 1. */
function clusterNames(clusters: readonly Cluster[]): (cluster: Cluster) => string {
  const rounds = Map.groupBy(clusters, ({ cluster_id }) => cluster_id);
  return (cluster) =>
    rounds.get(cluster.cluster_id)!.length > 1 ? `${cluster.survey_year} ${cluster.cluster_id}` : cluster.cluster_id;
}

function lookUp(index: Map<string, number>, code: string): number {
  const at = index.get(code);
  if (at === undefined) throw new RangeError(`area ${code} is not among the ${index.size} known`);
  return at;
}
