/**
 * The tables of a snapshot: what the stages handed on, joined by code and rounded as published. The answers, the report
 * and the checks are all made of them.
 */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Areas, ContextByLga, ContextByState, LgaArea, Outlines, Scores, Trend } from '../../artifacts.ts';
import { roundFields } from '../../contract/decimals.ts';
import type { Period } from '../../contract/months.ts';
import { type Coverage, forecastPeriods } from '../../contract/operations.ts';
import type * as schemas from '../../contract/schemas.ts';
import { LEVELS, ZONES } from '../../contract/schemas.ts';
import { type Database, literal, withDatabase } from '../../duckdb.ts';
import { geoMetadata } from './geoparquet.ts';
import { describeTables, TABLES, type TableName } from './table-columns.ts';
import type { Tree } from './tree.ts';
import { fromWkb, toWkb } from './wkb.ts';

type LgaScore = schemas.LgaRisk & { period: Period; state_code: string };
type StateScore = schemas.StateRisk & { period: Period };
type Ahead = { horizon_months: number };
type InState = { state_code: string };
type Outline = { geometry: schemas.AreaGeometry };

/** Rows by table, in the order in which answers list them. */
export interface Tables {
  risk_lgas: LgaScore[];
  risk_states: StateScore[];
  forecasts_lgas: (LgaScore & Ahead)[];
  forecasts_states: (StateScore & Ahead)[];
  context_states: schemas.ContextState[];
  context_lgas: (schemas.ContextLga & InState)[];
  season: {
    area: 'nation' | 'state' | 'lga';
    code: string | null;
    month: number;
    seasonal_index: number;
    is_high: boolean;
    is_peak: boolean;
  }[];
  survey_trend: (schemas.NationalSurveyTrend & { state_code: string | null })[];
  transmission_series: (schemas.TransmissionModel['states'][number]['series'][number] & InState)[];
  boundaries_lgas: (Outline & InState & Pick<schemas.LgaRisk, 'lga_code' | 'lga'>)[];
  boundaries_states: (Outline & InState & Pick<schemas.StateRisk, 'state' | 'zone'>)[];
}

/** The artifacts that tables are made of, or those of some states. */
export interface TableInput {
  coverage: Coverage;
  areas: Areas;
  outlines: Outlines;
  context: { lgas: ContextByLga; states: ContextByState };
  trend: Trend;
  season: {
    national: schemas.Season;
    states: Record<string, schemas.Season>;
    lgas: Record<string, schemas.Season>;
  };
  scores: { lgas: Scores; states: Scores };
  /** null where the country has no case records. */
  transmission: schemas.TransmissionModel | null;
}

/** Class of a rounded score. */
export function levelOf(score: number): schemas.Level {
  return LEVELS.find(({ below }) => score < below)!.level;
}

/** Makes the tables. Rules that depend on a number (level, order) are applied to the rounded one. */
export function makeTables({ coverage, areas, scores, season, trend, transmission, ...input }: TableInput): Tables {
  const { first_estimated, last_estimated } = coverage;
  const lgasOf = Map.groupBy(areas.lgas, ({ state_code }) => state_code);
  const states = areas.states.map((area) => ({ ...area, zone: ZONES[area.zone], lgas: lgasOf.get(area.state_code)! }));
  const byState = byCode(input.context.states, ({ state_code }) => state_code);
  const byLga = byCode(input.context.lgas, ({ lga_code }) => lga_code);
  const shapeOfState = byCode(input.outlines.states, ({ state_code }) => state_code);
  const shapeOfLga = byCode(input.outlines.lgas, ({ lga_code }) => lga_code);

  const stateScore = scoreReader(scores.states);
  const stateScores = (period: Period): StateScore[] =>
    states
      .map(({ state_code, state, zone }) => {
        const { population } = byState(state_code);
        return { period, state_code, state, zone, ...stateScore(state_code, period), population };
      })
      .sort(highestFirst(({ state_code }) => state_code));
  const lgaScore = scoreReader(scores.lgas);
  const lgaScores = (period: Period): LgaScore[] =>
    states.flatMap(({ state_code, lgas }) =>
      lgas
        .map(({ lga_code, lga }) => {
          const { is_urban, population } = byLga(lga_code);
          return { period, state_code, lga_code, lga, ...lgaScore(lga_code, period), is_urban, population };
        })
        .sort(highestFirst(({ lga_code }) => lga_code)),
    );
  const estimated = scores.lgas.periods.filter((period) => period >= first_estimated && period <= last_estimated);
  const ahead = <Row>(rowsOf: (period: Period) => Row[]) =>
    forecastPeriods(coverage).flatMap((period, i) => rowsOf(period).map((row) => ({ ...row, horizon_months: i + 1 })));
  const eachLga = <Row>(rowOf: (lga: LgaArea) => Row) => states.flatMap(({ lgas }) => lgas.map(rowOf));

  const others: Omit<Tables, `risk_${string}` | `forecasts_${string}`> = {
    context_states: states.map(({ state_code, state, zone }) => ({ ...byState(state_code), state, zone })),
    context_lgas: eachLga(({ lga_code, lga, state_code }) => ({ ...byLga(lga_code), state_code, lga })),
    season: [
      ...seasonRows('nation', null, season.national),
      ...states.flatMap(({ state_code }) => seasonRows('state', state_code, season.states[state_code]!)),
      ...eachLga(({ lga_code }) => seasonRows('lga', lga_code, season.lgas[lga_code]!)).flat(),
    ],
    survey_trend: [
      ...trend.national.map((row) => ({ state_code: null, ...row })),
      ...states.flatMap(({ state_code }) =>
        trend.states[state_code]!.map((row) => ({ state_code, ...row, urban: null, rural: null })),
      ),
    ],
    transmission_series: (transmission?.states ?? []).flatMap(({ state_code, series }) =>
      series.map((row) => ({ state_code, ...row })),
    ),
    boundaries_lgas: eachLga(({ lga_code, lga, state_code }) => ({ ...shapeOfLga(lga_code), state_code, lga })),
    boundaries_states: states.map(({ state_code, state, zone }) => ({ ...shapeOfState(state_code), state, zone })),
  };
  return {
    risk_lgas: estimated.flatMap(lgaScores),
    risk_states: estimated.flatMap(stateScores),
    forecasts_lgas: ahead(lgaScores),
    forecasts_states: ahead(stateScores),
    ...roundFields(others),
  };
}

/** Estimated months, then forecast months. */
export const periodsOf = ({ risk_states, forecasts_states }: Pick<Tables, 'risk_states' | 'forecasts_states'>) => [
  ...new Set([...risk_states, ...forecasts_states].map(({ period }) => period)),
];

function byCode<Row>(rows: readonly Row[], code: (row: Row) => string): (code: string) => Row {
  const found = new Map(rows.map((row) => [code(row), row]));
  return (code) => found.get(code)!;
}

/** Rounded score, range and level of an area in a month. */
function scoreReader({ areas, periods }: Scores) {
  const months = new Map(periods.map((period, i) => [period, i]));
  return (code: string, period: Period) => {
    const [area, month] = [areas[code]!, months.get(period)!];
    const rounded = roundFields({
      score: area.score[month]!,
      score_low: area.score_low[month]!,
      score_high: area.score_high[month]!,
    });
    return { ...rounded, level: levelOf(rounded.score) };
  };
}

const highestFirst =
  <Row extends { score: number }>(code: (row: Row) => string) =>
  (a: Row, b: Row) =>
    b.score - a.score || (code(a) < code(b) ? -1 : 1);

function seasonRows(area: 'nation' | 'state' | 'lga', code: string | null, season: schemas.Season): Tables['season'] {
  return season.seasonal_index.map((seasonal_index, i) => ({
    area,
    code,
    month: i + 1,
    seasonal_index,
    is_high: season.high_months.includes(i + 1),
    is_peak: season.peak_month === i + 1,
  }));
}

/**
 * Writes each table that has rows as Parquet, what its columns mean, and all LGAs as GeoJSON. The same rows are the same
 * bytes.
 * @param about what every file says of itself, under these keys of its metadata
 */
export async function writeTables(tree: Tree, tables: Tables, about: Record<string, string>): Promise<void> {
  const scratch = await mkdtemp(path.join(tmpdir(), 'malaria-tables-'));
  const written = (Object.keys(TABLES) as TableName[]).filter((name) => tables[name].length > 0);
  try {
    await withDatabase(async (db) => {
      for (const name of written) {
        const source = path.join(scratch, `${name}.ndjson`);
        await writeFile(source, tables[name].map((row) => JSON.stringify(plainRow(row))).join('\n'));
        const target = path.join(scratch, `${name}.parquet`);
        await db.run(copyStatement(name, source, target, { ...about, ...geoOf(tables[name]) }));
        await tree.write(`tables/${name}.parquet`, await readFile(target));
      }
    });
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
  const counts = Object.fromEntries(written.map((name) => [name, tables[name].length]));
  const forms = Object.fromEntries(written.map((name) => [name, { rows: counts[name], ...TABLES[name] }]));
  await tree.write('tables/columns.json', `${JSON.stringify(forms, null, 2)}\n`);
  await tree.write('tables/README.md', describeTables(about.model_version!, counts));
  const features = tables.boundaries_lgas.map(({ geometry, state_code, lga_code, lga }) => ({
    type: 'Feature',
    properties: { state_code, lga_code, lga },
    geometry,
  }));
  await tree.write('tables/boundaries_lgas.geojson', JSON.stringify({ type: 'FeatureCollection', features }));
}

/** A row as JSON can carry it: outlines as hexadecimal WKB. */
const plainRow = (row: object) =>
  'geometry' in row ? { ...row, geometry: toWkb(row.geometry as schemas.AreaGeometry).toString('hex') } : row;

const geoOf = (rows: readonly object[]) =>
  'geometry' in rows[0]!
    ? { geo: JSON.stringify(geoMetadata((rows as Outline[]).map(({ geometry }) => geometry))) }
    : {};

function copyStatement(name: TableName, source: string, target: string, metadata: Record<string, string>): string {
  const columns = Object.entries(TABLES[name].columns);
  const types = columns.map(([column, { type }]) => `${column}: '${type === 'BLOB' ? 'VARCHAR' : type}'`);
  const values = columns.map(([column, { type }]) => (type === 'BLOB' ? `unhex(${column}) AS ${column}` : column));
  const entries = Object.entries(metadata).map(([key, value]) => `${key}: ${literal(value)}`);
  return `COPY (SELECT ${values} FROM read_json(${literal(source)}, format = 'newline_delimited', columns = {${types}}, maximum_object_size = 100000000))
    TO ${literal(target)} (FORMAT parquet, COMPRESSION zstd, KV_METADATA {${entries}})`;
}

/** Reads back what `writeTables` wrote, from views of a schema. Tables that are not there have no rows. */
export async function readTables(db: Database, schema: string): Promise<Tables> {
  const views = await db.rows<{ name: TableName }>(
    'SELECT view_name AS name FROM duckdb_views() WHERE schema_name = $1',
    [schema],
  );
  const tables = Object.fromEntries(Object.keys(TABLES).map((name) => [name, [] as object[]]));
  for (const { name } of views) {
    if (!('geometry' in TABLES[name].columns)) tables[name] = await db.rows(`FROM ${schema}.${name}`);
    else {
      const rows = await db.rows<{ geometry: Uint8Array }>(
        `SELECT * REPLACE (ST_AsWKB(geometry) AS geometry) FROM ${schema}.${name}`,
      );
      tables[name] = rows.map((row) => ({ ...row, geometry: fromWkb(row.geometry) }));
    }
  }
  return tables as unknown as Tables;
}
