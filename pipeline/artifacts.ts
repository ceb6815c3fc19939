/**
 * The artifacts that stages pass on, as the cache stores them: relational data as Parquet tables, each declared in the
 * `tables.ts` of its stage; the rest as plain JSON. From here on all codes are the project's own (`state_code` and
 * `lga_code`, as `territory` in model.json describes them). Missing values are null, and nothing is rounded.
 */

import type { AreaGeometry } from './contract/schemas.ts';
import * as ingest from './ingest/ingest-tables.ts';
import type { ColumnsOf, RowOf } from './lib/tables/table.ts';
import * as boundaries from './measure/boundaries/boundaries-tables.ts';
import * as context from './measure/context/context-tables.ts';
import * as zonal from './measure/zonal/zonal-tables.ts';
import * as forecast from './model/forecast/forecast-tables.ts';
import * as risk from './model/risk/risk-tables.ts';
import * as season from './model/season/season-tables.ts';
import * as survey from './model/survey/survey-tables.ts';

/** The artifacts that are tables, by full name. */
export const ARTIFACT_TABLES = {
  'ingest/states': ingest.STATES,
  'ingest/lgas': ingest.LGAS,
  'ingest/other_names': ingest.OTHER_NAMES,
  'ingest/climate': ingest.CLIMATE,
  'ingest/clusters': ingest.CLUSTERS,
  'ingest/state_rounds': ingest.STATE_ROUNDS,
  'ingest/cases': ingest.CASES,
  'ingest/census': ingest.CENSUS,
  'ingest/layers': ingest.LAYERS,
  'ingest/covariates': ingest.COVARIATES,
  'boundaries/areas_km2': boundaries.AREAS_KM2,
  'zonal/lgas': zonal.LGAS,
  'zonal/cells': zonal.CELLS,
  'zonal/climate': ingest.CLIMATE,
  'zonal/covariates': zonal.COVARIATES,
  'zonal/dated_covariates': ingest.COVARIATES,
  'context/lgas': context.LGAS,
  'context/states': context.STATES,
  'survey/trend': survey.TREND,
  'season/national': season.NATIONAL,
  'season/states': season.STATES,
  'season/lgas': season.LGAS,
  'season/rain': season.RAIN,
  'season/windows': season.WINDOWS,
  'link/shift': forecast.SHIFT,
  'risk/lgas': risk.LGAS,
  'risk/states': risk.STATES,
  'risk/baseline': risk.LGAS,
  'risk/probabilities': risk.PROBABILITIES,
  'risk/changes': risk.CHANGES,
  'forecast/cases': forecast.CASES,
  'backtest/skill': forecast.SKILL,
  'backtest/stretch': forecast.STRETCH,
  'backtest/past': forecast.PAST,
};
export type ArtifactTables = typeof ARTIFACT_TABLES;

export type StateArea = RowOf<typeof ingest.STATES>;
export type LgaArea = RowOf<typeof ingest.LGAS>;
/** The country's areas, each list in ascending order of code. */
export interface Areas {
  states: StateArea[];
  lgas: LgaArea[];
}

/** Rings of [longitude, latitude]: the exterior ring first, then the holes; every ring is closed. */
export type Polygon = [number, number][][];
/** ingest/polygons: full-resolution outlines, in the order of `Areas.lgas`, and which LGAs share an edge. */
export interface Polygons {
  lgas: { lga_code: string; polygons: Polygon[] }[];
  neighbours: Record<string, string[]>;
}

/** One month of an LGA; the rows of an LGA are contiguous and in order of month. */
export type ClimateRow = RowOf<typeof ingest.CLIMATE>;
export type Cluster = RowOf<typeof ingest.CLUSTERS>;
export type StateRound = RowOf<typeof ingest.STATE_ROUNDS>;
export interface Surveys {
  clusters: Cluster[];
  state_rounds: StateRound[];
}
export type CasesRow = RowOf<typeof ingest.CASES>;
/** By LGA code; an LGA that the census table lacks is absent. */
export type Census = Record<string, Omit<RowOf<typeof ingest.CENSUS>, 'lga_code'>>;

export type ZonalRow = RowOf<typeof zonal.LGAS>;
export type PredictionCell = RowOf<typeof zonal.CELLS>;
export type PredictionCells = ColumnsOf<typeof zonal.CELLS>;

/** boundaries/outlines: simplified outlines for maps, in ascending order of code. */
export interface Outlines {
  lgas: { lga_code: string; geometry: AreaGeometry }[];
  states: { state_code: string; geometry: AreaGeometry }[];
}

export type SeasonWindow = RowOf<typeof season.WINDOWS>;
export type TrendRow = RowOf<typeof survey.TREND>;
/** Posterior mean and central 90% range of an area in a month. */
export type LgaScore = RowOf<typeof risk.LGAS>;
export type StateScore = RowOf<typeof risk.STATES>;

/**
 * risk/evidence: what the scores are based on. Models add fields of their own; these are the ones that the report
 * reads. If one is absent, the report leaves out the part that shows it.
 */
export interface RiskEvidence {
  /** Model whose scores are published: `baseline` or `spatial`. */
  model: string;
  /** The baseline's fit; `middle` is the middle month of the round's fieldwork. */
  baseline?: { rounds: { survey_year: number; middle: string }[] };
  /** The spatial model's fit: hyperparameters on the scale they were searched on. */
  spatial?: { hyperparameters: { name: string; scale: string; mean: number; sd: number }[] } | null;
}
export type RiskModel = 'spatial' | 'baseline';
/** Models that are scored on held-out cells; the national mean of the round is never published. */
export type ScoredModel = RiskModel | 'national';
/** A mean over equally weighted folds, and its standard error (null for a single fold). */
export interface OverFolds {
  mean: number;
  standard_error: number | null;
}
/** Scores of a risk model on held-out survey cells. */
export interface HeldOutScores {
  model: ScoredModel;
  /** null: all rounds. */
  survey_year: number | null;
  cells: number;
  /** ln of the predictive density, higher is better. */
  log_score: OverFolds;
  /** Continuous ranked probability score of the observed share, lower is better. */
  crps: OverFolds;
  /** Error of the posterior mean against the observed share, weighted by children examined. */
  mean_absolute_error: OverFolds;
  /** Between posterior mean and observed share over all cells, weighted by children examined. */
  correlation: number;
  /** Share of cells whose randomised probability integral transform lies in the central 50, 80, 90 and 95%. */
  coverage: { level: number; share: number }[];
}
/** Score with a covariate minus score without it, on held-out cells: better if log_score is above 0, crps below 0. */
export interface CovariateEffect {
  covariate: string;
  folds: number;
  log_score: OverFolds;
  crps: OverFolds;
}
/** validation/scores: the risk models' scores on spatial blocks of LGAs held out of each fit; null if none can be. */
export interface Validation {
  /** The model that the published scores come from. */
  score: RiskModel;
  /** The model with the better log score, if the difference over folds is significant (95%); otherwise null. */
  better: RiskModel | null;
  /** A sentence that states both, and the size of the difference. */
  words: string;
  folds: { fold: number; cells: number; children_examined: number }[];
  /** Side of the blocks that folds are made of, degrees. */
  block_degrees: number;
  /** Each model: all rounds, then round by round. */
  scores: HeldOutScores[];
  /** Spatial minus baseline, paired by fold: above 0 the spatial model has the higher log score, crps or error. */
  difference: { log_score: OverFolds; crps: OverFolds; mean_absolute_error: OverFolds };
  /** For each covariate that the catalog adds: the spatial model's scores with all of them minus those without it. */
  covariates: CovariateEffect[];
  /** Cells by randomised probability integral transform, in ten bins from 0 to 1: uniform if the ranges are right. */
  pit: { model: ScoredModel; cells: number[] }[];
  /** Cells in ten groups of ascending prediction; shares weighted by children examined. */
  calibration: { model: ScoredModel; groups: { cells: number; predicted: number; observed: number }[] }[];
}

/** A finding for the build report: a gap filled, a row dropped, a rule applied. */
export interface ReportLine {
  source: string;
  rule: string;
  what: string;
  /** Publishing the first version with this finding requires a reason (`publish --approve`). */
  needs_approval?: true;
}
