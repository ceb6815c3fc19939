/** The artifact of the validation stage: the risk models' scores on survey cells that the fit has not seen. */
import type { RiskModel } from '../model/risk/risk-tables.ts';

/** Models that are scored on held-out cells; the national mean of the round is never published. */
export type ScoredModel = RiskModel | 'national';
/** A mean over equally weighted folds, and its standard error (null for a single fold). */
export interface FoldMean {
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
  log_score: FoldMean;
  /** Continuous ranked probability score of the observed share, lower is better. */
  crps: FoldMean;
  /** Error of the posterior mean against the observed share, weighted by children examined. */
  mean_absolute_error: FoldMean;
  /** Between posterior mean and observed share over all cells, weighted by children examined. */
  correlation: number;
  /** Share of cells whose randomised probability integral transform lies in the central 50, 80, 90 and 95%. */
  coverage: { level: number; share: number }[];
}
/** Results in a zone or state: cells, shares of children, and the share of cells within the 90% range. */
export interface PlaceScore {
  code: string;
  cells: number;
  predicted: number;
  observed: number;
  in_90: number;
}
/** Score with a covariate minus score without it, on held-out cells: better if log_score is above 0, crps below 0. */
export interface CovariateEffect {
  covariate: string;
  folds: number;
  log_score: FoldMean;
  crps: FoldMean;
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
  difference: { log_score: FoldMean; crps: FoldMean; mean_absolute_error: FoldMean };
  /** For each covariate that the catalog adds: the spatial model's scores with all of them minus those without it. */
  covariates: CovariateEffect[];
  /** Cells by randomised probability integral transform, in ten bins from 0 to 1: uniform if the ranges are right. */
  pit: { model: ScoredModel; cells: number[] }[];
  /** The published model by zone and by state, those whose ranges held least first; some countries have no zones. */
  zones: PlaceScore[];
  states: PlaceScore[];
  /** Cells in ten groups of ascending prediction; shares weighted by children examined. */
  calibration: { model: ScoredModel; groups: { cells: number; predicted: number; observed: number }[] }[];
}
