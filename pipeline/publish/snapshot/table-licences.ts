import { combineLicences, type Licence } from '../../catalog/licences.ts';
import { type Role, roleDefinition } from '../../catalog/roles.ts';
import type { Source } from '../../catalog/sources.ts';
import { TABLE_NAMES, type TableName } from '../../contract/table-list.ts';
import type { CacheKey } from '../../engine/cache-key.ts';

const SCORES = ['risk/lgas', 'context/lgas'];
const CASES = ['forecast/draws', 'backtest/stretch', 'alerts/areas'];
const BASIS = ['ingest/clusters', 'ingest/area_rounds', 'ingest/cases', 'backtest/skill'];

/** The artifacts behind each table's figures. Spellings of names (`ingest/other_names`) are no figures. */
export const TABLE_ARTIFACTS: Readonly<Record<TableName, readonly string[]>> = {
  risk_lgas: SCORES,
  risk_states: SCORES,
  forecasts_lgas: SCORES,
  forecasts_states: SCORES,
  probabilities: ['risk/probabilities'],
  changes: ['risk/changes'],
  forecasts_cases: CASES,
  forecasts_totals: CASES,
  incidence: ['context/lgas', 'ingest/cases', 'ingest/census', 'ingest/people', 'zonal/people'],
  forecast_skill: ['backtest/skill'],
  alerts: ['alerts/areas'],
  basis: BASIS,
  context_states: ['context/states'],
  context_lgas: ['context/lgas'],
  season: ['season/lgas'],
  season_windows: ['season/windows'],
  survey_trend: ['survey/trend'],
  transmission_series: ['transmission/model'],
  boundaries_lgas: ['boundaries/outlines'],
  boundaries_states: ['boundaries/outlines'],
  places: ['boundaries/outlines'],
  accounts: ['ingest/accounts'],
};

/** What a stage read, of catalog entries and artifacts, as the engine records it. */
type StageInputs = Pick<CacheKey, 'stage' | 'inputs'>;

/** What may be done with each table, and with all together. @param entries those of all stages, in the order of a build */
export function tableLicences(sources: readonly Source[], entries: readonly StageInputs[]) {
  const listSources = artifactSources(sources, entries);
  const licence = (artifacts: readonly string[]) => {
    const ids = new Set(artifacts.flatMap((name) => [...listSources(name)]));
    return combineLicences(sources.filter(({ id }) => ids.has(id)));
  };
  const tables = Object.fromEntries(TABLE_NAMES.map((name) => [name, licence(TABLE_ARTIFACTS[name])]));
  return { whole: combineLicences(sources), tables: tables as Record<TableName, Licence> };
}

/** @returns a function that gives the ids of the sources behind an artifact, through all stages */
function artifactSources(sources: readonly Source[], entries: readonly StageInputs[]) {
  const inputs = new Map(entries.map((entry) => [entry.stage, Object.keys(entry.inputs)]));
  return function listSources(artifact: string): Set<string> {
    const [stage, output] = artifact.split('/') as [string, string];
    const read = inputs.get(stage) ?? [];
    const isMadeOf = (role: Role) => {
      const { outputs = [output] } = roleDefinition(role);
      return stage !== 'ingest' || output === 'accounts' || outputs.includes(output);
    };
    const direct = sources.filter(({ id, role }) => read.includes(`catalog ${id}`) && isMadeOf(role));
    const artifacts = read.filter((name) => !/^(catalog|raw) /.test(name));
    return new Set([...direct.map(({ id }) => id), ...artifacts.flatMap((name) => [...listSources(name)])]);
  };
}
