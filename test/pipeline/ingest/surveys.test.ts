import { expect, test } from 'vitest';
import { readCountry } from '../../../pipeline/catalog/country.ts';
import { run } from '../../../pipeline/ingest/ingest-stage.ts';
import type { Cluster } from '../../../pipeline/ingest/ingest-tables.ts';
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
