import { expect, test } from 'vitest';
import { readCountry } from '../../../pipeline/catalog/country.ts';
import { run } from '../../../pipeline/ingest/ingest-stage.ts';
import type { AreaRound, Cluster } from '../../../pipeline/ingest/ingest-tables.ts';
import { effectiveNumber } from '../../../pipeline/ingest/survey-rows.ts';
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

/** What ingest reports of a table of clusters in NG001 of one round, each row with its month and its oldest age. */
async function findingsOf(rows: [month: string, oldest_years: number][]) {
  const { directory } = writeTiny((country) => {
    const { columns, ...about } = sourceIn(country, 'surveys');
    const lines = rows.map(
      ([month, oldest], i) => `2015,${month},c${i},NG001,NG001001,microscopy,20,0.5,0.5,${oldest}`,
    );
    country.files['more.csv'] = `year,month,cluster,state,lga,method,n,share,from,to\n${lines.join('\n')}\n`;
    country.sources.push({
      ...about,
      id: 'more',
      columns: { ...columns, youngest_years: 'from', oldest_years: 'to' },
      rounds: [{ survey_year: 2015, first: '2015-01', last: '2015-12' }],
      files: [{ path: 'more.csv', rows: rows.length }],
    });
  });
  const { report } = await run(ioOf({}, readCountry(directory)));
  const found = report.filter(({ source }) => source === 'more');
  // `catalog check` tells the same before a build.
  const told = (await checkCountry(directory)).filter(({ step }) => step === 'doubts').map(({ what }) => what);
  for (const { what, needs_approval } of found) if (needs_approval) expect(told).toContain(`more: ${what}`);
  return found;
}

test('months of a round that lie half a year apart are put in doubt, as of a survey over the turn of a year', async () => {
  const season = (...months: string[]) => findingsOf(months.map((month) => [month, 5]));
  expect(await season('2015-11', '2015-12', '2015-01', '2015-02')).toMatchObject([
    {
      rule: 'fieldwork pauses',
      what: expect.stringMatching(/^round 2015: no cluster in the 8 months between 2015-02 and 2015-11\./),
      needs_approval: true,
    },
  ]);
  expect((await season('2015-01', '2015-08')).length).toBe(1);
  expect(await season('2015-01', '2015-07', '2015-12')).toEqual([]);
});

test('clusters of other ages are counted, and their table is put in doubt if they are more than a tenth', async () => {
  const ages = (others: number) => findingsOf(Array.from({ length: 20 }, (_, i) => ['2015-05', i < others ? 15 : 5]));
  expect(await ages(0)).toEqual([]);
  const [few] = await ages(2);
  expect(few).toMatchObject({ rule: 'other ages', what: expect.stringMatching(/^2 of 20 clusters left out/) });
  expect(few).not.toHaveProperty('needs_approval');
  expect(await ages(3)).toMatchObject([{ rule: 'other ages', needs_approval: true }]);
});

test('the effective number of a published share is that of the sample whose interval it is', () => {
  const [p, n] = [0.2, 150];
  const se = Math.sqrt((p * (1 - p)) / n);
  // Wald's interval, and R's svyciprop(method = "logit"): expit(logit 0.2 ± 1.959964 × se / 0.16).
  expect(effectiveNumber(p, p - 1.959964 * se, p + 1.959964 * se)).toBeCloseTo(n, 3);
  expect(effectiveNumber(p, 0.1435183, 0.2716597)).toBeCloseTo(n, 2);
  // Cut off at 0, only the upper half tells.
  expect(effectiveNumber(0.01, 0, 0.01 + 1.959964 * Math.sqrt(0.0099 / 60))).toBeCloseTo(60, 3);
  // Exact intervals of 0 of 30 and 30 of 30: binom.test(0, 30) ends at 0.1157033.
  expect(effectiveNumber(0, 0, 0.1157033)).toBeCloseTo(30, 4);
  expect(effectiveNumber(1, 1 - 0.1157033, 1)).toBeCloseTo(30, 4);
});

/** What ingest makes of prevalence by area, in percent; each row with its area and what tells its precision. */
async function areaResults(header: string, columns: object, lines: string[]) {
  const { directory } = writeTiny((country) => {
    const { title, producer, citation, licence, release, format } = sourceIn(country, 'surveys');
    country.files['areas.csv'] = `place,prev,${header}\n${lines.join('\n')}\n`;
    country.sources.push({
      id: 'areas',
      role: 'survey_states',
      title,
      producer,
      citation,
      licence,
      release,
      format,
      unit: 'percent',
      columns: { lga_pcode: 'place', positivity: 'prev', ...columns },
      methods: { microscopy: 'microscopy' },
      rounds: [{ survey_year: 2016, first: '2016-03', last: '2016-05' }],
      files: [{ path: 'areas.csv', rows: lines.length }],
    });
  });
  return outputRows<AreaRound>((await run(ioOf({}, readCountry(directory)))).area_rounds);
}

test('prevalence by area without the number examined is read with its interval or standard error', async () => {
  const expected = { survey_year: 2016, period: '2016-04', state_code: 'AB', lga_code: 'NG001001', positivity: 0.2 };
  for (const [header, columns, cells] of [
    ['lo,hi', { low: 'lo', high: 'hi' }, '12,28'],
    ['ci', { interval: 'ci' }, '(12.0 – 28.0)'],
    ['se', { standard_error: 'se' }, '4.0816'],
  ] as const) {
    const [result, ...others] = await areaResults(header, columns, [`NG001001,20,${cells}`]);
    expect(others).toEqual([]);
    expect(result).toMatchObject(expected);
    expect(result!.examined).toBeCloseTo(96.04, 1);
  }
  const low = { low: 'lo', high: 'hi' };
  await expect(areaResults('lo,hi', low, ['NG001001,20,21,28'])).rejects.toThrow(
    /areas\.csv, row 2, low: found 21 to 28, expected an interval around 20$/m,
  );
  await expect(areaResults('lo,hi', low, ['NG001001,20,28,12'])).rejects.toThrow(
    /row 2, low: found 28 to 12, expected the lower end before the upper one$/m,
  );
  await expect(areaResults('lo,hi', low, ['NG001001,20,19.99,20.01'])).rejects.toThrow(
    /found 19\.99 to 20\.01, expected what 1 to 10000 children can have around 20$/m,
  );
  await expect(areaResults('lo,hi', low, ['NG001001,0,0,0'])).rejects.toThrow(
    /found 0 to 0, expected an interval that tells the number examined, .* at 3\.6% of 100 children; .* leave the row out/,
  );
  await expect(areaResults('se', { standard_error: 'se' }, ['NG001001,0,0'])).rejects.toThrow(
    /row 2, standard_error: found 0, expected an interval that tells the number examined/,
  );
  await expect(areaResults('x', {}, ['NG001001,20,1'])).rejects.toThrow(
    /source areas: found shares of areas of the lower level, and no number examined, expected their 95% confidence/,
  );
});
