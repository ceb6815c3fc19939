/** Schemas and documents of the contract as they are in one country: its codes and zones, and its words in prose. */
import type { TSchema } from 'typebox';
import type { TerritoryField } from './fields.ts';
import type { Territory } from './territory.ts';
import { countryWords, fillPlaceholders, type Words } from './words.ts';

/** Marks a part of a schema whose pattern or values depend on the country. */
export const TERRITORY_FIELD = 'x-of-country';

/** By the territory's JSON, since every manifest that is read has another territory object: schemas in that country. */
const schemasByTerritory = new Map<string, WeakMap<object, unknown>>();

/**
 * `schema` with a country's codes, zones and words. Equal arguments give the same object, so that it is compiled once.
 */
export function inCountry<Schema extends TSchema>(schema: Schema, territory: Territory): Schema {
  const territoryJson = JSON.stringify(territory);
  const schemas = schemasByTerritory.get(territoryJson) ?? new WeakMap();
  schemasByTerritory.set(territoryJson, schemas);
  const result = (schemas.get(schema) as Schema | undefined) ?? (jsonInCountry(schema, territory) as Schema);
  schemas.set(schema, result);
  return result;
}

/** Keys of a document whose text is prose. */
const PROSE_KEYS = new Set(['description', 'summary']);

/** Any JSON value, such as a schema or a document, with its schemas and its prose adapted to a country. */
export const jsonInCountry = (document: unknown, territory: Territory): unknown =>
  adaptToCountry(document, territory, countryWords(territory));

function adaptToCountry(value: unknown, territory: Territory, words: Words): unknown {
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map((item) => adaptToCountry(item, territory, words));
  const { [TERRITORY_FIELD]: territoryField, ...rest } = value as Record<string, unknown> & {
    [TERRITORY_FIELD]?: TerritoryField;
  };
  if (territoryField === 'zone' || territoryField === 'zone_code')
    return zoneSchema(territoryField, fillPlaceholders(String(rest.description), words), territory);
  if (territoryField === 'iso_code') return isoCodeSchema(String(rest.description), territory);
  return Object.fromEntries(
    Object.entries(rest).map(([key, item]) => {
      // Examples are answers, which are in the country's words already.
      if (key === 'example' || key === 'examples') return [key, item];
      if (territoryField === 'state_code' && key === 'pattern') return [key, territory.state.code];
      return [
        key,
        PROSE_KEYS.has(key) && typeof item === 'string'
          ? fillPlaceholders(item, words)
          : adaptToCountry(item, territory, words),
      ];
    }),
  );
}

function isoCodeSchema(description: string, { iso_3166_2 }: Territory): object {
  return iso_3166_2
    ? { type: 'string', description }
    : { type: 'null', description: `Always null: the country's codes are not ${description} codes` };
}

function zoneSchema(field: 'zone' | 'zone_code', description: string, territory: Territory): object {
  if (!territory.zones) return { type: 'null', description: 'Always null: the country has no zones' };
  const { names } = territory.zones;
  return { enum: field === 'zone' ? Object.values(names) : Object.keys(names), description };
}
