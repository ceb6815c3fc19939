/**
 * How well the risk model recovered the truth of made-up countries: `known-truth.json`, which only `malaria-risk
 * score-truth --record` writes. Ten countries take minutes, so a build shows the record and does not recompute it.
 */
import { readFileSync } from 'node:fs';
import { codeOf } from '../engine/code.ts';
import { sha256Json } from '../engine/hash.ts';
import type { TruthScore } from './truth-scores.ts';

export interface TruthRow extends TruthScore {
  kind: 'estimated' | 'forecast';
}
/** The record on disk. */
export interface TruthRecord {
  /** `modelFingerprint` when it was measured. */
  model_code: string;
  seeds: number[];
  /** Estimated and forecast months of all countries together. */
  all: TruthRow[];
  /** Each country's. */
  countries: (TruthRow & { seed: number })[];
}
/** The record, and whether it was measured with the model as it is now. */
export interface KnownTruth extends TruthRecord {
  of_this_code: boolean;
}

export const TRUTH_FILE = new URL('./known-truth.json', import.meta.url);

/** Hash of the risk stage and what it imports from risk/ and numerics/, ignoring comments and indentation. */
export function modelFingerprint(): string {
  const files = Object.entries(codeOf('pipeline/risk/stage.ts').files);
  return sha256Json(files.filter(([file]) => /^pipeline\/(risk|numerics)\//.test(file)));
}

export function readKnownTruth(): KnownTruth {
  const record: TruthRecord = JSON.parse(readFileSync(TRUTH_FILE, 'utf8'));
  return { ...record, of_this_code: record.model_code === modelFingerprint() };
}
