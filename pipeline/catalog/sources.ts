/** The schema of `sources.json`, which describes each raw file and its known gaps. */
import type { Static } from 'typebox';
import { closedObject, Type } from '../contract/type.ts';
import { Dialect } from './dialect.ts';
import { FIGURES } from './figures.ts';
import { LeaveOutRule } from './leave-out-rule.ts';
import { ROLES, type Role, TABLE_FORMATS } from './roles.ts';
import { FOR_EDITORS, period, text, year } from './shared-schemas.ts';

/**
 * A known gap of a source and the rule for handling it. Missing data that is not declared stops the build.
 * - `null`: the area has no estimate of the figure.
 * - `neighbours`: the area, or cells of climate with the number `value`, get the unweighted mean of the LGAs that share
 *   an edge with it.
 * - `omit`: the area contributes nothing to sums over this source.
 * - `mask`: the months are shown, but not used for fitting.
 * - `uncovered`: ground inside a state that belongs to no LGA (a lagoon), up to `area_km2`.
 * - `nearest`: prediction cells without a value of a covariate get that of the nearest cell with one, within `km`.
 * - `value`: missing values of a covariate are replaced by `value`.
 */
export const Gap = closedObject({
  rule: Type.Enum(['null', 'neighbours', 'omit', 'mask', 'uncovered', 'nearest', 'value']),
  lga_pcode: Type.Optional(Type.String()),
  state_pcode: Type.Optional(Type.String()),
  first: Type.Optional(period),
  last: Type.Optional(period),
  area_km2: Type.Optional(Type.Number({ minimum: 0 })),
  km: Type.Optional(Type.Number({ exclusiveMinimum: 0 })),
  value: Type.Optional(Type.Number()),
  reason: Type.String({ minLength: 1 }),
});
export type Gap = Static<typeof Gap>;

const figure = Type.Union([Type.Number(), Type.Null()]);

/** Who accepted the files, when and why; written by `malaria-risk catalog update`, the latest last. */
export const Acceptance = closedObject({
  at: Type.String({ description: 'ISO 8601, UTC' }),
  by: text,
  reason: text,
  what: Type.String({ description: 'Changes compared with the files accepted before' }),
  doubts: Type.Optional(Type.Array(Type.String(), { description: 'Doubts that were accepted' })),
  corrected: Type.Optional(
    Type.Array(closedObject({ key: text, column: text, was: figure, is: figure }), {
      description: 'Figures that were corrected: the row, the column, and the figure before and since',
    }),
  ),
  divided: Type.Optional(
    Type.Array(closedObject({ code: text, parts: Type.Array(text) }), {
      description: 'Areas that keep their code for a part of their ground, and the new codes of the rest',
    }),
  ),
});
export type Acceptance = Static<typeof Acceptance>;

/** A figure printed elsewhere that a source must add up to; a build that misses it stops. */
export const Control = closedObject({
  period: Type.Optional(
    Type.String({
      pattern: '^(19|20)\\d\\d(-(0[1-9]|1[0-2]))?$',
      description: 'Year or month; without it, all that the source has',
    }),
  ),
  area: Type.Optional(
    Type.Union([Type.String(), Type.Null()], { description: 'Code of an area of either level; null for all' }),
  ),
  value: Type.Number({ exclusiveMinimum: 0, description: 'Cases, people, or children examined in any survey row' }),
  source: Type.String({ minLength: 1, description: 'Where it is printed' }),
  tolerance: Type.Number({ minimum: 0, maximum: 1, description: 'Share by which the sum may differ' }),
});
export type Control = Static<typeof Control>;

export const Source = closedObject({
  id: Type.String({ pattern: '^[a-z0-9_]+$' }),
  role: Type.Enum(Object.keys(ROLES) as Role[]),
  figure: Type.Optional(Type.Enum([...FIGURES])),
  title: text,
  producer: text,
  citation: text,
  licence: text,
  spdx: Type.Optional(
    Type.String({
      pattern: '^[A-Za-z0-9.-]+$',
      description: 'SPDX identifier of the licence, such as CC-BY-4.0, if `licence` is not one itself',
    }),
  ),
  derived: Type.Optional(
    Type.Enum(['yes', 'share-alike', 'non-commercial', 'ask', 'no'], {
      description:
        'Whether figures computed from it may be published, with its citation; by default as its SPDX licence says, and otherwise as `pass_on`',
    }),
  ),
  pass_on: Type.Optional(
    Type.Enum(['yes', 'no', 'ask'], {
      description:
        'Whether readers of the report may pass the raw file on; `ask`, the default, if the licence leaves it open',
    }),
  ),
  release: text,
  access: Type.Optional(Type.String({ description: 'How to obtain it if it needs registration or permission' })),
  format: Type.Enum(['shapefile', 'geojson', 'topojson', ...TABLE_FORMATS, 'geotiff']),
  crs: Type.Optional(Type.Literal('EPSG:4326')),
  unit: Type.String({ description: 'persons, m, mm per month, share, percent, minutes, cases, degrees …' }),
  columns: Type.Optional(
    Type.Record(Type.String(), Type.String(), { description: "The project's name -> the file's name" }),
  ),
  sums: Type.Optional(
    Type.Record(Type.String(), Type.Array(text, { minItems: 2, uniqueItems: true }), {
      description:
        "The project's name of a count -> the file's columns that it is the sum of, such as positives by each test: blank cells are left out, and it is blank if all are",
    }),
  ),
  unused: Type.Optional(
    Type.Record(Type.String(), text, {
      description:
        "The file's columns of counts that are no part of those taken, each with the reason, such as a part of the total",
    }),
  ),
  dialect: Type.Optional(Dialect),
  where: Type.Optional(
    Type.Record(Type.String(), Type.Union([Type.String(), Type.Number()]), {
      description: 'Rows to keep: file column -> value (for example one year of several in a file)',
    }),
  ),
  leave_out: Type.Optional(
    Type.Array(LeaveOutRule, { description: 'Rows of a table to leave out, each kind with a reason' }),
  ),
  recode: Type.Optional(
    Type.Record(Type.String(), Type.Record(Type.String(), text), {
      description:
        "Corrections of text: the project's column -> the file's text -> the intended text, such as a name as spelled in the table of codes",
    }),
  ),
  dissolve: Type.Optional(
    Type.Literal(true, { description: 'Outlines: features with the same code, or the same name, are one area' }),
  ),
  sliver_km2: Type.Optional(
    Type.Number({
      exclusiveMinimum: 0,
      description:
        'Outlines: largest area of an overlap or a gap between two areas that is cleaned as a drawing error, km²; 0.1 by default',
    }),
  ),
  nodata: Type.Optional(
    Type.Union([Type.Number(), Type.Literal('nan'), Type.Literal('none')], {
      description: "Value of a raster's missing cells, overriding the file's tag; `none` if no cells are missing",
    }),
  ),
  classes: Type.Optional(
    Type.Array(closedObject({ column: text, midpoint: Type.Number({ minimum: 0 }) }), {
      minItems: 1,
      description: 'A figure given as numbers of people by class: its mean is Σ people × midpoint / Σ people',
    }),
  ),
  classes_total: Type.Optional(Type.String({ minLength: 1, description: 'The column that the classes sum to' })),
  fieldwork: Type.Optional(
    closedObject(
      { first: period, last: period },
      'Months of fieldwork of a survey with results by area of the upper level only, whose rows have no months',
    ),
  ),
  displaced: Type.Optional(Type.Boolean({ description: 'Coordinates are displaced as in DHS surveys' })),
  methods: Type.Optional(
    closedObject(
      { microscopy: Type.Optional(text), rdt: Type.Optional(text) },
      "A survey's diagnostic methods: the project's name -> the file's name",
    ),
  ),
  rounds: Type.Optional(
    Type.Array(closedObject({ survey_year: year, first: period, last: period }), {
      minItems: 1,
      description:
        'The rounds of a survey table and their months of fieldwork; every row must belong to one of them, by its survey year or, in a table without a column of it, by its month',
    }),
  ),
  weighted_counts: Type.Optional(
    Type.Boolean({ description: '`examined` and `positive` are weighted, and need not be integers' }),
  ),
  span: Type.Optional(
    closedObject(
      { first: period, last: period },
      'Months of monthly records: at least one series starts in the first, every series reaches the last',
    ),
  ),
  reporting: Type.Optional(
    closedObject(
      {
        least: Type.Optional(Type.Number({ exclusiveMinimum: 0, maximum: 1 })),
        scaled: Type.Optional(Type.Literal(true)),
        blank: Type.Optional(Type.Literal('zero')),
      },
      'Cases by facility, or with a reporting rate: `least` is the share of facilities that must have reported for the month of an area to be known (0.8 by default); `scaled` divides its cases by the share that did; `blank` says that an export leaves zeros out, so that a blank beside enough reports is 0',
    ),
  ),
  growth: Type.Optional(
    Type.Number({
      exclusiveMinimum: -0.2,
      exclusiveMaximum: 0.2,
      description: 'Growth of the people of a table or raster, share a year, outside the years that it gives',
    }),
  ),
  range: Type.Optional(
    Type.Array(Type.Number(), {
      minItems: 2,
      maxItems: 2,
      description: "Smallest and largest plausible value of a raster's cells, in its unit",
    }),
  ),
  ranges: Type.Optional(
    Type.Record(Type.String(), Type.Array(Type.Number(), { minItems: 2, maxItems: 2 }), {
      description: "Smallest and largest plausible value of a table's columns, by the project's names",
    }),
  ),
  repeats: Type.Optional(
    Type.Integer({
      minimum: 1,
      description:
        'Largest number of adjacent cells of a raster that may share one value other than 0: more suggest an untagged nodata value',
    }),
  ),
  files: Type.Array(
    closedObject({
      path: text,
      period: Type.Optional(period),
      year: Type.Optional(
        Type.Integer({
          minimum: 1950,
          maximum: 2100,
          description: 'The year that people, of a table or raster, or the figures of a layer are of',
        }),
      ),
      join: Type.Optional(
        closedObject(
          {
            on: Type.Record(text, text, {
              minProperties: 1,
              description: "The first file's column -> this file's",
            }),
            format: Type.Enum([...TABLE_FORMATS]),
            dialect: Type.Optional(Dialect),
          },
          "More columns of a survey's clusters, such as their coordinates: each row of the first file gets those of the row with the same values, except columns that it has itself",
        ),
      ),
      url: Type.Optional(Type.String({ description: 'URL from which `fetch` downloads this file' })),
      rows: Type.Optional(
        Type.Integer({ minimum: 1, description: 'Minimum number of rows of a table, without its header' }),
      ),
      bytes: Type.Optional(Type.Integer({ minimum: 1 })),
      sha256: Type.Optional(Type.String({ pattern: '^[0-9a-f]{64}$' })),
    }),
    {
      minItems: 1,
      description:
        'The file to read first, then its siblings, or files that are joined to it (`join`); or several deliveries of a monthly table, the latest last, whose rows replace those of earlier ones for the same place and month; or one raster for each month, with `period`; or, after the raster of people that weights figures, those of other years, with `year`',
    },
  ),
  accepted: Type.Optional(Type.Array(Acceptance)),
  controls: Type.Optional(
    Type.Array(Control, {
      description: 'What the counts of a table of cases, people or survey clusters must add up to',
    }),
  ),
  gaps: Type.Optional(Type.Array(Gap)),
  notes: Type.Optional(Type.Array(Type.String())),
});
export type Source = Static<typeof Source>;

/** A file that `new-country` did not use although it seems to be of the country. */
const UnusedFile = closedObject({ path: text, subject: text, reason: text });
export type UnusedFile = Static<typeof UnusedFile>;

export const Sources = closedObject({
  $schema: Type.Optional(FOR_EDITORS),
  sources: Type.Array(Source),
  unused: Type.Optional(
    Type.Array(UnusedFile, {
      description:
        'Files that seem to be of the country and are not used: `catalog check` reports each until it is removed',
    }),
  ),
});
export type Sources = Static<typeof Sources>;

/** Whether counts of cases may be passed on: all their sources have to say so. */
export const mayPassOnCases = (sources: readonly Pick<Source, 'role' | 'pass_on'>[]): boolean =>
  sources.every(({ role, pass_on }) => !role.startsWith('cases_') || pass_on === 'yes');
