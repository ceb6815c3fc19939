import { DECIMALS } from '../../contract/decimals.ts';
import type { Coverage } from '../../contract/operations.ts';
import { FORECAST_MONTHS, OPERATIONS, type OperationId, operationFiles } from '../../contract/operations.ts';
import type * as schemas from '../../contract/schemas.ts';

/** A step of a published score. */
const STEP = 10 ** -DECIMALS.score!;

type LgaReport = Omit<schemas.RiskLgas, 'kind'>;
type StateReport = Omit<schemas.RiskStates, 'kind'>;

/**
 * Whether answers agree where they tell the same: names, people and urban of an area; a state's people and score with
 * those of its LGAs; forecasts of fewer months with those of more.
 */
export function agreementFaults(coverage: Coverage, answers: ReadonlyMap<string, unknown>): string[] {
  const faults: string[] = [];
  const filesOf = (id: OperationId) => operationFiles(OPERATIONS.find((one) => one.id === id)!, coverage);
  const all = <T>(id: OperationId): [string, T][] =>
    filesOf(id).flatMap((file) => (answers.has(file) ? [[file, answers.get(file) as T] as [string, T]] : []));

  /** What was first told of an area, and where. */
  const told = new Map<string, { value: unknown; file: string }>();
  const agree = (file: string, code: string, fields: Record<string, unknown>) => {
    for (const [field, value] of Object.entries(fields)) {
      const before = told.get(`${code} ${field}`);
      if (!before) told.set(`${code} ${field}`, { value, file });
      else if (before.value !== value)
        faults.push(`${file} ${code}: ${field} ${value}, but ${before.value} in ${before.file}`);
    }
  };
  const people = new Map<string, number>();
  for (const [file, { states }] of all<schemas.ContextStates>('context-states'))
    for (const { state_code, state, zone, population, lgas } of states)
      agree(file, state_code, { state, zone, population, lgas });
  for (const [file, { state_code, state, lgas }] of all<schemas.ContextLgas>('context-lgas')) {
    for (const { lga_code, lga, population, is_urban } of lgas) agree(file, lga_code, { lga, population, is_urban });
    people.set(state_code, sum(lgas.map(({ population }) => population)));
    agree(file, state_code, { state, population: people.get(state_code), lgas: lgas.length });
  }
  for (const [file, { features }] of all<schemas.BoundariesStates>('boundaries-states'))
    for (const { properties } of features) agree(file, properties.code, { state: properties.name });
  for (const [file, { features }] of all<schemas.BoundariesLgas>('boundaries-lgas'))
    for (const { properties } of features) agree(file, properties.lgaCode, { lga: properties.lga });
  for (const [file, { states }] of all<schemas.TransmissionStates>('transmission-states'))
    for (const { state_code, state, zone } of states) agree(file, state_code, { state, zone });
  for (const [file, { lgas }] of all<schemas.TransmissionLgas>('transmission-lgas'))
    for (const { lga_code, lga } of lgas) agree(file, lga_code, { lga });

  const lgaReports: [string, LgaReport][] = [
    ...all<schemas.RiskLgas>('risk-lgas'),
    ...all<schemas.ForecastsLgas>('forecasts-lgas').flatMap(([file, { forecasts }]) =>
      forecasts.map((report): [string, LgaReport] => [file, report]),
    ),
  ];
  const stateReports: [string, StateReport][] = [
    ...all<schemas.RiskStates>('risk-states'),
    ...all<schemas.ForecastsStates>('forecasts-states').flatMap(([file, { forecasts }]) =>
      forecasts.map((report): [string, StateReport] => [file, report]),
    ),
  ];
  const means = new Map<string, { score: number; slack: number }>();
  for (const [file, { period, state_code, state, lgas }] of lgaReports) {
    agree(file, state_code, { state });
    for (const { lga_code, lga, population, is_urban } of lgas) agree(file, lga_code, { lga, population, is_urban });
    means.set(`${state_code} ${period}`, meanOf(lgas));
  }
  for (const [file, { period, states }] of stateReports)
    for (const { state_code, state, zone, population, score } of states) {
      agree(file, state_code, { state, zone, population });
      const mean = means.get(`${state_code} ${period}`);
      if (mean && Math.abs(mean.score - score) > mean.slack)
        faults.push(`${file} ${state_code} ${period}: score ${score}, but its LGAs' make ${mean.score.toFixed(4)}`);
    }

  for (const id of ['forecasts-states', 'forecasts-lgas'] as const)
    for (const [file, { forecasts }] of all<{ forecasts: unknown[] }>(id)) {
      const longest = file.replace(/\/\d+(\/|\.json)/, `/${FORECAST_MONTHS}$1`);
      const most = answers.get(longest) as { forecasts: unknown[] } | undefined;
      if (most && JSON.stringify(forecasts) !== JSON.stringify(most.forecasts.slice(0, forecasts.length)))
        faults.push(`${file}: other forecasts than ${longest}`);
    }
  return faults;
}

const sum = (values: readonly number[]) => values.reduce((a, b) => a + b, 0);

/** The state's score that LGAs' published figures make, and how far rounding can take it from the one published. */
function meanOf(lgas: readonly Pick<schemas.LgaRisk, 'score' | 'population'>[]) {
  const people = sum(lgas.map(({ population }) => population));
  const score = sum(lgas.map(({ population, score: own }) => population * own)) / people;
  // Half a step on either side, half a person in each LGA.
  return { score, slack: 1.01 * STEP + (0.5 * lgas.length) / people };
}
