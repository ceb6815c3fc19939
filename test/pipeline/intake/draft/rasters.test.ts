import { expect, test } from 'vitest';
import { writeGeotiff } from '../../../../pipeline/synthetic/geotiff-writer.ts';
import { CELLS, GRID, peopleIn, tinyCountry } from '../../../support/tiny-country.ts';
import { catalogOf, draftOf, filesOf } from './drafted.ts';

const GIVEN = { name: 'Tiny country', iso_code: 'NG', upper_one: 'state', upper_many: 'states' };

/** People by cell, with other values in the first cells, and a tag that is none of these. */
const peopleWith = (...first: number[]) =>
  writeGeotiff(
    Float32Array.from({ length: CELLS }, (_, i) => first[i] ?? peopleIn(i)),
    GRID,
    '-3.4e+38',
  );

test('a raster whose negative cells all have one undeclared nodata value is drafted with it', async () => {
  const { files } = tinyCountry();
  const given = filesOf({ ...files, 'people.tif': peopleWith(-99_999, -99_999) });
  const { sources, faults, draft } = await catalogOf(given, GIVEN);
  expect(sources.find(({ role }) => role === 'population')).toMatchObject({ nodata: -99_999 });
  expect(faults).toEqual([]);
  const { notes } = draft.entries.find(({ entry }) => entry.role === 'population')!;
  // 400 cells of 1032 people on average, without the first two.
  expect(notes[0]).toMatch(
    /^411,000 people in total \(population table: [\d,]+\); by area .* table; cells of -99999, .* read as missing \(nodata\)$/,
  );
});

test.each([
  ['another negative value', [-99_999, -5]],
  ['the value of the tag', [-99_999, -3.4e38]],
])('with %s beside it, the raster is left out', async (_, first) => {
  const { files } = tinyCountry();
  const { draft } = await draftOf(filesOf({ ...files, 'people.tif': peopleWith(...first) }));
  expect(draft.entries.map(({ entry }) => entry.role)).not.toContain('population');
  expect(draft.leftOut.find(({ file }) => file === 'people.tif')!.why).toMatch(
    'found -99999, expected a measured value',
  );
});
