import { expect, test } from 'vitest';
import { areaLevel, findPlaceColumn, placeColumnName } from '../../../../pipeline/intake/draft/draft-keys.ts';

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
  expect(place.codes).toEqual(
    column === 'state' ? { 'Haut-Kéran': 'Haut-Keran', Atakpa: 'Atakpa', Borga: 'Borga' } : null,
  );
});
