/** The schema of `model.json`: a country's states, months to estimate, and model parameters. */
import type { Static } from 'typebox';
import { ANY_CODE, Territory } from '../contract/territory.ts';
import { closedObject, Type } from '../contract/type.ts';
import type { AlertEvaluation } from './alert-evaluation.ts';
import type { Alias } from './aliases.ts';
import type { HeldBack } from './held-back.ts';
import { FOR_EDITORS, METHODS, period, text, YEARS, year } from './shared-schemas.ts';

const SHARE_RANGE = { minimum: 0, maximum: 1 };
const share = Type.Number(SHARE_RANGE);
const count = Type.Integer({ minimum: 1 });

/** The precision with which monthly case records are published (model/transmission/case-series-form.ts). */
export const CASE_SERIES_FORMS = ['exact', 'rounded', 'index'] as const;
export type CaseSeriesForm = (typeof CASE_SERIES_FORMS)[number];

/** The risk model's positive hyperparameters, in the order of its search (model/risk/hyperparameters.ts). */
export const POSITIVE_HYPERPARAMETERS = [
  'sigma_place',
  'range_km',
  'sigma_change',
  'sigma_state',
  'sigma_lga',
  'sigma_slope',
  'tau_years',
  'tau_state_years',
] as const;

/** A source with the role `covariate`, as the risk model uses it. */
export const Covariate = closedObject({
  source: text,
  transform: Type.Enum(['none', 'log', 'log1p', 'sqrt'], {
    description: 'Applied before standardising by population',
  }),
  square: Type.Optional(Type.Boolean({ description: 'Also include the square of the standardised values' })),
});
export type Covariate = Static<typeof Covariate>;

export const Model = closedObject({
  $schema: Type.Optional(FOR_EDITORS),
  country: Type.String({ pattern: '^[a-z][a-z0-9]*$', description: 'First part of model_version' }),
  name: text,
  synthetic: Type.Boolean(),
  release: Type.String({ pattern: '^[a-z0-9][a-z0-9.]*$', description: 'Second part of model_version' }),
  first_estimated: period,
  last_estimated: period,
  updated_at: Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}Z$' }),
  territory: Territory,
  expected: closedObject({ states: count, lgas: count }),
  extent: Type.Array(Type.Number(), { minItems: 4, maxItems: 4, description: 'west, south, east, north, degrees' }),
  states: Type.Array(
    closedObject({
      state_pcode: text,
      state_code: Type.String({ pattern: ANY_CODE, description: 'Must match `territory.state.code`' }),
      state: text,
      aliases: Type.Optional(Type.Array(text, { minItems: 1, description: 'Other names in use, for joins by name' })),
      zone: Type.Optional(
        Type.String({
          minLength: 1,
          description: 'Code of one of `territory.zones`; omitted if there are none',
        }),
      ),
    }),
  ),
  parameters: closedObject({
    seed: Type.Integer({ minimum: 0 }),
    boundaries: closedObject({
      tolerance_m: Type.Number({ minimum: 0, description: 'How far a simplified outline may deviate, metres' }),
      max_area_change: share,
    }),
    context: closedObject({ name: text, coverage_year: year, note: text }),
    survey: closedObject({
      method: Type.Union([Type.Enum([...METHODS]), Type.Array(Type.Enum([...METHODS]), { minItems: 2 })], {
        description:
          'The diagnostic method used. If there are several, the first is that of the score, and each cluster is used once, with the first of them that it was tested by',
      }),
      small_sample: count,
      confidence: Type.Number({ exclusiveMinimum: 0, exclusiveMaximum: 1 }),
    }),
    season: closedObject({
      high_share: Type.Number({ exclusiveMinimum: 0, maximum: 1 }),
      masked: Type.Array(closedObject({ first: period, last: period, reason: Type.String() })),
    }),
    risk: closedObject({
      score: Type.Enum(['baseline', 'spatial']),
      draws: Type.Integer({ minimum: 100, maximum: 100_000 }),
      state_only_effective_size: count,
      season_unknown: Type.Optional(
        closedObject(
          { sd: Type.Number({ exclusiveMinimum: 0, maximum: 1 }), source: text },
          'For a country without monthly rain: standard deviation of the level of a month relative to that of fieldwork',
        ),
      ),
      test_offset: Type.Optional(
        closedObject(
          { mean: Type.Number(), sd: Type.Number({ exclusiveMinimum: 0 }), source: text },
          'For a country with several methods: prior, for each round, of the logit of positivity by rapid test minus that by microscopy, whichever the score uses',
        ),
      ),
      season_exponent: closedObject({ mean: Type.Number(), sd: Type.Number({ exclusiveMinimum: 0 }), source: text }),
      start: Type.Optional(
        Type.Record(
          Type.String({ pattern: `^(${POSITIVE_HYPERPARAMETERS.join('|')}|rho_[0-9]{4})$` }),
          Type.Number({ minimum: 1e-5, maximum: 1e5 }),
          {
            additionalProperties: false,
            description:
              "Starting point of the search for the risk model's hyperparameters, to save time; it does not affect the result. `malaria-risk catalog start` renews it",
          },
        ),
      ),
      covariates: Type.Optional(
        Type.Array(Covariate, {
          description: 'Covariates of the risk score in addition to population density',
        }),
      ),
    }),
    transmission: closedObject({
      infectious_months: Type.Number({ exclusiveMinimum: 0, maximum: 120 }),
      immune_months: Type.Number({ exclusiveMinimum: 0, maximum: 1200 }),
      assumed_from: Type.String({ minLength: 1, description: 'Basis of the two durations, as a clause' }),
      development_first: Type.Integer({ ...YEARS, description: 'First year projected in development' }),
      held_back_year: year,
      starts: Type.Integer({ minimum: 1, maximum: 1000 }),
    }),
    publication: Type.Optional(
      closedObject({
        case_series: Type.Enum([...CASE_SERIES_FORMS], {
          description:
            'Precision of the monthly case records in `transmission/model` and its table (exact if omitted); the report always draws an index',
        }),
      }),
    ),
    evidence: closedObject({
      max_months_after_survey: Type.Integer({
        minimum: 0,
        maximum: 120,
        description:
          '`last_estimated` may be at most this many months after the last survey, if there is enough of it for scores, and not after the last case records if there are any',
      }),
      reason: Type.String({ minLength: 1, description: 'Basis of the limit' }),
      external_review: Type.Optional(
        Type.String({
          minLength: 1,
          description: 'Who outside the project reviewed the figures, when, and where that stands',
        }),
      ),
      scores: Type.Optional(
        closedObject(
          { clusters: count, areas: count, children: count, reason: text },
          'Survey evidence, of all rounds together, below which there are no scores, in place of the usual minimum (risk/MODEL.md, section 3); with its reason, which model card and report give if scores rest on less than that',
        ),
      ),
    }),
    diff: closedObject({
      score_change: Type.Number({
        ...SHARE_RANGE,
        description: 'A score has moved if it changes by more than this',
      }),
      max_moved_share: Type.Number({
        ...SHARE_RANGE,
        description: '`diff --gate`: share of areas and months that may move',
      }),
      max_flipped_share: Type.Number({
        ...SHARE_RANGE,
        description: 'Share of areas and months whose level may change',
      }),
      max_disjoint_share: Type.Number({
        ...SHARE_RANGE,
        description: 'Share of areas and months whose ranges may no longer overlap',
      }),
    }),
  }),
});
/** model.json, and what is stored next to it: results of evaluations, and names of areas. */
export type Model = Static<typeof Model> & {
  held_back?: HeldBack;
  alert_evaluation?: AlertEvaluation;
  aliases?: Alias[];
};
