import { period, state_code } from '../columns.ts';
import { orNull, real, text, whole } from '../table.ts';

/** `long`: the state records that begin years before the others, whose older months are forecast too. */
export type AreaLevel = 'lga' | 'state' | 'long';

const horizon_months = whole('Months past the last month of case records, 1 to 4');
const quantiles = {
  q05: real('Confirmed cases that 5% of what may come lie below'),
  q25: real('The same of 25%'),
  q50: real('Median: as likely too high as too low'),
  q75: real('The same of 75%'),
  q95: real('The same of 95%'),
};

/** Forecasts of the records, their ranges as the model has them. */
export const CASES = {
  row: 'An area with case records in a month to come',
  columns: {
    area: text<'state' | 'lga'>('`state` or `lga`'),
    code: text('`state_code` or `lga_code`'),
    period,
    horizon_months,
    last_cases: text('Last month of the case records that the forecast saw, YYYY-MM'),
    ...quantiles,
  },
};

export const SKILL = {
  row: 'A method, forecasting areas of a kind from origins of a time, so many months ahead',
  columns: {
    area_level: text<AreaLevel>(
      'lga; state: sums of their LGAs or own records; long: states whose own records begin years before the others',
    ),
    origins: text('Year of the months that were forecast from, or all'),
    method: text('case_model, or one of the simple methods that it has to beat (forecast/MODEL.md)'),
    horizon_months: orNull(whole('Months ahead, 1 to 4; null: all')),
    forecasts: whole('Forecasts scored'),
    log_mae: real('Mean of |ln median - ln observed|: .25 is wrong by a factor of 1.28'),
    crps_log: real('Continuous ranked probability score of ln cases; less is better'),
    coverage_50: real('Share of observed values between the quartiles; .5 is right'),
    coverage_90: real('Share between the 5% and the 95% quantile; .9 is right'),
    crps_per_1000: orNull(real('The score of cases per 1,000 people; null where their number is unknown')),
  },
};

export const STRETCH = {
  row: 'So many months ahead for areas of a kind: how much wider past errors ask ranges of the case model to be',
  columns: {
    area: text<'state' | 'lga'>('`state` or `lga`'),
    horizon_months,
    inner: real('Factor of the distance from the median, in logarithms, up to the quartiles'),
    outer: real('The same from 5 and 95% on'),
  },
};

export const PAST = {
  row: 'A forecast of a state that the backtest made, and what then was reported; of the horizons that the report draws',
  columns: {
    state_code,
    horizon_months,
    period: text('The month that was forecast, YYYY-MM'),
    observed: real('Cases reported in it, as a share of the mean of all observed here for the state'),
    q05: real('5% quantile of the forecast, as the same share'),
    q50: real('Median'),
    q95: real('95% quantile'),
  },
};

export const SHIFT = {
  row: 'A state in a month after its last survey whose scores case records move (no row: the usual season alone)',
  columns: {
    state_code,
    period,
    basis: text<'cases' | 'nation'>(
      'cases: its own record; nation: what carries over from the records of other states',
    ),
    deviation: real('ln cases less the usual of the record, its straight line and calendar months'),
    deviation_sd: real('Standard deviation of what the deviation leaves open'),
    at_survey: real('The deviation during the last survey; 0 where unknown'),
    elasticity: real('Logit prevalence for a unit of ln cases'),
    elasticity_sd: real('Standard deviation of that'),
    spread: real('Standard deviation of what states do besides, logit'),
  },
};
