/**
 * What the stages hand on, as it lies in the cache: plain JSON, rows as objects for small tables and columns for large
 * ones. Codes are the project's own from here on (`state_code` two letters, `lga_code` the p-code). Lists of areas are
 * in ascending order of code, always all of them. Missing figures are null.
 */
import type { Period } from './contract/months.ts';
import type { AreaGeometry, ZoneCode } from './contract/schemas.ts';

export interface StateArea {
  state_code: string;
  state_pcode: string;
  state: string;
  zone: ZoneCode;
}
export interface LgaArea {
  lga_code: string;
  lga: string;
  state_code: string;
}
/** ingest/areas: the 37 states and 774 LGAs. */
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

/** ingest/climate or zonal/climate: by LGA (in `Areas.lgas`' order), one value a month from `first`; mm and °C. */
export interface Climate {
  first: Period;
  months: number;
  rain_mm: Record<string, number[]>;
  /** null where the country has none. */
  temperature_c: Record<string, number[]> | null;
}

/** One survey cluster, or what stands for one. */
export interface Cluster {
  cluster_id: string;
  survey_year: number;
  period: Period;
  state_code: string;
  lga_code: string | null;
  longitude: number | null;
  latitude: number | null;
  /** Whether the coordinates are displaced, as DHS does it. */
  displaced: boolean;
  urban: boolean | null;
  /** Children tested; the sampling weight where the survey gives one multiplies it in ratio estimates. */
  examined: number;
  positivity: number;
  weight: number;
}
/** A round that is known by state only. */
export interface StateRound {
  survey_year: number;
  /** The middle month of fieldwork. */
  period: Period;
  state_code: string;
  positivity: number;
}
/** ingest/surveys: one diagnostic method only. */
export interface Surveys {
  method: string;
  clusters: Cluster[];
  state_rounds: StateRound[];
}

/** Monthly confirmed cases of one place, one value a month from `first`; null where nothing was reported. */
export interface CaseSeries {
  state_code: string;
  lga_code: string | null;
  first: Period;
  confirmed: (number | null)[];
  /** Months to leave out of fits, by index into `confirmed`. */
  masked: number[];
}
/** ingest/cases: by state (for the transmission model) and by LGA (for the season's check). */
export interface Cases {
  states: CaseSeries[];
  lgas: CaseSeries[];
}

/** ingest/census: people and children 0-4 by LGA; null where the table has no row. */
export type Census = Record<string, { people: number; children_0_4: number } | null>;

/** ingest/layers: context figures that came as tables, as shares 0-1 or minutes; by LGA code (state values spread). */
export type Layers = Record<string, Record<string, number | null>>;

/** zonal/lgas: figures from rasters, one row an LGA in `Areas.lgas`' order. */
export interface ZonalRow {
  lga_code: string;
  /** Σ share × persons, not rounded. */
  population: number;
  /** People living in urban centres as GHS-DEGURBA defines them. */
  urban_population: number;
  elevation_m: number | null;
  /** Population-weighted means of the raster layers, by figure. */
  layers: Record<string, number | null>;
}

/**
 * zonal/cells: population cells pooled to about 5 km, split by LGA; equal-length columns. Coordinates are the
 * population's centre in the cell, density is persons per km² of the pooled cell's inhabited ground.
 */
export interface PredictionCells {
  lga_code: string[];
  longitude: number[];
  latitude: number[];
  population: number[];
  population_density: number[];
  urban_share: number[];
  elevation_m: (number | null)[];
}

/** boundaries/outlines: simplified outlines for maps, in ascending order of code. */
export interface Outlines {
  lgas: { lga_code: string; geometry: AreaGeometry }[];
  states: { state_code: string; geometry: AreaGeometry }[];
}

/** context/lgas and context/states: figures of the context, not rounded; population is a whole number. */
export interface ContextFigures {
  population: number;
  area_km2: number;
  itn_use: number | null;
  itn_access: number | null;
  irs_coverage: number | null;
  effective_treatment: number | null;
  travel_minutes_to_care: number | null;
  response_index: number | null;
}
export type ContextByLga = ({ lga_code: string; is_urban: boolean } & ContextFigures)[];
export type ContextByState = ({ state_code: string; lgas: number } & ContextFigures)[];

/** survey/trend: design-based positivity per round. */
export interface TrendRow {
  survey_year: number;
  positivity: number;
  low: number | null;
  high: number | null;
  clusters: number | null;
  children_tested: number | null;
  small_sample: boolean;
}
export interface Trend {
  national: (TrendRow & { urban: number | null; rural: number | null })[];
  states: Record<string, TrendRow[]>;
}

/**
 * risk/lgas, risk/states and, of LGAs, risk/baseline: posterior mean and central 90% range per area, one value a month
 * of `periods`.
 */
export interface Scores {
  /** Estimated months, then the forecast months. */
  periods: Period[];
  areas: Record<string, { score: number[]; score_low: number[]; score_high: number[] }>;
}

/**
 * risk/evidence: what the scores rest on. A model adds fields of its own; these are what the report reads. Whatever is
 * absent is left unsaid there.
 */
export interface RiskEvidence {
  /** Model whose scores are shipped: `baseline` or `spatial`. */
  model: string;
  /** The baseline's fit; `middle` is the middle month of the round's fieldwork. */
  baseline?: { rounds: { survey_year: number; middle: Period }[] };
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
  /** Nothing that says so is published for the first time without somebody's reason (`publish --approve`). */
  needs_approval?: true;
}
