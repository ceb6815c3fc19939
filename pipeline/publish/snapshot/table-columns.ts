/** The flat tables of a snapshot: the meaning of a row, and its columns. */
import * as fields from '../../contract/fields.ts';
import { JSON_TYPES, recordFields, withFields } from '../../contract/record.ts';
import { type AreaGeometry, ContextLga, ContextState, LgaRisk, StateRisk } from '../../contract/schemas.ts';
import type { TableName } from '../../contract/table-list.ts';
import type { Territory } from '../../contract/territory.ts';
import { countryWords, fillPlaceholders } from '../../contract/words.ts';
import { ACCOUNTS } from '../../ingest/ingest-tables.ts';
import {
  type ColumnSchema,
  choice,
  describeColumn,
  orNull,
  real,
  type TableSchema,
  text,
  whole,
  withMeaning,
} from '../../lib/tables/table.ts';
import * as forecast from '../../model/forecast/forecast-tables.ts';
import * as risk from '../../model/risk/risk-tables.ts';
import * as season from '../../model/season/season-tables.ts';
import * as survey from '../../model/survey/survey-tables.ts';
import * as backtest from '../../validate/backtest/backtest-tables.ts';

const { area, code, period, state_code, state, zone, lga_code, lga, is_urban, longitude, latitude } = fields;
const lgaScoreColumns = withFields({ period, state_code, lga_code, lga, is_urban }, LgaRisk);
const stateScoreColumns = withFields({ period }, StateRisk);
const horizon_months = withMeaning('Months after the latest estimated month', fields.horizon_months);

const geometry: ColumnSchema<AreaGeometry> = {
  type: 'BLOB',
  about: 'Outline, WKB, longitude and latitude in degrees (WGS 84, OGC:CRS84); GeoParquet 1.1',
};

const nationOrArea = choice(['nation', 'state', 'lga'], '`nation`, `state` or `lga`');

export const TABLES = {
  risk_lgas: { row: '{A.lga} in an estimated month', columns: lgaScoreColumns },
  risk_states: { row: '{A.state} in an estimated month', columns: stateScoreColumns },
  forecasts_lgas: { row: '{A.lga} in a forecast month', columns: { ...lgaScoreColumns, horizon_months } },
  forecasts_states: { row: '{A.state} in a forecast month', columns: { ...stateScoreColumns, horizon_months } },
  probabilities: risk.PROBABILITIES,
  changes: risk.CHANGES,
  forecasts_cases: {
    row: 'An area with case records in a month after their end; ranges are as wide as the backtest requires',
    columns: forecast.CASES.columns,
  },
  forecasts_totals: {
    row: 'A run of forecast months in an area with case records, or in all {state.many} with records together (nation): their total, from joint draws, since quantiles do not add up',
    columns: {
      area: nationOrArea,
      code: orNull(code, 'null for the nation'),
      period: withMeaning('First month', period),
      months: whole('Number of months', { minimum: 1 }),
      cases_in: withMeaning(
        'Unit of the quantiles; index: 100 is the mean of the last twelve known months, because the records may not be passed on',
        fields.alerts.cases_in,
      ),
      ...forecast.quantiles,
    },
  },
  incidence: {
    row: 'An area with case records in a year: cases as health facilities reported them, not how many people fell ill',
    columns: { area, code, ...fields.incidence },
  },
  forecast_skill: backtest.SKILL,
  alerts: {
    row: 'An area with case records: whether their last month is unusual, and whether the next is likely to be',
    columns: { area, code, period: withMeaning('Last month of the case records', period), ...fields.alerts },
  },
  basis: {
    row: 'An area in an estimated or forecast month: the basis of its score',
    columns: {
      area,
      code,
      period,
      basis: fields.basis,
      last_survey: orNull(
        withMeaning('Month of the last survey in the {state.one} up to this month', period),
        'null before the first',
      ),
      months_since_survey: orNull(whole('Months from last_survey to this month'), 'null before the first survey'),
      last_cases: orNull(
        withMeaning('Last month of its own case record up to this month', period),
        'null if there is none',
      ),
      cases_log_mae: orNull(
        real(
          'Mean absolute error of ln cases in forecasts for areas of this kind, as far ahead as this month is ' +
            'after last_cases',
        ),
        'null if there are none',
      ),
    },
  },
  context_states: { row: '{A.state}', columns: recordFields(ContextState) },
  context_lgas: { row: '{A.lga}', columns: withFields({ state_code, lga_code, lga, is_urban }, ContextLga) },
  season: {
    row: 'A month of the year in an area',
    columns: {
      area: nationOrArea,
      code: orNull(code, 'null for the nation'),
      ...fields.season,
    },
  },
  season_windows: { row: 'A run of months in an area, by one measure', columns: season.WINDOWS.columns },
  survey_trend: { row: 'A survey round in an area', columns: survey.TREND.columns },
  transmission_series: {
    row: 'A month of {a.state} with case records',
    columns: { state_code, period, ...fields.case_series },
  },
  boundaries_lgas: { row: '{A.lga}', columns: { state_code, lga_code, lga, geometry } },
  boundaries_states: { row: '{A.state}', columns: { state_code, state, zone, geometry } },
  places: {
    row: '{A.state} or {a.lga}, with its names and codes',
    columns: {
      area,
      code,
      name: text('Its name'),
      state_code,
      zone: orNull(zone, 'null for {a.lga}'),
      pcode: text('Code of the area in the raw files; the same as `code` for {a.lga}'),
      aliases: orNull(
        text('Other names in the raw files, separated by a semicolon and a space'),
        'null if there are none',
      ),
      iso_code: orNull(fields.iso_code, 'null for {a.lga}'),
      longitude,
      latitude,
      neighbours: text('Codes of the areas of its kind that share a border with it, ascending, separated by spaces'),
    },
  },
  accounts: ACCOUNTS,
} satisfies Record<TableName, TableSchema>;

/** Whether two LGAs have the same name. */
export const hasDuplicateNames = (lgas: readonly { lga: string }[]): boolean =>
  new Set(lgas.map(({ lga }) => lga)).size < lgas.length;

/** The tables of a country: in its words, and with nullable zones if it has none. */
export function countryTables(territory: Territory): Record<TableName, TableSchema> {
  const words = countryWords(territory);
  const countryColumn = (name: string, column: ColumnSchema): ColumnSchema => ({
    ...column,
    about: fillPlaceholders(column.about, words),
    ...(column.null_meaning === undefined ? {} : { null_meaning: fillPlaceholders(column.null_meaning, words) }),
    ...(name === 'zone' && !territory.zones ? { nullable: true as const } : {}),
  });
  return Object.fromEntries(
    Object.entries<TableSchema>(TABLES).map(([table, { row, columns }]) => [
      table,
      {
        row: fillPlaceholders(row, words),
        columns: Object.fromEntries(
          Object.entries(columns).map(([columnName, column]) => [columnName, countryColumn(columnName, column)]),
        ),
      },
    ]),
  ) as Record<TableName, TableSchema>;
}

/**
 * The columns of a table as a Frictionless Table Schema (specs.frictionlessdata.io, version 1), which has no units but
 * allows further properties. Outlines have no type there.
 */
export const frictionlessSchema = ({ columns }: TableSchema) => ({
  fields: Object.entries(columns).map(([name, column]) => ({
    name,
    type: column.type === 'BLOB' ? undefined : JSON_TYPES[column.type],
    description: describeColumn(column),
    unit: column.unit,
    constraints: {
      required: !column.nullable,
      minimum: column.minimum,
      maximum: column.maximum,
      pattern: column.pattern,
      enum: column.values,
    },
  })),
  missingValues: [''],
});

/** `tables/README.md`: a description of this snapshot's tables and their columns. */
export function describeTables(
  model_version: string,
  rows: Record<string, number>,
  definitions: Record<TableName, TableSchema>,
  territory: Territory,
): string {
  const sections = Object.entries(rows).map(([name, count]) => {
    const definition = definitions[name as TableName];
    const columnLines = Object.entries(definition.columns).map(
      ([columnName, column]) => `| \`${columnName}\` | ${column.type} | ${describeColumn(column)} |`,
    );
    return (
      `## ${name}.parquet\n\n${definition.row}; ${count} rows.\n\n| column | type | meaning ` +
      `|\n|---|---|---|\n${columnLines.join('\n')}\n`
    );
  });
  return `# Tables of ${model_version}

The API's answers as flat files with the same numbers, for DuckDB, R, pandas, spreadsheets and the like: each table as
Parquet and, except for outlines, as CSV. \`datapackage.json\` describes them for programs (Frictionless), with
how to cite them (\`title\`) and whether each may be published (\`licenses\`), and each Parquet file has the same description of its columns in its metadata, as \`table_schema\`: types, units, limits and meanings.
\`boundaries_*.parquet\` are GeoParquet; \`boundaries_lgas.geojson\` has all ${countryWords(territory).lga.many} for tools that cannot read that. In CSV a
missing value is empty, and \`NA\` may be a code: use \`na.strings = ""\` in R and \`keep_default_na=False, na_values=""\` in
pandas; a text that a spreadsheet would run as a formula, since it begins with \`=\`, \`+\`, \`-\` or \`@\`, has an
apostrophe before it. The proxy serves the tables at \`/v1/tables/\`, except those of case counts.

${sections.join('\n')}`;
}
