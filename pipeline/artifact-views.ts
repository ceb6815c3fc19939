import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Manifest } from './contract/manifest.ts';
import { type Database, literal } from './duckdb.ts';
import { entryDirectory } from './engine/cache.ts';

/** A JSON artifact of one value, as this type. */
const value = (type: string) => (file: string) =>
  `(SELECT json AS v FROM read_json(${file}, records = false, columns = {json: ${literal(type)}}))`;

const AREAS = value(
  'STRUCT(states STRUCT(state_code VARCHAR, state_pcode VARCHAR, state VARCHAR, zone VARCHAR)[], lgas STRUCT(lga_code VARCHAR, lga VARCHAR, state_code VARCHAR)[])',
);
const CLUSTER =
  'STRUCT(cluster_id VARCHAR, survey_year INTEGER, period VARCHAR, state_code VARCHAR, lga_code VARCHAR, longitude DOUBLE, latitude DOUBLE, displaced BOOLEAN, urban BOOLEAN, examined DOUBLE, positivity DOUBLE, weight DOUBLE)';
const SURVEYS = value(
  `STRUCT(clusters ${CLUSTER}[], state_rounds STRUCT(survey_year INTEGER, period VARCHAR, state_code VARCHAR, positivity DOUBLE)[])`,
);
const CASES = value(
  `STRUCT(states STRUCT(state_code VARCHAR, first VARCHAR, confirmed DOUBLE[])[], lgas STRUCT(state_code VARCHAR, lga_code VARCHAR, first VARCHAR, confirmed DOUBLE[])[])`,
);
const CELLS = ['longitude', 'latitude', 'population', 'population_density', 'urban_share', 'elevation_m'];
const SEASON =
  'STRUCT(peak_month INTEGER, season_start_month INTEGER, season_end_month INTEGER, season_months INTEGER, high_months INTEGER[], seasonal_index DOUBLE[])';
const SCORES = value(
  'STRUCT(periods VARCHAR[], areas MAP(VARCHAR, STRUCT(score DOUBLE[], score_low DOUBLE[], score_high DOUBLE[])))',
);

const rows = (of: (file: string) => string, list: string) => (file: string) =>
  `SELECT unnest(v.${list}, recursive := true) FROM ${of(file)}`;
const byCode = (type: string) => (file: string) =>
  `SELECT e.key AS code, unnest(e.value) FROM (SELECT unnest(map_entries(v)) AS e FROM ${value(`MAP(VARCHAR, ${type})`)(file)})`;
/** The month `i`, from 1, of a series that begins in the month `first`. */
const month = (first: string, i: string) =>
  `strftime(strptime(${first} || '-01', '%Y-%m-%d') + to_months(${i} - 1), '%Y-%m')`;
const cases = (list: string) => (file: string) =>
  `SELECT * EXCLUDE (first, confirmed, i), ${month('first', 'i')} AS period, confirmed[i] AS confirmed
   FROM (SELECT *, unnest(range(1, len(confirmed) + 1)) AS i FROM (${rows(CASES, list)(file)}))`;
const scores = (file: string) =>
  `SELECT e.key AS code, unnest(v.periods) AS period, unnest(e.value.score) AS score, unnest(e.value.score_low) AS score_low,
     unnest(e.value.score_high) AS score_high FROM (SELECT v, unnest(map_entries(v.areas)) AS e FROM ${SCORES(file)})`;

/** Artifacts that are rows, as views: `stage.view`, of which artifact, and its SELECT. Figures are not rounded. */
const VIEWS: Record<string, [artifact: string, select: (file: string) => string]> = {
  'ingest.states': ['areas', rows(AREAS, 'states')],
  'ingest.lgas': ['areas', rows(AREAS, 'lgas')],
  'ingest.clusters': ['surveys', rows(SURVEYS, 'clusters')],
  'ingest.state_rounds': ['surveys', rows(SURVEYS, 'state_rounds')],
  'ingest.cases_states': ['cases', cases('states')],
  'ingest.cases_lgas': ['cases', cases('lgas')],
  'ingest.census': ['census', byCode('STRUCT(people DOUBLE, children_0_4 DOUBLE)')],
  'zonal.lgas': [
    'lgas',
    (file) =>
      `FROM read_json(${file}, columns = {lga_code: 'VARCHAR', population: 'DOUBLE', urban_population: 'DOUBLE', elevation_m: 'DOUBLE', layers: 'MAP(VARCHAR, DOUBLE)'})`,
  ],
  'zonal.cells': [
    'cells',
    (file) =>
      `SELECT unnest(lga_code) AS lga_code, ${CELLS.map((name) => `unnest(${name}) AS ${name}`)}
       FROM read_json(${file}, columns = {lga_code: 'VARCHAR[]', ${CELLS.map((name) => `${name}: 'DOUBLE[]'`)}}, maximum_object_size = 1000000000)`,
  ],
  'context.lgas': ['lgas', (file) => `FROM read_json(${file})`],
  'context.states': ['states', (file) => `FROM read_json(${file})`],
  'season.states': ['states', byCode(SEASON)],
  'season.lgas': ['lgas', byCode(SEASON)],
  'risk.states': ['states', scores],
  'risk.lgas': ['lgas', scores],
};

/**
 * Gives the artifacts that a snapshot was made of as views, as far as the cache still has them.
 * @returns the files that the views read
 */
export async function createArtifactViews(db: Database, cache: string, { stages }: Manifest): Promise<string[]> {
  const files: string[] = [];
  for (const [name, [artifact, select]] of Object.entries(VIEWS)) {
    const [stage] = name.split('.');
    const key = stages.find((record) => record.stage === stage)?.key;
    const file = key && path.resolve(entryDirectory(cache, stage!, key), `${artifact}.json`);
    if (!file || !existsSync(file)) continue;
    await db.run(`CREATE SCHEMA IF NOT EXISTS ${stage}`);
    await db.run(`CREATE VIEW ${name} AS ${select(literal(file))}`);
    files.push(file);
  }
  return files;
}
