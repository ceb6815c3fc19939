import { area, period, skill, state_code } from '../../contract/fields.ts';
import { flag, real, withMeaning } from '../../lib/tables/table.ts';
import { forecast_basis, months_after_cases } from '../../model/forecast/forecast-tables.ts';

export const SKILL = {
  name: 'backtest/skill',
  row: 'A method, a level of areas, a period of origins and a horizon',
  columns: skill,
};

export const STRETCH = {
  name: 'backtest/stretch',
  row: "A level of areas, a basis and a horizon: factors by which past errors require the case model's ranges to be scaled",
  columns: {
    area,
    basis: forecast_basis,
    is_better: flag('Whether it has the lower CRPS of ln(1 + cases), over the forecasts made on both bases'),
    horizon_months: months_after_cases,
    inner: real('Factor of the distance from the median, in ln(1 + cases), up to the quartiles'),
    outer: real('The same from 5 and 95% outwards'),
  },
};

export const PAST = {
  name: 'backtest/past',
  row: 'A forecast of {a.state} made in the backtest, with the cases then reported; for the horizons drawn in the report',
  columns: {
    state_code,
    horizon_months: months_after_cases,
    period: withMeaning('The forecast month', period),
    observed: real(
      "Cases reported in that month, relative to the mean of the {state.one}'s observed values in this table",
    ),
    q05: real('5% quantile of the forecast, on the same scale'),
    q50: real('Median'),
    q95: real('95% quantile'),
  },
};
