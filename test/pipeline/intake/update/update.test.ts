import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { readCountry } from '../../../../pipeline/catalog/country.ts';
import { addMonths } from '../../../../pipeline/contract/months.ts';
import { checkCountry } from '../../../../pipeline/intake/check/check-country.ts';
import { stopsBuild } from '../../../../pipeline/intake/check/fault.ts';
import { addFiles, type UpdateRequest, updateSource } from '../../../../pipeline/intake/update/update.ts';
import { hashRawFiles } from '../../../../pipeline/release/raw-hashes.ts';
import { writeGeotiff } from '../../../../pipeline/synthetic/geotiff-writer.ts';
import { buildHere, readJson } from '../../../support/built-tiny.ts';
import { temporary } from '../../../support/command-line.ts';
import { runHere } from '../../../support/run-here.ts';
import {
  CELLS,
  GRID,
  LGAS,
  peopleIn,
  replaceLine,
  sourceIn,
  type TinyCountry,
  writeTiny,
} from '../../../support/tiny-country.ts';
import { addCovariate, heightCovariate } from '../../covariates.ts';

const ACCEPT = { reason: 'a test', by: 'Ada', at: '2022-03-01T00:00:00.000Z' };

/** A tiny country with an indented catalog, and functions to update it. */
function prepare(change?: (country: TinyCountry) => void) {
  const country = writeTiny(change);
  const { directory } = country;
  const out = temporary();
  const at = (name: string) => path.join(directory, name);
  writeFileSync(
    at('sources.json'),
    `${JSON.stringify(JSON.parse(readFileSync(at('sources.json'), 'utf8')), null, 2)}\n`,
  );
  const text = (name: string) => readFileSync(at(name), 'utf8');
  const given = (name: string, content: string | Buffer) => {
    const file = path.join(temporary(), name);
    writeFileSync(file, content);
    return file;
  };
  const update = (source: string, more: Partial<UpdateRequest> = {}) =>
    updateSource({ country: directory, out, source, files: [], description: {}, ...more });
  return { country, directory, out, text, given, update };
}

const withMonth = (cases: string | Buffer) => `${cases}NG001,2022-01,900\n`;

test('without changes there is nothing to accept, and accepting changes nothing', async () => {
  const { update, text, out } = prepare();
  const before = text('sources.json');
  const { files, edits, doubts, accepted } = await update('cases', { accept: ACCEPT });
  expect({ files, edits, doubts, accepted }).toEqual({ files: [], edits: [], doubts: [], accepted: false });
  expect(text('sources.json')).toBe(before);
  expect(existsSync(path.join(out, 'raw'))).toBe(false);
});

test('dropping a survey round and restoring it take one command each; dropping it raises a doubt', async () => {
  const { country, directory, update, given } = prepare();
  const complete = String(country.files['surveys.csv']);
  const without = complete
    .split('\n')
    .filter((row) => !row.startsWith('2021'))
    .join('\n');
  const rounds = () =>
    readCountry(directory)
      .sources.find(({ id }) => id === 'surveys')!
      .rounds!.map(({ survey_year }) => survey_year);
  const before = rounds();
  const dropped = await update('surveys', { files: [given('surveys.csv', without)], accept: ACCEPT });
  expect(dropped.doubts[0]).toMatch(/^\d+ of \d+ rows are gone$/);
  expect(rounds()).toEqual(before.filter((year) => year !== 2021));
  const back = await update('surveys', { files: [given('surveys.csv', complete)], accept: ACCEPT });
  expect(back.edits.map(({ field }) => field)).toContain('surveys rounds');
  expect(rounds()).toEqual(before);
});

test('rounds that only months tell apart: a new one is added, over the turn of a year too; a month beside one is refused', async () => {
  const { country, directory, update, given } = prepare((own) => {
    delete sourceIn(own, 'surveys').columns.survey_year;
  });
  const row = (month: string, cluster: string) => `2018,${month},${cluster},NG001,${LGAS[0]},microscopy,20,0.5\n`;
  const files = (more: string) => [given('surveys.csv', `${country.files['surveys.csv']}${more}`)];
  await expect(update('surveys', { files: files(row('2021-12', 'late')) })).rejects.toThrow(
    /period: found 2021-12, expected 2018-09 to 2018-11 or 2021-09 to 2021-11, the fieldwork of the rounds/,
  );
  await update('surveys', { files: files(row('2023-12', 'a') + row('2024-01', 'b')), accept: ACCEPT });
  expect(readCountry(directory).sources.find(({ id }) => id === 'surveys')!.rounds).toEqual([
    { survey_year: 2018, first: '2018-09', last: '2018-11' },
    { survey_year: 2021, first: '2021-09', last: '2021-11' },
    { survey_year: 2023, first: '2023-12', last: '2024-01' },
  ]);
});

test('an added month of cases is first shown, then accepted by the same command', async () => {
  const { country, directory, update, text, given, out } = prepare();
  const before = text('sources.json');
  const file = given('export.csv', withMonth(country.files['cases.csv']!));
  const request = { files: [file], lastEstimated: '2022-01', description: { release: '2' } };

  const shown = await update('cases', request);
  expect(shown.comparison?.rows?.rows).toEqual({ was: 48, is: 49, added: 1, removed: 0, changed: 0 });
  expect(shown.doubts).toEqual([]);
  expect(text('sources.json')).toBe(before);
  expect(text('cases.csv')).toBe(country.files['cases.csv']);

  const { edits, accepted } = await update('cases', { ...request, accept: ACCEPT });
  expect(accepted).toBe(true);
  expect(edits.map(({ file: name, field }) => `${name}: ${field}`)).toEqual([
    'sources.json: cases release',
    'sources.json: cases span.last',
    'sources.json: cases files, cases.csv, rows',
    'sources.json: cases files, cases.csv, bytes',
    'sources.json: cases files, cases.csv, sha256',
    'model.json: last_estimated',
    'model.json: updated_at',
  ]);
  const found = readCountry(directory);
  await hashRawFiles(found);
  expect(found.model).toMatchObject({ last_estimated: '2022-01', updated_at: ACCEPT.at });
  expect(found.sources.find(({ id }) => id === 'cases')).toMatchObject({
    release: '2',
    span: { first: '2018-01', last: '2022-01' },
    accepted: [{ ...ACCEPT, what: 'cases.csv changed; 1 rows added, 0 removed, 0 changed' }],
    files: [{ path: 'cases.csv', rows: 49 }],
  });
  // Both files are kept, and all other lines of the catalog are unchanged.
  expect(readdirSync(path.join(out, 'raw'))).toHaveLength(2);
  const lines = new Set(text('sources.json').split('\n'));
  expect(before.split('\n').filter((line) => !lines.has(line)).length).toBeLessThanOrEqual(5);
});

test("DHIS2's analytics with a reporting rate take another month, and a corrected rate is shown", async () => {
  const rowsOf = (csv: string | Buffer, rate: (month: string) => number) =>
    String(csv)
      .trim()
      .split('\n')
      .slice(1)
      .map((row) => row.split(','))
      .flatMap(([state, month, count]) => [
        ['CasesDataEl', state, month!.replace('-', ''), `${count}.0`],
        ['Dset.REPORTING_RATE', state, month!.replace('-', ''), String(rate(month!))],
      ]);
  const analytics = (rows: unknown[][]) =>
    JSON.stringify({
      headers: ['dx', 'ou', 'pe', 'value'].map((name) => ({ name })),
      metaData: { items: { CasesDataEl: { name: 'Cases' }, 'Dset.REPORTING_RATE': { name: 'Rate' } } },
      rows,
    });
  let csv: string | Buffer = '';
  const { directory, update, given } = prepare((country) => {
    csv = country.files['cases.csv']!;
    delete country.files['cases.csv'];
    country.files['cases.json'] = analytics(rowsOf(csv, () => 92));
    const source = sourceIn(country, 'cases');
    source.format = 'json';
    source.files = [{ path: 'cases.json', rows: 48 }];
    source.dialect = { wide: { names: 'dx.name', values: 'value' } };
    source.columns = { state_pcode: 'ou', period: 'pe', confirmed: 'Cases', reporting_rate: 'Rate' };
  });
  expect((await checkCountry(directory, directory)).filter(stopsBuild)).toEqual([]);
  const corrected = rowsOf(withMonth(csv), (month) => (month === '2019-05' ? 95 : 92));
  const request = { files: [given('analytics.json', analytics(corrected))], lastEstimated: '2022-01', accept: ACCEPT };
  const { comparison, doubts, accepted } = await update('cases', request);
  expect({ doubts, accepted }).toEqual({ doubts: [], accepted: true });
  expect(comparison?.rows?.rows).toEqual({ was: 48, is: 49, added: 1, removed: 0, changed: 1 });
  const rates = comparison?.rows?.columns.find(({ column }) => column === 'reporting_rate');
  expect(rates).toMatchObject({ was: { max: 92 }, is: { n: 49, max: 95 } });
  expect(readCountry(directory).sources.find(({ id }) => id === 'cases')).toMatchObject({
    span: { first: '2018-01', last: '2022-01' },
    files: [{ path: 'cases.json', rows: 49 }],
  });
});

test('an overwritten file is compared with the kept copy', async () => {
  const { country, directory, update, given } = prepare();
  await update('cases', { files: [given('a.csv', withMonth(country.files['cases.csv']!))], accept: ACCEPT });
  const first = String(country.files['cases.csv']).split('\n').slice(0, 20).join('\n');
  writeFileSync(path.join(directory, 'cases.csv'), `${first}\n`);
  // A truncated table: some months that model.json estimates no longer have records.
  await expect(update('cases')).rejects.toThrow(/last_estimated: found 2021-12, expected at most 2019-07/);
  writeFileSync(
    path.join(directory, 'cases.csv'),
    withMonth(country.files['cases.csv']!).replaceAll(/(2019-\d\d),(\d+)/g, (_, period, n) => `${period},${n}0`),
  );
  const { doubts, comparison } = await update('cases');
  expect(comparison?.rows?.rows).toMatchObject({ was: 49, changed: 12 });
  expect(doubts).toContain('12 of the 49 rows in both files have changed (confirmed)');
  expect(doubts).toContainEqual(expect.stringMatching(/^the sum of confirmed has changed in 2019 \(10\.0 times\)/));
});

test('accepted doubts are recorded', async () => {
  const { country, directory, update, given } = prepare();
  const tenfold = String(country.files['nets.csv']).replaceAll(/,0\.(\d)/g, ',0.0$1');
  const { doubts, accepted } = await update('itn_use', { files: [given('x.csv', tenfold)], accept: ACCEPT });
  expect(accepted).toBe(true);
  expect(doubts).toEqual(
    expect.arrayContaining([expect.stringMatching(/^the sum of itn_use has changed in all rows \(1\/10/)]),
  );
  const [acceptance] = readCountry(directory).sources.find(({ id }) => id === 'itn_use')!.accepted!;
  expect(acceptance!.doubts).toEqual(doubts);
});

test('files that a build would refuse are refused, and nothing is changed', async () => {
  const { country, update, given, text } = prepare();
  const before = text('sources.json');
  const wrong = replaceLine(country.files['nets.csv']!, 3, 'NG001002,1.4');
  await expect(update('itn_use', { files: [given('n.csv', wrong)], accept: ACCEPT })).rejects.toThrow(
    /^nets\.csv, row 3, itn_use: found 1\.4, expected 0 to 1/,
  );
  await expect(update('cases', { lastEstimated: '2022-01', accept: ACCEPT })).rejects.toThrow(
    /last_estimated: found 2022-01, expected at most 2021-12/,
  );
  await expect(update('none')).rejects.toThrow(/found no source none, expected one of lga_boundaries/);
  await expect(update('cases', { files: ['not/there.csv'] })).rejects.toThrow(/not\/there\.csv: found no such file/);
  expect(text('sources.json')).toBe(before);
});

test('a month that one place lacks is refused; if it is masked there, the lower number of places raises a doubt', async () => {
  const states = (rows: string) => (country: TinyCountry) => {
    const more = String(country.files['cases.csv'])
      .split('\n')
      .slice(1, -1)
      .map((row) => row.replace('NG001', 'NG002').replace(/\d+$/, (cases) => `${2 * Number(cases)}`));
    country.files['cases.csv'] += `${more.join('\n')}\n${rows}`;
  };
  const { update, country, directory, given } = prepare(states(''));
  const one = `${country.files['cases.csv']}NG001,2022-01,900\n`;
  await expect(update('cases', { files: [given('one.csv', one)] })).rejects.toThrow(
    /cases\.csv, AD: found no month 2022-01, expected every month/,
  );
  const file = path.join(directory, 'sources.json');
  const catalog = JSON.parse(readFileSync(file, 'utf8'));
  const gap = { rule: 'mask', state_pcode: 'NG002', first: '2022-01', last: '2022-01', reason: 'not reported' };
  catalog.sources.find(({ id }: any) => id === 'cases').gaps = [gap];
  writeFileSync(file, JSON.stringify(catalog));
  const { doubts } = await update('cases', { files: [given('one.csv', one)] });
  expect(doubts).toEqual(['2022-01: 1 places report, compared with 2 in the last accepted month']);
});

test('a raster with another sum raises a doubt', async () => {
  const { country, directory, update, given } = prepare();
  expect(country.files['people.tif']).toBeDefined();
  const people = (value: (i: number) => number) =>
    given(
      'p.tif',
      writeGeotiff(
        Float32Array.from({ length: CELLS }, (_, i) => value(i)),
        GRID,
      ),
    );
  const { doubts } = await update('population', { files: [people((i) => peopleIn(i) * 2)] });
  expect(doubts).toEqual(['the sum of its cells has changed (2.00 times)']);
  expect((await update('population', { files: [people((i) => peopleIn(i) + 0.001)] })).doubts).toEqual([]);
  expect(readCountry(directory).sources).toHaveLength(10);
});

test('a strip of a raster that is counted twice raises a doubt; a new estimate of all cells does not', async () => {
  const { update, given } = prepare();
  const people = (factor: (i: number) => number) => {
    const value = (_: unknown, i: number) => peopleIn(i) * factor(i);
    return given('p.tif', writeGeotiff(Float32Array.from({ length: CELLS }, value), GRID));
  };
  const twice = await update('population', { files: [people((i) => (i % GRID.columns === 20 ? 2 : 1))] });
  expect(twice.doubts).toContain('10 of 400 cells have changed, all others are as before');
  expect((await update('population', { files: [people((i) => 1.02 + (i % 5) / 1000)] })).doubts).toEqual([]);
});

test('the attributes of two areas of one size exchanged raise a doubt, as does another name', async () => {
  const { country, update, given } = prepare();
  const outlines = JSON.parse(String(country.files['lgas.geojson']));
  const [a, b] = outlines.features;
  [a.properties, b.properties] = [b.properties, a.properties];
  const { doubts } = await update('lga_boundaries', { files: [given('l.geojson', JSON.stringify(outlines))] });
  expect(doubts).toEqual(['2 areas are in a different place: NG001002, NG001001']);
  a.properties.name = 'Another place';
  const named = await update('lga_boundaries', { files: [given('l.geojson', JSON.stringify(outlines))] });
  expect(named.doubts[0]).toBe('1 areas have a different name or parent: NG001002');
});

test('an area that keeps its code for a part of its ground is a doubt of its own, one with another code is new', async () => {
  const square = (west: number, east: number) => [
    [west, 4],
    [east, 4],
    [east, 5],
    [west, 5],
    [west, 4],
  ];
  const doubtsOf = async (areas: number, change: (features: ReturnType<typeof JSON.parse>[]) => void) => {
    const { country, directory, update, given } = prepare(({ model }) => {
      model.expected.lgas = areas;
    });
    const outlines = JSON.parse(String(country.files['lgas.geojson']));
    change(outlines.features);
    const file = given('l.geojson', JSON.stringify(outlines));
    const { doubts } = await update('lga_boundaries', { files: [file], accept: ACCEPT });
    return [doubts, readCountry(directory).sources[0]!.accepted![0]!.divided] as const;
  };
  const divided = await doubtsOf(5, (features) => {
    const part = structuredClone(features[0]);
    Object.assign(part.properties, { pcode: 'NG001009', name: 'Place 9' });
    features[0].geometry.coordinates = [square(3, 3.6)];
    part.geometry.coordinates = [square(3.6, 4)];
    features.push(part);
  });
  expect(divided).toEqual([
    [
      expect.stringMatching(
        /^NG001001 keeps its code for 60% of its ground, and NG001009 has the rest: rows of NG001001 /,
      ),
    ],
    [{ code: 'NG001001', parts: ['NG001009'] }],
  ]);
  const recoded = await doubtsOf(4, ([first]) => {
    first.properties.pcode = 'NG001009';
  });
  expect(recoded).toEqual([['1 areas are new: NG001009', '1 areas are gone: NG001001'], undefined]);
});

const RAIN_GRID = { west: 3, north: 5, step: 0.5, columns: 8, rows: 2 };
const rain = (mm: number) =>
  writeGeotiff(
    Float32Array.from({ length: 16 }, (_, i) => mm + i),
    RAIN_GRID,
  );
/** Rain of 2021 in rasters. */
function useRainRasters(country: TinyCountry): void {
  const climate = sourceIn(country, 'climate');
  for (const name of ['columns', 'span']) delete climate[name];
  Object.assign(climate, { format: 'geotiff', crs: 'EPSG:4326', range: [0, 500], nodata: 'none', files: [] });
  for (let month = 1; month <= 12; month++) {
    const period = `2021-${String(month).padStart(2, '0')}`;
    country.files[`rain/r.${period}.tif`] = rain(10 * month);
    climate.files.push({ path: `rain/r.${period}.tif`, period });
  }
}

test('the raster of a new month is recognised by its name, and compared with the same month of the previous year', async () => {
  const { directory, update, given } = prepare(useRainRasters);
  const { files, doubts, accepted } = await update('climate', {
    files: [given('r.2022.01.tif', rain(11))],
    accept: ACCEPT,
  });
  expect(files).toMatchObject([{ path: 'rain/r.2022.01.tif', change: 'new' }]);
  expect([doubts, accepted]).toEqual([[], true]);
  expect(
    readCountry(directory)
      .sources.find(({ id }) => id === 'climate')!
      .files.at(-1),
  ).toMatchObject({
    path: 'rain/r.2022.01.tif',
    period: '2022-01',
  });
  const wet = await update('climate', { files: [given('r.2022.02.tif', rain(200))] });
  expect(wet.doubts).toEqual([expect.stringMatching(/^the mean of its cells has changed/)]);
  await expect(update('climate', { files: [given('later.tif', rain(1))] })).rejects.toThrow(
    /found no month in its name/,
  );
});

test('a covariate is updated like any source; if it shares a file with another source, each is accepted separately', async () => {
  const { directory, update, given } = prepare((country) => {
    heightCovariate()(country);
    country.files['x.csv'] = `lga,x\n${LGAS.map((code, i) => `${code},${i + 1}\n`).join('')}`;
    addCovariate({ id: 'wealth', format: 'csv', columns: { lga_pcode: 'lga', value: 'x' } })(country);
  });
  const rows = LGAS.map((code, i) => `${code},${i === 0 ? 1.1 : i + 1}\n`);
  const shown = await update('wealth', { files: [given('x.csv', `lga,x\n${rows.join('')}`)] });
  expect(shown.comparison?.rows?.rows).toEqual({ was: 4, is: 4, added: 0, removed: 0, changed: 1 });
  expect(shown.doubts).toEqual([]);

  const higher = Int16Array.from({ length: CELLS }, (_, i) => 101 + 2 * (i % GRID.columns));
  const file = given('height.tif', writeGeotiff(higher, GRID, '-9999'));
  expect((await update('elevation', { files: [file], accept: ACCEPT })).accepted).toBe(true);
  await expect(hashRawFiles(readCountry(directory))).rejects.toThrow('malaria-risk catalog update height');
  expect((await update('height', { accept: ACCEPT })).accepted).toBe(true);
  await hashRawFiles(readCountry(directory));
});

/** Records by area and month, under `nameOf` each area: its code in the accepted file. */
function recordsByArea(nameOf: (lga: string, month: string) => string[], last = '2021-12'): string {
  const months = Array.from({ length: 51 }, (_, i) => addMonths('2018-01', i)).filter((month) => month <= last);
  const rows = months.flatMap((month, i) =>
    LGAS.flatMap((lga, place) => nameOf(lga, month).map((name) => `${name},${month},${100 + place + (i % 12)}`)),
  );
  return `${['Place,month,cases', ...rows].join('\n')}\n`;
}

/** A country with records by the codes of its areas, and the same with three months more, by names alone. */
function preparedByNames() {
  const country = prepare((tiny) => {
    tiny.files['cases.csv'] = recordsByArea((lga) => [lga]).replace('Place', 'pcode');
    const source = sourceIn(tiny, 'cases');
    source.role = 'cases_lgas';
    source.columns = { lga_pcode: 'pcode', period: 'month', confirmed: 'cases' };
    source.files[0].rows = 192;
  });
  const names: Record<string, string> = { NG001001: 'PLACE-1', NG001002: 'Place 2 LGA', NG002001: 'Plaice 3' };
  const file = country.given(
    'cases.csv',
    recordsByArea((lga, month) => {
      if (lga === 'NG002002' && month > '2021-12') return ['Place 4 East', 'Place 4 West'];
      return lga === 'NG001002' && month === '2022-02' ? [] : [names[lga] ?? 'Place 4'];
    }, '2022-03'),
  );
  return { ...country, files: [file] };
}

test('a table by names alone: doubtful names, a split and a missing month are listed, and nothing is changed', async () => {
  const { update, text, directory, files } = preparedByNames();
  const before = text('sources.json');
  const { names, faults, edits, accepted } = await update('cases', { files, accept: ACCEPT });
  expect(names.map(({ name, area, proposal }) => [name, area?.code ?? null, proposal])).toEqual([
    ['PLACE-1', 'NG001001', null],
    ['Place 2 LGA', 'NG001002', null],
    ['Plaice 3', null, { name: 'Plaice 3', parent: '', code: 'NG002001', from: '' }],
    ['Place 4', 'NG002002', null],
    ['Place 4 East', null, { name: 'Place 4 East', parent: '', code: 'NG002002', from: '2022-01' }],
    ['Place 4 West', null, { name: 'Place 4 West', parent: '', code: 'NG002002', from: '2022-01' }],
  ]);
  expect(faults.map(({ what }) => what)).toEqual([
    'cases.csv, NG001002 Place 2: found no month 2022-02, expected every month from 2018-01 to 2022-03',
  ]);
  expect({ edits, accepted }).toEqual({ edits: [], accepted: false });
  expect(text('sources.json')).toBe(before);
  expect(existsSync(path.join(directory, 'aliases.csv'))).toBe(false);

  const { code, stdout: output } = await runHere(['catalog', 'update', 'cases', files[0]!, '--country', directory]);
  expect(code).toBe(1);
  expect(output).toMatch(/^Plaice 3 .* Place 3 \(NG002001, 0\.73\)/m);
  expect(output).toMatch(/^Place 4 East .* Place 4 \(NG002002, 0\.\d\d\); split, parts added up from 2022-01$/m);
  expect(output).toContain('\nPlaice 3,,NG002001,\n');
  expect(output).toContain('NG001002 Place 2: found no month 2022-02');
  expect(output).toContain('{"rule":"mask","lga_pcode":"NG001002","first":"2022-02","last":"2022-02"}');
});

test('names are accepted once: the next update reads them, and a build agrees', async () => {
  const { update, text, directory, given, files } = preparedByNames();
  const complete = given(
    'cases.csv',
    readFileSync(files[0]!, 'utf8').replace('Plaice 3,2022-02', 'Place 2,2022-02,113\nPlaice 3,2022-02'),
  );
  const { comparison, doubts, names, accepted } = await update('cases', {
    files: [complete],
    acceptNames: true,
    accept: ACCEPT,
  });
  expect(accepted).toBe(true);
  expect(names.map(({ area }) => area?.code)).toContain('NG002001');
  expect(names.every(({ area }) => area !== null)).toBe(true);
  expect(comparison?.rows?.rows).toEqual({ was: 192, is: 204, added: 12, removed: 0, changed: 0 });
  expect(doubts).not.toContainEqual(expect.stringMatching(/rows in both files have changed/));
  expect(text('aliases.csv')).toBe(
    'name,parent,code,from\nPlaice 3,,NG002001,\nPlace 4 East,,NG002002,2022-01\nPlace 4 West,,NG002002,2022-01\n',
  );
  expect(sourceIn({ sources: readCountry(directory).sources } as never, 'cases').columns).toEqual({
    lga: 'Place',
    period: 'month',
    confirmed: 'cases',
  });
  // The next file has the same names.
  const next = given('cases.csv', readFileSync(complete, 'utf8').replace('PLACE-1,2022-03,102', 'PLACE-1,2022-03,109'));
  const again = await update('cases', { files: [next] });
  expect(again.names.every(({ area }) => area)).toBe(true);
  expect(again.comparison?.rows?.rows).toMatchObject({ added: 0, removed: 0, changed: 1 });
  expect((await checkCountry(directory)).filter(stopsBuild)).toEqual([]);
});

test('a source may be named by its file, unless several sources read it', async () => {
  const { update } = prepare((country) => {
    const nets = sourceIn(country, 'itn_use');
    country.sources.push({
      ...nets,
      id: 'again',
      figure: 'irs_coverage',
      columns: { lga_pcode: 'lga', irs_coverage: 'use' },
    });
  });
  expect((await update('surveys.csv')).source).toBe('surveys');
  expect((await update('access')).source).toBe('itn_access');
  await expect(update('nets.csv')).rejects.toThrow(
    /found 2 sources of the file nets\.csv, expected one of itn_use, again$/,
  );
  await expect(update('net')).rejects.toThrow(/^sources\.json: found no source net, expected one of lga_boundaries, /);
});

/** The records of the tiny country in two deliveries that overlap by three months. */
const inTwo = (country: TinyCountry) => {
  const [header, ...rows] = String(country.files['cases.csv']).trim().split('\n');
  const delivery = (is: (period: string) => boolean) =>
    `${[header, ...rows.filter((row) => is(row.split(',')[1]!))].join('\n')}\n`;
  country.files['cases.csv'] = delivery((period) => period <= '2020-03');
  country.files['late/second.csv'] = delivery((period) => period >= '2020-01');
  sourceIn(country, 'cases').files = [
    { path: 'cases.csv', rows: 1 },
    { path: 'late/second.csv', rows: 1 },
  ];
};

test('a file of another name is one more delivery of a table that has several, and of the same name takes its place', async () => {
  const { directory, update, given, text, country } = prepare(inTwo);
  await update('cases', { accept: ACCEPT });
  const added = given('third.csv', 'state,month,cases\nNG001,2021-12,777\nNG001,2022-01,900\n');
  const shown = await update('cases', { files: [added], lastEstimated: '2022-01' });
  expect(shown.comparison?.rows?.rows).toEqual({ was: 48, is: 49, added: 1, removed: 0, changed: 1 });
  await update('cases', { files: [added], lastEstimated: '2022-01', accept: ACCEPT });
  const source = () => readCountry(directory).sources.find(({ id }) => id === 'cases')!;
  expect(source().files.map(({ path: file, rows }) => [file, rows])).toEqual([
    ['cases.csv', 1],
    ['late/second.csv', 1],
    ['third.csv', 2],
  ]);
  expect(source().span).toEqual({ first: '2018-01', last: '2022-01' });
  expect(text('third.csv')).toContain('2022-01,900');
  const corrected = given('second.csv', String(country.files['late/second.csv']).replace(/(2020-05),\d+/, '$1,123'));
  const again = await update('cases', { files: [corrected], accept: ACCEPT });
  expect(again.comparison?.rows?.rows).toEqual({ was: 49, is: 49, added: 0, removed: 0, changed: 1 });
  expect(source().files).toHaveLength(3);
});

test('a month that is missing is one of the delivery that has those around it', async () => {
  const { update, given, country } = prepare(inTwo);
  const second = String(country.files['late/second.csv']).replace(/^.*2021-05.*\n/m, '');
  await expect(update('cases', { files: [given('second.csv', second)] })).rejects.toThrow(
    /^late\/second\.csv, AB: found no month 2021-05/,
  );
});

test('a delivery does not overwrite the file of another source', async () => {
  const { update, given, text } = prepare(inTwo);
  const before = text('nets.csv');
  const file = given('nets.csv', 'state,month,cases\nNG001,2021-12,777\n');
  await expect(update('cases', { files: [file], accept: ACCEPT })).rejects.toThrow(
    /nets\.csv: found the name of a file of the source itn_use, expected another name, or that file itself, nets\.csv/,
  );
  expect(text('nets.csv')).toBe(before);
});

test('cases that are the sum of columns are compared as such', async () => {
  const { country, update, given } = prepare((tiny) => {
    tiny.files['cases.csv'] = String(tiny.files['cases.csv'])
      .replace('cases', 'rdt,slides')
      .replaceAll(/,(\d+)$/gm, (_, n) => `,${Number(n) - 1},1`);
    const source = sourceIn(tiny, 'cases');
    delete source.columns.confirmed;
    source.sums = { confirmed: ['rdt', 'slides'] };
  });
  // The first only moves a case from one test to the other.
  const corrected = String(country.files['cases.csv'])
    .replace(/(2019-04),(\d+),1$/m, (_, month, n) => `${month},${n - 1},2`)
    .replace(/(2020-04),(\d+),1$/m, '$1,$2,9');
  const { comparison } = await update('cases', { files: [given('cases.csv', corrected)] });
  expect(comparison?.rows).toMatchObject({
    rows: { was: 48, is: 48, changed: 1 },
    changed_columns: [{ column: 'confirmed', rows: 1 }],
  });
});

test('a survey after the last estimated month is not estimated by itself: the change is offered, or why it cannot be', async () => {
  const { country, update, given } = prepare();
  const rows = String(country.files['surveys.csv']).trimEnd().split('\n');
  const later = rows.filter((row) => row.startsWith('2021')).map((row) => row.replaceAll('2021', '2023'));
  const survey = given('surveys.csv', `${[...rows, ...later].join('\n')}\n`);
  const { notes } = await update('surveys', { files: [survey] });
  expect(notes[0]).toBe(
    'surveys: survey 2023 ends in 2023-10; months are estimated up to 2021-12; scores of later months need case records up to then: once there are, `malaria-risk catalog update cases FILE --last-estimated 2023-10`',
  );
  const cases = given('cases.csv', withMonth(country.files['cases.csv']!));
  expect((await update('cases', { files: [cases] })).notes[0]).toBe(
    'months are estimated up to 2021-12; --last-estimated 2022-01 (catalog update) estimates up to that month',
  );
});

test('a correction is shown as old -> new, and a later delivery that takes it back raises a doubt', async () => {
  const { country, update, given, text } = prepare();
  const before = String(country.files['cases.csv']);
  const [row] = before.match(/^NG001,2020-05,.*$/m)!;
  const corrected = before.replace(row, `${row}1`);
  const { comparison } = await update('cases', { files: [given('cases.csv', corrected)], accept: ACCEPT });
  const was = Number(row.split(',')[2]);
  expect(comparison!.rows!.figures).toEqual([{ key: 'NG001 2020-05', column: 'confirmed', was, is: 10 * was + 1 }]);
  expect(
    JSON.parse(text('sources.json')).sources.find(({ id }: { id: string }) => id === 'cases').accepted[0].what,
  ).toContain(`NG001 2020-05: confirmed ${was} -> ${10 * was + 1}`);
  // With a month between, in which the correction stays.
  await update('cases', { files: [given('cases.csv', withMonth(corrected))], accept: ACCEPT });
  const back = await update('cases', { files: [given('cases.csv', withMonth(before))] });
  expect(back.doubts.filter((doubt) => doubt.includes('were corrected'))).toEqual([
    `1 figures that were corrected on 2022-03-01 by Ada (a test) are as before: NG001 2020-05: confirmed ${10 * was + 1} -> ${was}; ask whoever delivers the file for the corrected one`,
  ]);
});

test('the year of net use is asked for, and the API prints the entry’s', async () => {
  const { country, directory, update, given } = prepare();
  const nets = given('nets.csv', String(country.files['nets.csv']).replace('0.4', '0.45'));
  expect((await update('itn_use', { files: [nets] })).doubts).toContainEqual(expect.stringContaining('--year'));
  const { doubts } = await update('itn_use', { files: [nets], year: 2021, accept: ACCEPT });
  expect(doubts.filter((doubt) => doubt.includes('--year'))).toEqual([]);
  expect(readCountry(directory).sources.find(({ id }) => id === 'itn_use')!.files[0]!.year).toBe(2021);
  const { snapshot } = await buildHere(directory);
  expect(readJson(snapshot, 'v1/context/states.json').source.coverage_year).toBe(2021);
});

test('a file whose name has another year keeps it, and gives it to title, release and figures', async () => {
  const years = (source: { title: string; release: string; files: { path: string; year?: number }[] }) =>
    [source.title, source.release, source.files[0]!.path, source.files[0]!.year] as const;
  const { country, directory, update, given } = prepare((tiny) => {
    tiny.files['nets_2018.csv'] = tiny.files['nets.csv']!;
    Object.assign(sourceIn(tiny, 'itn_use'), { title: 'Use of nets, 2018', release: '2018 (2)' });
    sourceIn(tiny, 'itn_use').files = [{ path: 'nets_2018.csv', rows: 4 }];
  });
  const entry = () => readCountry(directory).sources.find(({ id }) => id === 'itn_use')!;
  const nets = String(country.files['nets.csv']).replace('0.4', '0.45');
  const { comparison, doubts } = await update('itn_use', { files: [given('nets_2021.csv', nets)], accept: ACCEPT });
  expect(comparison?.rows?.rows).toMatchObject({ was: 4, is: 4, changed: 1 });
  expect(doubts.filter((doubt) => doubt.includes('--year'))).toEqual([]);
  expect(years(entry())).toEqual(['Use of nets, 2021', '2021 (2)', 'nets_2021.csv', 2021]);
  await hashRawFiles(readCountry(directory));
  await update('itn_use', { files: [given('other_2024.csv', `${nets}\n`)], year: 2023, accept: ACCEPT });
  expect(years(entry())).toEqual(['Use of nets, 2021', '2021 (2)', 'nets_2021.csv', 2023]);
});

test('files are added like those of a source: months to its entry, a round of a survey as an entry of its own', async () => {
  const { country, directory, out, given } = prepare(useRainRasters);
  const rasters = [1, 2].map((month) => given(`r.2022.0${month}.tif`, rain(10 * month + 1)));
  const add = (like: string, files: string[], more: Partial<UpdateRequest> = {}) =>
    addFiles({ country: directory, out, source: like, files, description: {}, ...more });
  const [months] = await add('climate', rasters, { accept: ACCEPT });
  expect(months!.files.map(({ path: name, change }) => [name, change])).toEqual([
    ['rain/r.2022.01.tif', 'new'],
    ['rain/r.2022.02.tif', 'new'],
  ]);
  await expect(add('climate', rasters.slice(0, 1))).rejects.toThrow(/has already/);

  const header = String(country.files['surveys.csv']).split('\n')[0];
  const round = String(country.files['surveys.csv'])
    .match(/^2021.*$/gm)!
    .map((row) => row.replaceAll('2021', '2020'));
  const survey = given('round 2020.csv', `${[header, ...round].join('\n')}\n`);
  const [pending] = await add('surveys', [survey]);
  expect(pending).toMatchObject({ source: 'round_2020', accepted: false });
  await add('surveys', [survey], { accept: ACCEPT });
  const { sources } = readCountry(directory);
  expect(sources.at(-1)).toMatchObject({
    id: 'round_2020',
    role: 'survey_clusters',
    files: [{ path: 'round 2020.csv', rows: 12 }],
    rounds: [{ survey_year: 2020, first: '2020-10', last: '2020-10' }],
    accepted: [{ by: 'Ada' }],
  });
  expect(existsSync(path.join(directory, 'round 2020.csv'))).toBe(true);
});
