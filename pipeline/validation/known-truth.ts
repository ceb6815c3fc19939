/**
 * How well the risk model recovered the truth of made-up countries: `known-truth.json`, which only `malaria-risk
 * score-truth --record` writes. Sixty countries take an hour, so a build shows the record and does not recompute it.
 */
import { readFileSync } from 'node:fs';
import { codeOf } from '../engine/code.ts';
import { sha256Json } from '../engine/hash.ts';
import type { TruthFamily } from '../synthetic/families.ts';
import type { Calibration } from './calibration.ts';
import type { GroupScore } from './compare-truth.ts';

/** The record on disk. */
export interface TruthRecord {
  /** `modelFingerprint` when it was measured. */
  model_code: string;
  /** The same for every family. */
  seeds: number[];
  /** Each family's countries together, by all groupings. */
  pooled: (GroupScore & { truth: TruthFamily })[];
  /** Each country's estimated and forecast months. */
  countries: (GroupScore & { truth: TruthFamily; seed: number })[];
  /** Whether statements of a given probability were true as often; each family's countries together. */
  calibration: (Calibration & { truth: string })[];
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

/** The record as JSON, a row a line. */
export function truthRecordText({ model_code, seeds, pooled, countries, calibration }: TruthRecord): string {
  const lines = (rows: readonly object[]) => `[\n${rows.map((row) => `    ${JSON.stringify(row)}`).join(',\n')}\n  ]`;
  return `{
  "model_code": ${JSON.stringify(model_code)},
  "seeds": ${JSON.stringify(seeds)},
  "pooled": ${lines(pooled)},
  "countries": ${lines(countries)},
  "calibration": ${lines(calibration)}
}
`;
}
