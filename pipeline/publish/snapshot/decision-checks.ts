/**
 * Consistency checks of the tables of probabilities and changes, and of both with the scores: SQL that finds faults.
 */
import { DECIMALS } from '../../contract/decimals.ts';
import { LEVELS } from '../../contract/levels.ts';

const SCORES_SQL = ['lga', 'state']
  .flatMap((area) =>
    [`risk_${area}s`, `forecasts_${area}s`].map(
      (table) =>
        `SELECT '${area}' AS area, ${area}_code AS code, state_code, period, score, score_low, score_high FROM ${table}`,
    ),
  )
  .join(' UNION ALL ');
/** Half a step of rounding, plus a little for the error of sums of decimal fractions. */
const ROUNDING_ERROR = 0.501 * 10 ** -DECIMALS.score!;
const ROW_LABEL_SQL = "area || ' ' || code || ' ' || period";

const LEVEL_COLUMNS = LEVELS.map(({ level }) => `probability_${level}`);
const CUTOFFS = LEVELS.slice(0, -1).map(({ level, below }, i) => ({
  below,
  aboveColumn: `probability_above_${level}`,
  higherLevels: LEVEL_COLUMNS.slice(i + 1),
}));
const sqlSum = (terms: readonly string[]) => `(${terms.join(' + ')})`;
const weightedSum = (boundaries: readonly number[]) =>
  sqlSum(LEVEL_COLUMNS.map((level, i) => `${boundaries[i]} * ${level}`));
const LOWER_ENDS = LEVELS.map((_, i) => LEVELS[i - 1]?.below ?? 0);
const UPPER_ENDS = LEVELS.map(({ below }) => Math.min(below, 1));

const faultsSql = (table: string, source: string, rules: readonly (readonly [string, string])[]) =>
  `SELECT '${table} ' || fault AS fault FROM (
     SELECT ${ROW_LABEL_SQL} || ': ' || CASE ${rules.map(([condition, message]) => `WHEN ${condition} THEN ${message}`).join(' ')} END AS fault FROM ${source})
   WHERE fault IS NOT NULL ORDER BY ALL`;
const unitIntervalRule = (column: string) =>
  [`NOT (${column} BETWEEN 0 AND 1)`, `'${column} is ' || ${column}`] as const;

/**
 * @param draws number of draws that the tables were made from, which gives quantiles to 1 / draws
 * @returns the checks by table
 */
export function decisionChecks(draws: number): Record<'probabilities' | 'changes', string[]> {
  const tailProbability = 0.05 + 1 / draws + ROUNDING_ERROR;
  const highestTenthSql = (column: string, group: string, condition: string) => `
    SELECT 'probabilities ' || area || ' ' || concat_ws(' ', ${group}, period) || ': ${column} sums to ' || round(sum(${column}), 2)
      || ' of ' || count(*) || ' areas, expected ' || ceil(count(*) / 10) AS fault
    FROM probabilities JOIN (SELECT DISTINCT area, code, state_code FROM (${SCORES_SQL})) USING (area, code) WHERE ${condition}
    GROUP BY area, ${group}, period HAVING abs(sum(${column}) - ceil(count(*) / 10)) > count(*) * ${ROUNDING_ERROR} ORDER BY ALL`;
  const changeRules = (name: string, earlier: string) => [
    [
      `abs(change_${name} - (now.score - ${earlier}.score)) > ${3 * ROUNDING_ERROR}`,
      `'change_${name} is ' || change_${name} || ', but the scores give ' || round(now.score - ${earlier}.score, 4)`,
    ] as const,
    [
      `NOT (change_${name} BETWEEN change_${name}_low AND change_${name}_high)`,
      `'change_${name} is outside its range'`,
    ] as const,
    unitIntervalRule(`probability_rise_${name}`),
    [
      `(change_${name}_low > 0 AND probability_rise_${name} < ${1 - tailProbability}) OR (change_${name}_high < 0 AND probability_rise_${name} > ${tailProbability})`,
      `'probability_rise_${name} is ' || probability_rise_${name} || ' for a change of ' || change_${name}_low || ' to ' || change_${name}_high`,
    ] as const,
  ];
  return {
    probabilities: [
      faultsSql('probabilities', `probabilities JOIN (${SCORES_SQL}) USING (area, code, period)`, [
        ...[...LEVEL_COLUMNS, 'probability_highest_nation', 'probability_highest_state'].map(unitIntervalRule),
        [
          `abs(${sqlSum(LEVEL_COLUMNS)} - 1) > ${LEVEL_COLUMNS.length * ROUNDING_ERROR}`,
          `'the probabilities of the levels sum to ' || round(${sqlSum(LEVEL_COLUMNS)}, 4)`,
        ],
        ...CUTOFFS.map(
          ({ aboveColumn, higherLevels }) =>
            [
              `abs(${aboveColumn} - ${sqlSum(higherLevels)}) > ${(higherLevels.length + 1) * ROUNDING_ERROR}`,
              `'${aboveColumn} is ' || ${aboveColumn} || ', but the levels give ' || round(${sqlSum(higherLevels)}, 4)`,
            ] as const,
        ),
        [
          `NOT (score BETWEEN ${weightedSum(LOWER_ENDS)} - ${LEVEL_COLUMNS.length * ROUNDING_ERROR} AND ${weightedSum(UPPER_ENDS)} + ${LEVEL_COLUMNS.length * ROUNDING_ERROR})`,
          `'the probabilities of the levels are incompatible with a score of ' || score`,
        ],
        ...CUTOFFS.map(
          ({ below, aboveColumn }) =>
            [
              `(score_low > ${below} AND ${aboveColumn} < ${1 - tailProbability}) OR (score_high < ${below} AND ${aboveColumn} > ${tailProbability})`,
              `'${aboveColumn} is ' || ${aboveColumn} || ' for a range of ' || score_low || ' to ' || score_high`,
            ] as const,
        ),
        [
          `(probability_highest_state IS NULL) <> (area = 'state')`,
          `'probability_highest_state must be null in rows of the upper level and only there'`,
        ],
      ]),
      highestTenthSql('probability_highest_nation', "'nation'", 'true'),
      highestTenthSql('probability_highest_state', 'state_code', "area = 'lga'"),
    ],
    changes: [
      faultsSql(
        'changes',
        `changes c JOIN (${SCORES_SQL}) now USING (area, code, period)
         LEFT JOIN (${SCORES_SQL}) before ON before.area = c.area AND before.code = c.code AND before.period = (left(c.period, 4)::INTEGER - 1) || right(c.period, 3)
         LEFT JOIN (${SCORES_SQL}) then_ ON then_.area = c.area AND then_.code = c.code AND then_.period = c.survey_month`,
        [
          ...changeRules('year', 'before'),
          [
            `survey_month IS NOT NULL AND (right(survey_month, 3) <> right(c.period, 3) OR survey_month >= c.period OR then_.score IS NULL)`,
            `'survey_month ' || survey_month || ' cannot be compared with this month'`,
          ],
          [
            `(survey_month IS NULL) <> (change_survey IS NULL)`,
            `'change_survey and survey_month must both be null or both be present'`,
          ],
          ...changeRules('survey', 'then_'),
        ],
      ),
    ],
  };
}
