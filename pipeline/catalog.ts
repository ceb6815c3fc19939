/**
 * The form of a country's two catalog files. `sources.json` says what each raw file is; `model.json` says what to make
 * of them. Another release of a file, another column name or another country is a change here, never of code.
 */

import { type Static, Type } from 'typebox';
import { ZONES, type ZoneCode } from './contract/schemas.ts';

const closed = { additionalProperties: false } as const;
const period = Type.String({ pattern: '^(19|20)\\d{2}-(0[1-9]|1[0-2])$' });
const YEARS = { minimum: 1980, maximum: 2099 };
const SHARES = { minimum: 0, maximum: 1 };
const year = Type.Integer(YEARS);
const share = Type.Number(SHARES);
const text = Type.String({ minLength: 1 });
const count = Type.Integer({ minimum: 1 });

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

/** One source a role, but for `layer` (one a figure) and the roles of surveys and cases (any number). */
export const ROLES = {
  lga_boundaries: { what: 'Polygons of the LGAs', columns: ['lga_pcode', 'lga', 'state_pcode'] },
  state_boundaries: { what: 'Polygons of the states, checked against the LGAs', columns: ['state_pcode', 'state'] },
  population: { what: 'GeoTIFF, persons per cell', columns: [] },
  population_census: { what: 'Table by LGA', columns: ['lga_pcode', 'people', 'children_0_4'], optional: NAMES },
  elevation: { what: 'GeoTIFF, metres', columns: [] },
  climate: {
    what: 'Table by LGA and month (the month as `period`, or as `year` and `month`), or one GeoTIFF of rain a month',
    columns: ['lga_pcode', 'rain_mm'],
    optional: ['temperature_c', 'year', ...NAMES],
    either: [['period', 'month']],
  },
  survey_clusters: {
    what: 'Table of clusters, each with a place: longitude and latitude, or LGA, or only a state',
    columns: ['survey_year', 'period', 'cluster_id', 'method', 'examined'],
    optional: ['longitude', 'latitude', 'lga_pcode', 'state_pcode', 'urban', 'weight', ...NAMES],
    either: [['positive', 'positivity']],
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
} as const satisfies Record<string, RoleForm>;
export type Role = keyof typeof ROLES;
/** The form of a role's columns. */
export const formOf = (role: Role): RoleForm => ROLES[role];

/** The diagnostic methods of surveys, by the project's names. */
export const METHODS = ['microscopy', 'rdt'] as const;
export type Method = (typeof METHODS)[number];

/** Context figures that a `layer` source can carry. */
export const FIGURES = [
  'itn_use',
  'itn_access',
  'irs_coverage',
  'effective_treatment',
  'travel_minutes_to_care',
] as const;
export type Figure = (typeof FIGURES)[number];

/**
 * A gap that the source is known to have and the rule for it. Anything missing that is not declared stops the build.
 * - `null`: the figure of that area has no estimate.
 * - `neighbours`: the plain mean of the LGAs that share an edge with it.
 * - `omit`: the area adds nothing to sums over this source.
 * - `mask`: the months named are kept in what is shown and left out of fitting.
 * - `uncovered`: ground inside a state that belongs to no LGA (a lagoon), up to `area_km2`.
 */
export const Gap = Type.Object(
  {
    rule: Type.Enum(['null', 'neighbours', 'omit', 'mask', 'uncovered']),
    lga_pcode: Type.Optional(Type.String()),
    state_pcode: Type.Optional(Type.String()),
    first: Type.Optional(period),
    last: Type.Optional(period),
    area_km2: Type.Optional(Type.Number({ minimum: 0 })),
    reason: Type.String({ minLength: 1 }),
  },
  closed,
);
export type Gap = Static<typeof Gap>;

export const Source = Type.Object(
  {
    id: Type.String({ pattern: '^[a-z0-9_]+$' }),
    role: Type.Enum(Object.keys(ROLES) as Role[]),
    figure: Type.Optional(Type.Enum([...FIGURES])),
    title: text,
    producer: text,
    citation: text,
    licence: text,
    release: text,
    access: Type.Optional(Type.String({ description: 'How to come by it where it needs registration or leave' })),
    url: Type.Optional(Type.String({ description: 'Where `fetch` gets the first of `files`' })),
    format: Type.Enum(['shapefile', 'geojson', 'csv', 'geotiff']),
    crs: Type.Optional(Type.Literal('EPSG:4326')),
    unit: Type.String({ description: 'persons, m, mm per month, share, percent, minutes, cases, degrees …' }),
    columns: Type.Optional(
      Type.Record(Type.String(), Type.String(), { description: "The project's name -> the file's name" }),
    ),
    where: Type.Optional(
      Type.Record(Type.String(), Type.Union([Type.String(), Type.Number()]), {
        description: 'Rows to keep: file column -> value (a year out of several in one file)',
      }),
    ),
    nodata: Type.Optional(
      Type.Union([Type.Number(), Type.Literal('nan'), Type.Literal('none')], {
        description: "What a raster's missing cells hold: overrides the file's tag; `none` says there are none",
      }),
    ),
    classes: Type.Optional(
      Type.Array(Type.Object({ column: text, midpoint: Type.Number({ minimum: 0 }) }, closed), {
        minItems: 1,
        description: 'A figure given as people by class: its mean is Σ people × midpoint / Σ people',
      }),
    ),
    classes_total: Type.Optional(Type.String({ minLength: 1, description: 'The column that the classes sum to' })),
    fieldwork: Type.Optional(
      Type.Object(
        { first: period, last: period },
        {
          ...closed,
          description: 'Months of a survey known by state only, whose rows carry none',
        },
      ),
    ),
    displaced: Type.Optional(Type.Boolean({ description: 'Coordinates are displaced as DHS does' })),
    methods: Type.Optional(
      Type.Object(
        { microscopy: Type.Optional(text), rdt: Type.Optional(text) },
        {
          ...closed,
          description: "A survey's diagnostic methods as the file names them: the project's name -> the file's",
        },
      ),
    ),
    rounds: Type.Optional(
      Type.Array(Type.Object({ survey_year: year, first: period, last: period }, closed), {
        minItems: 1,
        description: 'The rounds of a survey table and their months of fieldwork: all of them, and no other row',
      }),
    ),
    weighted_counts: Type.Optional(
      Type.Boolean({ description: '`examined` and `positive` are weighted, and need not be whole numbers' }),
    ),
    span: Type.Optional(
      Type.Object(
        { first: period, last: period },
        { ...closed, description: 'Months of monthly records: the first has some, every series reaches the last' },
      ),
    ),
    range: Type.Optional(
      Type.Array(Type.Number(), {
        minItems: 2,
        maxItems: 2,
        description: "Smallest and largest value that a raster's cells can truly hold, in its unit",
      }),
    ),
    ranges: Type.Optional(
      Type.Record(Type.String(), Type.Array(Type.Number(), { minItems: 2, maxItems: 2 }), {
        description: "Smallest and largest value that a table's columns can truly hold, by the project's names",
      }),
    ),
    repeats: Type.Optional(
      Type.Integer({
        minimum: 1,
        description:
          'Most cells of a raster that touch their like and hold one and the same value, 0 aside: more are a nodata left untagged',
      }),
    ),
    census_factor: Type.Optional(
      Type.Number({
        exclusiveMinimum: 1,
        description: "How many times a state's people in the population raster may be more, or fewer, than its census",
      }),
    ),
    files: Type.Array(
      Type.Object(
        {
          path: text,
          period: Type.Optional(period),
          url: Type.Optional(Type.String({ description: 'Where `fetch` gets this very file' })),
          rows: Type.Optional(
            Type.Integer({ minimum: 1, description: 'Rows of a table without its header, at the least' }),
          ),
          bytes: Type.Optional(Type.Integer({ minimum: 1 })),
          sha256: Type.Optional(Type.String({ pattern: '^[0-9a-f]{64}$' })),
        },
        closed,
      ),
      {
        minItems: 1,
        description: 'The file to read first, then its siblings; or one raster a month, each with `period`',
      },
    ),
    gaps: Type.Optional(Type.Array(Gap)),
    notes: Type.Optional(Type.Array(Type.String())),
  },
  closed,
);
export type Source = Static<typeof Source>;

export const Sources = Type.Object({ sources: Type.Array(Source) }, closed);
export type Sources = Static<typeof Sources>;

export const HELD_BACK_FILE = 'held-back.json';
/** One look at the held-back year, entered before it is taken. */
export const Look = Type.Object(
  {
    held_back_year: Type.Integer(),
    design: Type.String({
      pattern: '^[0-9a-f]{64}$',
      description: 'Fingerprint of settings and projections (pipeline/held-back.ts)',
    }),
    level_months: Type.Integer(),
    reason: Type.String({ minLength: 1 }),
    result: Type.Union(
      [
        Type.Null(),
        Type.Object(
          {
            months: Type.Integer(),
            mean_absolute_error: Type.Record(Type.String(), Type.Number()),
            seasonal_shape_correlation: Type.Number(),
          },
          closed,
        ),
      ],
      { description: 'null between the registration and the look' },
    ),
  },
  closed,
);
export type Look = Static<typeof Look>;
/** held-back.json: the register of looks at the held-back year, written by `malaria-risk score-held-back`. */
export const HeldBack = Type.Object({ looks: Type.Array(Look) }, closed);
export type HeldBack = Static<typeof HeldBack>;

export const Model = Type.Object(
  {
    country: Type.String({ pattern: '^[a-z][a-z0-9]*$', description: 'First part of model_version' }),
    name: text,
    synthetic: Type.Boolean(),
    release: Type.String({ pattern: '^[a-z0-9][a-z0-9.]*$', description: 'Second part of model_version' }),
    first_estimated: period,
    last_estimated: period,
    updated_at: Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}Z$' }),
    expected: Type.Object({ states: count, lgas: count }, closed),
    extent: Type.Array(Type.Number(), { minItems: 4, maxItems: 4, description: 'west, south, east, north, degrees' }),
    states: Type.Array(
      Type.Object(
        {
          state_pcode: text,
          state_code: Type.String({ pattern: '^[A-Z]{2}$' }),
          state: text,
          zone: Type.Enum(Object.keys(ZONES) as ZoneCode[]),
        },
        closed,
      ),
    ),
    parameters: Type.Object(
      {
        seed: Type.Integer({ minimum: 0 }),
        boundaries: Type.Object(
          {
            tolerance_m: Type.Number({ minimum: 0, description: 'How far a simplified outline may stray, metres' }),
            max_area_change: share,
          },
          closed,
        ),
        context: Type.Object({ name: text, coverage_year: year, note: text }, closed),
        survey: Type.Object(
          {
            method: Type.Enum([...METHODS]),
            small_sample: count,
            confidence: Type.Number({ exclusiveMinimum: 0, exclusiveMaximum: 1 }),
          },
          closed,
        ),
        season: Type.Object(
          {
            high_share: Type.Number({ exclusiveMinimum: 0, maximum: 1 }),
            masked: Type.Array(Type.Object({ first: period, last: period, reason: Type.String() }, closed)),
          },
          closed,
        ),
        risk: Type.Object(
          {
            score: Type.Enum(['baseline', 'spatial']),
            draws: Type.Integer({ minimum: 100, maximum: 100_000 }),
            state_only_effective_size: count,
            season_exponent: Type.Object(
              { mean: Type.Number(), sd: Type.Number({ exclusiveMinimum: 0 }), source: text },
              closed,
            ),
          },
          closed,
        ),
        transmission: Type.Object(
          {
            infectious_months: Type.Number({ exclusiveMinimum: 0, maximum: 120 }),
            immune_months: Type.Number({ exclusiveMinimum: 0, maximum: 1200 }),
            assumed_from: Type.String({ minLength: 1, description: 'What the two durations rest on, as a clause' }),
            development_first: Type.Integer({ ...YEARS, description: 'First year projected in development' }),
            held_back_year: year,
            starts: Type.Integer({ minimum: 1, maximum: 1000 }),
          },
          closed,
        ),
        diff: Type.Object(
          {
            score_change: Type.Number({ ...SHARES, description: 'A score that changes by more has moved' }),
            max_moved_share: Type.Number({
              ...SHARES,
              description: "`diff --gate`: share of LGAs' months that may move",
            }),
            max_flipped_share: Type.Number({ ...SHARES, description: 'that may change their level' }),
            max_disjoint_share: Type.Number({ ...SHARES, description: 'whose ranges may no longer overlap' }),
          },
          closed,
        ),
      },
      closed,
    ),
  },
  closed,
);
/** model.json, and the register of looks at the held-back year that lies beside it. */
export type Model = Static<typeof Model> & { held_back?: HeldBack };
