/**
 * How the risk model met the truth of made-up countries: `known-truth.json`, written by `malaria-risk score-truth
 * --record` and by nothing else. Ten countries take minutes, so that a build shows the record and does not make it anew.
 */
import { readFileSync } from 'node:fs';
import { codeOf } from '../engine/code.ts';
import { sha256Json } from '../engine/hash.ts';
import type { TruthScore } from './truth-scores.ts';

export interface TruthRow extends TruthScore {
  kind: 'estimated' | 'forecast';
}
/** The record as it lies on disk. */
export interface TruthRecord {
  /** `modelFingerprint` when it was measured. */
  model_code: string;
  seeds: number[];
  /** Estimated and forecast months of all countries together. */
  all: TruthRow[];
  /** Each country's. */
  countries: (TruthRow & { seed: number })[];
}
/** The record, and whether it was measured with the model as it now is. */
export interface KnownTruth extends TruthRecord {
  of_this_code: boolean;
}

export const TRUTH_FILE = new URL('./known-truth.json', import.meta.url);

/** Hash of the risk stage and its formulas, comments and indentation aside: of what it imports from risk/ and numerics/. */
export function modelFingerprint(): string {
  const files = Object.entries(codeOf('pipeline/risk/stage.ts').files);
  return sha256Json(files.filter(([file]) => /^pipeline\/(risk|numerics)\//.test(file)));
}

export function readKnownTruth(): KnownTruth {
  const record: TruthRecord = JSON.parse(readFileSync(TRUTH_FILE, 'utf8'));
  return { ...record, of_this_code: record.model_code === modelFingerprint() };
}
