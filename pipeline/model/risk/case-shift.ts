import type { Random } from '../../lib/numerics/random.ts';
import type { RowOf } from '../../lib/tables/table.ts';
import type { SHIFT } from '../link/link-tables.ts';

/** How far case records move the months after the last survey (forecast/MODEL.md, section 8). */
export interface CaseShift {
  /** Change in logit prevalence per unit of ln cases. */
  elasticity: { mean: number; sd: number };
  /** Standard deviation of state changes that cases do not reflect, logit. */
  spread: number;
  /** By state and month, in ln cases; null where cases provide no information. */
  deviations: ({ deviation: number; sd: number; at_survey: number } | null)[][];
}

/** The shift from its table's rows, by state and month in the order given; null if there are no rows. */
export function caseShiftOf(
  rows: readonly RowOf<typeof SHIFT>[],
  states: readonly { state_code: string }[],
  periods: readonly string[],
): CaseShift | null {
  const [first] = rows;
  if (!first) return null;
  const found = new Map(rows.map((row) => [`${row.state_code} ${row.period}`, row]));
  const deviations = states.map(({ state_code }) =>
    periods.map((period) => {
      const row = found.get(`${state_code} ${period}`);
      return row ? { deviation: row.deviation, sd: row.deviation_sd, at_survey: row.at_survey } : null;
    }),
  );
  return { elasticity: { mean: first.elasticity, sd: first.elasticity_sd }, spread: first.spread, deviations };
}

/** Departure of a state's level in a month of a draw from its conditional mean given the survey rounds. */
export interface Departure {
  value: number;
  variance: number;
  /** Weight of the last round's level in the conditional mean. */
  carried: number;
}

/**
 * Conditions draws of the levels on cases, in place. Of a departure with variance V, cases observe
 *
 *   elasticity × (deviation − carried × deviation during the last survey)
 *
 * since the survey result includes the deviation at its time. The error variance R combines the errors of elasticity
 * and deviation and the changes that cases do not reflect. By Matheron's rule a draw x becomes x + V / (V + R) ×
 * (observed + random error − x), so that the range narrows as far as R allows, and not at all where cases provide no
 * information.
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
      const errorVariance = (elasticity.mean * month.sd) ** 2 + (elasticity.sd * change) ** 2 + spread ** 2;
      const observed = elasticity.mean * change + Math.sqrt(errorVariance) * error;
      if (variance > 0) levels[s * months.length + m]! += (variance / (variance + errorVariance)) * (observed - value);
    }
  }
}
