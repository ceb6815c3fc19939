/** The flat tables of a snapshot: the meaning of a row, and each column's type, unit and meaning. */
import * as columns from '../../contract/columns.ts';
import type { AreaGeometry, Level } from '../../contract/schemas.ts';
import type { TableName } from '../../contract/table-list.ts';
import type { Territory } from '../../contract/territory.ts';
import { fill, type Words, wordsOf } from '../../contract/words.ts';
import { type ColumnForm, orNull, real, type TableForm, text, whole } from '../../lib/tables/table.ts';
import * as forecast from '../../model/forecast/forecast-tables.ts';
import * as risk from '../../model/risk/risk-tables.ts';
import * as backtest from '../../validate/backtest/backtest-tables.ts';

const { state_code, state, lga_code, lga, is_urban, period, population } = columns;
/** Null if the country has no zones. */
const zone = text<string | (null & string)>('{zone}, full name') as ColumnForm<string | null>;
const scores = {
  ...columns.scores,
  level: text<Level>('Class of the score: very_low (below 0.01), low (0.10), moderate (0.35), high (0.50), very_high'),
  population,
};
const lgaScores = { period, state_code, lga_code, lga, is_urban, ...scores };
const stateScores = { period, state_code, state, zone, ...scores };

const cases = forecast.CASES.columns;

const geometry: ColumnForm<AreaGeometry> = {
  type: 'BLOB',
  about: 'Outline, WKB, longitude and latitude in degrees (WGS 84, OGC:CRS84); GeoParquet 1.1',
};

export const TABLES = {
  risk_lgas: { row: '{A.lga} in an estimated month', columns: lgaScores },
  risk_states: { row: '{A.state} in an estimated month', columns: stateScores },
  forecasts_lgas: {
    row: '{A.lga} in a forecast month',
    columns: { ...lgaScores, horizon_months: whole('Months after the latest estimated month, 1 to 4') },
  },
  forecasts_states: {
    row: '{A.state} in a forecast month',
    columns: { ...stateScores, horizon_months: whole('Months after the latest estimated month, 1 to 4') },
  },
  probabilities: risk.PROBABILITIES,
  changes: risk.CHANGES,
  forecasts_cases: {
    row: 'An area with case records in a month after their end; ranges are as wide as the backtest requires',
    columns: cases,
  },
  forecast_skill: backtest.SKILL,
  basis: {
    row: 'An area in an estimated or forecast month: the basis of its score',
    columns: {
      area: text<'state' | 'lga'>('`state` or `lga`'),
      code: text('`state_code` or `lga_code`'),
      period,
      basis: text<'survey' | 'cases' | 'cases_elsewhere' | 'usual_season'>(
        'survey: no later than the last survey of the {state.one}; usual_season: later, with the last level carried forward with the usual season, or no survey in the {state.one}; cases, cases_elsewhere: the same, adjusted by how far case records of the {state.one}, or of other {state.many}, deviate from the usual',
      ),
      last_survey: orNull(
        text('Month of the last survey in the {state.one} up to this month, YYYY-MM; null before the first'),
      ),
      months_since_survey: orNull(whole('Months from last_survey to this month; null before the first survey')),
      last_cases: orNull(text('Last month of its own case record up to this month, YYYY-MM; null if there is none')),
      cases_log_mae: orNull(
        real(
          'Mean absolute error of ln cases in forecasts for areas of this kind, as far ahead as this month is after last_cases; null if there are none',
        ),
      ),
    },
  },
  context_states: {
    row: '{A.state}',
    columns: { state_code, state, zone, lgas: whole('Number of {lga.many}'), ...columns.context },
  },
  context_lgas: { row: '{A.lga}', columns: { state_code, lga_code, lga, is_urban, ...columns.context } },
  season: {
    row: 'A month of the year in an area',
    columns: {
      area: text<'nation' | 'state' | 'lga'>('`nation`, `state` or `lga`'),
      code: orNull(text('state_code or lga_code; null for the nation')),
      ...columns.season,
    },
  },
  season_windows: { row: 'A run of months in an area, by one measure', columns: columns.windows },
  survey_trend: { row: 'A survey round in an area', columns: columns.trend },
  transmission_series: {
    row: 'A month of {a.state} with case records',
    columns: {
      state_code,
      period,
      reported: real('Confirmed cases per 1,000 people, as reported; rounded or an index if model.json specifies this'),
      modelled: real('The same as modelled by the transmission model (research)'),
    },
  },
  boundaries_lgas: { row: '{A.lga}', columns: { state_code, lga_code, lga, geometry } },
  boundaries_states: { row: '{A.state}', columns: { state_code, state, zone, geometry } },
  places: {
    row: '{A.state} or {a.lga}, with its names and codes',
    columns: {
      area: text<'state' | 'lga'>('`state` or `lga`'),
      code: text('`state_code` or `lga_code`'),
      name: text('Its name'),
      state_code,
      zone: orNull(text('{zone}, full name; null for {a.lga}')),
      pcode: text('Code of the area in the raw files; the same as `code` for {a.lga}'),
      aliases: orNull(
        text('Other names in the raw files, separated by a semicolon and a space; null if there are none'),
      ),
      iso_code: orNull(text('ISO 3166-2; null for {a.lga}')),
      longitude: real('Longitude of its centre of mass, degrees east; may be outside it'),
      latitude: real('Latitude of its centre of mass, degrees north'),
      neighbours: text('Codes of the areas of its kind that share a border with it, ascending, separated by spaces'),
    },
  },
} satisfies Record<TableName, TableForm>;

/** Whether two LGAs have the same name. */
export const shareNames = (lgas: readonly { lga: string }[]): boolean =>
  new Set(lgas.map(({ lga }) => lga)).size < lgas.length;

/** What the placeholders in descriptions of columns stand for. @param lgas all LGAs of the country */
export function columnWords(territory: Territory | undefined, lgas: readonly { lga: string }[]) {
  const words: Words = wordsOf(territory);
  return { ...words, shared_names: shareNames(lgas) ? ': some names occur twice' : '' };
}

/**
 * The tables of a country: in its words, and with nullable zones if it has none.
 * @param lgas all LGAs of the country
 */
export function tablesIn(territory: Territory, lgas: readonly { lga: string }[]): Record<TableName, TableForm> {
  const words = columnWords(territory, lgas);
  const columnIn = (name: string, column: ColumnForm): ColumnForm => ({
    ...column,
    ...(name === 'zone' && !territory.zones ? { nullable: true as const } : {}),
    about: fill(column.about, words),
  });
  return Object.fromEntries(
    Object.entries<TableForm>(TABLES).map(([table, { row, columns }]) => [
      table,
      {
        row: fill(row, words),
        columns: Object.fromEntries(Object.entries(columns).map(([name, column]) => [name, columnIn(name, column)])),
      },
    ]),
  ) as Record<TableName, TableForm>;
}

/** `tables/README.md`: a description of this snapshot's tables and their columns. */
export function describeTables(
  model_version: string,
  rows: Record<string, number>,
  forms: Record<TableName, TableForm>,
  territory: Territory,
): string {
  const sections = Object.entries(rows).map(([name, count]) => {
    const form = forms[name as TableName];
    const lines = Object.entries(form.columns).map(
      ([column, { type, about }]) => `| \`${column}\` | ${type} | ${about} |`,
    );
    return `## ${name}.parquet\n\n${form.row}; ${count} rows.\n\n| column | type | meaning |\n|---|---|---|\n${lines.join('\n')}\n`;
  });
  return `# Tables of ${model_version}

The API's answers as flat files with the same numbers, for DuckDB, R, pandas, spreadsheets and the like: each table as
Parquet and, except for outlines, as CSV. \`datapackage.json\` describes them for programs (Frictionless).
\`boundaries_*.parquet\` are GeoParquet; \`boundaries_lgas.geojson\` has all ${wordsOf(territory).lga.many} for tools that cannot read that. In CSV a
missing value is empty, and \`NA\` may be a code: use \`na.strings = ""\` in R and \`keep_default_na=False, na_values=""\` in
pandas. The proxy serves the tables at \`/v1/tables/\`, except those of case counts.

${sections.join('\n')}`;
}
