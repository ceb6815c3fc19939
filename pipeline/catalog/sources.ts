/** The form of `sources.json`: what each raw file is, and the gaps it is known to have. */
import type { Static } from 'typebox';
import { Type } from '../contract/type.ts';
import { FIGURES, ROLES, type Role, TABLE_FORMATS } from './roles.ts';
import { closed, FOR_EDITORS, period, text, YEARS, year } from './values.ts';

/**
 * A gap that the source is known to have and the rule for it. Anything missing that is not declared stops the build.
 * - `null`: the figure of that area has no estimate.
 * - `neighbours`: the plain mean of the LGAs that share an edge with it.
 * - `omit`: the area adds nothing to sums over this source.
 * - `mask`: the months named are kept in what is shown and left out of fitting.
 * - `uncovered`: ground inside a state that belongs to no LGA (a lagoon), up to `area_km2`.
 * - `overlap`: ground that two LGAs share by mistake of drawing, up to `area_km2` in each such place; it counts in both.
 * - `nearest`: prediction cells without a value of a covariate take that of the nearest cell with one, within `km`.
 * - `value`: `value` stands for a covariate's missing ones.
 */
export const Gap = Type.Object(
  {
    rule: Type.Enum(['null', 'neighbours', 'omit', 'mask', 'uncovered', 'overlap', 'nearest', 'value']),
    lga_pcode: Type.Optional(Type.String()),
    state_pcode: Type.Optional(Type.String()),
    first: Type.Optional(period),
    last: Type.Optional(period),
    area_km2: Type.Optional(Type.Number({ minimum: 0 })),
    km: Type.Optional(Type.Number({ exclusiveMinimum: 0 })),
    value: Type.Optional(Type.Number()),
    reason: Type.String({ minLength: 1 }),
  },
  closed,
);
export type Gap = Static<typeof Gap>;

/** Who accepted the files as they are now, when and why; written by `malaria-risk catalog update`, the latest last. */
export const Acceptance = Type.Object(
  {
    at: Type.String({ description: 'ISO 8601, UTC' }),
    by: text,
    reason: text,
    what: Type.String({ description: 'What had changed against the files accepted before' }),
    doubts: Type.Optional(Type.Array(Type.String(), { description: 'What there was to doubt and was accepted' })),
  },
  closed,
);
export type Acceptance = Static<typeof Acceptance>;

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
    format: Type.Enum(['shapefile', 'geojson', 'topojson', ...TABLE_FORMATS, 'geotiff']),
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
    recode: Type.Optional(
      Type.Record(Type.String(), Type.Record(Type.String(), text), {
        description:
          "What text of the file stands for: the project's column -> the file's text -> the text that is meant, such as a name as the table of codes spells it",
      }),
    ),
    dissolve: Type.Optional(
      Type.Literal(true, { description: 'Outlines: the features of one code, or of one name, are one area' }),
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
          year: Type.Optional(
            Type.Integer({ ...YEARS, description: "Of a covariate's raster that holds for a whole year" }),
          ),
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
        description:
          'The file to read first, then its siblings; or one raster a month, each with `period`; or the rasters of a covariate, with `period` or `year` where each enters at its own time',
      },
    ),
    accepted: Type.Optional(Type.Array(Acceptance)),
    gaps: Type.Optional(Type.Array(Gap)),
    notes: Type.Optional(Type.Array(Type.String())),
  },
  closed,
);
export type Source = Static<typeof Source>;

export const Sources = Type.Object({ $schema: Type.Optional(FOR_EDITORS), sources: Type.Array(Source) }, closed);
export type Sources = Static<typeof Sources>;
