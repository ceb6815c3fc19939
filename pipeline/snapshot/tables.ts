import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import type { Period } from '../contract/months.ts';
import { FORECAST_MONTHS } from '../contract/operations.ts';
import type * as schemas from '../contract/schemas.ts';
import type { Document } from './documents.ts';
import type { Tree } from './tree.ts';

/** A flat table: its name and its rows, which share their columns. */
interface FlatTable {
  name: string;
  /** SQL type of each column, in order. */
  columns: Record<string, string>;
  rows: Record<string, unknown>[];
}

const RISK = {
  period: 'VARCHAR',
  kind: 'VARCHAR',
  state_code: 'VARCHAR',
  score: 'DOUBLE',
  score_low: 'DOUBLE',
  score_high: 'DOUBLE',
  level: 'VARCHAR',
  population: 'BIGINT',
};
const FIGURES = {
  population: 'BIGINT',
  area_km2: 'DOUBLE',
  itn_use: 'DOUBLE',
  itn_access: 'DOUBLE',
  irs_coverage: 'DOUBLE',
  effective_treatment: 'DOUBLE',
  travel_minutes_to_care: 'DOUBLE',
  response_index: 'DOUBLE',
};

/** The answers as flat tables, collected document by document. */
export function tableCollector() {
  const tables: Record<string, FlatTable> = {};
  const table = (name: string, columns: Record<string, string>) => (tables[name] ??= { name, columns, rows: [] });
  const addLgas = (report: { period: Period; kind: string; state_code: string; lgas: schemas.LgaRisk[] }) => {
    const { rows } = table('risk_lgas', { ...RISK, lga_code: 'VARCHAR', lga: 'VARCHAR', is_urban: 'BOOLEAN' });
    for (const lga of report.lgas)
      rows.push({ period: report.period, kind: report.kind, state_code: report.state_code, ...lga });
  };
  const addStates = (report: { period: Period; kind: string; states: schemas.StateRisk[] }) => {
    const { rows } = table('risk_states', { ...RISK, state: 'VARCHAR', zone: 'VARCHAR' });
    for (const state of report.states) rows.push({ period: report.period, kind: report.kind, ...state });
  };
  const addSeason = (place: Record<string, unknown>, season: schemas.Season) => {
    const columns = {
      level: 'VARCHAR',
      code: 'VARCHAR',
      month: 'INTEGER',
      seasonal_index: 'DOUBLE',
      is_high: 'BOOLEAN',
      is_peak: 'BOOLEAN',
    };
    const { rows } = table('season', columns);
    season.seasonal_index.forEach((index, i) => {
      rows.push({
        ...place,
        month: i + 1,
        seasonal_index: index,
        is_high: season.high_months.includes(i + 1),
        is_peak: season.peak_month === i + 1,
      });
    });
  };
  const TREND = {
    survey_year: 'INTEGER',
    positivity: 'DOUBLE',
    low: 'DOUBLE',
    high: 'DOUBLE',
    clusters: 'INTEGER',
    children_tested: 'INTEGER',
    small_sample: 'BOOLEAN',
  };

  const add = ({ operation, value }: Document) => {
    if (operation === 'risk-lgas') addLgas(value as schemas.RiskLgas);
    if (operation === 'risk-states') addStates(value as schemas.RiskStates);
    // The longest forecast holds the shorter ones.
    if (operation === 'forecasts-lgas') {
      const { forecasts } = value as schemas.ForecastsLgas;
      if (forecasts.length === FORECAST_MONTHS) forecasts.forEach(addLgas);
    }
    if (operation === 'forecasts-states') {
      const { forecasts } = value as schemas.ForecastsStates;
      if (forecasts.length === FORECAST_MONTHS) forecasts.forEach(addStates);
    }
    if (operation === 'context-states') {
      const { rows } = table('context_states', {
        state_code: 'VARCHAR',
        state: 'VARCHAR',
        zone: 'VARCHAR',
        lgas: 'INTEGER',
        ...FIGURES,
      });
      rows.push(...(value as schemas.ContextStates).states);
    }
    if (operation === 'context-lgas') {
      const { state_code, lgas } = value as schemas.ContextLgas;
      const { rows } = table('context_lgas', {
        state_code: 'VARCHAR',
        lga_code: 'VARCHAR',
        lga: 'VARCHAR',
        is_urban: 'BOOLEAN',
        ...FIGURES,
      });
      rows.push(...lgas.map((lga) => ({ state_code, ...lga })));
    }
    if (operation === 'transmission-states') {
      const { national, states } = value as schemas.TransmissionStates;
      addSeason({ level: 'nation', code: null }, national.season);
      for (const { state_code, season } of states) addSeason({ level: 'state', code: state_code }, season);
      const { rows } = table('survey_trend', { state_code: 'VARCHAR', ...TREND, urban: 'DOUBLE', rural: 'DOUBLE' });
      rows.push(...national.survey_trend.map((row) => ({ state_code: null, ...row })));
      for (const { state_code, survey_trend } of states)
        rows.push(...survey_trend.map((row) => ({ state_code, ...row, urban: null, rural: null })));
    }
    if (operation === 'transmission-lgas') {
      for (const { lga_code, season } of (value as schemas.TransmissionLgas).lgas)
        addSeason({ level: 'lga', code: lga_code }, season);
    }
    if (operation === 'transmission-model') {
      const { rows } = table('transmission_series', {
        state_code: 'VARCHAR',
        period: 'VARCHAR',
        reported: 'DOUBLE',
        modelled: 'DOUBLE',
      });
      for (const { state_code, series } of (value as schemas.TransmissionModel).states)
        rows.push(...series.map((row) => ({ state_code, ...row })));
    }
  };
  return { add, tables: () => Object.values(tables) };
}

/** Writes each table as Parquet, one thread and rows in their order: the same rows are the same bytes. */
export async function writeTables(tree: Tree, directory: string, tables: readonly FlatTable[]): Promise<void> {
  const scratch = await mkdtemp(path.join(tmpdir(), 'malaria-tables-'));
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' });
  const connection = await instance.connect();
  try {
    for (const { name, columns, rows } of tables) {
      const source = path.join(scratch, `${name}.ndjson`);
      await writeFile(source, rows.map((row) => JSON.stringify(row)).join('\n'));
      const types = Object.entries(columns)
        .map(([column, type]) => `${column}: '${type}'`)
        .join(', ');
      const target = path.join(scratch, `${name}.parquet`);
      await connection.run(
        `COPY (SELECT * FROM read_json('${source}', format = 'newline_delimited', columns = {${types}})) TO '${target}' (FORMAT parquet, COMPRESSION zstd)`,
      );
      await tree.write(`${directory}/${name}.parquet`, await readFile(target));
    }
  } finally {
    connection.closeSync();
    instance.closeSync();
    await rm(scratch, { recursive: true, force: true });
  }
}
