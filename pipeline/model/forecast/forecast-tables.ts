import { period } from '../../contract/columns.ts';
import { real, text, whole } from '../../lib/tables/table.ts';

/** `long`: state records that start years before the others; their older months are forecast too. */
export type AreaLevel = 'lga' | 'state' | 'long';

export const horizon_months = whole('Months after the last month of case records, 1 to 4');
const quantiles = {
  q05: real('Confirmed cases: 5% quantile of the forecast'),
  q25: real('25% quantile'),
  q50: real('Median'),
  q75: real('75% quantile'),
  q95: real('95% quantile'),
};

/** Forecasts of the records, with the model's own ranges. */
export const CASES = {
  name: 'forecast/cases',
  row: 'An area with case records in a forecast month',
  columns: {
    area: text<'state' | 'lga'>('`state` or `lga`'),
    code: text('`state_code` or `lga_code`'),
    period,
    horizon_months,
    last_cases: text('Last month of the case records used by the forecast, YYYY-MM'),
    ...quantiles,
  },
};
