import { area, code, horizon_months, period } from '../../contract/fields.ts';
import { choice, orNull, real, text, whole, withMeaning } from '../../lib/tables/table.ts';

/** `long`: state records that start years before the others; their older months are forecast too. */
export type AreaLevel = 'lga' | 'state' | 'long';

/** How far ahead a forecast of cases is. */
export const months_after_cases = withMeaning('Months after the last month of case records', horizon_months);
export const quantiles = {
  q05: real('Confirmed cases: 5% quantile of the forecast'),
  q25: real('25% quantile'),
  q50: real('Median'),
  q75: real('75% quantile'),
  q95: real('95% quantile'),
};

/** What a forecast of an area rests on. */
export const forecast_basis = choice(
  ['record', 'sum_of_parts'],
  'record: the record of the area itself; sum_of_parts: joint forecasts of the {lga.many} of {a.state}, added up. Of the two, that with the lower CRPS in the backtest; without one, or if the last month of the record is unknown, the sum',
);

/** Forecasts of the records, with the model's own ranges. A state may have one of each basis. */
export const CASES = {
  name: 'forecast/cases',
  row: 'An area with case records in a forecast month, by basis',
  columns: {
    area,
    code,
    period,
    horizon_months: months_after_cases,
    last_cases: orNull(
      text('Last month of which the record has a value, or that of one of the parts, YYYY-MM'),
      'null if there is none',
    ),
    basis: forecast_basis,
    ...quantiles,
  },
};

/** Joint draws with the quantiles of the forecasts, from which totals are made. */
export const DRAWS = {
  name: 'forecast/draws',
  row: 'A draw of the forecast of an area with case records in a forecast month, by basis',
  columns: {
    area,
    code,
    horizon_months: months_after_cases,
    basis: forecast_basis,
    draw: whole('Its number: draws of one number are one course of all areas of a kind over all months'),
    cases: real('Confirmed cases'),
  },
};
