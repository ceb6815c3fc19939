/** What the files of a country can be to the pipeline, and the columns that each must have. */

/** What a source is for, and the project's names of its columns: those it must have, and those it may. */
interface RoleForm {
  what: string;
  columns: readonly string[];
  optional?: readonly string[];
  /** One of each of these lists, no more. */
  either?: readonly (readonly string[])[];
}

/** Names of places, of which a table is told by its codes: one that is another place's name is refused. */
const NAMES = ['lga', 'state'] as const;

/**
 * One source a role, but for `layer` (one a figure), `covariate` and the roles of surveys and cases (any number). A country
 * without a source of a role goes without what it would give, and says so (missing.ts).
 */
export const ROLES = {
  lga_boundaries: {
    what: 'Polygons of the LGAs; codes and parents may come from `lga_codes`, parents else by place from `state_boundaries`',
    columns: ['lga'],
    optional: ['lga_pcode', 'state_pcode'],
  },
  lga_codes: {
    what: 'Table that gives the LGAs of `lga_boundaries`, by name, their codes and states',
    columns: ['lga', 'lga_pcode'],
    optional: ['state_pcode', 'state'],
  },
  state_boundaries: {
    what: 'Polygons of the states, checked against the LGAs; without them states are their LGAs together',
    columns: ['state_pcode', 'state'],
  },
  population: { what: 'GeoTIFF, persons per cell', columns: [] },
  population_census: { what: 'Table by LGA', columns: ['lga_pcode', 'people'], optional: ['children_0_4', ...NAMES] },
  elevation: { what: 'GeoTIFF, metres', columns: [] },
  climate: {
    what: 'Table by LGA and month (the month as `period`, or as `year` and `month`), or one GeoTIFF of rain a month',
    columns: ['lga_pcode', 'rain_mm'],
    optional: ['temperature_c', 'year', ...NAMES],
    either: [['period', 'month']],
  },
  survey_clusters: {
    what: 'Table of clusters, each with a place: longitude and latitude, or LGA, or only a state',
    columns: ['survey_year', 'cluster_id', 'method', 'examined'],
    optional: [
      ...['longitude', 'latitude', 'lga_pcode', 'state_pcode', 'urban', 'weight', 'year'],
      ...['youngest_years', 'oldest_years', ...NAMES],
    ],
    either: [
      ['positive', 'positivity'],
      ['period', 'month'],
    ],
  },
  survey_states: {
    what: 'Table of a round known by state only',
    columns: ['survey_year', 'state_pcode', 'method', 'positivity'],
    optional: NAMES,
  },
  cases_states: {
    what: 'Table of monthly confirmed cases by state',
    columns: ['state_pcode', 'period', 'confirmed'],
    optional: NAMES,
  },
  cases_lgas: {
    what: 'Table of monthly confirmed cases by LGA',
    columns: ['lga_pcode', 'period', 'confirmed'],
    optional: ['state_pcode', ...NAMES],
  },
  layer: {
    what: 'A figure of the context: GeoTIFF, or table by LGA or by state of the figure or of `classes`',
    columns: [],
    optional: NAMES,
    either: [['lga_pcode', 'state_pcode']],
  },
  covariate: {
    what: 'What may tell of risk: GeoTIFFs, or table by LGA or by state of `value` or of `classes`, by year or month or neither',
    columns: [],
    optional: ['period', 'year', 'month', ...NAMES],
    either: [['lga_pcode', 'state_pcode']],
  },
} as const satisfies Record<string, RoleForm>;
export type Role = keyof typeof ROLES;
/** The form of a role's columns. */
export const formOf = (role: Role): RoleForm => ROLES[role];

/** Context figures that a `layer` source can carry. */
export const FIGURES = [
  'itn_use',
  'itn_access',
  'irs_coverage',
  'effective_treatment',
  'travel_minutes_to_care',
] as const;
export type Figure = (typeof FIGURES)[number];
/** Those that follow the programme's own work. They are context, and never covariates of the risk score. */
export const COVERAGE: readonly Figure[] = ['itn_use', 'itn_access', 'irs_coverage', 'effective_treatment'];

/** Formats of tables. */
export const TABLE_FORMATS = ['csv', 'dbf', 'json'] as const;
export const isTable = ({ format }: { format: string }): boolean => TABLE_FORMATS.some((name) => name === format);
