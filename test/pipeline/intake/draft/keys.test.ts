import { expect, test } from 'vitest';
import { areaLevel, findPlaceColumn, placeColumnName } from '../../../../pipeline/intake/draft/draft-keys.ts';
import { tinyCountry } from '../../../support/tiny-country.ts';
import { draftOf } from './drafted.ts';
import { CASES, cases, country, ingested, iso, rows, table } from './drafted-tables.ts';

/** Regions whose codes are their names without accents, as outlines without codes of the upper level get them. */
const REGIONS = areaLevel([
  { code: 'Atakpa', name: 'Atakpa' },
  { code: 'Borga', name: 'Borga' },
  { code: 'Haut-Keran', name: 'Haut-Kéran' },
]);
const DISTRICTS = areaLevel([{ code: 'KW0101', name: 'Dapoura' }]);
const tableOf = (names: readonly string[]) => ({
  header: ['adm1', 'itn_access'],
  rows: names.map((name, i) => ({ line: i + 2, cells: [name, `0.${i}`] })),
});

test.each([
  ['names, of which two are codes too', ['Haut-Kéran', 'Atakpa', 'Borga'], 'state'],
  ['codes', ['Haut-Keran', 'Atakpa', 'Borga'], 'state_pcode'],
  ['codes, and what is neither', ['Haut-Keran', 'Atakpa', 'Nowhere'], 'state_pcode'],
])('a column of %s', (_, names, column) => {
  const place = findPlaceColumn(tableOf(names), { lgas: DISTRICTS, states: REGIONS })!;
  expect(placeColumnName(place)).toBe(column);
  expect(place.codeByName).toEqual(
    column === 'state' ? { 'Haut-Kéran': 'Haut-Keran', Atakpa: 'Atakpa', Borga: 'Borga' } : null,
  );
});

/** The first area of each state has one name. */
const namesakes = { 'lgas.geojson': String(tinyCountry().files['lgas.geojson']).replace('Place 3', 'Place 1') };
const district = (lga: number) => `Place ${lga === 2 ? 1 : lga + 1}`;
const region = (lga: number) => (lga < 2 ? 'Abia' : 'Adamawa');

test.each<[string, string]>([
  [
    'by area',
    table(
      'Region,District,period,confirmed',
      rows((lga, month, i) => [region(lga), district(lga), iso(month), cases(lga, i)]),
    ),
  ],
  [
    'by facility',
    table(
      'Region,District,facility,period,confirmed',
      rows((lga, month, i) =>
        [40, cases(lga, i) - 40].map(
          (part, nth) => `${region(lga)},${district(lga)},Post ${nth},${iso(month)},${part}`,
        ),
      ).flatMap((pair) => pair.split(/,(?=A)/)),
    ),
  ],
])('one name in two upper-level areas: %s, the upper-level area is part of the key', async (_, content) => {
  const { cases: found } = await ingested(country({ 'x.csv': content, ...namesakes }));
  expect(found).toEqual(CASES);
});

test('without a column of the upper-level areas, a name that two areas share is told, and no row is too many', async () => {
  const content = table(
    'District,period,confirmed',
    rows((lga, month, i) => [district(lga), iso(month), cases(lga, i)]),
  );
  const { draft } = await draftOf(country({ 'x.csv': content, ...namesakes }));
  expect(draft.leftOut).toContainEqual({
    kind: 'left out',
    file: 'x.csv',
    why: '"confirmed" is not used: "Place 1" is the name of several areas; add a column with the upper-level area that each row lies in',
    lost: 'cases',
  });
});
