/** Calibration of probabilities: whether statements of a given probability are true as often as stated. */

import { LEVELS } from '../contract/levels.ts';
import { addMonths, type Period } from '../contract/months.ts';
import type { TableRow } from '../lib/tables/table.ts';
import { highestTenthSize } from '../model/risk/draw-summary.ts';
import type { CHANGES, PROBABILITIES } from '../model/risk/risk-tables.ts';
import type { Truth } from './truth-file.ts';

/** Kinds of statements: level, rank in nation and state, rise since a year ago and since the last survey. */
export const STATEMENTS = ['level', 'highest_nation', 'highest_state', 'rise_year', 'rise_survey'] as const;
export type Statement = (typeof STATEMENTS)[number];

/** Sums over statements about LGAs in estimated months whose probability is in one bin of width 0.1. */
export interface CalibrationSums {
  statement: Statement;
  /** 0 for probabilities below 0.1, up to 9 for those of 0.9 and more. */
  bin: number;
  count: number;
  /** Sum of the stated probabilities. */
  said: number;
  /** Number of true statements. */
  true_count: number;
}
/** The same as means over the statements. */
export interface Calibration {
  statement: Statement;
  /** For example `0.8-0.9`. */
  bin: string;
  statements: number;
  /** Mean stated probability. */
  said: number;
  /** Share of the statements that were true. */
  true_share: number;
}

const BINS = 10;
/** Probabilities are shares of draws and differences of shares, so 0.8 may be slightly less because of rounding. */
const ROUNDING_ERROR = 1e-9;

/**
 * Compares the statements about LGAs with the truth.
 * @param probabilities, changes only rows of LGAs in estimated months are used
 */
export function calibrate(
  probabilities: readonly TableRow<typeof PROBABILITIES>[],
  changes: readonly TableRow<typeof CHANGES>[],
  { truth, stateByLga, last }: { truth: Truth; stateByLga: (lga_code: string) => string; last: Period },
): CalibrationSums[] {
  const sums = STATEMENTS.map((statement) =>
    Array.from({ length: BINS }, (_, bin): CalibrationSums => ({ statement, bin, count: 0, said: 0, true_count: 0 })),
  );
  const addStatement = (statement: Statement, probability: number | null, isTrue: boolean) => {
    if (probability === null) return;
    const sum =
      sums[STATEMENTS.indexOf(statement)]![Math.min(Math.floor(probability * BINS + ROUNDING_ERROR), BINS - 1)]!;
    sum.count += 1;
    sum.said += probability;
    sum.true_count += Number(isTrue);
  };
  const scoredRows = <Row extends { area: string; period: Period }>(rows: readonly Row[]) =>
    rows.filter(({ area, period }) => area === 'lga' && period <= last);

  for (const [period, rows] of Map.groupBy(scoredRows(probabilities), (row) => row.period)) {
    const codes = rows.map(({ code }) => code);
    const highestInNation = highestCodes(codes, (code) => truth(code, period));
    const highestByState = [...Map.groupBy(codes, stateByLga).values()].map((stateCodes) =>
      highestCodes(stateCodes, (code) => truth(code, period)),
    );
    for (const row of rows) {
      const trueShare = truth(row.code, period);
      const trueLevel = LEVELS.findIndex(({ below }) => trueShare < below);
      LEVELS.forEach((candidate, i) => {
        addStatement('level', row[`probability_${candidate.level}`], i === trueLevel);
      });
      addStatement('highest_nation', row.probability_highest_nation, highestInNation.has(row.code));
      addStatement(
        'highest_state',
        row.probability_highest_state,
        highestByState.some((highest) => highest.has(row.code)),
      );
    }
  }
  for (const { code, period, ...row } of scoredRows(changes)) {
    const rose = (before: Period) => truth(code, period) > truth(code, before);
    addStatement('rise_year', row.probability_rise_year, rose(addMonths(period, -12)));
    if (row.survey_month !== null) addStatement('rise_survey', row.probability_rise_survey, rose(row.survey_month));
  }
  return sums.flat();
}

/** The codes in the highest tenth, rounded up. */
function highestCodes(codes: readonly string[], value: (code: string) => number): ReadonlySet<string> {
  const ordered = codes.map((code) => ({ code, value: value(code) })).sort((a, b) => b.value - a.value);
  return new Set(ordered.slice(0, highestTenthSize(codes.length)).map(({ code }) => code));
}

/** Pools the statements of several countries. */
export function poolCalibration(countries: readonly (readonly CalibrationSums[])[]): CalibrationSums[] {
  const groups = Map.groupBy(countries.flat(), ({ statement, bin }) => `${statement} ${bin}`);
  return [...groups.values()].map((countrySums) => ({
    ...countrySums[0]!,
    count: countrySums.reduce((sum, row) => sum + row.count, 0),
    said: countrySums.reduce((sum, row) => sum + row.said, 0),
    true_count: countrySums.reduce((sum, row) => sum + row.true_count, 0),
  }));
}

/** Bins with statements, means to four decimals. */
export function summariseCalibration(sums: readonly CalibrationSums[]): Calibration[] {
  const four = (value: number) => Number(value.toFixed(4));
  return sums
    .filter(({ count }) => count > 0)
    .map(({ statement, bin, count, said, true_count }) => ({
      statement,
      bin: `${(bin / BINS).toFixed(1)}-${((bin + 1) / BINS).toFixed(1)}`,
      statements: count,
      said: four(said / count),
      true_share: four(true_count / count),
    }));
}
