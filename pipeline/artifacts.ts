/**
 * What the stages hand on, as it lies in the cache: what is relational as Parquet tables, each declared in the
 * `tables.ts` of its stage; the rest as plain JSON. Codes are the project's own from here on (`state_code` and
 * `lga_code` as `territory` in model.json says). Missing figures are null, and nothing is rounded.
 */
import * as boundaries from './boundaries/tables.ts';
import * as context from './context/tables.ts';
import type { AreaGeometry } from './contract/schemas.ts';
import * as forecast from './forecast/tables.ts';
import * as ingest from './ingest/tables.ts';
import * as risk from './risk/tables.ts';
import * as season from './season/tables.ts';
import * as survey from './survey/tables.ts';
import type { ColumnsOf, RowOf } from './table.ts';
import * as zonal from './zonal/tables.ts';

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

/** Rings of [longitude, latitude], first the shell, then its holes; each ring closed. */
export type Polygon = [number, number][][];
/** ingest/polygons: full-resolution outlines, one entry an LGA in `Areas.lgas`' order; and LGAs that share an edge. */
export interface Polygons {
  lgas: { lga_code: string; polygons: Polygon[] }[];
  neighbours: Record<string, string[]>;
}

/** A month of an LGA; its months lie together, from the first to the last. */
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
 * risk/evidence: what the scores rest on. A model adds fields of its own; these are what the report reads. Whatever is
 * absent is left unsaid there.
 */
export interface RiskEvidence {
  /** Model whose scores are shipped: `baseline` or `spatial`. */
  model: string;
  /** The baseline's fit; `middle` is the middle month of the round's fieldwork. */
  baseline?: { rounds: { survey_year: number; middle: string }[] };
  /** The spatial model's fit: hyperparameters on the scale they were searched on. */
  spatial?: { hyperparameters: { name: string; scale: string; mean: number; sd: number }[] } | null;
}
export type RiskModel = 'spatial' | 'baseline';
/** Models that are scored on held-out cells; the national mean of the round is never published. */
export type ScoredModel = RiskModel | 'national';
/** A mean over folds, each fold weighing the same, and its standard error over them (null for a single fold). */
export interface OverFolds {
  mean: number;
  standard_error: number | null;
}
/** How a risk model did on cells of surveys that it had not seen. */
export interface HeldOutScores {
  model: ScoredModel;
  /** null: all rounds. */
  survey_year: number | null;
  cells: number;
  /** ln of the predictive density, higher is better. */
  log_score: OverFolds;
  /** Continuous ranked probability score of the observed share, lower is better. */
  crps: OverFolds;
  /** Of the posterior mean from the observed share, weighted by children examined. */
  mean_absolute_error: OverFolds;
  /** Of posterior mean and observed share, weighted by children examined, over all cells. */
  correlation: number;
  /** Share of cells whose randomised probability integral transform lies in the central 50, 80, 90 and 95%. */
  coverage: { level: number; share: number }[];
}
/** With a covariate less without it, on held-out cells: above 0 the log score is better, below 0 the CRPS. */
export interface CovariateEffect {
  covariate: string;
  folds: number;
  log_score: OverFolds;
  crps: OverFolds;
}
/** validation/scores: the risk models on spatial blocks of LGAs that each was fitted without; null where none can be. */
export interface Validation {
  /** Which model the published scores come from. */
  score: RiskModel;
  /** Which has the better log score, by more than chance between folds explains (95%); null where that is open. */
  better: RiskModel | null;
  /** Both of these, and by how much, in a sentence. */
  words: string;
  folds: { fold: number; cells: number; children_examined: number }[];
  /** Side of the blocks that folds are made of, degrees. */
  block_degrees: number;
  /** Each model: all rounds, then round by round. */
  scores: HeldOutScores[];
  /** Spatial minus baseline, paired by fold: above 0 the spatial model has the higher log score, crps or error. */
  difference: { log_score: OverFolds; crps: OverFolds; mean_absolute_error: OverFolds };
  /** Of each covariate that the catalog adds: the spatial model's scores with all, less those without this one. */
  covariates: CovariateEffect[];
  /** Cells by randomised probability integral transform in ten bins from 0 to 1: even where ranges are right. */
  pit: { model: ScoredModel; cells: number[] }[];
  /** Cells in ten groups of ascending prediction; shares weighted by children examined. */
  calibration: { model: ScoredModel; groups: { cells: number; predicted: number; observed: number }[] }[];
}

/** A finding for the build report: a gap filled, a row dropped, a rule applied. */
export interface ReportLine {
  source: string;
  rule: string;
  what: string;
  /** The first version with this finding takes a reason to be published (`publish --approve`). */
  needs_approval?: true;
}
