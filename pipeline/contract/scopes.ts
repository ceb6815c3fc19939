import { FORECAST_MONTHS } from './months.ts';

/** The scopes of keys: what each allows its holder to read. */
export const SCOPES = {
  risk_scores: 'Estimated risk, context, season and transmission',
  forecasts: `Forecast risk, up to ${FORECAST_MONTHS} months ahead`,
  lga_boundaries: 'Outlines of {state.many} and {lga.many}',
} as const;
export type Scope = keyof typeof SCOPES;
