/** Answers about versions as if the snapshot were the only one: examples for the API description. */
import type * as schemas from '../../contract/schemas.ts';
import { CONTRACT_VERSION } from '../../contract/version.ts';
import type { Contents } from './contents.ts';

/** The answer to `/v1/versions`. */
export function exampleVersions({ model_version, model, coverage }: Contents): schemas.Versions {
  const { first_estimated, last_estimated, last_forecast } = coverage;
  const identity = { model_version, updated_at: model.updated_at, contract_version: CONTRACT_VERSION };
  const status = { status: 'current' as const, path: `/v1/versions/${model_version}`, replaced_at: null, sunset: null };
  const versions = [{ ...identity, ...status, first_estimated, last_estimated, last_forecast }];
  return { current: model_version, versions, releases: [] };
}

/** The diff of the snapshot with itself, which is empty. */
export function exampleDiff({ model_version, model, tables }: Contents): schemas.VersionsDiff {
  const { risk_lgas, forecasts_lgas, risk_states } = tables;
  const [{ state_code, lga_code, period }] = risk_lgas as [(typeof risk_lgas)[number]];
  const lgas = [...risk_lgas, ...forecasts_lgas];
  const emptyTally = (rows: readonly unknown[]) => ({
    compared: rows.length,
    moved: 0,
    flipped: 0,
    disjoint: 0,
    mean_change: 0,
    mean_absolute_change: 0,
    largest_change: 0,
  });
  const noAreas = { lgas: [], periods: [] };
  return {
    from: model_version,
    to: model_version,
    score_change: model.parameters.diff.score_change,
    all: emptyTally(lgas),
    state_scores: emptyTally(risk_states),
    states: [{ state_code, ...emptyTally(lgas.filter((row) => row.state_code === state_code)) }],
    lgas: [{ state_code, lga_code, ...emptyTally(lgas.filter((row) => row.lga_code === lga_code)) }],
    periods: [{ period, ...emptyTally(lgas.filter((row) => row.period === period)) }],
    levels_flipped: [],
    largest: [],
    only_in_from: noAreas,
    only_in_to: noAreas,
  };
}
