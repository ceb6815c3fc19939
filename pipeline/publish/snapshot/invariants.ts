import { DECIMALS } from '../../contract/decimals.ts';
import { LEVELS } from '../../contract/levels.ts';
import type { Manifest } from '../../contract/manifest.ts';
import { periodRange } from '../../contract/months.ts';
import { forecastPeriods } from '../../contract/operations.ts';
import { hasScores } from '../../contract/products.ts';
import { type TableName, tableFile } from '../../contract/table-list.ts';
import { type Database, sqlLiteral } from '../../lib/tables/duckdb.ts';
import { nestingFaults, outlineFaults, toPolygons } from '../../measure/boundaries/outline-check.ts';
import { RISE_PROBABILITY, WARNING_PROBABILITY } from '../../model/forecast/alerts.ts';
import { decisionChecks } from './decision-checks.ts';
import type { SnapshotTables } from './snapshot-tables.ts';
import { TABLES } from './table-columns.ts';

/**
 * Faults within and between the tables of a snapshot. They must have each area and month once, scores inside their
 * ranges, levels and seasons by their rules, the same figure wherever it appears, and states that agree with their
 * LGAs.
 * @param db database whose current schema has the tables
 * @param highSeasonShare share of the peak from which a month counts as high
 * @param draws number of draws behind the scores
 */
export async function tableFaults(
  db: Database,
  manifest: Manifest,
  { highSeasonShare, draws }: { highSeasonShare: number; draws: number },
): Promise<string[]> {
  const { coverage, counts } = manifest;
  const createList = (name: string, values: readonly string[]) =>
    `CREATE TEMP TABLE ${name} AS SELECT unnest([${values.map(sqlLiteral)}]) AS ${name === 'states' ? 'state_code' : 'period'}`;
  await db.run(createList('estimated', periodRange(coverage.first_estimated, coverage.last_estimated)));
  await db.run(createList('forecast', forecastPeriods(coverage)));
  await db.run(createList('states', coverage.states));
  const faults: string[][] = [];
  const { probabilities, changes } = decisionChecks(draws);
  // Tables without rows are not written: the baseline has no draws, and some countries have no case records or season.
  const checksByTable: Partial<Record<TableName, readonly string[]>> = {
    probabilities: [COMPLETENESS_CHECKS.probabilities, ...probabilities],
    changes: [COMPLETENESS_CHECKS.changes, ...changes],
    forecasts_cases: CASE_FORECAST_CHECKS,
    forecasts_totals: TOTAL_CHECKS,
    alerts: ALERT_CHECKS,
    incidence: INCIDENCE_CHECKS,
    season: [
      completenessCheck('season', "concat_ws(' ', area, code, month)", SEASON_ROWS_SQL),
      seasonCheck(highSeasonShare),
    ],
    season_windows: WINDOW_CHECKS,
  };
  const presentChecks = Object.entries(checksByTable).flatMap(([name, checks]) =>
    tableFile(name as TableName, 'parquet') in manifest.files ? checks : [],
  );
  const scoreChecks = hasScores(coverage) ? SCORE_CHECKS : [];
  for (const check of [...COMMON_CHECKS, ...scoreChecks, ...presentChecks, rowCountCheck('context_lgas', counts.lgas!)])
    faults.push((await db.rows<{ fault: string }>(check)).map(({ fault }) => `tables/${fault}`));
  return faults.flat();
}

/** Faults of the outlines themselves, and of LGAs that do not fill their states. */
export function boundaryFaults({ boundaries_lgas, boundaries_states }: SnapshotTables): string[] {
  const lgas = boundaries_lgas.map(({ lga_code: code, state_code, geometry }) => ({
    code,
    state_code,
    polygons: toPolygons(geometry),
  }));
  const states = boundaries_states.map(({ state_code, geometry }) => ({
    code: state_code,
    state_code,
    polygons: toPolygons(geometry),
  }));
  return [...[...lgas, ...states].flatMap(outlineFaults), ...nestingFaults(lgas, states)];
}

const rowCountCheck = (table: string, expected: number) =>
  `SELECT '${table}: ' || count(*) || ' rows, but ${expected} in the manifest' AS fault FROM ${table}
   HAVING count(*) <> ${expected}`;

/** Checks that each `key` occurs in the table as often as in `expected`. */
const completenessCheck = (table: string, key: string, expected: string) => `
  SELECT '${table}: ' || coalesce(n, 0) || ' rows of ' || key || ', expected ' || coalesce(wanted, 0) AS fault
  FROM (SELECT ${key} AS key, count(*) AS n FROM ${table} GROUP BY ALL)
    FULL JOIN (SELECT ${key} AS key, count(*) AS wanted FROM ${expected} GROUP BY ALL) USING (key)
  WHERE n IS DISTINCT FROM wanted ORDER BY key`;

/** Checks that both tables have the same values for an area, in all columns that both have. */
const agreementChecks = (table: TableName, reference: TableName, key: string) =>
  Object.keys(TABLES[table].columns)
    .filter((field) => field !== key && Object.hasOwn(TABLES[reference].columns, field))
    .map(
      (field) => `
  SELECT DISTINCT '${table} ' || ${key} || ': ${field} ' || a.${field} || ', but ' || b.${field} || ' in ${reference}' AS fault
  FROM ${table} a JOIN ${reference} b USING (${key}) WHERE a.${field} <> b.${field} ORDER BY ALL`,
    );

const LEVEL_SQL = `CASE ${LEVELS.map(({ level, below }) => (Number.isFinite(below) ? `WHEN score < ${below} THEN '${level}'` : `ELSE '${level}'`)).join(' ')} END`;

const rankChecks = (table: string, codeColumn: string, partition: string) => [
  `SELECT '${table} ' || ${codeColumn} || ' ' || period || ': out of order' AS fault
   FROM (SELECT *, row_number() OVER () AS position FROM ${table})
   WINDOW list AS (PARTITION BY ${partition} ORDER BY position)
   QUALIFY lag(score) OVER list < score OR (lag(score) OVER list = score AND lag(${codeColumn}) OVER list > ${codeColumn}) ORDER BY ALL`,
  `SELECT '${table} ' || ${codeColumn} || ' ' || period || ': score ' || score || ' outside ' || score_low || ' to ' || score_high AS fault
   FROM ${table} WHERE NOT (score BETWEEN score_low AND score_high) ORDER BY ALL`,
  `SELECT '${table} ' || ${codeColumn} || ' ' || period || ': level ' || level || ' for a score of ' || score AS fault
   FROM ${table} WHERE level <> ${LEVEL_SQL} ORDER BY ALL`,
];

/**
 * Checks that a state's score is the mean of its LGAs' weighted by people, within half a step of rounding on either
 * side and half a person in each LGA.
 */
const stateScoreCheck = (states: string, lgas: string) => `
  SELECT '${states} ' || state_code || ' ' || period || ': score ' || s.score || ', but its areas give ' || round(made.score, 4) AS fault
  FROM ${states} s JOIN (
    SELECT state_code, period, sum(population * score) / sum(population) AS score,
      1.01 * ${10 ** -DECIMALS.score!} + 0.5 * count(*) / sum(population) AS slack
    FROM ${lgas} GROUP BY ALL) made USING (state_code, period)
  WHERE abs(made.score - s.score) > slack ORDER BY ALL`;

const seasonCheck = (highSeasonShare: number) => `
  SELECT 'season ' || area || coalesce(' ' || code, '') || ': ' || CASE
      WHEN max(seasonal_index) <> 1 THEN 'the index at its peak is not 1'
      WHEN count(*) FILTER (is_peak) <> 1 OR min(month) FILTER (seasonal_index = 1) <> min(month) FILTER (is_peak)
        THEN 'its peak is not the first month with index 1'
      ELSE 'is_high does not mark the months at ${highSeasonShare} of the peak or more' END AS fault
  FROM season GROUP BY area, code
  HAVING max(seasonal_index) <> 1 OR count(*) FILTER (is_peak) <> 1
    OR min(month) FILTER (seasonal_index = 1) <> min(month) FILTER (is_peak)
    OR bool_or(is_high <> (seasonal_index >= ${highSeasonShare}))
  ORDER BY ALL`;

const AREAS_SQL = `(SELECT 'state' AS area, state_code AS code FROM context_states
    UNION ALL SELECT 'lga', lga_code FROM context_lgas)`;
const PERIODS_SQL = '(FROM estimated UNION ALL FROM forecast)';
const AREA_MONTH_KEY = "concat_ws(' ', area, code, period)";
const COMPLETENESS_CHECKS = {
  probabilities: completenessCheck('probabilities', AREA_MONTH_KEY, `${AREAS_SQL}, ${PERIODS_SQL}`),
  changes: completenessCheck(
    'changes',
    AREA_MONTH_KEY,
    `${AREAS_SQL}, (SELECT period FROM ${PERIODS_SQL} WHERE (left(period, 4)::INTEGER - 1) || right(period, 3) IN ${PERIODS_SQL})`,
  ),
};
const CASE_PERIOD_SQL = "strftime(try_strptime(last_cases, '%Y-%m') + to_months(horizon_months), '%Y-%m')";
const IS_EARLY_SQL = `coalesce(period < ${CASE_PERIOD_SQL}, last_cases IS NOT NULL)`;
const QUANTILES_ASCEND_SQL = 'coalesce(0 <= q05 AND q05 <= q25 AND q25 <= q50 AND q50 <= q75 AND q75 <= q95, false)';
const WINDOW_KEY = "concat_ws(' ', area, code, measure, months)";
const WINDOW_ROWS_SQL = `${AREAS_SQL}, (VALUES ('reported_cases'), ('rain_transmission')) measures(measure), range(3, 6) runs(months)`;
const CRITERION_SQL = `CASE WHEN criterion_probability >= 0.9 THEN 'reached' WHEN criterion_probability <= 0.1 THEN 'unlikely' ELSE 'unknown' END`;

const LGA_MONTH_KEY = "lga_code || ' ' || period";
const STATE_MONTH_KEY = "state_code || ' ' || period";
const SEASON_ROWS_SQL = `(SELECT 'nation' AS area, NULL AS code UNION ALL SELECT 'state', state_code FROM context_states
    UNION ALL SELECT 'lga', lga_code FROM context_lgas), range(1, 13) months(month)`;

const CASE_FORECAST_CHECKS: readonly string[] = [
  `SELECT 'forecasts_cases ' || ${AREA_MONTH_KEY} || ': ' || CASE
      WHEN NOT ${QUANTILES_ASCEND_SQL} THEN 'its quantiles are negative or not ascending'
      WHEN ${IS_EARLY_SQL} THEN 'it is not ' || horizon_months || ' months or more after ' || last_cases
      WHEN horizon_months < 1 THEN 'its month is not after the last record'
      ELSE 'no such area' END AS fault
   FROM forecasts_cases LEFT JOIN (SELECT *, true AS known FROM ${AREAS_SQL}) USING (area, code)
   WHERE NOT ${QUANTILES_ASCEND_SQL} OR ${IS_EARLY_SQL} OR horizon_months < 1 OR known IS NULL ORDER BY ALL`,
  `SELECT 'forecasts_cases: ' || count(*) || ' rows of ' || ${AREA_MONTH_KEY} || ', expected 1' AS fault
   FROM forecasts_cases GROUP BY area, code, period HAVING count(*) > 1 ORDER BY ALL`,
];

const TOTAL_KEY = "concat_ws(' ', area, code, period, months)";
const TOTAL_CHECKS: readonly string[] = [
  `SELECT 'forecasts_totals ' || ${TOTAL_KEY} || ': no such area, or quantiles that are negative or not ascending' AS fault
   FROM forecasts_totals LEFT JOIN (SELECT *, true AS known FROM ${AREAS_SQL}) USING (area, code)
   WHERE NOT ${QUANTILES_ASCEND_SQL} OR (known IS NULL AND area <> 'nation') ORDER BY ALL`,
  `SELECT 'forecasts_totals ' || ${TOTAL_KEY} || ': a month by itself is not as in forecasts_cases' AS fault
   FROM forecasts_totals t JOIN forecasts_cases f USING (area, code, period) WHERE t.cases_in = 'cases' AND t.months = 1
     AND NOT (t.q05 = f.q05 AND t.q25 = f.q25 AND t.q50 = f.q50 AND t.q75 = f.q75 AND t.q95 = f.q95) ORDER BY ALL`,
  `SELECT 'forecasts_totals: ' || count(*) || ' rows of ' || ${TOTAL_KEY} || ', expected 1' AS fault
   FROM forecasts_totals GROUP BY area, code, period, months HAVING count(*) > 1 ORDER BY ALL`,
];

const WARNING_CLASS_SQL = `CASE WHEN warning_probability >= ${WARNING_PROBABILITY.alert} THEN 'alert' WHEN warning_probability >= ${WARNING_PROBABILITY.watch} THEN 'watch' ELSE 'none' END`;
const ALERT_RULES = [
  ['no such area', 'known IS NULL'],
  ['the usual is outside its range', 'NOT usual BETWEEN usual_low AND usual_high'],
  [
    'a class without its first month, or a month without a class',
    "(detection_class = 'none') <> (detection_since IS NULL) OR (warning_class = 'none') <> (warning_since IS NULL)",
  ],
  ['it lasts from a later month', 'detection_since > period OR warning_since > period'],
  [
    'its basis does not match its cases',
    "(basis = 'no_report') <> (cases IS NULL) OR (cases IS NULL) <> (detection_probability IS NULL)",
  ],
  [
    'it began with a month that is not unusual',
    `detection_class = 'alert' AND detection_since = period AND basis = 'forecast' AND detection_probability >= ${RISE_PROBABILITY.alert.forecast}`,
  ],
  ['its warning does not match its probability', `warning_class <> ${WARNING_CLASS_SQL}`],
] as const;
const ALERT_CHECKS: readonly string[] = [
  ...ALERT_RULES.map(
    ([message, condition]) => `
   SELECT 'alerts ' || ${AREA_MONTH_KEY} || ': ${message}' AS fault
   FROM alerts LEFT JOIN (SELECT *, true AS known FROM ${AREAS_SQL}) USING (area, code) WHERE ${condition} ORDER BY ALL`,
  ),
  `SELECT 'alerts: ' || count(*) || ' rows of ' || area || ' ' || code || ', expected 1' AS fault
   FROM alerts GROUP BY area, code HAVING count(*) > 1 ORDER BY ALL`,
];

const INCIDENCE_CHECKS: readonly string[] = [
  `SELECT 'incidence ' || area || ' ' || code || ' ' || year || ': no such area, or a rate without a known month, or none with one' AS fault
   FROM incidence LEFT JOIN (SELECT *, true AS known FROM ${AREAS_SQL}) USING (area, code)
   WHERE known IS NULL OR ((completeness = 0) <> (cases_per_1000 IS NULL)) ORDER BY ALL`,
  `SELECT 'incidence: ' || count(*) || ' rows of ' || area || ' ' || code || ' ' || year || ', expected 1' AS fault
   FROM incidence GROUP BY area, code, year HAVING count(*) > 1 ORDER BY ALL`,
];

const WINDOW_CHECKS: readonly string[] = [
  completenessCheck('season_windows', WINDOW_KEY, WINDOW_ROWS_SQL),
  `SELECT 'season_windows ' || ${WINDOW_KEY} || ': ' || CASE
      WHEN last_month <> (first_month + months - 2) % 12 + 1 THEN 'its run is not ' || months || ' months long'
      WHEN share_low > share_high THEN 'its share_low is above its share_high'
      ELSE 'its criterion does not match its criterion_probability' END AS fault
   FROM season_windows
   WHERE last_month <> (first_month + months - 2) % 12 + 1 OR share_low > share_high
     OR criterion IS DISTINCT FROM CASE WHEN months = 4 THEN ${CRITERION_SQL} END
   ORDER BY ALL`,
];

const SCORE_CHECKS: readonly string[] = [
  completenessCheck('risk_states', STATE_MONTH_KEY, 'context_states, estimated'),
  completenessCheck('risk_lgas', LGA_MONTH_KEY, 'context_lgas, estimated'),
  completenessCheck('forecasts_states', STATE_MONTH_KEY, 'context_states, forecast'),
  completenessCheck('forecasts_lgas', LGA_MONTH_KEY, 'context_lgas, forecast'),
  completenessCheck('basis', AREA_MONTH_KEY, `${AREAS_SQL}, ${PERIODS_SQL}`),
  `SELECT 'basis ' || area || ' ' || code || ' ' || period || ': evidence of a later month' AS fault
   FROM basis WHERE last_survey > period OR last_cases > period ORDER BY ALL`,
  ...(['risk_lgas', 'forecasts_lgas'] as const).flatMap((table) => [
    ...rankChecks(table, 'lga_code', 'period, state_code'),
    ...agreementChecks(table, 'context_lgas', 'lga_code'),
  ]),
  ...(['risk_states', 'forecasts_states'] as const).flatMap((table) => [
    ...rankChecks(table, 'state_code', 'period'),
    ...agreementChecks(table, 'context_states', 'state_code'),
    stateScoreCheck(table, table.replace('states', 'lgas')),
  ]),
];

const COMMON_CHECKS: readonly string[] = [
  completenessCheck('context_states', 'state_code', 'states'),
  completenessCheck(
    'context_lgas',
    'lga_code',
    '(SELECT DISTINCT lga_code FROM context_lgas SEMI JOIN states USING (state_code))',
  ),
  completenessCheck('boundaries_states', 'state_code', 'context_states'),
  completenessCheck('boundaries_lgas', "lga_code || ' ' || state_code", 'context_lgas'),
  `SELECT 'accounts ' || file || ', ' || "column" || ': ' || cells || ' cells in ' || numbers || ' rows' AS fault
   FROM (SELECT source, file, "column", sum(numbers + blank + text) AS cells FROM accounts
     WHERE "column" IS NOT NULL GROUP BY ALL)
   JOIN (SELECT source, file, sum(numbers) AS numbers FROM accounts WHERE "column" IS NULL GROUP BY ALL)
   USING (source, file) WHERE cells <> numbers ORDER BY ALL`,
  ...agreementChecks('boundaries_lgas', 'context_lgas', 'lga_code'),
  ...agreementChecks('boundaries_states', 'context_states', 'state_code'),
  `SELECT 'context_states ' || state_code || ': ' || s.population || ' people and ' || s.lgas || ' areas, but these give '
     || made.people || ' and ' || made.lgas AS fault
   FROM context_states s JOIN (
     SELECT state_code, sum(population) AS people, count(*) AS lgas FROM context_lgas GROUP BY ALL) made USING (state_code)
   WHERE s.population <> made.people OR s.lgas <> made.lgas ORDER BY ALL`,
];
