/**
 * What a country calls its areas, what their codes look like and whom its surveys tested: the words that schemas, the
 * OpenAPI document, tables and clients take from the catalog. Field names and paths are the same in every
 * country: `state` is the upper level and `lga` the lower one, whatever the country calls them.
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
  many: Type.String({ minLength: 1, description: 'Its plural, such as `districts`' }),
  code: Type.String({ minLength: 1, description: 'Regular expression for its codes, from ^ to $' }),
  code_is: Type.String({ minLength: 1, description: 'What kind of code it is, such as `OCHA p-code`' }),
  example: Type.String({ pattern: ANY_CODE, description: 'One of the codes, for examples' }),
});

export const Territory = closed({
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
    closed(
      {
        one: Type.String({ minLength: 1, description: 'What a zone is called' }),
        names: Type.Record(Type.String({ pattern: '^[A-Z0-9]{1,8}$' }), words, { description: 'Code -> full name' }),
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

/**
 * `text` in a country's words, or unchanged without a territory. Fills in `{youngest}`, `{oldest}`, `{method}`,
 * `{survey_method}`, `{zone}`, `{state_code}` and `{lga_code}`; if the levels are not called state and LGA, replaces
 * these two words. Words in `code marks`, parts of identifiers, and the values `state` and `lga` of a table's column
 * stay as they are.
 */
export function inWords(text: string, territory: Territory | undefined): string {
  if (!territory) return text;
  const { state, lga, ages_months, method, survey_method = method, zones } = territory;
  const filled: Record<string, string> = {
    ...{ youngest: String(ages_months[0]), oldest: String(ages_months[1]), method, survey_method },
    ...{ zone: zones?.one ?? 'Zone', state_code: state.code_is, lga_code: lga.code_is },
    // Without the text in brackets, which names the issuer of the codes.
    state_code_short: state.code_is.replace(/ \([^)]*\)$/, ''),
  };
  // Parts with an odd index are code.
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

/** Prose inside program code: the word for a level after an article or a number, or in capitals, unlike identifiers. */
const PROSE_IN_CODE =
  /\W(?:(?:[Aa]n?|one|two|no|[Ee]very|the|their|its) (?:state|LGA)s?|states? and LGAs?|LGAs?|local government areas?|States?)\b/g;

/** A program with its comments and messages in a country's words; identifiers stay. */
export const codeInWords = (text: string, territory: Territory): string =>
  text.replaceAll(PROSE_IN_CODE, (found) => levelsIn(found, territory));

/** Marks a part of a schema whose pattern or values depend on the country. */
export const OF_COUNTRY = 'x-of-country';
export type OfCountry = 'state_code' | 'zone' | 'zone_code' | 'iso_code';

/** Keyed by the territory's JSON, since every manifest that is read has a territory object of its own. */
const compiled = new Map<string, WeakMap<object, unknown>>();

/**
 * `schema` with a country's codes, zones and words. Equal arguments give the same object, so that it is compiled once.
 */
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

/** Any JSON value, such as a schema or a document, with its schemas and its prose adapted to a country. */
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
    : { type: 'null', description: `Always null: the country's codes are not ${about} codes` };
}

function zoneIn(what: 'zone' | 'zone_code', about: string, territory: Territory): object {
  if (!territory.zones) return { type: 'null', description: 'Always null: the country has no zones' };
  const { names } = territory.zones;
  return { enum: what === 'zone' ? Object.values(names) : Object.keys(names), description: inWords(about, territory) };
}
