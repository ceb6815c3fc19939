import type { SHIFT } from '../forecast/tables.ts';
import type { Random } from '../numerics/random.ts';
import type { RowOf } from '../table.ts';

/** How far case records move the months after the last survey (forecast/MODEL.md, section 8). */
export interface CaseShift {
  /** Logit prevalence for a unit of ln cases. */
  elasticity: { mean: number; sd: number };
  /** Standard deviation of what states do besides, logit. */
  spread: number;
  /** By state and month, in ln cases; null where cases say nothing. */
  deviations: ({ deviation: number; sd: number; at_survey: number } | null)[][];
}

/** Of the rows handed on, by states and months in the order given; null where there are none. */
export function caseShiftOf(
  rows: readonly RowOf<typeof SHIFT>[],
  states: readonly { state_code: string }[],
  periods: readonly string[],
): CaseShift | null {
  const [one] = rows;
  if (!one) return null;
  const found = new Map(rows.map((row) => [`${row.state_code} ${row.period}`, row]));
  const deviations = states.map(({ state_code }) =>
    periods.map((period) => {
      const row = found.get(`${state_code} ${period}`);
      return row ? { deviation: row.deviation, sd: row.deviation_sd, at_survey: row.at_survey } : null;
    }),
  );
  return { elasticity: { mean: one.elasticity, sd: one.elasticity_sd }, spread: one.spread, deviations };
}

/** What a draw's level of a state in a month is made of. */
export interface Departure {
  /** Of the level from what the survey rounds' levels make of that month. */
  value: number;
  variance: number;
  /** How much of the last round's level the month still has. */
  carried: number;
}

/**
 * Draws of the levels given what cases say. Of a departure of variance V they observe
 *
 *   elasticity × (deviation − carried × deviation during the last survey)
 *
 * with the error variance R of elasticity, deviation and what states do besides: what the survey found has the deviation
 * of its time in it. By Matheron's rule a draw x becomes x + V / (V + R) × (observed + an error drawn − x), so that the
 * range narrows as far as R says, and not at all where cases say nothing.
 * @param levels logit, `state * months + month`
 */
export function addCaseShift(
  levels: Float64Array,
  { elasticity, spread, deviations }: CaseShift,
  departureOf: (state: number, month: number) => Departure,
  random: Random,
): void {
  for (const [s, months] of deviations.entries()) {
    const error = random.normal();
    for (const [m, month] of months.entries()) {
      if (!month) continue;
      const { value, variance, carried } = departureOf(s, m);
      const change = month.deviation - carried * month.at_survey;
      const left = (elasticity.mean * month.sd) ** 2 + (elasticity.sd * change) ** 2 + spread ** 2;
      const observed = elasticity.mean * change + Math.sqrt(left) * error;
      if (variance > 0) levels[s * months.length + m]! += (variance / (variance + left)) * (observed - value);
    }
  }
}
