import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { fromFile } from 'geotiff';
import mapshaper from 'mapshaper';
import { beforeAll, expect, test } from 'vitest';
import { Model } from '../../../pipeline/catalog/model.ts';
import { Sources } from '../../../pipeline/catalog/sources.ts';
import { writeSyntheticCountry } from '../../../pipeline/synthetic/country.ts';
import { hashTree, run, temporary } from '../../support/command-line.ts';

const directory = temporary();
const out = join(directory, 'one');
const read = (path: string) => readFileSync(join(out, path));
const json = (path: string) => JSON.parse(read(path).toString());

let written: Awaited<ReturnType<typeof writeSyntheticCountry>>;
beforeAll(async () => {
  written = await writeSyntheticCountry({ seed: 1, out });
});

test('the catalog files match their schemas and state that the country is made up', () => {
  const ajv = new Ajv2020({ strict: false });
  for (const [schema, file] of [[Model, 'model.json'] as const, [Sources, 'sources.json'] as const]) {
    const validate = ajv.compile(schema);
    expect(validate(json(file)), JSON.stringify(validate.errors)).toBe(true);
  }
  const model: Model = json('model.json');
  expect(model).toMatchObject({ country: 'synthetic', synthetic: true, release: '1.seed1' });
  expect(model.parameters.context.note).toMatch(/^Made up/);
  expect(model.states).toHaveLength(37);
  for (const source of json('sources.json').sources) expect(source.citation).toMatch(/^made up .* seed 1$/);
});

test('every file is listed with bytes and hash, or belongs to catalog or truth; the total is below 25 MB', () => {
  const tree = hashTree(out);
  const { sources }: Sources = json('sources.json');
  const listed = sources.flatMap((source) => source.files);
  for (const { path, bytes, sha256 } of listed) {
    expect(tree[path]).toBe(sha256);
    expect(read(path).length).toBe(bytes);
  }
  const others = Object.keys(tree).filter((path) => !listed.some((file) => file.path === path));
  expect(others.filter((path) => !path.startsWith('truth/'))).toEqual(['model.json', 'sources.json']);
  expect(Object.keys(tree)).toHaveLength(written.files);
  expect(written.bytes).toBeLessThan(25e6);
});

test('the tables have the columns named in the catalog, and lack the rows declared as gaps', () => {
  const { sources }: Sources = json('sources.json');
  for (const source of sources.filter((other) => other.format === 'csv')) {
    const [header, ...lines] = read(source.files[0]!.path).toString().trimEnd().split('\n');
    const columns = header!.split(',');
    const named = [
      ...Object.values(source.columns ?? {}),
      ...Object.keys(source.where ?? {}),
      ...(source.classes ?? []).map(({ column }) => column),
    ];
    expect(columns).toEqual(expect.arrayContaining(named));
    expect(lines.every((line) => line.split(',').length === columns.length)).toBe(true);
    for (const gap of (source.gaps ?? []).filter((declared) => declared.rule !== 'mask')) {
      expect(lines.some((line) => line.split(',').includes(gap.lga_pcode!))).toBe(false);
      expect(lines).toHaveLength(773);
    }
  }
});

test('the shapefiles contain 774 LGAs and 37 states, in degrees, with p-codes', async () => {
  const count: Record<string, number> = { lgas: 774, states: 37 };
  for (const [name, expected] of Object.entries(count)) {
    const files = Object.fromEntries(
      ['shp', 'shx', 'dbf', 'prj'].map((extension) => [`a.${extension}`, read(`boundaries/${name}.${extension}`)]),
    );
    const back = await mapshaper.applyCommands('-i a.shp -o b.geojson', files);
    const { features } = JSON.parse(back['b.geojson']!.toString());
    expect(features).toHaveLength(expected);
    expect(features[0].properties).toMatchObject({ ADM1_EN: 'Abia', ADM1_PCODE: 'NG001' });
    expect(files['a.prj']!.toString()).toContain('WGS_1984');
  }
});

test('rasters have four different grids; nodata is tagged as in the real files, or declared in the catalog', async () => {
  const open = async (path: string) => (await fromFile(join(out, path))).getImage();
  const population = await open('population/population.tif');
  expect([population.getWidth(), population.getHeight(), population.getGDALNoData()]).toEqual([1440, 1152, null]);
  const elevation = await open('elevation/elevation.tif');
  expect([elevation.getGDALNoData(), elevation.getSampleFormat(), elevation.getBitsPerSample()]).toEqual([
    -9999, 2, 16,
  ]);
  const treatment = await open('coverage/effective_treatment_2022.tif');
  expect(treatment.getGDALNoData()).toBeNaN();
  const rain = await open('climate/chirps-v2.0.2018.08.tif');
  expect(rain.getGDALNoData()).toBeNull();
  const values = (await rain.readRasters({ interleave: true })) as Float32Array;
  expect(values.some((mm) => mm === -9999)).toBe(true);
  expect(values.every((mm) => mm === -9999 || (mm >= 0 && mm < 900))).toBe(true);
  const origins = await Promise.all([population, elevation, treatment, rain].map((image) => image.getOrigin().join()));
  expect(new Set(origins).size).toBe(4);
  const { sources }: Sources = json('sources.json');
  const climate = sources.find((source) => source.role === 'climate')!;
  expect(climate.nodata).toBe(-9999);
  expect(climate.files).toHaveLength(144);
  expect(climate.files[0]).toMatchObject({ path: 'climate/chirps-v2.0.2012.01.tif', period: '2012-01' });
});

test('the truth has a share for every LGA and month from 2010-01 to 2024-04', () => {
  const rows = read('truth/prevalence.csv').toString().trimEnd().split('\n').slice(1);
  expect(rows).toHaveLength(774 * 172);
  const values = rows.map((row) => Number(row.split(',')[2]));
  expect(Math.min(...values.slice(0, 50_000))).toBeGreaterThan(0);
  expect(values.every((value) => value > 0 && value < 1)).toBe(true);
});

test('a directory that is not a made-up country, or a bad seed, is refused with one line and exit code 2', async () => {
  const mine = join(directory, 'mine');
  mkdirSync(mine);
  writeFileSync(join(mine, 'thesis.txt'), 'mine');
  const refused = await run(['synth', '--out', mine]);
  expect(refused.code).toBe(2);
  expect(refused.stderr).toBe(
    `malaria-risk: ${mine} is not a made-up country and is not overwritten; expected one, an empty directory or no directory\n`,
  );
  expect(existsSync(join(mine, 'thesis.txt'))).toBe(true);
  await expect(writeSyntheticCountry({ seed: -1, out })).rejects.toThrow(
    'seed -1, expected a whole number of 0 or more',
  );
  const seed = await run(['synth', '--seed', '1.5']);
  expect(seed.code).toBe(2);
  expect(seed.stderr).toBe(
    "error: option '--seed <n>' argument '1.5' is invalid. expected a whole number of 0 or more\n",
  );
  expect((await run(['synth', '--help'])).stdout).toContain('truth/');
});
