/** The roles that a country's files can have in the pipeline, and the columns that each role requires. */

/**
 * A role and its columns, by the project's names: required and optional ones. `description` is for any country: areas
 * are those of the lower level.
 */
interface RoleDefinition {
  description: string;
  columns: readonly string[];
  /** The outputs of ingest that are made from it; all if not given, since outlines say which areas there are. */
  outputs?: readonly string[];
  /** The columns that together identify a row, as far as the table has them; `period` is its month in any form. */
  key?: readonly string[];
  optional?: readonly string[];
  /** Lists of columns of which a table has exactly one. */
  exactlyOneOf?: readonly (readonly string[])[];
}

/** Names of places, beside codes or in place of them. Beside codes, a name that belongs to another place is refused. */
const NAME_COLUMNS = ['lga', 'state'] as const;

/** Columns that say in which area a row is. */
export const AREA_COLUMNS: readonly string[] = [...NAME_COLUMNS, 'lga_pcode', 'state_pcode'];

/** Columns of codes, names, words and times; every other column of a table holds numbers. */
export const TEXT_COLUMNS: readonly string[] = [
  ...AREA_COLUMNS,
  'facility',
  'closed',
  'cluster_id',
  'method',
  'interval',
  'urban',
  'survey_year',
  'period',
  'year',
  'month',
];

const SURVEY_OUTPUTS = ['clusters', 'area_rounds', 'survey_rows'] as const;

/**
 * Each role may have one source, except `layer` (one for each figure), `covariate`, and the roles of surveys and cases
 * (any number). If a country has no source with a role, its answers state what is missing (missing-data.ts).
 */
export const ROLES = {
  lga_boundaries: {
    description:
      'Polygons of the areas; codes and parents may come from `lga_codes`, or parents by location from `state_boundaries`. Tables may have ids (`lga_id`) in place of codes',
    columns: ['lga'],
    optional: ['lga_pcode', 'lga_id', 'state_pcode'],
  },
  lga_codes: {
    description: 'Table of the codes and parents of the areas in `lga_boundaries`, by name',
    columns: ['lga', 'lga_pcode'],
    key: ['lga'],
    optional: ['state_pcode', 'state'],
  },
  state_boundaries: {
    description: 'Polygons of the upper level, checked against the areas; without them, each is the union of its areas',
    columns: ['state_pcode', 'state'],
  },
  population: { description: 'GeoTIFF, persons per cell', columns: [] },
  population_census: {
    description: 'Table by area; people of several years in a column each, `people_2015`, or in rows with `year`',
    columns: ['lga_pcode', 'people'],
    outputs: ['census', 'people', 'cases'],
    key: ['lga_pcode', 'year'],
    optional: ['children_0_4', 'year', ...NAME_COLUMNS],
  },
  elevation: { description: 'GeoTIFF, metres', columns: [] },
  climate: {
    description:
      'Table by area and month (the month as `period`, or as `year` and `month`), or one GeoTIFF of rain for each month',
    columns: ['lga_pcode', 'rain_mm'],
    outputs: ['climate'],
    key: ['lga_pcode', 'period'],
    optional: ['temperature_c', 'year', ...NAME_COLUMNS],
    exactlyOneOf: [['period', 'month']],
  },
  survey_clusters: {
    description:
      'Table of clusters, each with a location: longitude and latitude, an area, or only one of the upper level',
    columns: ['cluster_id', 'examined'],
    outputs: SURVEY_OUTPUTS,
    key: ['survey_year', 'cluster_id', 'method'],
    optional: [
      'survey_year',
      'method',
      'longitude',
      'latitude',
      'lga_pcode',
      'state_pcode',
      'urban',
      'weight',
      'period',
      'year',
      'month',
      'youngest_years',
      'oldest_years',
      ...NAME_COLUMNS,
    ],
    exactlyOneOf: [['positive', 'positivity']],
  },
  survey_states: {
    description:
      'Table of rounds with results by area, without clusters; those of the lower level with a 95% interval or a standard error',
    columns: ['positivity'],
    outputs: SURVEY_OUTPUTS,
    key: ['survey_year', 'lga_pcode', 'state_pcode', 'method'],
    optional: ['survey_year', 'method', 'low', 'high', 'interval', 'standard_error', ...NAME_COLUMNS],
    exactlyOneOf: [['lga_pcode', 'state_pcode']],
  },
  cases_states: {
    description: 'Table of monthly confirmed cases of the upper level',
    columns: ['state_pcode', 'confirmed'],
    outputs: ['cases'],
    key: ['state_pcode', 'period'],
    optional: ['year', 'reporting_rate', ...NAME_COLUMNS],
    exactlyOneOf: [['period', 'month']],
  },
  cases_lgas: {
    description: 'Table of monthly confirmed cases by area, or by health facility',
    columns: ['lga_pcode', 'confirmed'],
    outputs: ['cases'],
    key: ['lga_pcode', 'facility', 'period'],
    optional: ['facility', 'state_pcode', 'year', 'reporting_rate', ...NAME_COLUMNS],
    exactlyOneOf: [['period', 'month']],
  },
  facilities: {
    description:
      'List of health facilities, each with its area or its coordinates, and the date on which it was closed',
    columns: ['facility'],
    outputs: ['cases'],
    key: ['facility'],
    optional: ['latitude', 'state_pcode', 'closed', ...NAME_COLUMNS],
    exactlyOneOf: [['lga_pcode', 'longitude']],
  },
  layer: {
    description: 'A context figure: GeoTIFF, or table by area of either level of the figure or of `classes`',
    columns: [],
    outputs: ['layers'],
    key: ['lga_pcode', 'state_pcode'],
    optional: NAME_COLUMNS,
    exactlyOneOf: [['lga_pcode', 'state_pcode']],
  },
  covariate: {
    description: 'A possible predictor of risk: GeoTIFF, or table by area of either level of `value` or of `classes`',
    columns: [],
    outputs: ['covariates'],
    key: ['lga_pcode', 'state_pcode'],
    optional: NAME_COLUMNS,
    exactlyOneOf: [['lga_pcode', 'state_pcode']],
  },
} as const satisfies Record<string, RoleDefinition>;
export type Role = keyof typeof ROLES;
export const roleDefinition = (role: Role): RoleDefinition => ROLES[role];

export const TABLE_FORMATS = ['csv', 'xlsx', 'dbf', 'json'] as const;
export const isTable = ({ format }: { format: string }): boolean => TABLE_FORMATS.some((name) => name === format);

/**
 * The files of a table with its rows, in the order of delivery; others say how a dBase file is encoded, or are joined.
 */
export const deliveredFiles = <File extends { path: string; join?: unknown }>({
  files,
}: {
  files: readonly File[];
}): File[] => files.filter(({ path, join }) => !join && !/\.cpg$/i.test(path));

/** The columns that a role's source may have, apart from those named after a figure. */
export function knownColumns(role: Role): readonly string[] {
  const { columns, optional = [], exactlyOneOf = [] } = roleDefinition(role);
  return [...columns, ...optional, ...exactlyOneOf.flat()];
}

/** The year of a column of people such as `people_2015`; null for another column. */
export const yearOfPeople = (column: string): number | null => {
  const [, year] = /^people_((?:19|20)\d\d)$/.exec(column) ?? [];
  return year === undefined ? null : Number(year);
};
