import { periodRange } from '../../contract/months.ts';
import {
  type Coverage,
  type FileParameters,
  FORECAST_MONTHS,
  filePath,
  forecastPeriods,
  OPERATIONS,
  type OperationId,
} from '../../contract/operations.ts';
import type * as schemas from '../../contract/schemas.ts';

/** Whether each answer is about what its name says: its state, its month, its months ahead. */
export function placeFaults(coverage: Coverage, answers: ReadonlyMap<string, unknown>): string[] {
  const faults: string[] = [];
  const look = <T>(id: OperationId, values: FileParameters, expected: string, about: (answer: T) => string) => {
    const file = filePath(OPERATIONS.find((operation) => operation.id === id)!, values);
    if (!answers.has(file)) return;
    const found = about(answers.get(file) as T);
    if (found !== expected) faults.push(`${file}: is about ${found || 'nothing'}, expected ${expected}`);
  };
  const { states, first_estimated, last_estimated } = coverage;
  for (const period of periodRange(first_estimated, last_estimated)) {
    look<schemas.RiskStates>('risk-states', { period }, period, (answer) => answer.period);
    for (const state of states)
      look<schemas.RiskLgas>('risk-lgas', { period, state }, `${state} ${period}`, (answer) =>
        [answer.state_code, answer.period].join(' '),
      );
  }
  for (let months = 1; months <= FORECAST_MONTHS; months++) {
    const ahead = forecastPeriods(coverage).slice(0, months);
    look<schemas.ForecastsStates>('forecasts-states', { months }, ahead.join(', '), ({ forecasts }) =>
      forecasts.map(({ period }) => period).join(', '),
    );
    for (const state of states) {
      const expected = ahead.map((period) => `${state} ${period}`).join(', ');
      look<schemas.ForecastsLgas>('forecasts-lgas', { months, state }, expected, ({ forecasts }) =>
        forecasts.map(({ state_code, period }) => `${state_code} ${period}`).join(', '),
      );
    }
  }
  for (const state of states) {
    look<schemas.BoundariesLgas>('boundaries-lgas', { state }, state, ({ features }) =>
      [...new Set(features.map(({ properties }) => properties.state))].join(', '),
    );
    look<schemas.ContextLgas>('context-lgas', { state }, state, ({ state_code }) => state_code);
    look<schemas.TransmissionLgas>('transmission-lgas', { state }, state, ({ state_code }) => state_code);
  }
  return faults;
}
