import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { addMonths, calendarMonth } from '../../pipeline/contract/months.ts';
import { sha256 } from '../../pipeline/lib/hash.ts';
import { writeGeotiff } from '../../pipeline/synthetic/geotiff-writer.ts';
import { TERRITORY } from '../../pipeline/synthetic/states.ts';
import { temporary } from './command-line.ts';

/**
 * Two states of two square LGAs each, one degree a side, in a row from west to east: small enough to read, and to build
 * in a second or two. All files except the two rasters are text, so a test can break a single line.
 */
export interface TinyCountry {
  directory: string;
  files: Record<string, string | Buffer>;
  sources: Record<string, any>[];
  model: Record<string, any>;
}

export const LGAS = ['NG001001', 'NG001002', 'NG002001', 'NG002002'] as const;
/** The grid of both rasters. */
export const GRID = { west: 3, north: 5, step: 0.1, columns: 40, rows: 10 };
export const CELLS = GRID.columns * GRID.rows;
/** People in cell `i`. No value occurs twice, as in a real population raster. */
export const peopleIn = (i: number) => 1000 + 0.16 * ((7 * i) % CELLS);
const square = (west: number, width = 1) => [
  [
    [west, 4],
    [west + width, 4],
    [west + width, 5],
    [west, 5],
    [west, 4],
  ],
];
const collection = (features: unknown[]) => JSON.stringify({ type: 'FeatureCollection', features }, null, 1);
const csv = (rows: (string | number)[][]) => `${rows.map((row) => row.join(',')).join('\n')}\n`;

/** The catalog and files of a valid tiny country, not yet written. */
export function tinyCountry(): TinyCountry {
  const files: TinyCountry['files'] = {};
  files['lgas.geojson'] = collection(
    LGAS.map((code, i) => ({
      type: 'Feature',
      properties: { pcode: code, name: `Place ${i + 1}`, state: code.slice(0, 5) },
      geometry: { type: 'Polygon', coordinates: square(3 + i) },
    })),
  );
  files['states.geojson'] = collection(
    [0, 1].map((i) => ({
      type: 'Feature',
      properties: { pcode: `NG00${i + 1}`, name: ['Abia', 'Adamawa'][i] },
      geometry: { type: 'Polygon', coordinates: square(3 + 2 * i, 2) },
    })),
  );
  const months = Array.from({ length: 48 }, (_, i) => addMonths('2018-01', i));
  // No two years or areas are alike, as in a real record.
  const rain = (lga: number, period: string, i: number) =>
    Math.max(
      0,
      120 + ((i * i * (lga + 1)) % 23) / 10 + 100 * Math.sin(((calendarMonth(period) - 4 - lga) * Math.PI) / 6),
    );
  files['climate.csv'] = csv([
    ['lga', 'month', 'mm'],
    ...LGAS.flatMap((code, i) => months.map((period, month) => [code, period, rain(i, period, month).toFixed(1)])),
  ]);
  files['census.csv'] = csv([['lga', 'people', 'under5'], ...LGAS.map((code, i) => [code, 100_000 + i, 18_000])]);
  files['surveys.csv'] = csv([
    ['year', 'month', 'cluster', 'state', 'lga', 'method', 'n', 'share'],
    ...[2018, 2021].flatMap((year) =>
      LGAS.flatMap((code, i) =>
        [1, 2, 3].map((k) => [
          year,
          `${year}-10`,
          `${year}-${code}-${k}`,
          code.slice(0, 5),
          code,
          'microscopy',
          20 + k,
          (0.1 + 0.1 * i + 0.02 * k + (year - 2018) / 300).toFixed(2),
        ]),
      ),
    ),
    [2018, '2018-10', '2018-x', 'NG001', LGAS[0], 'rdt', 20, 0.5],
  ]);
  files['cases.csv'] = csv([
    ['state', 'month', 'cases'],
    ...months.map((period, i) => [
      'NG001',
      period,
      Math.round(1500 + (i % 7) + 1000 * Math.sin(((calendarMonth(period) - 6) * Math.PI) / 6)),
    ]),
  ]);
  files['nets.csv'] = csv([['lga', 'use'], ...LGAS.map((code, i) => [code, (0.3 + 0.1 * i).toFixed(1)])]);
  files['access.csv'] = csv([
    ['state', 'percent'],
    ['NG001', 45],
    ['NG002', 60],
  ]);
  files['people.tif'] = writeGeotiff(
    Float32Array.from({ length: CELLS }, (_, i) => peopleIn(i)),
    GRID,
  );
  files['height.tif'] = writeGeotiff(
    Int16Array.from({ length: CELLS }, (_, i) => 100 + 2 * (i % GRID.columns)),
    GRID,
    '-9999',
  );

  const about = { title: 'made for a test', producer: 'test', citation: 'test', licence: 'CC0-1.0', release: '1' };
  const table = (path: string) => [{ path, rows: String(files[path]).split('\n').length - 2 }];
  const sources = [
    {
      id: 'lga_boundaries',
      role: 'lga_boundaries',
      ...about,
      format: 'geojson',
      unit: 'degrees',
      columns: { lga_pcode: 'pcode', lga: 'name', state_pcode: 'state' },
      files: [{ path: 'lgas.geojson' }],
    },
    {
      id: 'state_boundaries',
      role: 'state_boundaries',
      ...about,
      format: 'geojson',
      unit: 'degrees',
      columns: { state_pcode: 'pcode', state: 'name' },
      files: [{ path: 'states.geojson' }],
    },
    {
      id: 'population',
      role: 'population',
      ...about,
      format: 'geotiff',
      crs: 'EPSG:4326',
      unit: 'persons',
      nodata: 'none',
      range: [0, 10_000],
      repeats: 10,
      files: [{ path: 'people.tif' }],
    },
    {
      id: 'elevation',
      role: 'elevation',
      ...about,
      format: 'geotiff',
      crs: 'EPSG:4326',
      unit: 'm',
      nodata: -9999,
      range: [0, 1000],
      files: [{ path: 'height.tif' }],
    },
    {
      id: 'population_census',
      role: 'population_census',
      ...about,
      format: 'csv',
      unit: 'persons',
      columns: { lga_pcode: 'lga', people: 'people', children_0_4: 'under5' },
      files: table('census.csv'),
    },
    {
      id: 'climate',
      role: 'climate',
      ...about,
      format: 'csv',
      unit: 'mm per month',
      columns: { lga_pcode: 'lga', period: 'month', rain_mm: 'mm' },
      span: { first: '2018-01', last: '2021-12' },
      files: table('climate.csv'),
    },
    {
      id: 'surveys',
      role: 'survey_clusters',
      ...about,
      format: 'csv',
      unit: 'share',
      columns: {
        survey_year: 'year',
        period: 'month',
        cluster_id: 'cluster',
        state_pcode: 'state',
        lga_pcode: 'lga',
        method: 'method',
        examined: 'n',
        positivity: 'share',
      },
      rounds: [2018, 2021].map((year) => ({ survey_year: year, first: `${year}-09`, last: `${year}-11` })),
      files: table('surveys.csv'),
    },
    {
      id: 'cases',
      role: 'cases_states',
      ...about,
      format: 'csv',
      unit: 'cases',
      columns: { state_pcode: 'state', period: 'month', confirmed: 'cases' },
      span: { first: '2018-01', last: '2021-12' },
      files: table('cases.csv'),
    },
    {
      id: 'itn_use',
      role: 'layer',
      figure: 'itn_use',
      ...about,
      format: 'csv',
      unit: 'share',
      columns: { lga_pcode: 'lga', itn_use: 'use' },
      files: table('nets.csv'),
    },
    {
      id: 'itn_access',
      role: 'layer',
      figure: 'itn_access',
      ...about,
      format: 'csv',
      unit: 'percent',
      columns: { state_pcode: 'state', itn_access: 'percent' },
      files: table('access.csv'),
    },
  ];
  const model = {
    country: 'tiny',
    name: 'Tiny country',
    synthetic: false,
    release: '1',
    first_estimated: '2020-11',
    last_estimated: '2021-12',
    updated_at: '2022-01-01T00:00:00.000Z',
    expected: { states: 2, lgas: 4 },
    extent: [3, 4, 7, 5],
    territory: structuredClone(TERRITORY),
    states: [
      { state_pcode: 'NG001', state_code: 'AB', state: 'Abia', zone: 'SE' },
      { state_pcode: 'NG002', state_code: 'AD', state: 'Adamawa', zone: 'NE' },
    ],
    parameters: {
      seed: 1,
      boundaries: { tolerance_m: 100, max_area_change: 0.03 },
      context: { name: 'test', coverage_year: 2018, note: 'test' },
      survey: { method: 'microscopy', small_sample: 100, confidence: 0.95 },
      season: { high_share: 0.5, masked: [] },
      risk: {
        score: 'baseline',
        draws: 200,
        state_only_effective_size: 100,
        season_exponent: { mean: 0.4, sd: 0.15, source: 'test' },
      },
      transmission: {
        infectious_months: 1,
        immune_months: 12,
        assumed_from: 'assumed for a test',
        development_first: 2020,
        held_back_year: 2021,
        starts: 2,
      },
      evidence: {
        max_months_after_survey: 48,
        reason: 'test',
        scores: { clusters: 1, areas: 1, children: 1, reason: 'a country small enough for a test' },
      },
      diff: { score_change: 0.05, max_moved_share: 0.1, max_flipped_share: 0.1, max_disjoint_share: 0.01 },
    },
  };
  return { directory: '', files, sources, model };
}

/** Writes a country's catalog and files into `directory`. */
export function writeCountry(country: TinyCountry, directory: string): void {
  country.directory = directory;
  for (const [name, data] of Object.entries(country.files)) {
    mkdirSync(path.dirname(path.join(directory, name)), { recursive: true });
    writeFileSync(path.join(directory, name), data);
  }
  const sources = country.sources.map((source) => ({ ...source, files: source.files.map(pinned(directory)) }));
  writeFileSync(path.join(directory, 'sources.json'), JSON.stringify({ sources }));
  writeFileSync(path.join(directory, 'model.json'), JSON.stringify(country.model));
}

/** Adds the hash to a file's catalog entry, if the file exists and the test gives no hash itself. */
const pinned = (directory: string) => (file: Record<string, any>) => {
  const full = path.join(directory, file.path);
  if (file.sha256 || !statSync(full, { throwIfNoEntry: false })?.isFile()) return file;
  return { ...file, sha256: sha256(readFileSync(full)) };
};

/** Updates the hashes in a country's catalog after a test has changed a file. */
export function repin(directory: string): void {
  const file = path.join(directory, 'sources.json');
  const catalog = JSON.parse(readFileSync(file, 'utf8'));
  for (const source of catalog.sources)
    source.files = source.files.map(({ sha256: _, ...rest }: Record<string, any>) => pinned(directory)(rest));
  writeFileSync(file, JSON.stringify(catalog));
}

/** Writes a tiny country, changed by `change`, to a new directory that is removed after the test file. */
export function writeTiny(change: (country: TinyCountry) => void = () => {}): TinyCountry {
  const country = tinyCountry();
  change(country);
  writeCountry(country, temporary());
  return country;
}

/** `text` with one line replaced; line 1 is the header. */
export function replaceLine(text: string | Buffer, line: number, by: string | ((old: string) => string)): string {
  const lines = String(text).split('\n');
  lines[line - 1] = typeof by === 'string' ? by : by(lines[line - 1]!);
  return lines.join('\n');
}

/** The source with this id. */
export function sourceIn(country: TinyCountry, id: string): Record<string, any> {
  return country.sources.find((source) => source.id === id)!;
}
