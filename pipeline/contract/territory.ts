/**
 * What a country calls its areas, what their codes look like and whom its surveys tested: the words that schemas, the
 * OpenAPI document, tables and clients take from the catalog (words.ts, in-country.ts). Field names and paths are the
 * same in every country: `state` is the upper level and `lga` the lower one, whatever the country calls them.
 */
import type { Static } from 'typebox';
import { closedObject, Type } from './type.ts';

const nonEmptyText = Type.String({ minLength: 1 });

/** Codes of areas in any country. They name files, so they are letters, digits, `_` and `-` alone. */
export const ANY_CODE = '^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$';

const AreaLevel = closedObject({
  one: Type.String({ minLength: 1, description: 'What an area of the level is called, such as `district`' }),
  many: Type.String({ minLength: 1, description: 'Its plural, such as `districts`' }),
  full: Type.Optional(
    Type.String({ minLength: 1, description: '`one` written out, if it is an abbreviation: `local government area`' }),
  ),
  code: Type.String({ minLength: 1, format: 'regex', description: 'Regular expression for its codes, from ^ to $' }),
  code_is: Type.String({ minLength: 1, description: 'What kind of code it is, such as `OCHA p-code`' }),
  example: Type.String({ pattern: ANY_CODE, description: 'One of the codes, for examples' }),
});

export const Territory = closedObject({
  iso_code: Type.String({ pattern: '^[A-Z]{2}$', description: 'ISO 3166-1, two letters' }),
  language: Type.String({
    pattern: '^[a-z]{2,3}(-[A-Za-z0-9]+)*$',
    description: 'Language of the names of areas, BCP 47',
  }),
  state: AreaLevel,
  lga: AreaLevel,
  iso_3166_2: Type.Boolean({
    description: "Whether the upper level's codes, after `iso_code` and a hyphen, are ISO 3166-2 codes",
  }),
  zones: Type.Optional(
    closedObject(
      {
        one: Type.String({ minLength: 1, description: 'What a zone is called' }),
        names: Type.Record(Type.String({ pattern: '^[A-Z0-9]{1,8}$' }), nonEmptyText, {
          description: 'Code -> full name',
        }),
      },
      'Groups of states; left out if the country has none, and then every `zone` is null',
    ),
  ),
  ages_months: Type.Array(Type.Integer({ minimum: 0 }), {
    minItems: 2,
    maxItems: 2,
    description: 'Youngest and oldest age, in completed months, of the children that the score is about',
  }),
  method: Type.String({ minLength: 1, description: 'The diagnostic method that the score refers to, in words' }),
  survey_method: Type.Optional(
    Type.String({
      minLength: 1,
      description:
        'The methods of the surveys, in words, if not all used `method`; both are derived from `parameters.survey.method` if that names several',
    }),
  ),
  model_pages: Type.Boolean({
    description: "Whether the model pages (MODEL.md) describe this country's fit, so that the report includes them",
  }),
});
export type Territory = Static<typeof Territory>;
