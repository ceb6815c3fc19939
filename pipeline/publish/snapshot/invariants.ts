import { nestingFaults, outlineFaults, polygonsOf } from '../../boundaries/outline-check.ts';
import type { Manifest } from '../../contract/manifest.ts';
import { OPERATIONS, type OperationId, operationFiles } from '../../contract/operations.ts';
import type * as schemas from '../../contract/schemas.ts';
import { seasonRun } from '../../season/high-season.ts';
import { levelOf } from './documents.ts';
import { agreementFaults } from './invariants-agree.ts';
import { placeFaults } from './invariants-place.ts';

/** What must hold across the answers of a snapshot, beyond each answer's schema. Answers that are missing are passed over. */
export function invariantFaults(manifest: Manifest, answers: ReadonlyMap<string, unknown>): string[] {
  const { coverage } = manifest;
  const all = <T>(id: OperationId): [string, T][] =>
    operationFiles(OPERATIONS.find((operation) => operation.id === id)!, coverage).flatMap((file) =>
      answers.has(file) ? [[file, answers.get(file) as T] as [string, T]] : [],
    );
  const faults: string[] = [];
  const expect = (holds: boolean, fault: string) => {
    if (!holds) faults.push(fault);
  };

  const lgaOutlines = all<schemas.BoundariesLgas>('boundaries-lgas').flatMap(([, { features }]) => features);
  const stateOutlines = all<schemas.BoundariesStates>('boundaries-states').flatMap(([, { features }]) => features);
  const lgasOf = Map.groupBy(lgaOutlines, ({ properties }) => properties.state);
  const codes = (state: string) => (lgasOf.get(state) ?? []).map(({ properties }) => properties.lgaCode).sort();
  const states = [...coverage.states].sort();
  expect(
    lgaOutlines.length === manifest.counts.lgas,
    `${lgaOutlines.length} LGA outlines, the manifest says ${manifest.counts.lgas}`,
  );
  expect(
    new Set(lgaOutlines.map(({ properties }) => properties.lgaCode)).size === lgaOutlines.length,
    'an LGA has two outlines',
  );
  expect(
    same(stateOutlines.map(({ properties }) => properties.code).sort(), states),
    'state outlines: not the states of the manifest',
  );
  const coded = {
    lgas: lgaOutlines.map(({ properties, geometry }) => ({
      code: properties.lgaCode,
      state_code: properties.state,
      polygons: polygonsOf(geometry),
    })),
    states: stateOutlines.map(({ properties, geometry }) => ({
      code: properties.code,
      state_code: properties.code,
      polygons: polygonsOf(geometry),
    })),
  };
  faults.push(...[...coded.lgas, ...coded.states].flatMap(outlineFaults), ...nestingFaults(coded.lgas, coded.states));

  const checkLgas = (where: string, report: Omit<schemas.RiskLgas, 'kind'>) => {
    expect(
      same(report.lgas.map(({ lga_code }) => lga_code).sort(), codes(report.state_code)),
      `${where}: not the LGAs of ${report.state_code}`,
    );
    faults.push(...scoreFaults(where, report.lgas, ({ lga_code }) => lga_code));
  };
  const checkStates = (where: string, report: Omit<schemas.RiskStates, 'kind'>) => {
    expect(
      same(report.states.map(({ state_code }) => state_code).sort(), states),
      `${where}: not the states of the manifest`,
    );
    faults.push(...scoreFaults(where, report.states, ({ state_code }) => state_code));
  };
  faults.push(...placeFaults(coverage, answers), ...agreementFaults(coverage, answers));
  for (const [file, report] of all<schemas.RiskLgas>('risk-lgas')) checkLgas(file, report);
  for (const [file, report] of all<schemas.RiskStates>('risk-states')) checkStates(file, report);
  for (const [file, { forecasts }] of all<schemas.ForecastsLgas>('forecasts-lgas'))
    for (const report of forecasts) checkLgas(`${file} ${report.period}`, report);
  for (const [file, { forecasts }] of all<schemas.ForecastsStates>('forecasts-states'))
    for (const report of forecasts) checkStates(`${file} ${report.period}`, report);
  for (const [file, { states: rows }] of all<schemas.ContextStates>('context-states'))
    expect(same(rows.map(({ state_code }) => state_code).sort(), states), `${file}: not the states of the manifest`);
  for (const [file, { state_code, lgas }] of all<schemas.ContextLgas>('context-lgas'))
    expect(
      same(lgas.map(({ lga_code }) => lga_code).sort(), codes(state_code)),
      `${file}: not the LGAs of ${state_code}`,
    );
  for (const [file, { state_code, lgas }] of all<schemas.TransmissionLgas>('transmission-lgas')) {
    expect(
      same(lgas.map(({ lga_code }) => lga_code).sort(), codes(state_code)),
      `${file}: not the LGAs of ${state_code}`,
    );
    for (const { lga_code, season } of lgas) faults.push(...seasonFaults(`${file} ${lga_code}`, season));
  }
  for (const [file, { national, states: rows }] of all<schemas.TransmissionStates>('transmission-states')) {
    expect(same(rows.map(({ state_code }) => state_code).sort(), states), `${file}: not the states of the manifest`);
    faults.push(...seasonFaults(`${file} national`, national.season));
    for (const { state_code, season } of rows) faults.push(...seasonFaults(`${file} ${state_code}`, season));
  }
  for (const [file, { last_estimated, last_forecast, model_version, updated_at }] of all<schemas.Periods>('periods')) {
    expect(
      last_estimated === coverage.last_estimated && last_forecast === coverage.last_forecast,
      `${file}: other months than the manifest's`,
    );
    expect(
      model_version === manifest.model_version && updated_at === manifest.updated_at,
      `${file}: another version than the manifest's`,
    );
  }
  return faults;
}

const same = (a: readonly string[], b: readonly string[]) =>
  a.length === b.length && a.every((value, i) => value === b[i]);

function scoreFaults<T extends Pick<schemas.LgaRisk, 'score' | 'score_low' | 'score_high' | 'level'>>(
  where: string,
  rows: readonly T[],
  code: (row: T) => string,
): string[] {
  return rows.flatMap((row, i) => {
    const before = rows[i - 1];
    const faults: string[] = [];
    if (!(row.score_low <= row.score && row.score <= row.score_high))
      faults.push(`${where} ${code(row)}: score ${row.score} outside ${row.score_low} to ${row.score_high}`);
    if (row.level !== levelOf(row.score))
      faults.push(`${where} ${code(row)}: level ${row.level} for a score of ${row.score}`);
    if (before && (before.score < row.score || (before.score === row.score && code(before) > code(row))))
      faults.push(`${where} ${code(row)}: out of order`);
    return faults;
  });
}

function seasonFaults(where: string, season: schemas.Season): string[] {
  const index = season.seasonal_index;
  const faults: string[] = [];
  if (index[season.peak_month - 1] !== 1 || Math.max(...index) !== 1)
    faults.push(`${where}: the index at its peak is not 1`);
  const high = index.flatMap((value, i) => (value >= 0.5 ? [i + 1] : []));
  if (high.join() !== season.high_months.join())
    faults.push(`${where}: high_months are not those at half the peak or more`);
  const { first, months } = seasonRun(
    index.map((value) => value >= 0.5),
    season.peak_month - 1,
  );
  const [start, end] = [first + 1, ((first + months - 1) % 12) + 1];
  if (season.season_start_month !== start || season.season_end_month !== end || season.season_months !== months)
    faults.push(`${where}: the season is not the run of high months around the peak, ${start} to ${end}`);
  return faults;
}
