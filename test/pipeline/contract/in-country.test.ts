import { expect, test } from 'vitest';
import { inCountry } from '../../../pipeline/contract/in-country.ts';
import { buildOpenapi } from '../../../pipeline/contract/openapi.ts';
import { JSON_OPERATIONS } from '../../../pipeline/contract/operations.ts';
import type { Territory } from '../../../pipeline/contract/territory.ts';
import { compileSchema } from '../../../pipeline/lib/json-schema.ts';
import { countryTables } from '../../../pipeline/publish/snapshot/table-columns.ts';
import { TERRITORY } from '../../../pipeline/synthetic/states.ts';

/** Regions with numeric codes, without zones, with rapid tests of children from one year on. */
const OTHER: Territory = {
  iso_code: 'XX',
  language: 'fr',
  state: { one: 'region', many: 'regions', code: '^[0-9]{2}$', code_is: 'Number of the region', example: '07' },
  lga: { one: 'district', many: 'districts', code: '^[0-9]{4}$', code_is: 'number of the ministry', example: '0712' },
  iso_3166_2: false,
  ages_months: [12, 71],
  method: 'rapid test',
  model_pages: false,
};

test("descriptions have the country's own ages, method and codes, and no other country's", () => {
  const texts = JSON.stringify([buildOpenapi('other-1-00000000', OTHER), countryTables(OTHER)]);
  expect(texts).toContain('children aged 12-71 months who would test positive by rapid test');
  expect(texts).not.toMatch(/nigeria|"NG|-NG|North (Central|East|West)|microscopy|OCHA/i);
  expect(texts).not.toMatch(
    /"x-of-country"|(description|meaning|about|row)":"[^"`]*(\bLGAs?\b|\{(youngest|oldest|method|zone|\w+_code)\})/,
  );
  expect(texts).toContain('/v1/forecasts/states');
});

test('schemas refuse codes of another form, and a zone if the country has none', () => {
  const { response } = JSON_OPERATIONS.find(({ id }) => id === 'boundaries-states')!;
  const feature = (code: string, zone: string | null) => ({
    type: 'Feature',
    geometry: {
      type: 'Polygon',
      coordinates: [
        [
          [0, 0],
          [1, 0],
          [1, 1],
          [0, 0],
        ],
      ],
    },
    properties: { code, name: 'Somewhere', zone },
  });
  const valid = (territory: Territory, code: string, zone: string | null) =>
    compileSchema(inCountry(response, territory))({
      type: 'FeatureCollection',
      source: '',
      features: [feature(code, zone)],
    });
  expect(valid(OTHER, '07', null)).toBe(true);
  expect(valid(OTHER, 'KN', null)).toBe(false);
  expect(valid(OTHER, '07', 'NW')).toBe(false);
  expect(valid(TERRITORY, 'KN', 'NW')).toBe(true);
  expect(valid(TERRITORY, 'KN', 'XX')).toBe(false);
  expect(valid(TERRITORY, 'KN', null)).toBe(false);
  expect(inCountry(response, OTHER)).toBe(inCountry(response, OTHER));
});
