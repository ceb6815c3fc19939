import { expect, test } from 'vitest';
import { readCountry } from '../../../pipeline/catalog/country.ts';
import { stageView } from '../../../pipeline/catalog/country-stage.ts';
import { run } from '../../../pipeline/ingest/ingest-stage.ts';
import type { AccountRow } from '../../../pipeline/ingest/ingest-tables.ts';
import { censusOfRaster, peopleFinder, rastersBesideTable } from '../../../pipeline/ingest/people-by-year.ts';
import { checkCountry } from '../../../pipeline/intake/check/check-country.ts';
import { incidenceTable } from '../../../pipeline/publish/snapshot/incidence.ts';
import { STAGES } from '../../../pipeline/stages.ts';
import { ioOf, outputRows } from '../../support/stage-io.ts';
import { LGAS, sourceIn, writeTiny } from '../../support/tiny-country.ts';

const counts = (lga_code: string, people: Record<number, number>) =>
  Object.entries(people).map(([year, count]) => ({ lga_code, year: Number(year), people: count }));

test('people grow at a constant rate between years, and outside them as stated, as the rasters or as before', () => {
  const table = [...counts('A', { 2010: 1000, 2012: 1440 }), ...counts('B', { 2012: 500 })];
  const rasters = [...counts('A', { 2010: 800, 2020: 800 }), ...counts('B', { 2010: 400, 2011: 440 })];
  const stated = peopleFinder(table, rasters, 0.1);
  expect([2010, 2011, 2012].map((year) => stated('A', year))).toEqual([1000, expect.closeTo(1200, 9), 1440]);
  expect(stated('A', 2014)).toBeCloseTo(1440 * 1.1 ** 2, 9);
  expect(stated('A', 2009)).toBeCloseTo(1000 / 1.1, 9);
  const likeRasters = peopleFinder(table, rasters, null);
  // A's people do not grow by the rasters, B's do by a tenth a year, also after the last raster.
  expect(likeRasters('A', 2014)).toBeCloseTo(1440, 9);
  expect(likeRasters('B', 2014)).toBeCloseTo(500 * 1.1 ** 2, 9);
  const alone = peopleFinder(table, [], null);
  expect(alone('A', 2013)).toBeCloseTo(1440 * 1.2, 9);
  expect([2000, 2030].map((year) => alone('B', year))).toEqual([500, 500]);
  expect(peopleFinder([], rasters, null)('B', 2012)).toBeCloseTo(484, 9);
  expect(alone('C', 2012)).toBe(null);
});

/** Cases of the tiny country per 1,000 people as its account gives them, in 2019 and 2021. */
async function rates(census: string, columns: object, more: object = {}) {
  const { directory } = writeTiny((country) => {
    country.files['census.csv'] = census;
    Object.assign(sourceIn(country, 'population_census'), more, { columns: { lga_pcode: 'lga', ...columns } });
  });
  expect((await checkCountry(directory)).filter(({ step }) => step !== 'doubts')).toEqual([]);
  const stage = STAGES.find(({ name }) => name === 'ingest')!;
  const output = await run(ioOf({}, stageView(stage, readCountry(directory))));
  const accounts = outputRows<AccountRow>(output.accounts).filter(
    ({ reason, people }) => reason === 'confirmed' && people,
  );
  return {
    undated: output.report.some(({ rule }) => rule === 'people of no year'),
    people: [2019, 2021].map((year) => accounts.find((row) => row.year === year)!.people),
    census: outputRows<{ people: number }>(output.census).map(({ people }) => people),
  };
}

test('the account of cases counts them per 1,000 people of their own year', async () => {
  const table = (header: string, cells: (i: number) => string[]) =>
    `${[header, ...LGAS.flatMap((code, i) => cells(i).map((cell) => `${code},${cell}`))].join('\n')}\n`;
  const [first, second] = [(i: number) => 100_000 + 10 * i, (i: number) => 121_000 + 12 * i];
  const columns = await rates(
    table('lga,p2019,p2021,p2030', (i) => [`${first(i)},${second(i)},${3 * first(i)}`]),
    { people_2019: 'p2019', people_2021: 'p2021', people_2030: 'p2030' },
  );
  // Cases are of the first two areas.
  expect(columns.people).toEqual([200_010, 242_012]);
  expect(columns.census).toEqual([0, 1, 2, 3].map(second));
  const rows = await rates(
    table('lga,y,n', (i) => [`2019,${first(i)}`, `2021,${second(i)}`]),
    { year: 'y', people: 'n' },
  );
  expect(rows).toEqual(columns);
  const grown = await rates(
    table('lga,n', (i) => [`${first(i)}`]),
    { people: 'n' },
    {
      growth: 0.1,
      files: [{ path: 'census.csv', rows: 4, year: 2019 }],
    },
  );
  expect(grown.people).toEqual([200_010, 242_012]);
  const undated = await rates(
    table('lga,n', (i) => [`${first(i)}`]),
    { people: 'n' },
  );
  expect([undated.people, undated.undated, grown.undated]).toEqual([[200_010, 200_010], true, false]);
  await expect(
    rates(
      table('lga,n,p2019', (i) => [`${first(i)},${second(i)}`]),
      { people: 'n', people_2019: 'p2019' },
    ),
  ).rejects.toThrow();
});

test('a table is compared with a raster in the year of the raster; without a year of its own, as it is', () => {
  const census = [{ lga_code: 'A', people: 1000, children_0_4: null }];
  const sources = [{ role: 'population' as const, files: [{ path: 'p_2018.tif', year: 2018 }], growth: 0.1 }];
  const [raster, table] = [counts('A', { 2018: 400 }), counts('A', { 2017: 1000 })];
  const peopleWith = (counted: typeof table) => censusOfRaster(census, counted, raster, sources)[0]!.people;
  expect(peopleWith(table)).toBeCloseTo(1100, 9);
  expect(peopleWith([])).toBe(1000);
});

test('incidence counts cases per 1,000 people of their own year', () => {
  const cases = [2019, 2020].map((year) => ({
    state_code: 'AA',
    lga_code: 'A',
    period: `${year}-01`,
    confirmed: 10,
    reporting_rate: null,
    masked: false,
  }));
  const context = {
    context_states: [{ state_code: 'AA' }],
    context_lgas: [{ state_code: 'AA', lga_code: 'A', population: 999 }],
  } as unknown as Parameters<typeof incidenceTable>[0];
  const census = [{ lga_code: 'A', people: 1000, children_0_4: null }];
  const rows = incidenceTable(context, cases, census, peopleFinder(counts('A', { 2019: 1000 }), [], 0.25));
  expect(rows.map(({ area, year, people, cases_per_1000 }) => [area, year, people, cases_per_1000])).toEqual([
    ['state', 2019, 1000, 10],
    ['state', 2020, 1250, 8],
    ['lga', 2019, 1000, 10],
    ['lga', 2020, 1250, 8],
  ]);
  const without = incidenceTable(context, cases, census, peopleFinder([], [], null));
  expect(without.map(({ people }) => people)).toEqual([1000, 1000, 1000, 1000]);
  // A table without a year counts although the raster has one; without a table the raster does.
  const raster = counts('A', { 2019: 700 });
  const peopleBeside = (table: typeof census) =>
    incidenceTable(context, cases, table, peopleFinder([], rastersBesideTable(table, [], raster), null)).map(
      ({ people }) => people,
    );
  expect([peopleBeside(census), peopleBeside([])]).toEqual([Array(4).fill(1000), Array(4).fill(700)]);
});

test('areas whose people change in one year as the others do not are told', async () => {
  const { directory } = writeTiny((country) => {
    const people = LGAS.map((_, i) => 100_000 * (i + 1));
    // The rows of two areas are exchanged in 2020.
    const later = [people[1]!, people[0]!, people[2]!, people[3]!];
    const rows = LGAS.map((code, i) => `${code},${people[i]},${later[i]},${people[i]}`);
    country.files['census.csv'] = `${['lga,p2019,p2020,p2021', ...rows].join('\n')}\n`;
    const columns = { lga_pcode: 'lga', people_2019: 'p2019', people_2020: 'p2020', people_2021: 'p2021' };
    Object.assign(sourceIn(country, 'population_census'), { columns });
  });
  const doubts = (await checkCountry(directory))
    .map(({ what }) => what)
    .filter((what) => /some areas change/.test(what));
  expect(doubts).toEqual([
    expect.stringContaining(`from 2019 to 2020: ${LGAS[0]} 100,000 to 200,000; ${LGAS[1]} 200,000 to 100,000. `),
    expect.stringContaining(`from 2020 to 2021: ${LGAS[0]} 200,000 to 100,000; ${LGAS[1]} 100,000 to 200,000. `),
  ]);
});

test('years of people that are not of one series are told, with their sums', async () => {
  const doubtsOf = async (factor: number) => {
    const { directory } = writeTiny((country) => {
      const rows = LGAS.map((code, i) => `${code},${100_000 + i},${Math.round(factor * (100_000 + i))}`);
      country.files['census.csv'] = `${['lga,p2019,p2020', ...rows].join('\n')}\n`;
      const columns = { lga_pcode: 'lga', people_2019: 'p2019', people_2020: 'p2020' };
      Object.assign(sourceIn(country, 'population_census'), { columns });
    });
    return (await checkCountry(directory)).map(({ what }) => what).filter((what) => /people change/.test(what));
  };
  expect(await doubtsOf(1.028)).toEqual([]);
  expect(await doubtsOf(0.85)).toEqual([
    expect.stringMatching(/people change by -15\.0% a year from 2019 to 2020 \(400,006, /),
  ]);
});
