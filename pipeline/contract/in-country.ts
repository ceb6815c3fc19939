/** Schemas and documents of the contract as they are in one country: its codes and zones, and its words in prose. */
import type { TSchema } from 'typebox';
import type { CountryField } from './fields.ts';
import type { Territory } from './territory.ts';
import { countryWords, fill, type Words } from './words.ts';

/** Marks a part of a schema whose pattern or values depend on the country. */
export const OF_COUNTRY = 'x-of-country';

/** By the territory's JSON, since every manifest that is read has another territory object: schemas in that country. */
const cache = new Map<string, WeakMap<object, unknown>>();

/**
 * `schema` with a country's codes, zones and words. Equal arguments give the same object, so that it is compiled once.
 */
export function inCountry<Schema extends TSchema>(schema: Schema, territory: Territory): Schema {
  const country = JSON.stringify(territory);
  const schemas = cache.get(country) ?? new WeakMap();
  cache.set(country, schemas);
  const result = (schemas.get(schema) as Schema | undefined) ?? (jsonInCountry(schema, territory) as Schema);
  schemas.set(schema, result);
  return result;
}

/** Keys of a document whose text is prose. */
const PROSE = new Set(['description', 'summary']);

/** Any JSON value, such as a schema or a document, with its schemas and its prose adapted to a country. */
export const jsonInCountry = (value: unknown, territory: Territory): unknown =>
  adapt(value, territory, countryWords(territory));

function adapt(value: unknown, territory: Territory, words: Words): unknown {
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map((item) => adapt(item, territory, words));
  const { [OF_COUNTRY]: dependsOn, ...rest } = value as Record<string, unknown> & { [OF_COUNTRY]?: CountryField };
  if (dependsOn === 'zone' || dependsOn === 'zone_code')
    return zoneIn(dependsOn, fill(String(rest.description), words), territory);
  if (dependsOn === 'iso_code') return isoIn(String(rest.description), territory);
  return Object.fromEntries(
    Object.entries(rest).map(([key, item]) => {
      // Examples are answers, which are in the country's words already.
      if (key === 'example' || key === 'examples') return [key, item];
      if (dependsOn === 'state_code' && key === 'pattern') return [key, territory.state.code];
      return [key, PROSE.has(key) && typeof item === 'string' ? fill(item, words) : adapt(item, territory, words)];
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
  return { enum: what === 'zone' ? Object.values(names) : Object.keys(names), description: about };
}
