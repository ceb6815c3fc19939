import { state_code } from '../../contract/columns.ts';
import { orNull, real, text, whole } from '../../lib/tables/table.ts';
import { type AreaLevel, horizon_months } from '../../model/forecast/forecast-tables.ts';

export const SKILL = {
  name: 'backtest/skill',
  row: 'A method, a level of areas, a period of origins and a horizon',
  columns: {
    area_level: text<AreaLevel>(
      '`lga`; `state`: sums of their {lga.many} or own records; `long`: {state.many} whose own records start years before the others',
    ),
    origins: text('Year of the origins, the months from which forecasts were made, or all'),
    method: text('case_model, or one of the simple methods with which it is compared (forecast/MODEL.md)'),
    horizon_months: orNull(whole('Months ahead, 1 to 4; null: all')),
    forecasts: whole('Number of forecasts scored'),
    log_mae: real('Mean of |ln median - ln observed|: .25 means an error by a factor of 1.28'),
    crps_log: real('Continuous ranked probability score of ln cases; lower is better'),
    coverage_50: real('Share of observed values between the quartiles; ideally .5'),
    coverage_90: real('Share of observed values between the 5% and the 95% quantiles; ideally .9'),
    crps_per_1000: orNull(real('The same score for cases per 1,000 people; null if the population is unknown')),
  },
};

export const STRETCH = {
  name: 'backtest/stretch',
  row: "A level of areas and a horizon: factors by which past errors require the case model's ranges to be scaled",
  columns: {
    area: text<'state' | 'lga'>('`state` or `lga`'),
    horizon_months,
    inner: real('Factor of the distance from the median, in logarithms, up to the quartiles'),
    outer: real('The same from 5 and 95% outwards'),
  },
};

export const PAST = {
  name: 'backtest/past',
  row: 'A forecast of {a.state} made in the backtest, with the cases then reported; for the horizons drawn in the report',
  columns: {
    state_code,
    horizon_months,
    period: text('The forecast month, YYYY-MM'),
    observed: real(
      "Cases reported in that month, relative to the mean of the {state.one}'s observed values in this table",
    ),
    q05: real('5% quantile of the forecast, on the same scale'),
    q50: real('Median'),
    q95: real('95% quantile'),
  },
};
