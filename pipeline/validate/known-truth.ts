/**
 * How well the risk model recovered the truth of made-up countries: `known-truth.json`, which only
 * `malaria-risk evaluate truth` writes, with `--record` (all of it) or `--confirm` (that a change of code does not
 * affect it). Sixty countries take an hour, so a build shows the record and does not recompute it.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { moduleCodeHashes } from '../engine/code-hashes.ts';
import { writeAtomic } from '../lib/atomic-write.ts';
import { UsageError } from '../lib/errors.ts';
import { sha256Json } from '../lib/hash.ts';
import type { TruthFamily } from '../synthetic/families.ts';
import type { Calibration } from './calibration.ts';
import type { GroupScore } from './compare-truth.ts';
import type { TruthSummary } from './evaluate-truth.ts';

/** The record on disk. */
export interface TruthRecord {
  /** `modelFingerprint` at the time of the measurement or its last confirmation. */
  model_code: string;
  /**
   * Countries, such as `trend-2`, on which later code was confirmed; empty if the measurement itself is by that code.
   */
  confirmed_on: string[];
  /** Seeds of the countries, the same for every family. */
  seeds: number[];
  /** Each family's countries together, by all groupings. */
  pooled: (GroupScore & { truth: TruthFamily })[];
  /** Each country's estimated and forecast months. */
  countries: (GroupScore & { truth: TruthFamily; seed: number })[];
  /** How often statements of a given probability were true; each family's countries together. */
  calibration: (Calibration & { truth: string })[];
}
/** The record, and whether it is for the present code of the model. */
export interface KnownTruth extends TruthRecord {
  of_this_code: boolean;
}

const TRUTH_FILE = new URL('./known-truth.json', import.meta.url);

/** Hash of the risk stage and its imports from model/risk/ and lib/numerics/. */
export function modelFingerprint(): string {
  const files = Object.entries(moduleCodeHashes('pipeline/model/risk/risk-stage.ts'));
  return sha256Json(files.filter(([file]) => /^pipeline\/(model\/risk|lib\/numerics)\//.test(file)));
}

export function readKnownTruth(): KnownTruth {
  const record: TruthRecord = JSON.parse(readFileSync(TRUTH_FILE, 'utf8'));
  return { ...record, of_this_code: record.model_code === modelFingerprint() };
}

/** Records scores of the standard families as measured with the present code. */
export function recordTruth(seeds: number[], { pooled, countries, calibration }: TruthSummary): Promise<void> {
  const measured = {
    model_code: modelFingerprint(),
    confirmed_on: [],
    seeds,
    pooled: pooled.map(({ seed: _, ...row }) => row),
    countries: countries.filter(({ by }) => by === 'all'),
    calibration,
  };
  return writeRecord(measured as TruthRecord);
}

/** Marks the record as that of the present code. @throws UsageError as `confirmRecord` does, changing nothing */
export function confirmTruth({ countries }: TruthSummary): Promise<void> {
  const rescored = countries.filter(({ by }) => by === 'all') as TruthRecord['countries'];
  const { of_this_code: _, ...recorded } = readKnownTruth();
  return writeRecord(confirmRecord(recorded, rescored, modelFingerprint()));
}

const writeRecord = (record: TruthRecord) => writeAtomic(fileURLToPath(TRUTH_FILE), truthRecordText(record));

/**
 * Largest difference of figures, half of the last decimal quoted from the record, since sums may be in another order.
 */
const TOLERANCE = 5e-4;

/**
 * The record confirmed for the present code, after some of its countries were scored again.
 * @throws UsageError naming a country that the record lacks or whose scores differ
 */
export function confirmRecord(
  record: TruthRecord,
  rescored: TruthRecord['countries'],
  model_code: string,
): TruthRecord {
  for (const row of rescored) {
    const { truth, seed, group } = row;
    const recorded = record.countries.find(
      (country) => country.truth === truth && country.seed === seed && country.group === group,
    );
    if (!recorded || !Object.entries(row).every(([name, value]) => isClose(value, recorded[name as keyof typeof row])))
      throw new UsageError(
        `${truth}, seed ${seed}, ${group}: found ${describeScores(row)}, expected as recorded: ` +
          `${recorded ? describeScores(recorded) : 'no such country'}`,
      );
  }
  return { ...record, model_code, confirmed_on: [...new Set(rescored.map(({ truth, seed }) => `${truth}-${seed}`))] };
}

const isClose = (value: unknown, recorded: unknown) =>
  typeof value === 'number' && typeof recorded === 'number'
    ? Math.abs(value - recorded) <= TOLERANCE
    : value === recorded;

const describeScores = ({ bias, rmse, coverage_90 }: GroupScore) =>
  `bias ${bias}, rmse ${rmse}, coverage_90 ${coverage_90}`;

/** The record as JSON, with one line per row. */
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
