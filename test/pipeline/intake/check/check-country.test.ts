import { appendFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { checkCountry } from '../../../../pipeline/intake/check/check-country.ts';
import { stopsBuild } from '../../../../pipeline/intake/check/fault.ts';
import { LGAS, replaceLine, sourceIn, type TinyCountry, writeTiny } from '../../../support/tiny-country.ts';
import { addCovariate, heightCovariate } from '../../covariates.ts';

const check = (change?: (country: TinyCountry) => void) => checkCountry(writeTiny(change).directory);
const listFaults = async (...args: Parameters<typeof check>) =>
  (await check(...args)).filter(stopsBuild).map(({ step, source, what }) => `${step}, ${source}: ${what}`);

test('a valid country has no faults', async () => {
  expect(await check()).toEqual([]);
});

test('all faults of form are reported at once, and nothing else', async () => {
  const faults = await listFaults((country) => {
    country.model.release = 'Two';
    country.model.first = '2020-01';
    sourceIn(country, 'cases').role = 'case_states';
    country.files['nets.csv'] = 'lga\n';
  });
  expect(faults.map((fault) => fault.replace(/:.*\/(\w+\.json), (\S+):.*/, ' $1 $2'))).toEqual([
    'form, null sources.json /sources/7/role',
    'form, null model.json /',
    'form, null model.json /release',
  ]);
});

test.each(['^NG[0-9', '^NG\\d{6}\\-$'])('the pattern %s of codes, no regular expression, is a fault', async (code) => {
  const faults = await listFaults((country) => {
    country.model.territory.lga.code = code;
  });
  expect(faults).toEqual([expect.stringMatching(/^form, null: .*\/territory\/lga\/code: .* format "regex"/)]);
});

test('a fault in one source does not hide faults in others: catalog, files, hashes, tables, rasters', async () => {
  const country = writeTiny((country) => {
    sourceIn(country, 'climate').columns.wind = 'wind';
    country.model.last_estimated = '2022-04';
    sourceIn(country, 'itn_access').files = [{ path: 'gone.csv', rows: 2 }];
    country.files['surveys.csv'] = replaceLine(country.files['surveys.csv']!, 4, (row) => row.replace(/[^,]+$/, '1.2'));
    sourceIn(country, 'elevation').range = [0, 150];
  });
  appendFileSync(path.join(country.directory, 'cases.csv'), 'NG001,2022-02,7\n');
  const faults = await checkCountry(country.directory);
  expect(faults.map(({ step, source }) => [step, source])).toEqual([
    ['form', null],
    ['form', 'climate'],
    ['files', 'itn_access'],
    ['hashes', 'cases'],
    ['tables and outlines', 'surveys'],
    ['tables and outlines', 'cases'],
    ['rasters', 'elevation'],
  ]);
  const what = faults.map((fault) => fault.what);
  expect(what[0]).toMatch(/last_estimated: found 2022-04, expected at most 2021-12/);
  expect(what[3]).toMatch(/^cases\.csv: found a SHA-256 that differs .*malaria-risk catalog update cases --country/);
  expect(what[4]).toMatch(/^surveys\.csv, row 4, positivity: found 1\.2/);
  expect(what[5]).toMatch(/^cases\.csv, AB: found no month 2022-01/);
  expect(what[6]).toMatch(/height\.tif, row 0, column 26 .*: found 152, expected 0 to 150/);
});

test('all bad rows of a table and all bad outlines are reported', async () => {
  const faults = await listFaults((country) => {
    for (const line of [4, 7])
      country.files['surveys.csv'] = replaceLine(country.files['surveys.csv']!, line, (row) =>
        row.replace(/[^,]+$/, '1.2'),
      );
    country.files['census.csv'] = replaceLine(country.files['census.csv']!, 3, (row) => row.replace('18000', '99999'));
    country.files['nets.csv'] = replaceLine(country.files['nets.csv']!, 5, (row) =>
      row.replace('NG002002', 'NG002009'),
    );
    country.files['nets.csv'] = replaceLine(country.files['nets.csv']!, 4, (row) =>
      row.replace('NG002001', 'NG002008'),
    );
  });
  expect(faults).toEqual([
    expect.stringMatching(/^tables and outlines, population_census: census\.csv, row 3, children_0_4: found 99999 of/),
    expect.stringMatching(/^tables and outlines, surveys: surveys\.csv, row 4, positivity: found 1\.2/),
    expect.stringMatching(/^tables and outlines, surveys: surveys\.csv, row 7, positivity: found 1\.2/),
    expect.stringMatching(/^tables and outlines, itn_use: nets\.csv, row 4, lga_pcode: found NG002008/),
    expect.stringMatching(/^tables and outlines, itn_use: nets\.csv, row 5, lga_pcode: found NG002009/),
  ]);
  const outlines = await listFaults((country) => {
    country.files['lgas.geojson'] = String(country.files['lgas.geojson'])
      .replaceAll('"Place 2"', 'null')
      .replaceAll('"Place 4"', '""');
  });
  expect(outlines).toEqual([
    expect.stringMatching(/^tables and outlines, lga_boundaries: lgas\.geojson, feature 2, name: found/),
    expect.stringMatching(/^tables and outlines, lga_boundaries: lgas\.geojson, feature 4, name: found ""/),
  ]);
});

test('the tables of a country without outlines of its states are checked too', async () => {
  const faults = await listFaults((country) => {
    country.sources.splice(
      country.sources.findIndex(({ role }) => role === 'state_boundaries'),
      1,
    );
    country.files['nets.csv'] = replaceLine(country.files['nets.csv']!, 2, (row) => row.replace(/[^,]+$/, '1.2'));
  });
  expect(faults).toEqual([
    expect.stringMatching(/^tables and outlines, itn_use: nets\.csv, row 2, itn_use: found 1\.2/),
  ]);
});

test('rules about the entire catalog are checked: without monthly rain the season must be declared unknown', async () => {
  const faults = await listFaults((country) => {
    country.sources.splice(
      country.sources.findIndex(({ role }) => role === 'climate'),
      1,
    );
    country.model.last_estimated = '2022-04';
  });
  expect(faults).toEqual([
    expect.stringMatching(
      /^form, null: .*no season_unknown, expected its prior, as the catalog has no source of the role/,
    ),
    expect.stringMatching(/^form, null: .*last_estimated: found 2022-04/),
  ]);
});

test('without valid outlines, tables are still checked as far as possible', async () => {
  const faults = await listFaults((country) => {
    country.files['lgas.geojson'] = '{"type": "FeatureCollection", "features": []}';
    country.files['nets.csv'] = 'place,use\nNG001001,0.3\n';
  });
  expect(faults).toEqual([
    expect.stringMatching(/^tables and outlines, lga_boundaries: /),
    expect.stringMatching(/^tables and outlines, itn_use: nets\.csv, header: found columns place, use/),
  ]);
});

test('a wrong size is reported instead of a wrong hash; a missing file is reported', async () => {
  const { directory } = writeTiny((country) => {
    sourceIn(country, 'cases').files[0].bytes = 12;
  });
  expect((await checkCountry(directory))[0]!.what).toMatch(
    /^cases\.csv: found \d+ bytes instead of 12, expected the file that was acc/,
  );
  const unpinned = writeTiny((country) => {
    country.files['later.csv'] = country.files['nets.csv']!;
  });
  rmSync(path.join(unpinned.directory, 'nets.csv'));
  expect((await checkCountry(unpinned.directory))[0]!.what).toMatch(/^nets\.csv: found no such file under/);
  writeFileSync(path.join(unpinned.directory, 'sources.json'), '{');
  await expect(checkCountry(unpinned.directory)).rejects.toThrow(/expected valid JSON/);
});

test('what is hard to believe is a doubt and no fault, found without an earlier file', async () => {
  const found = await check((country) => {
    country.files['nets.csv'] = 'lga,use\nNG001001,0.45\nNG001002,0.45\nNG002001,0.6\nNG002002,0.6\n';
    country.files['census.csv'] = 'lga,people,under5\n'.concat(
      ...LGAS.map((lga, i) => `${lga},${i < 3 ? 100_000 : 100_003},18000\n`),
    );
  });
  expect(found).toEqual([
    {
      step: 'doubts',
      source: 'population_census',
      what: expect.stringMatching(/^population_census: areas have the same number of people: 100000 people in 3 areas/),
    },
    {
      step: 'doubts',
      source: 'itn_use',
      what: expect.stringMatching(/Abia: net use is the figure of access; Adamawa/),
    },
  ]);
  expect(found.some(stopsBuild)).toBe(false);
});

test('months that have not come yet are in doubt', async () => {
  const found = await check((country) => {
    const ahead = (line: string) => line.replace(/(?<=,)\d{4}(?=-\d\d,)/, (year) => String(Number(year) + 56));
    country.files['cases.csv'] = String(country.files['cases.csv']).split('\n').map(ahead).join('\n');
    sourceIn(country, 'cases').span = { first: '2074-01', last: '2077-12' };
  });
  expect(found.map(({ step, what }) => [step, what])).toEqual([
    [
      'doubts',
      expect.stringMatching(/^cases: case records are of another time than the other files: cases from 2074-01/),
    ],
    [
      'doubts',
      expect.stringMatching(/^cases: months until 2077-12 have not come yet\. Perhaps they are of another cal/),
    ],
  ]);
});

test('faults of covariates are found too: unused, without a value for an LGA, out of range', async () => {
  const faults = await listFaults((country) => {
    heightCovariate({}, { range: [0, 150] })(country);
    country.files['x.csv'] = 'lga,x\nNG001001,4\nNG001002,1\nNG002001,3\n';
    addCovariate({ format: 'csv', columns: { lga_pcode: 'lga', value: 'x' }, files: [{ path: 'x.csv', rows: 3 }] })(
      country,
    );
    country.model.parameters.risk.covariates.pop();
  });
  expect(faults).toEqual([
    expect.stringMatching(/^form, null: .*source x: found a covariate that no entry/),
    expect.stringMatching(/^tables and outlines, x: x\.csv, NG002002 Place 4: found no value/),
    expect.stringMatching(/^rasters, height: .*height\.tif, row 0, column 26 .*: found 152, expected 0 to 150/),
  ]);
});

test('what a build finds only when it measures and simplifies is found here too, in the same words', async () => {
  const found = await listFaults((country) => {
    // Ten times the census, and more cases than people.
    country.files['census.csv'] = String(country.files['census.csv']).replace(/,1000\d\d,18000/g, ',9000,1600');
    country.files['cases.csv'] = replaceLine(country.files['cases.csv']!, 3, 'NG001,2018-02,18001');
  });
  expect(found).toEqual([
    'tables and outlines, cases: cases.csv, row 3, confirmed: found 18001, expected at most the 18000 people of AB',
    expect.stringMatching(
      /^rasters, population: people\.tif, AB Abia: found 2\d{5} people, expected its census, 18000,/,
    ),
  ]);
  const away = await listFaults((country) => {
    const shift = (file: string) => String(country.files[file]).replace(/^(\s*)7(,?)$/gm, '$17.5$2');
    for (const file of ['lgas.geojson', 'states.geojson']) country.files[file] = shift(file);
    country.model.extent = [3, 4, 7.5, 5];
  });
  expect(away).toEqual([
    expect.stringMatching(
      /^rasters, population: \S+people\.tif, NG002002 Place 4: found 66\.7% of the area inside the raster/,
    ),
  ]);
});

test('if simplification changes outlines too much, the tolerance that helps is named', async () => {
  const bent = (east: number, max_area_change: number) => (country: TinyCountry) => {
    for (const file of ['lgas.geojson', 'states.geojson']) {
      const { features, ...rest } = JSON.parse(String(country.files[file]));
      features[0].geometry.coordinates[0].splice(4, 0, [east, 4.5]);
      country.files[file] = JSON.stringify({ ...rest, features });
    }
    country.model.parameters.boundaries = { tolerance_m: 300, max_area_change };
  };
  // The western edge bends in by 55 m, and takes 0.025% of the area with it.
  expect(await listFaults(bent(3.0005, 0.0001))).toEqual([
    expect.stringMatching(
      /^tables and outlines, lga_boundaries: model\.json, parameters\.boundaries, .*NG001001: area changed by 0\.03%.*, which a tolerance_m of 150 gives$/,
    ),
  ]);
  // Rounding moves this bend, whatever the tolerance.
  expect(await listFaults(bent(3.0500044, 0))).toEqual([
    expect.stringMatching(/which no smaller tolerance_m gives: correct/),
  ]);
});
