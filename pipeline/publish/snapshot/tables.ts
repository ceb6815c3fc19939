import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { FORECAST_MONTHS } from '../../contract/operations.ts';
import type * as schemas from '../../contract/schemas.ts';
import { ZONES } from '../../contract/schemas.ts';
import type { Document } from './documents.ts';
import { geoMetadata } from './geoparquet.ts';
import { describeTables, TABLES, type TableForm, type TableName } from './table-columns.ts';
import type { Tree } from './tree.ts';
import { toWkb } from './wkb.ts';

type Row = Record<string, unknown>;
/** Rows by table, in the order they were found. */
export type TableRows = Partial<Record<TableName, Row[]>>;

/** The answers as flat tables, collected document by document. */
export function tableCollector() {
  const tables: TableRows = {};
  const put = (name: TableName, ...rows: Row[]) => {
    tables[name] ??= [];
    tables[name].push(...rows);
  };
  const lgaRows = ({ period, state_code, lgas }: schemas.RiskLgas | schemas.ForecastsLgas['forecasts'][number]) =>
    lgas.map((row): Row => ({ period, state_code, ...row }));
  const stateRows = ({ period, states }: schemas.RiskStates | schemas.ForecastsStates['forecasts'][number]) =>
    states.map((row): Row => ({ period, ...row }));
  // The longest forecast holds the shorter ones.
  const ahead = <T>(forecasts: T[], rowsOf: (report: T) => Row[]) =>
    forecasts.length < FORECAST_MONTHS
      ? []
      : forecasts.flatMap((report, i) => rowsOf(report).map((row) => ({ ...row, horizon_months: i + 1 })));

  const take: Partial<Record<Document['operation'], (value: never) => void>> = {
    'risk-lgas': (value: schemas.RiskLgas) => put('risk_lgas', ...lgaRows(value)),
    'risk-states': (value: schemas.RiskStates) => put('risk_states', ...stateRows(value)),
    'forecasts-lgas': ({ forecasts }: schemas.ForecastsLgas) => put('forecasts_lgas', ...ahead(forecasts, lgaRows)),
    'forecasts-states': ({ forecasts }: schemas.ForecastsStates) =>
      put('forecasts_states', ...ahead(forecasts, stateRows)),
    'context-states': ({ states }: schemas.ContextStates) => put('context_states', ...states),
    'context-lgas': ({ state_code, lgas }: schemas.ContextLgas) =>
      put('context_lgas', ...lgas.map((row) => ({ state_code, ...row }))),
    'transmission-states': ({ national, states }: schemas.TransmissionStates) => {
      put('season', ...seasonRows('nation', null, national.season));
      put('survey_trend', ...national.survey_trend.map((row) => ({ state_code: null, ...row })));
      for (const { state_code, season, survey_trend } of states) {
        put('season', ...seasonRows('state', state_code, season));
        put('survey_trend', ...survey_trend.map((row) => ({ state_code, ...row, urban: null, rural: null })));
      }
    },
    'transmission-lgas': ({ lgas }: schemas.TransmissionLgas) => {
      for (const { lga_code, season } of lgas) put('season', ...seasonRows('lga', lga_code, season));
    },
    'transmission-model': ({ states }: schemas.TransmissionModel) => {
      for (const { state_code, series } of states)
        put('transmission_series', ...series.map((row) => ({ state_code, ...row })));
    },
    'boundaries-states': ({ features }: schemas.BoundariesStates) =>
      put(
        'boundaries_states',
        ...features.map(({ geometry, properties: { code, name, zone } }) => ({
          state_code: code,
          state: name,
          zone: ZONES[zone],
          geometry,
        })),
      ),
    'boundaries-lgas': ({ features }: schemas.BoundariesLgas) =>
      put(
        'boundaries_lgas',
        ...features.map(({ geometry, properties }) => ({
          state_code: properties.state,
          lga_code: properties.lgaCode,
          lga: properties.lga,
          geometry,
        })),
      ),
  };
  return {
    tables,
    add: ({ operation, value }: Document) => take[operation]?.(value as never),
  };
}

function seasonRows(area: 'nation' | 'state' | 'lga', code: string | null, season: schemas.Season): Row[] {
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
 * Writes each table as Parquet, what its columns mean, and all LGAs as GeoJSON. One thread and rows in their order: the
 * same rows are the same bytes.
 */
export async function writeTables(tree: Tree, tables: TableRows, model_version: string): Promise<void> {
  const scratch = await mkdtemp(path.join(tmpdir(), 'malaria-tables-'));
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' });
  const connection = await instance.connect();
  const written = (Object.keys(TABLES) as TableName[]).filter((name) => tables[name]);
  try {
    for (const name of written) {
      const source = path.join(scratch, `${name}.ndjson`);
      await writeFile(source, tables[name]!.map((row) => JSON.stringify(plainRow(row))).join('\n'));
      const target = path.join(scratch, `${name}.parquet`);
      await connection.run(copyStatement(source, target, TABLES[name], geoOf(tables[name]!)));
      await tree.write(`tables/${name}.parquet`, await readFile(target));
    }
  } finally {
    connection.closeSync();
    instance.closeSync();
    await rm(scratch, { recursive: true, force: true });
  }
  const counts = Object.fromEntries(written.map((name) => [name, tables[name]!.length]));
  const forms = Object.fromEntries(written.map((name) => [name, { rows: counts[name], ...TABLES[name] }]));
  await tree.write('tables/columns.json', `${JSON.stringify(forms, null, 2)}\n`);
  await tree.write('tables/README.md', describeTables(model_version, counts));
  const features = (tables.boundaries_lgas ?? []).map(({ geometry, ...properties }) => ({
    type: 'Feature',
    properties,
    geometry,
  }));
  await tree.write('tables/boundaries_lgas.geojson', JSON.stringify({ type: 'FeatureCollection', features }));
}

/** A row as JSON can carry it: outlines as hexadecimal WKB. */
function plainRow(row: Row): Row {
  return 'geometry' in row ? { ...row, geometry: toWkb(row.geometry as schemas.AreaGeometry).toString('hex') } : row;
}

const geoOf = (rows: readonly Row[]) =>
  rows[0] && 'geometry' in rows[0] ? geoMetadata(rows.map((row) => row.geometry as schemas.AreaGeometry)) : null;

function copyStatement(
  source: string,
  target: string,
  { columns }: TableForm,
  geo: ReturnType<typeof geoMetadata> | null,
): string {
  const types = Object.entries(columns).map(([name, { type }]) => `${name}: '${type === 'BLOB' ? 'VARCHAR' : type}'`);
  const rows = `SELECT *${geo ? ' REPLACE (unhex(geometry) AS geometry)' : ''} FROM read_json('${source}', format = 'newline_delimited', columns = {${types.join(', ')}}, maximum_object_size = 100000000)`;
  const metadata = geo ? `, KV_METADATA {geo: '${JSON.stringify(geo)}'}` : '';
  return `COPY (${rows}) TO '${target}' (FORMAT parquet, COMPRESSION zstd${metadata})`;
}
