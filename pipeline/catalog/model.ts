/** The form of `model.json`: what to make of the raw files, by which states, months and parameters of the models. */
import type { Static } from 'typebox';
import { ANY_CODE, Territory } from '../contract/territory.ts';
import { Type } from '../contract/type.ts';
import { POSITIVE } from '../risk/hyperparameters.ts';
import { CASE_SERIES_UNITS, type CaseSeriesForm } from '../transmission/case-series-form.ts';
import type { HeldBack } from './held-back.ts';
import { closed, FOR_EDITORS, METHODS, period, text, YEARS, year } from './values.ts';

const SHARES = { minimum: 0, maximum: 1 };
const share = Type.Number(SHARES);
const count = Type.Integer({ minimum: 1 });

/** A source of the role `covariate`, as the risk model takes it. */
export const Covariate = Type.Object(
  {
    source: text,
    transform: Type.Enum(['none', 'log', 'log1p', 'sqrt'], { description: 'Before it is standardised over people' }),
    square: Type.Optional(Type.Boolean({ description: 'The square of the standardised values as well' })),
    time: Type.Optional(
      Type.Enum(['mean', 'each', 'departure'], {
        description:
          'Of a source that changes by year or month: the mean over its times (of rasters, those without period and year), each month its own value, or its departure from the usual of that month of the year',
      }),
    ),
    lag_months: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 24,
        description: 'With each or departure: by how many months it acts later',
      }),
    ),
  },
  closed,
);
export type Covariate = Static<typeof Covariate>;

export const Model = Type.Object(
  {
    $schema: Type.Optional(FOR_EDITORS),
    country: Type.String({ pattern: '^[a-z][a-z0-9]*$', description: 'First part of model_version' }),
    name: text,
    synthetic: Type.Boolean(),
    release: Type.String({ pattern: '^[a-z0-9][a-z0-9.]*$', description: 'Second part of model_version' }),
    first_estimated: period,
    last_estimated: period,
    updated_at: Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}Z$' }),
    territory: Territory,
    expected: Type.Object({ states: count, lgas: count }, closed),
    extent: Type.Array(Type.Number(), { minItems: 4, maxItems: 4, description: 'west, south, east, north, degrees' }),
    states: Type.Array(
      Type.Object(
        {
          state_pcode: text,
          state_code: Type.String({ pattern: ANY_CODE, description: 'Of the form that `territory.state.code` says' }),
          state: text,
          aliases: Type.Optional(
            Type.Array(text, { minItems: 1, description: 'Other names that people give it, for joins by name' }),
          ),
          zone: Type.Optional(
            Type.String({
              minLength: 1,
              description: 'Code of one of `territory.zones`; left out where there are none',
            }),
          ),
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
            method: Type.Union([Type.Enum([...METHODS]), Type.Array(Type.Enum([...METHODS]), { minItems: 2 })], {
              description:
                'The method that counts; of several, the first is that of the score, and each cluster is used once, by the first that it was tested by',
            }),
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
            season_unknown: Type.Optional(
              Type.Object(
                { sd: Type.Number({ exclusiveMinimum: 0, maximum: 1 }), source: text },
                {
                  ...closed,
                  description:
                    'Of a country without monthly rain: how far the level of a month may lie from that of fieldwork, share of it (standard deviation)',
                },
              ),
            ),
            test_offset: Type.Optional(
              Type.Object(
                { mean: Type.Number(), sd: Type.Number({ exclusiveMinimum: 0 }), source: text },
                {
                  ...closed,
                  description:
                    'Of a country with several methods: logit of positivity by rapid test less that by microscopy, whichever the score is by; prior of each round',
                },
              ),
            ),
            season_exponent: Type.Object(
              { mean: Type.Number(), sd: Type.Number({ exclusiveMinimum: 0 }), source: text },
              closed,
            ),
            start: Type.Optional(
              Type.Record(
                Type.String({ pattern: `^(${POSITIVE.join('|')}|rho_[0-9]{4})$` }),
                Type.Number({ minimum: 1e-5, maximum: 1e5 }),
                {
                  ...closed,
                  description:
                    "Where the search for the risk model's hyperparameters begins, to save time; what it finds does not depend on it. `malaria-risk catalog start` renews it",
                },
              ),
            ),
            covariates: Type.Optional(
              Type.Array(Covariate, {
                description: 'What the risk score is told of places besides how densely people live there',
              }),
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
        publication: Type.Optional(
          Type.Object(
            {
              case_series: Type.Enum(Object.keys(CASE_SERIES_UNITS) as CaseSeriesForm[], {
                description:
                  'How exactly `transmission/model` and its table give monthly case records (left out: exact); the report always draws an index',
              }),
            },
            closed,
          ),
        ),
        evidence: Type.Object(
          {
            max_months_after_survey: Type.Integer({
              minimum: 0,
              maximum: 120,
              description:
                '`last_estimated` may lie so many months after the last survey; with case records, no later than these either',
            }),
            reason: Type.String({ minLength: 1, description: 'What the limit rests on' }),
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
