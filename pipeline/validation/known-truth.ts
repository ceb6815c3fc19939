/**
 * How well the risk model recovered the truth of made-up countries: `known-truth.json`, which only `malaria-risk
 * score-truth` writes: `--record` all of it, `--confirm` that a change of code leaves it as it is. Sixty countries take an
 * hour, so a build shows the record and does not recompute it.
 */
import { readFileSync } from 'node:fs';
import { codeOf } from '../engine/code.ts';
import { sha256Json } from '../engine/hash.ts';
import { UsageError } from '../errors.ts';
import type { TruthFamily } from '../synthetic/families.ts';
import type { Calibration } from './calibration.ts';
import type { GroupScore } from './compare-truth.ts';

/** The record on disk. */
export interface TruthRecord {
  /** `modelFingerprint` when it was measured, or when it was last confirmed. */
  model_code: string;
  /** Countries that code newer than the measurement scores as recorded, such as `trend-2`; empty: nothing is newer. */
  confirmed_on: string[];
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

/** Half of the last decimal in which figures of the record are told: what sums in another order may move. */
const ALIKE = 5e-4;

/**
 * The record as one of the code as it is now, after some of its countries were scored again.
 * @throws UsageError naming a country that the record lacks or that scores otherwise
 */
export function confirmRecord(record: TruthRecord, again: TruthRecord['countries'], model_code: string): TruthRecord {
  for (const row of again) {
    const { truth, seed, group } = row;
    const recorded = record.countries.find((one) => one.truth === truth && one.seed === seed && one.group === group);
    if (!recorded || !Object.entries(row).every(([name, value]) => alike(value, recorded[name as keyof typeof row])))
      throw new UsageError(
        `${truth}, seed ${seed}, ${group}: ${found(row)}, the record has ${recorded ? found(recorded) : 'nothing'}`,
      );
  }
  return { ...record, model_code, confirmed_on: [...new Set(again.map(({ truth, seed }) => `${truth}-${seed}`))] };
}

const alike = (now: unknown, recorded: unknown) =>
  typeof now === 'number' && typeof recorded === 'number' ? Math.abs(now - recorded) <= ALIKE : now === recorded;

const found = ({ bias, rmse, coverage_90 }: GroupScore) => `bias ${bias}, rmse ${rmse}, coverage_90 ${coverage_90}`;

/** The record as JSON, a row a line. */
export function truthRecordText(record: TruthRecord): string {
  const { model_code, confirmed_on, seeds, pooled, countries, calibration } = record;
  const lines = (rows: readonly object[]) => `[\n${rows.map((row) => `    ${JSON.stringify(row)}`).join(',\n')}\n  ]`;
  return `{
  "model_code": ${JSON.stringify(model_code)},
  "confirmed_on": ${JSON.stringify(confirmed_on)},
  "seeds": ${JSON.stringify(seeds)},
  "pooled": ${lines(pooled)},
  "countries": ${lines(countries)},
  "calibration": ${lines(calibration)}
}
`;
}
