import {
  area,
  changes,
  changes_since_survey,
  code,
  lga_code,
  period,
  probabilities,
  scores,
  state_code,
} from '../../contract/fields.ts';
import { real, type TableRow, whole } from '../../lib/tables/table.ts';

export const LGAS = {
  name: 'risk/lgas',
  row: '{A.lga} in a month, estimated or forecast',
  columns: { lga_code, period, ...scores },
};
export const STATES = {
  name: 'risk/states',
  row: '{A.state} in a month, estimated or forecast',
  columns: { state_code, period, ...scores },
};

export const PROBABILITIES = {
  name: 'risk/probabilities',
  row: 'An area in an estimated or forecast month: how certain its level and rank are, given the model and all surveys',
  columns: { area, code, period, ...probabilities },
};
export const CHANGES = {
  name: 'risk/changes',
  row: 'An area in an estimated or forecast month that has a score a year before: change, and how certain it is',
  columns: { area, code, period, ...changes, ...changes_since_survey },
};

export const CONTRASTS = {
  name: 'risk/contrasts',
  row: 'An area in an estimated or forecast month and an earlier year: how certain the change since its same month is',
  columns: {
    area,
    code,
    period,
    years_before: whole('Years before', { minimum: 1 }),
    change_sd: real('Posterior standard deviation of the change of the true share since then', { minimum: 0 }),
  },
};

/** risk/joint: what takes draws of several areas that belong together; empty without the spatial model. */
export interface JointRisk {
  /** The population-weighted mean of all LGAs by month, and its changes from the same month some years before. */
  nation: {
    score: number;
    low: number;
    high: number;
    changes: { years: number; change: number; low: number; high: number; chance: number }[];
  }[];
  /** The share of children who would test positive in the last estimated month: draws by code of the LGA. */
  lga_draws: Record<string, number[]>;
}

/** Posterior mean and central 90% range of an area in a month. */
export type LgaScore = TableRow<typeof LGAS>;
export type StateScore = TableRow<typeof STATES>;

/**
 * risk/evidence: what the scores are based on. Models add fields of their own; these are the ones that the report
 * reads. If one is absent, the report leaves out the part that shows it.
 */
export interface RiskEvidence {
  /** Model whose scores are published: `baseline` or `spatial`; null if there are none. */
  model: string | null;
  /** The baseline's fit; `middle` is the middle month of the round's fieldwork. */
  baseline?: { rounds: { survey_year: number; middle: string }[] };
  /** The spatial model's fit: hyperparameters on the scale they were searched on. */
  spatial?: { hyperparameters: { name: string; scale: string; mean: number; sd: number }[] } | null;
}
export type RiskModel = 'spatial' | 'baseline';
