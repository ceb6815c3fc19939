/** The tables of a snapshot, and the scopes that a key needs to download them. */
import type { Product } from './products.ts';
import type { Scope } from './scopes.ts';

/**
 * The scopes that each table needs. Null if it is in the snapshot for the operators, but not served: these are the
 * tables from which case counts can be reconstructed. Their producers may not want these passed on, and the service
 * promises them in transmission/model only.
 */
export const TABLE_SCOPES = {
  risk_lgas: ['risk_scores'],
  risk_states: ['risk_scores'],
  forecasts_lgas: ['forecasts'],
  forecasts_states: ['forecasts'],
  probabilities: ['risk_scores', 'forecasts'],
  changes: ['risk_scores', 'forecasts'],
  forecasts_cases: null,
  forecasts_totals: ['forecasts'],
  incidence: null,
  forecast_skill: ['forecasts'],
  alerts: ['forecasts'],
  basis: ['risk_scores', 'forecasts'],
  context_states: ['risk_scores'],
  context_lgas: ['risk_scores'],
  season: ['risk_scores'],
  season_windows: ['risk_scores'],
  survey_trend: ['risk_scores'],
  transmission_series: null,
  boundaries_lgas: ['lga_boundaries'],
  boundaries_states: ['lga_boundaries'],
  places: [],
  // Sums of a whole file by year, from which no record can be reconstructed.
  accounts: ['risk_scores'],
} as const satisfies Record<string, readonly Scope[] | null>;
export type TableName = keyof typeof TABLE_SCOPES;
export const TABLE_NAMES = Object.keys(TABLE_SCOPES) as TableName[];

/** The products of tables for which a country may lack the data. */
export const TABLE_PRODUCTS: Partial<Record<TableName, Product>> = {
  risk_lgas: 'scores',
  risk_states: 'scores',
  forecasts_lgas: 'scores',
  forecasts_states: 'scores',
  probabilities: 'scores',
  changes: 'scores',
  basis: 'scores',
  alerts: 'cases',
  forecasts_totals: 'cases',
  season: 'windows',
  season_windows: 'windows',
};

/** Tables that are served, with their scopes. */
export const SERVED_TABLES = TABLE_NAMES.flatMap((table) => {
  const scopes: readonly Scope[] | null = TABLE_SCOPES[table];
  return scopes ? [{ table, scopes }] : [];
});

/** Media types by file ending. Outlines are not for spreadsheets, so those tables have no CSV. */
export const TABLE_TYPES = { parquet: 'application/vnd.apache.parquet', csv: 'text/csv; charset=utf-8' } as const;
export type TableFormat = keyof typeof TABLE_TYPES;

export const tableFormats = (table: TableName): TableFormat[] =>
  table.startsWith('boundaries_') ? ['parquet'] : ['parquet', 'csv'];

/** Path of a table's file inside a snapshot; below `/v1/` it is its address. */
export const tableFile = (table: TableName, format: TableFormat) => `tables/${table}.${format}` as const;
