/** The flat tables of a snapshot: what a row is, and each column's type, unit and meaning. Said here once. */
export interface ColumnForm {
  type: 'VARCHAR' | 'DOUBLE' | 'INTEGER' | 'BIGINT' | 'BOOLEAN' | 'BLOB';
  about: string;
}
export interface TableForm {
  /** What one row is. */
  row: string;
  columns: Record<string, ColumnForm>;
}

const text = (about: string): ColumnForm => ({ type: 'VARCHAR', about });
const real = (about: string): ColumnForm => ({ type: 'DOUBLE', about });
const whole = (about: string): ColumnForm => ({ type: 'INTEGER', about });
const yes = (about: string): ColumnForm => ({ type: 'BOOLEAN', about });

const state_code = text('Two-letter state code (ISO 3166-2:NG)');
const state = text('State name');
const zone = text('Geopolitical zone, full name');
const lga_code = text('LGA identifier (OCHA p-code). Join on this, never on names: some names stand for two places');
const lga = text('LGA name');
const is_urban = yes('Whether more than half its people live in an urban centre');
const period = text('Month, YYYY-MM');
const population: ColumnForm = { type: 'BIGINT', about: 'People living in the area' };

const scores = {
  score: real('Share of children aged 6-59 months who would test positive by microscopy, 0 to 1; posterior mean'),
  score_low: real('Lower end of the central 90% range'),
  score_high: real('Upper end of the central 90% range'),
  level: text('Class of the score: very_low (below 0.01), low (0.10), moderate (0.35), high (0.50), very_high'),
  population,
};
const lgaScores = { period, state_code, lga_code, lga, is_urban, ...scores };
const stateScores = { period, state_code, state, zone, ...scores };

const figures = {
  population,
  area_km2: real('Land area, square kilometres'),
  itn_use: real('Share of people who slept under a treated net, 0 to 1; null: no estimate'),
  itn_access: real('Share of people with access to a treated net, 0 to 1; null: no estimate'),
  irs_coverage: real('Share of people protected by indoor spraying, 0 to 1; null: no estimate'),
  effective_treatment: real('Share of malaria cases that get an effective treatment, 0 to 1; null: no estimate'),
  travel_minutes_to_care: real('Average travel time to the nearest health facility, minutes; null: no estimate'),
  response_index: real('Mean of itn_use and effective_treatment, 0 to 1; null where either is'),
};

const geometry: ColumnForm = {
  type: 'BLOB',
  about: 'Outline, WKB, longitude and latitude in degrees (WGS 84, OGC:CRS84); GeoParquet 1.1',
};

export const TABLES = {
  risk_lgas: { row: 'An LGA in an estimated month', columns: lgaScores },
  risk_states: { row: 'A state in an estimated month', columns: stateScores },
  forecasts_lgas: {
    row: 'An LGA in a forecast month',
    columns: { ...lgaScores, horizon_months: whole('Months past the latest estimated month, 1 to 4') },
  },
  forecasts_states: {
    row: 'A state in a forecast month',
    columns: { ...stateScores, horizon_months: whole('Months past the latest estimated month, 1 to 4') },
  },
  context_states: {
    row: 'A state',
    columns: { state_code, state, zone, lgas: whole('Number of LGAs'), ...figures },
  },
  context_lgas: { row: 'An LGA', columns: { state_code, lga_code, lga, is_urban, ...figures } },
  season: {
    row: 'A month of the year in an area',
    columns: {
      area: text('nation, state or lga'),
      code: text('state_code or lga_code; null for the nation'),
      month: whole('1 (January) to 12'),
      seasonal_index: real("Expected level of reported cases as a share of the area's own peak, 0 to 1"),
      is_high: yes('Whether the month is at half the peak or more'),
      is_peak: yes('Whether cases are expected to be highest in it'),
    },
  },
  survey_trend: {
    row: 'A survey round in an area',
    columns: {
      state_code: text('Two-letter state code; null for the nation'),
      survey_year: whole('Year of the round'),
      positivity: real('Share of children aged 6-59 months who tested positive by microscopy, 0 to 1'),
      low: real('Lower end of the 95% range; null where it cannot be had'),
      high: real('Upper end of the 95% range; null where it cannot be had'),
      clusters: whole('Survey locations; null where unpublished'),
      children_tested: whole('Children tested; null where unpublished'),
      small_sample: yes('Fewer than 100 children were tested: use the range, not the point'),
      urban: real('Positivity in urban places, nation only'),
      rural: real('Positivity in rural places, nation only'),
    },
  },
  transmission_series: {
    row: 'A month of a state with case records',
    columns: {
      state_code,
      period,
      reported: real('Confirmed cases per 1,000 people, as reported'),
      modelled: real('The same by the transmission model (research)'),
    },
  },
  boundaries_lgas: { row: 'An LGA', columns: { state_code, lga_code, lga, geometry } },
  boundaries_states: { row: 'A state', columns: { state_code, state, zone, geometry } },
} as const satisfies Record<string, TableForm>;
export type TableName = keyof typeof TABLES;

/** `tables/README.md`: the tables of this snapshot and their columns in words. */
export function describeTables(model_version: string, rows: Record<string, number>): string {
  const sections = Object.entries(rows).map(([name, count]) => {
    const form: TableForm = TABLES[name as TableName];
    const lines = Object.entries(form.columns).map(
      ([column, { type, about }]) => `| \`${column}\` | ${type} | ${about} |`,
    );
    return `## ${name}.parquet\n\n${form.row}; ${count} rows.\n\n| column | type | what |\n|---|---|---|\n${lines.join('\n')}\n`;
  });
  return `# Tables of ${model_version}

The API's answers as flat Parquet files, the same numbers, for DuckDB, R, pandas and the like; \`columns.json\` says the
same as this page for machines. \`boundaries_*.parquet\` are GeoParquet; \`boundaries_lgas.geojson\` holds all LGAs for tools
that cannot read it. As CSV: \`malaria-risk query "FROM risk_lgas" --csv\`. In CSV a missing value is
empty and \`NA\` is Nasarawa's code: read it with \`na.strings = ""\` in R, \`keep_default_na=False, na_values=""\` in pandas.

${sections.join('\n')}`;
}
