/**
 * What a country calls its areas, how their codes look and whom its surveys tested: the words that schemas, the OpenAPI
 * document, tables and clients take from the catalog. Field names and paths stay SPEC.md's in every country: `state` is
 * the upper level and `lga` the lower one, whatever the country calls them.
 */
import type { Static, TProperties, TSchema } from 'typebox';
import { Type } from './type.ts';

const closed = <P extends TProperties>(properties: P, description?: string) =>
  Type.Object(properties, { additionalProperties: false, ...(description ? { description } : {}) });
const words = Type.String({ minLength: 1 });

/** Codes of areas in any country. They name files, so they are letters, digits, `_` and `-` alone. */
export const ANY_CODE = '^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$';

const AreaLevel = closed({
  one: Type.String({ minLength: 1, description: 'What an area of the level is called, such as `district`' }),
  many: Type.String({ minLength: 1, description: 'The same of several, such as `districts`' }),
  code: Type.String({ minLength: 1, description: 'Regular expression of its codes, from ^ to $' }),
  code_is: Type.String({ minLength: 1, description: 'What its code is, such as `OCHA p-code`' }),
  example: Type.String({ pattern: ANY_CODE, description: 'A code of one, for examples' }),
});

export const Territory = closed({
  iso_code: Type.String({ pattern: '^[A-Z]{2}$', description: 'ISO 3166-1, two letters' }),
  language: Type.String({ pattern: '^[a-z]{2,3}(-[A-Za-z0-9]+)*$', description: 'Of the names of areas, BCP 47' }),
  state: AreaLevel,
  lga: AreaLevel,
  iso_3166_2: Type.Boolean({
    description: "Whether the upper level's codes are ISO 3166-2's after `iso_code` and a hyphen",
  }),
  zones: Type.Optional(
    closed(
      {
        one: Type.String({ minLength: 1, description: 'What a zone is called' }),
        names: Type.Record(Type.String({ pattern: '^[A-Z0-9]{1,8}$' }), words, { description: 'Code -> full name' }),
      },
      'Groups of states; left out where the country has none, and then every `zone` is null',
    ),
  ),
  ages_months: Type.Array(Type.Integer({ minimum: 0 }), {
    minItems: 2,
    maxItems: 2,
    description: 'Youngest and oldest age, in whole months, of the children that the score is of',
  }),
  method: Type.String({ minLength: 1, description: 'The diagnostic method that the score is by, in words' }),
  survey_method: Type.Optional(
    Type.String({
      minLength: 1,
      description:
        'What surveys tested by where not all did by `method`, in words; it and `method` follow from `parameters.survey.method` where that names several',
    }),
  ),
  model_pages: Type.Boolean({
    description: "Whether the model pages (MODEL.md) tell of this country's fit, so that the report holds them",
  }),
});
export type Territory = Static<typeof Territory>;

/**
 * `text` in a country's words, or as it is where they are not told. `{youngest}`, `{oldest}`, `{method}`, `{survey_method}`, `{zone}`, `{state_code}`
 * and `{lga_code}` are filled in; where a level is not called state or LGA, these two words are replaced. Words in `code marks`, parts of identifiers
 * and the values `state` and `lga` of a table's column are left as they are.
 */
export function inWords(text: string, territory: Territory | undefined): string {
  if (!territory) return text;
  const { state, lga, ages_months, method, survey_method = method, zones } = territory;
  const filled: Record<string, string> = {
    ...{ youngest: String(ages_months[0]), oldest: String(ages_months[1]), method, survey_method },
    ...{ zone: zones?.one ?? 'Zone', state_code: state.code_is, lga_code: lga.code_is },
    // Without what follows in brackets, which says whose codes they are.
    state_code_short: state.code_is.replace(/ \([^)]*\)$/, ''),
  };
  // split: the odd parts are code
  return text
    .split('`')
    .map((part, i) =>
      (i % 2 ? part : levelsIn(part, territory)).replaceAll(/\{(\w+)\}/g, (all, name) => filled[name] ?? all),
    )
    .join('`');
}

function levelsIn(text: string, { state, lga }: Territory): string {
  if (state.one === 'state' && lga.one === 'LGA') return text;
  const capital = (word: string) => word[0]!.toUpperCase() + word.slice(1);
  return text
    .replaceAll(/\blocal government areas?\b/g, (found) => (found.endsWith('s') ? lga.many : lga.one))
    .replaceAll(/\b([Aa])(?:n LGA| state)\b/g, (found, a) => {
      const { one } = found.endsWith('LGA') ? lga : state;
      return `${a}${/^[aeiou]/i.test(one) ? 'n' : ''} ${one}`;
    })
    .replaceAll(/(^|\. )LGA(s?)\b/g, (_, before, s) => before + capital(s ? lga.many : lga.one))
    .replaceAll(/\bLGA(s?)\b/g, (_, s) => (s ? lga.many : lga.one))
    .replaceAll(/(?<![/-])\b([Ss])tate(s?)\b(?! or lga)/g, (_, first, s) => {
      const word = s ? state.many : state.one;
      return first === 'S' ? capital(word) : word;
    });
}

/** Prose inside program code: a level after an article or a number, or in capitals, as no name in code is. */
const PROSE_IN_CODE =
  /\W(?:(?:[Aa]n?|one|two|no|[Ee]very|the|their|its) (?:state|LGA)s?|states? and LGAs?|LGAs?|local government areas?|States?)\b/g;

/** The comments and messages of a program in a country's words; names in the code stay. */
export const codeInWords = (text: string, territory: Territory): string =>
  text.replaceAll(PROSE_IN_CODE, (found) => levelsIn(found, territory));

/** What a part of a schema is of: the country says its pattern or its values. */
export const OF_COUNTRY = 'x-of-country';
export type OfCountry = 'state_code' | 'zone' | 'zone_code' | 'iso_code';

/** By the territory's own text, since every manifest that is read has an object of its own. */
const compiled = new Map<string, WeakMap<object, unknown>>();

/** `schema` as it is in a country: its codes, zones and words. The same object for the same two, so that it is compiled once. */
export function inCountry<Schema extends TSchema>(schema: Schema, territory: Territory): Schema {
  const country = JSON.stringify(territory);
  const known = compiled.get(country) ?? new WeakMap();
  compiled.set(country, known);
  const found = (known.get(schema) as Schema | undefined) ?? (jsonInCountry(schema, territory) as Schema);
  known.set(schema, found);
  return found;
}

/** Keys of a document whose text is prose. */
const PROSE = new Set(['description', 'summary', 'row', 'meaning', 'about']);

/** Any JSON value, a schema or a whole document, with its schemas and its prose as they are in a country. */
export function jsonInCountry(value: unknown, territory: Territory): unknown {
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map((item) => jsonInCountry(item, territory));
  const { [OF_COUNTRY]: what, ...own } = value as Record<string, unknown> & { [OF_COUNTRY]?: OfCountry };
  if (what === 'zone' || what === 'zone_code') return zoneIn(what, String(own.description), territory);
  if (what === 'iso_code') return isoIn(String(own.description), territory);
  return Object.fromEntries(
    Object.entries(own).map(([key, item]) => {
      // Examples are answers, which are in the country's words already.
      if (key === 'example' || key === 'examples') return [key, item];
      if (what === 'state_code' && key === 'pattern') return [key, territory.state.code];
      return [
        key,
        PROSE.has(key) && typeof item === 'string' ? inWords(item, territory) : jsonInCountry(item, territory),
      ];
    }),
  );
}

function isoIn(about: string, { iso_3166_2 }: Territory): object {
  return iso_3166_2
    ? { type: 'string', description: about }
    : { type: 'null', description: `Always null: the country's codes are none of ${about}` };
}

function zoneIn(what: 'zone' | 'zone_code', about: string, territory: Territory): object {
  if (!territory.zones) return { type: 'null', description: 'Always null: the country has no zones' };
  const { names } = territory.zones;
  return { enum: what === 'zone' ? Object.values(names) : Object.keys(names), description: inWords(about, territory) };
}
