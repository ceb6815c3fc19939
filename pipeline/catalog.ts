/**
 * The form of a country's two catalog files. `sources.json` says what each raw file is; `model.json` says what to make
 * of them. Another release of a file, another column name or another country is a change here, never of code.
 */

import { type Static, Type } from 'typebox';
import { ZONES, type ZoneCode } from './contract/schemas.ts';

const closed = { additionalProperties: false } as const;
const period = Type.String({ pattern: '^\\d{4}-(0[1-9]|1[0-2])$' });

/** What a source is for. One source a role, but for `layer` (one a figure) and the survey roles (any number). */
export const ROLES = {
  lga_boundaries: 'Polygons of the LGAs; columns lga_pcode, lga, state_pcode',
  state_boundaries: 'Polygons of the states, checked against the LGAs; columns state_pcode, state',
  population: 'GeoTIFF, persons per cell',
  population_census: 'Table by LGA; columns lga_pcode, people, children_0_4',
  elevation: 'GeoTIFF, metres',
  climate:
    'Table by LGA and month (columns lga_pcode, year, month or period, rain_mm and, where known, temperature_c), or one GeoTIFF of rain a month',
  survey_clusters:
    'Table; columns survey_year, period, cluster_id, method, examined, positive or positivity, and a place: longitude and latitude, or lga_pcode, or state_pcode; urban and weight where known',
  survey_states: 'Table of a round known by state only; columns survey_year, state_pcode, method, positivity',
  cases_states: 'Table of monthly confirmed cases by state; columns state_pcode, period, confirmed',
  cases_lgas: 'Table of monthly confirmed cases by LGA; columns state_pcode, lga_pcode, period, confirmed',
  layer:
    'A figure of the context: GeoTIFF, or table by LGA or by state; columns lga_pcode or state_pcode, and the figure or `classes`',
} as const;
export type Role = keyof typeof ROLES;

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
    area_km2: Type.Optional(Type.Number()),
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
    title: Type.String(),
    producer: Type.String(),
    citation: Type.String(),
    licence: Type.String(),
    release: Type.String(),
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
      Type.Array(Type.Object({ column: Type.String(), midpoint: Type.Number() }, closed), {
        description: 'A figure given as people by class: its mean is Σ people × midpoint / Σ people',
      }),
    ),
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
    files: Type.Array(
      Type.Object(
        {
          path: Type.String(),
          period: Type.Optional(period),
          url: Type.Optional(Type.String({ description: 'Where `fetch` gets this very file' })),
          bytes: Type.Optional(Type.Integer()),
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
    name: Type.String(),
    synthetic: Type.Boolean(),
    release: Type.String({ pattern: '^[a-z0-9][a-z0-9.]*$', description: 'Second part of model_version' }),
    first_estimated: period,
    last_estimated: period,
    updated_at: Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}Z$' }),
    expected: Type.Object({ states: Type.Integer(), lgas: Type.Integer() }, closed),
    extent: Type.Array(Type.Number(), { minItems: 4, maxItems: 4, description: 'west, south, east, north, degrees' }),
    states: Type.Array(
      Type.Object(
        {
          state_pcode: Type.String(),
          state_code: Type.String({ pattern: '^[A-Z]{2}$' }),
          state: Type.String(),
          zone: Type.Enum(Object.keys(ZONES) as ZoneCode[]),
        },
        closed,
      ),
    ),
    parameters: Type.Object(
      {
        seed: Type.Integer(),
        boundaries: Type.Object(
          {
            tolerance_m: Type.Number({ description: 'How far a simplified outline may stray, metres' }),
            max_area_change: Type.Number(),
          },
          closed,
        ),
        context: Type.Object({ name: Type.String(), coverage_year: Type.Integer(), note: Type.String() }, closed),
        survey: Type.Object({ method: Type.String(), small_sample: Type.Integer(), confidence: Type.Number() }, closed),
        season: Type.Object(
          {
            high_share: Type.Number(),
            masked: Type.Array(Type.Object({ first: period, last: period, reason: Type.String() }, closed)),
          },
          closed,
        ),
        risk: Type.Object(
          {
            score: Type.Enum(['baseline', 'spatial']),
            draws: Type.Integer(),
            state_only_effective_size: Type.Integer(),
            season_exponent: Type.Object({ mean: Type.Number(), sd: Type.Number(), source: Type.String() }, closed),
          },
          closed,
        ),
        transmission: Type.Object(
          {
            infectious_months: Type.Number(),
            immune_months: Type.Number(),
            assumed_from: Type.String({ description: 'What the two durations rest on, as a clause' }),
            development_first: Type.Integer({ description: 'First year projected in development' }),
            held_back_year: Type.Integer(),
            starts: Type.Integer(),
          },
          closed,
        ),
        diff: Type.Object(
          {
            score_change: Type.Number({ description: 'A score that changes by more has moved' }),
            max_moved_share: Type.Number({ description: "`diff --gate`: share of LGAs' months that may move" }),
            max_flipped_share: Type.Number({ description: 'that may change their level' }),
            max_disjoint_share: Type.Number({ description: 'whose ranges may no longer overlap' }),
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
