/**
 * Consistency checks of the tables of probabilities and changes, and of both with the scores: SQL that finds faults.
 */
import { DECIMALS } from '../../contract/decimals.ts';
import { LEVELS } from '../../contract/levels.ts';

const SCORES = ['lga', 'state']
  .flatMap((area) =>
    [`risk_${area}s`, `forecasts_${area}s`].map(
      (table) =>
        `SELECT '${area}' AS area, ${area}_code AS code, state_code, period, score, score_low, score_high FROM ${table}`,
    ),
  )
  .join(' UNION ALL ');
/** Half a step of rounding, plus a little for the error of sums of decimal fractions. */
const HALF = 0.501 * 10 ** -DECIMALS.score!;
const PLACE = "area || ' ' || code || ' ' || period";

const levels = LEVELS.map(({ level }) => `probability_${level}`);
const cutoffs = LEVELS.slice(0, -1).map(({ level, below }, i) => ({
  below,
  above: `probability_above_${level}`,
  parts: levels.slice(i + 1),
}));
const sqlSum = (terms: readonly string[]) => `(${terms.join(' + ')})`;
const weighted = (ends: readonly number[]) => sqlSum(levels.map((level, i) => `${ends[i]} * ${level}`));
const lowerEnds = LEVELS.map((_, i) => LEVELS[i - 1]?.below ?? 0);
const upperEnds = LEVELS.map(({ below }) => Math.min(below, 1));

const faults = (table: string, from: string, cases: readonly (readonly [string, string])[]) =>
  `SELECT '${table} ' || fault AS fault FROM (
     SELECT ${PLACE} || ': ' || CASE ${cases.map(([when, what]) => `WHEN ${when} THEN ${what}`).join(' ')} END AS fault FROM ${from})
   WHERE fault IS NOT NULL ORDER BY ALL`;
const outside = (column: string) => [`NOT (${column} BETWEEN 0 AND 1)`, `'${column} is ' || ${column}`] as const;

/**
 * @param draws number of draws that the tables were made from, which gives quantiles to 1 / draws
 * @returns the checks by table
 */
export function decisionChecks(draws: number): Record<'probabilities' | 'changes', string[]> {
  const tail = 0.05 + 1 / draws + HALF;
  const ranked = (column: string, within: string, where: string) => `
    SELECT 'probabilities ' || area || ' ' || concat_ws(' ', ${within}, period) || ': ${column} sums to ' || round(sum(${column}), 2)
      || ' of ' || count(*) || ' areas, expected ' || ceil(count(*) / 10) AS fault
    FROM probabilities JOIN (SELECT DISTINCT area, code, state_code FROM (${SCORES})) USING (area, code) WHERE ${where}
    GROUP BY area, ${within}, period HAVING abs(sum(${column}) - ceil(count(*) / 10)) > count(*) * ${HALF} ORDER BY ALL`;
  const changed = (name: string, since: string) => [
    [
      `abs(change_${name} - (now.score - ${since}.score)) > ${3 * HALF}`,
      `'change_${name} is ' || change_${name} || ', but the scores give ' || round(now.score - ${since}.score, 4)`,
    ] as const,
    [
      `NOT (change_${name} BETWEEN change_${name}_low AND change_${name}_high)`,
      `'change_${name} is outside its range'`,
    ] as const,
    outside(`probability_rise_${name}`),
    [
      `(change_${name}_low > 0 AND probability_rise_${name} < ${1 - tail}) OR (change_${name}_high < 0 AND probability_rise_${name} > ${tail})`,
      `'probability_rise_${name} is ' || probability_rise_${name} || ' for a change of ' || change_${name}_low || ' to ' || change_${name}_high`,
    ] as const,
  ];
  return {
    probabilities: [
      faults('probabilities', `probabilities JOIN (${SCORES}) USING (area, code, period)`, [
        ...[...levels, 'probability_highest_nation', 'probability_highest_state'].map(outside),
        [
          `abs(${sqlSum(levels)} - 1) > ${levels.length * HALF}`,
          `'the probabilities of the levels sum to ' || round(${sqlSum(levels)}, 4)`,
        ],
        ...cutoffs.map(
          ({ above, parts }) =>
            [
              `abs(${above} - ${sqlSum(parts)}) > ${(parts.length + 1) * HALF}`,
              `'${above} is ' || ${above} || ', but the levels give ' || round(${sqlSum(parts)}, 4)`,
            ] as const,
        ),
        [
          `NOT (score BETWEEN ${weighted(lowerEnds)} - ${levels.length * HALF} AND ${weighted(upperEnds)} + ${levels.length * HALF})`,
          `'the probabilities of the levels are incompatible with a score of ' || score`,
        ],
        ...cutoffs.map(
          ({ below, above }) =>
            [
              `(score_low > ${below} AND ${above} < ${1 - tail}) OR (score_high < ${below} AND ${above} > ${tail})`,
              `'${above} is ' || ${above} || ' for a range of ' || score_low || ' to ' || score_high`,
            ] as const,
        ),
        [
          `(probability_highest_state IS NULL) <> (area = 'state')`,
          `'probability_highest_state must be null in rows of the upper level and only there'`,
        ],
      ]),
      ranked('probability_highest_nation', "'nation'", 'true'),
      ranked('probability_highest_state', 'state_code', "area = 'lga'"),
    ],
    changes: [
      faults(
        'changes',
        `changes c JOIN (${SCORES}) now USING (area, code, period)
         LEFT JOIN (${SCORES}) before ON before.area = c.area AND before.code = c.code AND before.period = (left(c.period, 4)::INTEGER - 1) || right(c.period, 3)
         LEFT JOIN (${SCORES}) then_ ON then_.area = c.area AND then_.code = c.code AND then_.period = c.survey_month`,
        [
          ...changed('year', 'before'),
          [
            `survey_month IS NOT NULL AND (right(survey_month, 3) <> right(c.period, 3) OR survey_month >= c.period OR then_.score IS NULL)`,
            `'survey_month ' || survey_month || ' cannot be compared with this month'`,
          ],
          [
            `(survey_month IS NULL) <> (change_survey IS NULL)`,
            `'change_survey and survey_month must both be null or both be present'`,
          ],
          ...changed('survey', 'then_'),
        ],
      ),
    ],
  };
}
