import { writeArrayBuffer } from 'geotiff';
import { describe } from 'vitest';
import { writeGeotiff } from '../../../pipeline/synthetic/geotiff-writer.ts';
import { CELLS, GRID, peopleIn as people, sourceIn, type TinyCountry } from '../../support/tiny-country.ts';
import { accepts, type Case, raster, refuses } from './broken.ts';

/** Whether cell `i` is in a hole of 4 × 4 cells inside the raster. */
const inHole = (i: number) => {
  const [row, column] = [Math.floor(i / GRID.columns), i % GRID.columns];
  return row >= 4 && row < 8 && column >= 8 && column < 12;
};
const hole = (value: number) => raster('people.tif', (i) => (inHole(i) ? value : people(i)));

/** The population raster with other GeoTIFF tags. */
const tagged = (tags: Record<string, unknown>) => (country: TinyCountry) => {
  const bytes = writeArrayBuffer(
    Float32Array.from({ length: CELLS }, (_, i) => people(i)),
    {
      width: GRID.columns,
      height: GRID.rows,
      BitsPerSample: [32],
      SampleFormat: [3],
      SamplesPerPixel: 1,
      ...tags,
    } as Parameters<typeof writeArrayBuffer>[1],
  );
  country.files['people.tif'] = Buffer.from(bytes);
};
const place = { ModelPixelScale: [GRID.step, GRID.step, 0], ModelTiepoint: [0, 0, 0, GRID.west, GRID.north, 0] };
const wgs84 = { GTModelTypeGeoKey: 2, GTRasterTypeGeoKey: 1, GeographicTypeGeoKey: 4326 };

/** The valid raster without a tag, whose number is changed to an unknown one. */
const without = (tag: number) => (country: TinyCountry) => {
  const file = Buffer.from(country.files['people.tif'] as Buffer);
  const directory = file.readUInt32LE(4);
  for (let i = 0; i < file.readUInt16LE(directory); i++) {
    const entry = directory + 2 + 12 * i;
    if (file.readUInt16LE(entry) === tag) file.writeUInt16LE(65_000, entry);
  }
  country.files['people.tif'] = file;
};

/** Adds a raster layer of walking minutes. */
const minutes =
  (value: (i: number) => number, more: Record<string, unknown> = {}) =>
  (country: TinyCountry) => {
    country.files['walk.tif'] = writeGeotiff(
      Float32Array.from({ length: CELLS }, (_, i) => value(i)),
      GRID,
    );
    country.sources.push({
      ...sourceIn(country, 'population'),
      id: 'walk',
      role: 'layer',
      figure: 'travel_minutes_to_care',
      unit: 'minutes',
      range: [0, 1000],
      repeats: 10,
      files: [{ path: 'walk.tif' }],
      ...more,
    });
  };
/** The climate as rasters of rain for each month of a year, with the values of February given. */
const rain =
  (second: (i: number) => number, on = GRID) =>
  (country: TinyCountry) => {
    const files = Array.from({ length: 12 }, (_, k) => ({
      path: `rain${k + 1}.tif`,
      period: `2018-${String(k + 1).padStart(2, '0')}`,
    }));
    for (const [k, { path }] of files.entries()) {
      const [values, own] = k === 1 ? [second, on] : [(i: number) => i / (10 + k), GRID];
      country.files[path] = writeGeotiff(
        Float32Array.from({ length: own.columns * own.rows }, (_, i) => values(i)),
        own,
      );
    }
    const { columns: _, span: __, ...climate } = sourceIn(country, 'climate');
    country.sources = country.sources.filter((source) => source.id !== 'climate');
    country.sources.push({ ...climate, format: 'geotiff', range: [0, 1000], repeats: 10, files });
  };

const untagged: Case[] = [
  ...[65535, 32767].map(
    (value): Case => [
      `${value} in a single cell, even within the range`,
      (country) => {
        sourceIn(country, 'population').range = [0, 1e12];
        raster('people.tif', (i) => (i === GRID.columns + 5 ? value : people(i)))(country);
      },
      new RegExp(`people\\.tif, row 1, column 5 .*: found ${value}, expected a measured value`),
    ],
  ),
  ['-9999', hole(-9999), /people\.tif, row 4, column 8 .*: found -9999, expected 0 to 10000/],
  ['1e20', hole(1e20), /people\.tif, row 4, column 8 .*: found 1\d+, expected 0 to 10000/],
  ['a plausible value over an area', hole(255), /people\.tif: found the value 255 in 15 cells next to others/],
  [
    'a constant',
    raster('people.tif', () => 250),
    /people\.tif: found the value 250 in 399 cells next to others with the same value/,
  ],
  [
    'the largest value in many cells that do not touch',
    raster('people.tif', (i) => (i % 23 === 0 ? 5000 : people(i))),
    /people\.tif: found the largest value, 5000, in 18 cells, expected at most 10 \(sources\.json, repeats\)/,
  ],
  [
    'NaN although the catalog declares that nothing is missing',
    hole(Number.NaN),
    /people\.tif, row 4, column 8 .*: found NaN/,
  ],
  ['elevation -32768', raster('height.tif', (i) => (inHole(i) ? -32768 : 100)), /height\.tif, row 4, .*found -32768/],
  [
    'elevation 0 over an area',
    (country) => {
      sourceIn(country, 'elevation').range = [1, 1000];
      raster('height.tif', (i) => (inHole(i) ? 0 : 100))(country);
    },
    /height\.tif, row 4, column 8 .*: found 0, expected 1 to 1000/,
  ],
  [
    'a layer: 65535',
    minutes((i) => (inHole(i) ? 65535 : i / 10)),
    /walk\.tif, row 4, .*found 65535, expected 0 to 1000/,
  ],
  ['a layer: 255 over an area', minutes((i) => (inHole(i) ? 255 : 1 + i / 11)), /walk\.tif: found the value 255 in 15/],
  ['a layer: a constant', minutes(() => 30), /walk\.tif: found the value 30 in 399 cells/],
  ['rain: -9999', rain((i) => (inHole(i) ? -9999 : i / 10)), /rain2\.tif, row 4, .*found -9999, expected 0 to 1000/],
  ['rain: 999 over an area', rain((i) => (inHole(i) ? 999 : i / 10)), /rain2\.tif: found the value 999 in 15 cells/],
];

const places: Case[] = [
  ['no coordinate system', without(34735), /people\.tif: found no coordinate system, expected EPSG:4326/],
  [
    'another coordinate system',
    tagged({ ...place, GTModelTypeGeoKey: 1, GTRasterTypeGeoKey: 1, ProjectedCSTypeGeoKey: 32632 }),
    /people\.tif: found the coordinate system EPSG:32632, expected EPSG:4326/,
  ],
  [
    'another datum',
    tagged({ ...place, ...wgs84, GeographicTypeGeoKey: 4263 }),
    /people\.tif: found the coordinate system EPSG:4263, expected EPSG:4326/,
  ],
  ...[{}, place].map(
    (also, i): Case => [
      i === 0 ? 'rotated' : 'both rotated and not rotated',
      tagged({
        ...also,
        ...wgs84,
        ModelTransformation: [0.04, 0.03, 0, 3, 0.03, -0.04, 0, 5, 0, 0, 0, 0, 0, 0, 0, 1],
      }),
      /people\.tif: found a raster that is rotated or mirrored/,
    ],
  ),
  [
    'half a degree to the east',
    raster('people.tif', people, { ...GRID, west: 3.5 }),
    /NG001001 Place 1: found 50\.0% of/,
  ],
  [
    'half a degree to the south',
    raster('people.tif', people, { ...GRID, north: 4.5 }),
    /NG001001 Place 1: found 50\.0% of/,
  ],
  [
    'rain on another grid',
    rain((i) => i / 10, { ...GRID, west: 3.01 }),
    /rain2\.tif: found 40 × 10 cells .*, expected the/,
  ],
  [
    'a layer without values in an LGA',
    minutes((i) => (i % GRID.columns < GRID.columns / 4 ? Number.NaN : 1 + i / 11), { nodata: 'nan' }),
    /walk\.tif, NG001001: found no cell with travel_minutes_to_care/,
  ],
  ['a layer without a value', minutes(() => Number.NaN, { nodata: 'nan' }), /walk\.tif, NG001001: found no cell with/],
  ['no people anywhere', raster('people.tif', () => 0), /people\.tif: found no people in any area, expected persons/],
  [
    'people per km² instead of people per cell',
    raster('people.tif', (i) => people(i) / 30),
    /people\.tif, AB Abia: found \d+ people, expected its census, 200001, within a factor of 4/,
  ],
  [
    'a month without a rain file',
    (country) => {
      rain((i) => i / 10)(country);
      sourceIn(country, 'climate').files[1].period = '2019-02';
    },
    /sources\.json, source climate: found no file for 2018-02, expected a file for every month/,
  ],
  [
    'a rain file without its month',
    (country) => {
      rain((i) => i / 10)(country);
      delete sourceIn(country, 'climate').files[1].period;
    },
    /sources\.json, source climate: found .+ without a period, expected the month that it applies to/,
  ],
  [
    'two rain files of a month',
    (country) => {
      rain((i) => i / 10)(country);
      sourceIn(country, 'climate').files[1].period = '2018-01';
    },
    /sources\.json, source climate: found two files for 2018-01, expected one file for each month/,
  ],
];

const damaged: Case[] = [
  ['cut in half', (country) => cut(country, 0.5), /people\.tif: found .*cut short/],
  ['cut to its header', (country) => cut(country, 0.01), /people\.tif: found .*/],
  ['empty', (country) => cut(country, 0), /people\.tif: found data that cannot be decoded/],
  [
    'several bands',
    (country) => {
      const bytes = writeArrayBuffer(
        Float32Array.from({ length: 2 * CELLS }, (_, i) => people(i >> 1)),
        {
          width: GRID.columns,
          height: GRID.rows,
          BitsPerSample: [32, 32],
          SampleFormat: [3, 3],
          SamplesPerPixel: 2,
          ...wgs84,
          ModelPixelScale: [GRID.step, GRID.step, 0],
          ModelTiepoint: [0, 0, 0, GRID.west, GRID.north, 0],
        },
      );
      country.files['people.tif'] = Buffer.from(bytes);
    },
    /people\.tif: found 2 bands, expected one/,
  ],
  [
    'a table instead of a raster',
    (country) => {
      country.files['people.tif'] = 'lga,people\n';
    },
    /people\.tif: found data that cannot be decoded/,
  ],
];

function cut(country: TinyCountry, share: number): void {
  const file = country.files['people.tif'] as Buffer;
  country.files['people.tif'] = file.subarray(0, Math.floor(file.length * share));
}

describe('an untagged nodata value is refused', () => refuses(untagged));
describe('a raster with a wrong location, grid or unit is refused', () => refuses(places));
describe('a damaged raster is refused', () => refuses(damaged));
describe('plausible rasters are accepted', () =>
  accepts([
    ['an uninhabited area', raster('people.tif', (i) => (inHole(i) ? 0 : people(i)))],
    ['a constant layer, if the catalog does not limit repeats', minutes(() => 30, { repeats: undefined })],
    ['rain', rain((i) => i / 9)],
  ]));
