import { expect, test } from 'vitest';
import { readCountry } from '../../../pipeline/catalog/country.ts';
import { run } from '../../../pipeline/ingest/ingest-stage.ts';
import type { Cluster } from '../../../pipeline/ingest/ingest-tables.ts';
import { checkCountry } from '../../../pipeline/intake/check/check-country.ts';
import { ioOf, outputRows } from '../../support/stage-io.ts';
import { sourceIn, writeTiny } from '../../support/tiny-country.ts';

test('each cluster is marked as displaced or not according to its source', async () => {
  const { directory } = writeTiny((country) => {
    const { columns, ...about } = sourceIn(country, 'surveys');
    const { lga_pcode: _, ...without } = columns;
    const points = { ...without, longitude: 'x', latitude: 'y' };
    for (const [id, year, displaced] of [
      ['moved', 2010, true],
      ['true_places', 2015, false],
    ] as const) {
      country.files[`${id}.csv`] =
        `year,month,cluster,state,method,n,share,x,y\n${year},${year}-10,c,NG001,microscopy,20,0.5,3.4,4.5\n`;
      country.sources.push({
        ...about,
        id,
        columns: points,
        displaced,
        rounds: [{ survey_year: year, first: `${year}-10`, last: `${year}-10` }],
        files: [{ path: `${id}.csv`, rows: 1 }],
      });
    }
  });
  const country = readCountry(directory);
  const clusters = outputRows<Cluster>((await run(ioOf({}, country))).clusters);
  const displaced = (year: number) =>
    new Set(clusters.filter((cluster) => cluster.survey_year === year).map((cluster) => cluster.displaced));
  expect([2010, 2015, 2018].map((year) => [...displaced(year)])).toEqual([[true], [false], [false]]);
  expect(clusters.find((cluster) => cluster.survey_year === 2010)).toMatchObject({
    lga_code: 'NG001001',
    longitude: 3.4,
  });
});

test('clusters whose coordinates look exchanged are refused, and the others of their round put in doubt', async () => {
  const { directory } = writeTiny((country) => {
    const { columns, ...about } = sourceIn(country, 'surveys');
    const { lga_pcode: _, state_pcode: _s, ...without } = columns;
    // Both places lie inside the country with latitude first; the last one is outside either way.
    const places = ['3.4,4.5', '4.5,6.4', '4.4,6.6', '40,50'];
    country.files['points.csv'] =
      `year,month,cluster,method,n,share,x,y\n${places.map((xy, i) => `2015,2015-10,c${i},microscopy,20,0.5,${xy}\n`).join('')}`;
    country.sources.push({
      ...about,
      id: 'points',
      columns: { ...without, longitude: 'x', latitude: 'y' },
      rounds: [{ survey_year: 2015, first: '2015-10', last: '2015-10' }],
      files: [{ path: 'points.csv', rows: 1 }],
    });
  });
  const faults = (await checkCountry(directory)).map(({ what }) => what);
  expect(faults).toEqual([
    expect.stringMatching(
      /row 3: found longitude 4\.5 and latitude 6\.4, which look exchanged, .*others may be exchanged/,
    ),
    expect.stringMatching(/row 4: found longitude 4\.4 and latitude 6\.6, which look exchanged/),
    expect.stringMatching(/row 5, longitude: found 40, expected/),
  ]);
});
