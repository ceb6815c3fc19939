/** The views of `show`: named queries over the tables of a snapshot. */
import { NO_ALERTS, NO_RAIN, NO_SCORES, NO_SURVEYS, NO_TRANSMISSION } from '../../catalog/missing-data.ts';
import { tableFile } from '../../contract/table-list.ts';
import type { Chart } from '../terminal/rows.ts';
import { MODEL_ANSWER } from './query.ts';

export interface View {
  /** The question that it answers. */
  question: string;
  /** SQL for all states; `$period` is the month asked for, or null, and `$model` as in `query`. */
  country?: string;
  /** SQL for one state, `$state`. */
  state?: string;
  /** SQL for one LGA, `$lga`. */
  lga?: string;
  /** Columns that are drawn in the terminal. */
  charts?: Record<string, Chart>;
  /** A file without which there is no answer, and the reason why a country may not have it. */
  needs?: { file: string; why: string };
}

const needsScores = { file: tableFile('risk_lgas', 'parquet'), why: NO_SCORES };
const needsTransmission = { file: MODEL_ANSWER, why: NO_TRANSMISSION };
/** Why a score beside an alert did not move, and what to do about a first alert. */
const ALERT_COLUMNS = `period, cases_in, cases, usual, usual_low, usual_high,
    detection_class AS detection, detection_probability AS probability, detection_since AS since,
    warning_class AS warning, warning_probability, warning_since, reporting_rate, completeness, basis,
    concat_ws('; ',
      CASE WHEN detection_class IN ('alert', 'fall') AND detection_since = period THEN 'check the report first' END,
      CASE WHEN detection_class IN ('alert', 'fall') OR warning_class = 'alert'
        THEN 'the score rests on surveys and did not move' END) AS note`;
const MONTHS = 'JFMAMJJASOND';
const historySql = (areas: string, isArea: string) => `
  WITH scores AS (
    SELECT period, score, 'estimated' AS kind FROM risk_${areas} WHERE ${isArea}
    UNION ALL SELECT period, score, 'forecast' FROM forecasts_${areas} WHERE ${isArea}),
  years AS (SELECT DISTINCT left(period, 4) AS year, kind FROM scores)
  SELECT year, years.kind, min(score) AS lowest, max(score) AS highest, list(score ORDER BY month) AS months
  FROM years CROSS JOIN (SELECT unnest(range(1, 13)) AS month)
    LEFT JOIN scores ON scores.kind = years.kind AND period = format('{}-{:02d}', year, month)
  GROUP BY ALL ORDER BY year, years.kind`;
export const VIEWS: Record<string, View> = {
  risk: {
    question: 'How high is the score in a month, estimated or forecast, and how certain?',
    country: `
  SELECT state_code, state, level, score, score_low, score_high, zone, population
  FROM (FROM risk_states UNION ALL BY NAME FROM forecasts_states)
  WHERE period = coalesce($period, (SELECT max(period) FROM risk_states))
  ORDER BY score DESC, state_code`,
    state: `
  SELECT lga_code, lga, level, score, score_low, score_high, is_urban, population
  FROM (FROM risk_lgas UNION ALL BY NAME FROM forecasts_lgas)
  WHERE state_code = $state AND period = coalesce($period, (SELECT max(period) FROM risk_lgas))
  ORDER BY score DESC, lga_code`,
    charts: { score_high: { kind: 'range', low: 'score_low', middle: 'score' } },
    needs: needsScores,
  },
  history: {
    question: 'How did the score of an area change, month by month?',
    state: historySql('states', 'state_code = $state'),
    lga: historySql('lgas', 'lga_code = $lga'),
    charts: { months: { kind: 'series', heading: MONTHS } },
    needs: needsScores,
  },
  alerts: {
    question:
      'Which areas report more cases than is usual, or fewer, and which are likely to next month? (Unit of cases: cases_in)',
    country: `
  SELECT area, code, coalesce(s.state, lga) AS name, ${ALERT_COLUMNS}
  FROM alerts LEFT JOIN context_states s ON area = 'state' AND code = s.state_code
    LEFT JOIN context_lgas ON area = 'lga' AND code = lga_code
  WHERE area = 'state' OR detection_class <> 'none' OR warning_class <> 'none'
  ORDER BY area DESC, detection_class = 'alert' DESC, detection_probability, code`,
    state: `
  SELECT area, code, coalesce(s.state, lga) AS name, ${ALERT_COLUMNS}
  FROM alerts LEFT JOIN context_states s ON area = 'state' AND code = s.state_code
    LEFT JOIN context_lgas l ON area = 'lga' AND code = lga_code
  WHERE $state IN (s.state_code, l.state_code)
  ORDER BY area DESC, code`,
    needs: { file: tableFile('alerts', 'parquet'), why: NO_ALERTS },
  },
  season: {
    question: 'In which months are cases expected?',
    country: `
  SELECT coalesce(code, '') AS state_code, coalesce(state, 'the country') AS state,
    max(month) FILTER (is_peak) AS peak, string_agg(month, ' ' ORDER BY month) FILTER (is_high) AS high_months,
    list(seasonal_index ORDER BY month) AS months
  FROM season LEFT JOIN context_states ON code = state_code
  WHERE area <> 'lga' GROUP BY area, code, state ORDER BY area, code`,
    state: `
  SELECT lga_code, lga, max(month) FILTER (is_peak) AS peak,
    string_agg(month, ' ' ORDER BY month) FILTER (is_high) AS high_months,
    list(seasonal_index ORDER BY month) AS months
  FROM season JOIN context_lgas ON code = lga_code
  WHERE area = 'lga' AND state_code = $state GROUP BY lga_code, lga ORDER BY lga_code`,
    charts: { months: { kind: 'series', heading: MONTHS } },
    needs: { file: tableFile('season', 'parquet'), why: NO_RAIN },
  },
  context: {
    question: 'How many people live there, and how well are they protected, treated and reached?',
    country: 'FROM context_states ORDER BY state_code',
    state: 'SELECT * EXCLUDE (state_code) FROM context_lgas WHERE state_code = $state ORDER BY lga_code',
  },
  survey: {
    question: 'What did surveys find, round by round?',
    country: 'SELECT * EXCLUDE (state_code) FROM survey_trend WHERE state_code IS NULL ORDER BY survey_year',
    state: `
  SELECT * EXCLUDE (state_code, urban, rural) FROM survey_trend WHERE state_code = $state ORDER BY survey_year`,
    needs: { file: tableFile('survey_trend', 'parquet'), why: NO_SURVEYS },
  },
  accounts: {
    question: 'How much of what the files delivered is taken, and what is left out by which rule?',
    country: `
  SELECT file, "column", fate, reason, year, numbers, blank, text, zero, negative, fractional, sum
  FROM accounts ORDER BY file, "column" NULLS FIRST, fate, reason, year`,
  },
  model: {
    question: 'How well does the transmission model describe the reported cases?',
    country: `
  SELECT state_code, state, fit_correlation, array_to_string(months_with_infection_growing, ' ') AS months_growing,
    share_of_transmission_year_round AS year_round_share
  FROM (SELECT unnest(states, max_depth := 2) FROM read_json($model)) ORDER BY state_code`,
    needs: needsTransmission,
  },
  cases: {
    question:
      'How many cases were reported each month, and how many are modelled? ' +
      '(Per 1,000 people, unless limits in the answer transmission/model give another unit)',
    country: `
  WITH months AS (
    FROM (SELECT DISTINCT state_code, state FROM transmission_series JOIN context_states USING (state_code))
    CROSS JOIN (SELECT DISTINCT period FROM transmission_series)
    LEFT JOIN transmission_series USING (state_code, period))
  SELECT state_code, state, series, min(period) FILTER (cases IS NOT NULL) AS first,
    max(period) FILTER (cases IS NOT NULL) AS last, max(max(cases)) OVER (PARTITION BY state_code) AS highest,
    list(cases ORDER BY period) AS months
  FROM months UNPIVOT INCLUDE NULLS (cases FOR series IN (reported, modelled))
  GROUP BY state_code, state, series ORDER BY state_code, series DESC`,
    charts: { months: { kind: 'series', top: 'highest' } },
    needs: needsTransmission,
  },
  projections: {
    question: 'How far off were projections a year ahead, in cases per 1,000 people (mean absolute error)?',
    country: `
  WITH test AS (SELECT unnest(projection_test) FROM read_json($model))
  SELECT 'development' AS years, development.months, unnest(development.mean_absolute_error) FROM test
  UNION ALL BY NAME
  SELECT 'held back, ' || held_back_year AS years, held_back.months, unnest(held_back.mean_absolute_error) FROM test`,
    needs: needsTransmission,
  },
};
