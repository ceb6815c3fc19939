/** A small valid snapshot, made from the contract alone: three states, seven estimated months, four forecast months. */
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { etagOf, type FileEntry, type Manifest } from '../../../pipeline/contract/manifest.ts';
import { periodRange } from '../../../pipeline/contract/months.ts';
import { buildOpenapi } from '../../../pipeline/contract/openapi.ts';
import {
  type Coverage,
  exampleValues,
  FORECAST_MONTHS,
  filePath,
  forecastPeriods,
  isEncoded,
  type JsonOperationId,
  OPERATIONS,
  type Operation,
  type ParameterName,
} from '../../../pipeline/contract/operations.ts';
import type { AreaGeometry, LgaRisk, Season, SeasonWindow } from '../../../pipeline/contract/schemas.ts';
import { TERRITORY } from '../../../pipeline/synthetic/states.ts';

export const STATES = { AB: 'Abia', KN: 'Kano', LA: 'Lagos' } as const;
type State = keyof typeof STATES;
const CODES = Object.keys(STATES) as State[];

export const COVERAGE = {
  states: CODES,
  lgas: CODES.flatMap((code) => [`NG${code}001`, `NG${code}002`]),
  first_estimated: '2023-06',
  last_estimated: '2023-12',
  last_forecast: '2024-04',
  transmission: true,
} satisfies Coverage;

export interface FixtureOptions {
  /** Eight hex digits that end the model version and change every file. */
  release?: string;
  transmission?: boolean;
  /** Like a snapshot older than the optional operations: without their files. */
  earlier?: boolean;
  /** Extra points in the outlines of the states: 100,000 of them make a file too large to hold in memory. */
  outlinePoints?: number;
  /** The same in the outlines of LGAs. */
  lgaOutlinePoints?: number;
  /** Approximate length of a table; from 1 MiB on it is too large to hold in memory. */
  tableBytes?: number;
  /** Number of LGAs in each state, by default 2. */
  lgasPerState?: number;
}

export const versionOf = (release = '00000001') => `fixture-${release}`;

const zone = 'North West' as const;
const figures = {
  population: 1000,
  area_km2: 10.5,
  itn_use: 0.4,
  itn_access: 0.5,
  irs_coverage: null,
  effective_treatment: 0.3,
  travel_minutes_to_care: 12.5,
  response_index: 0.35,
};
const season: Season = {
  peak_month: 9,
  season_start_month: 8,
  season_end_month: 10,
  season_months: 3,
  high_months: [8, 9, 10],
  seasonal_index: [0.1, 0.1, 0.1, 0.2, 0.3, 0.4, 0.45, 0.7, 1, 0.6, 0.3, 0.2],
};
const seasonWindow: SeasonWindow = {
  measure: 'reported_cases',
  months: 4,
  first_month: 7,
  last_month: 10,
  share: 0.43,
  share_low: 0.39,
  share_high: 0.47,
  start_probability: 0.98,
  criterion_probability: 0,
  criterion: 'unlikely',
  record_first_month: null,
  record_share: null,
  record_best_share: null,
  rain_share: 0.62,
};
const trend = {
  survey_year: 2021,
  positivity: 0.3,
  low: 0.2,
  high: 0.4,
  clusters: 20,
  children_tested: 300,
  small_sample: false,
};
const scores = {
  months: 12,
  mean_absolute_error: { model: 1.5, same_month_last_year: 1.25, same_month_last_three_years: 1.75 },
  seasonal_shape_correlation: 0.9,
};
const risk = { score: 0.3, score_low: 0.2, score_high: 0.4, level: 'moderate' } as const;
const lgasOf = (state: State, count: number): LgaRisk[] =>
  Array.from({ length: count }, (_, i) => i + 1).map((n) => ({
    lga_code: `NG${state}${String(n).padStart(3, '0')}`,
    lga: `${STATES[state]} ${n}`,
    ...risk,
    is_urban: n === 1,
    population: 500,
  }));
const nation = (count: number) =>
  CODES.flatMap((state_code) => lgasOf(state_code, count).map((lga) => ({ ...lga, state_code })));
const certainty = {
  level_probability: 0.8,
  probability_highest_nation: 0.1,
  change_year: -0.02,
  change_year_low: -0.05,
  change_year_high: 0.01,
  probability_rise_year: null,
};
const series = [
  { period: '2023-12', kind: 'estimated', ...risk, basis: 'survey', ...certainty },
  { period: '2024-01', kind: 'forecast', ...risk, basis: 'usual_season', ...certainty },
];
const square = (points: number): AreaGeometry => ({
  type: 'Polygon',
  coordinates: [[[0, 0], ...Array.from({ length: points }, (_, i) => [1, i / (points + 1)]), [1, 0], [1, 1], [0, 0]]],
});

/** The answer to `id`; the periods and most other answers contain the model version. */
function bodyOf(
  id: JsonOperationId,
  state: State,
  lga: string,
  period: string,
  months: number,
  { release, outlinePoints = 0, lgaOutlinePoints = 0, lgasPerState = 2 }: FixtureOptions,
): unknown {
  const version = versionOf(release);
  const lgas = (of: State) => lgasOf(of, lgasPerState);
  const place = { state_code: state, state: STATES[state] };
  const places = CODES.map((code) => ({ state_code: code, state: STATES[code], zone }));
  const source = { name: 'fixture', coverage_year: 2018, note: `made up, ${version}` };
  const method = {
    cases_follow_rain_by_months: 2,
    high_season_share_of_peak: 0.5,
    description: `made up, ${version}`,
    check: { series: 3, states: CODES, median_correlation: 0.9, mean_months_off: 0.5, mean_months_peak_is_off: 1 },
  };
  const ahead = forecastPeriods(COVERAGE).slice(0, months);
  switch (id) {
    case 'periods':
      return {
        last_estimated: COVERAGE.last_estimated,
        last_forecast: COVERAGE.last_forecast,
        updated_at: '2024-01-15T00:00:00.000Z',
        model_version: version,
      };
    case 'risk-states':
      return { period, kind: 'estimated', states: places.map((p) => ({ ...p, ...risk, population: 1000 })) };
    case 'risk-lgas':
      return { period, kind: 'estimated', ...place, lgas: lgas(state) };
    case 'forecasts-states':
      return {
        forecasts: ahead.map((month) => ({
          period: month,
          kind: 'forecast',
          states: places.map((p) => ({ ...p, ...risk, population: 1000 })),
        })),
      };
    case 'forecasts-lgas':
      return { forecasts: ahead.map((month) => ({ period: month, kind: 'forecast', ...place, lgas: lgas(state) })) };
    case 'boundaries-states':
      return {
        type: 'FeatureCollection',
        source: `made up, ${version}`,
        features: CODES.map((code) => ({
          type: 'Feature',
          geometry: square(outlinePoints),
          properties: { code, name: STATES[code], zone: 'NW' },
        })),
      };
    case 'boundaries-lgas':
      return {
        type: 'FeatureCollection',
        source: `made up, ${version}`,
        features: lgas(state).map(({ lga_code, lga }) => ({
          type: 'Feature',
          geometry: square(lgaOutlinePoints),
          properties: { lgaCode: lga_code, lga, state },
        })),
      };
    case 'context-states':
      return { source, states: places.map((p) => ({ ...p, lgas: lgasPerState, ...figures })) };
    case 'context-lgas':
      return {
        source,
        ...place,
        lgas: lgas(state).map(({ lga_code, lga, is_urban }) => ({ lga_code, lga, is_urban, ...figures })),
      };
    case 'transmission-states':
      return {
        method,
        national: { season, survey_trend: [{ ...trend, urban: 0.1, rural: null }] },
        states: places.map((p) => ({ ...p, season, survey_trend: [trend] })),
      };
    case 'transmission-lgas':
      return { method, ...place, lgas: lgas(state).map(({ lga_code, lga }) => ({ lga_code, lga, season })) };
    case 'transmission-model':
      return {
        status: 'research',
        assumed: { infectious_months: 2, immune_months: 6 },
        states: [
          {
            ...place,
            fit_correlation: 0.9,
            months_with_infection_growing: [7, 8],
            reproduction_number_by_month: season.seasonal_index,
            share_of_transmission_year_round: 0.4,
            series: [{ period: '2023-01', reported: 3.5, modelled: 3.25 }],
          },
        ],
        projection_test: {
          development_years: [2021, 2022],
          development: scores,
          held_back_year: 2023,
          held_back: scores,
        },
        limits: [`made up, ${version}`],
      };
    case 'seasons-lgas':
      return {
        ...place,
        windows: [seasonWindow],
        lgas: lgas(state).map(({ lga_code, lga }) => ({ lga_code, lga, windows: [seasonWindow] })),
      };
    case 'forecasts-skill':
      return {
        skill: [
          {
            area_level: 'lga',
            origins: 'all',
            method: 'case_model',
            horizon_months: 1,
            forecasts: 100,
            log_mae: 0.2,
            crps_log: 0.15,
            coverage_50: 0.5,
            coverage_90: 0.9,
            crps_per_1000: null,
          },
        ],
      };
    case 'risk-nation':
      return { period, kind: 'estimated', lgas: nation(lgasPerState) };
    case 'forecasts-nation':
      return { forecasts: ahead.map((month) => ({ period: month, kind: 'forecast', lgas: nation(lgasPerState) })) };
    case 'series-states':
      return { ...place, zone, population: 1000, series };
    case 'series-lgas':
      return { lga_code: lga, lga: `made up, ${version}`, state_code: state, is_urban: true, population: 500, series };
    case 'boundaries-nation':
      return { type: 'FeatureCollection', source: `made up, ${version}`, features: [] };
    case 'boundaries-topology':
      return {
        type: 'Topology',
        source: `made up, ${version}`,
        bbox: [0, 0, 1, 1],
        arcs: [
          [
            [0, 0],
            [1, 0],
          ],
        ],
        transform: { scale: [1, 1], translate: [0, 0] },
        objects: {
          lgas: { type: 'GeometryCollection', geometries: [] },
          states: { type: 'GeometryCollection', geometries: [] },
        },
      };
    case 'places':
      return {
        states: places.map((p) => ({
          ...p,
          aliases: [],
          pcode: 'NG001',
          iso_code: `NG-${p.state_code}`,
          longitude: 8.5,
          latitude: 12.1,
          neighbours: [],
        })),
        lgas: nation(lgasPerState).map(({ lga_code, lga: name, state_code }) => ({
          lga_code,
          lga: name,
          aliases: [],
          state_code,
          longitude: 8.5,
          latitude: 12.1,
          neighbours: [],
        })),
      };
    case 'openapi':
      return buildOpenapi(version, TERRITORY, {
        values: exampleValues(COVERAGE, TERRITORY),
        answers: new Map([['risk-lgas', bodyOf('risk-lgas', 'KN', '', '2023-09', months, release ? { release } : {})]]),
      });
    case 'model-card':
      return { model_version: version, limits: ['made up'] };
    case 'licences':
      return { cite: `made up, ${version}`, sources: [], code: 'Apache-2.0' };
    case 'tables':
      return {
        tables: [
          {
            table: 'risk_lgas',
            row: 'An LGA in an estimated month',
            rows: 42,
            scopes: ['risk_scores'],
            addresses: ['/v1/tables/risk_lgas.parquet', '/v1/tables/risk_lgas.csv'],
            columns: [{ column: 'period', type: 'VARCHAR', nullable: false, meaning: 'Month, YYYY-MM' }],
          },
        ],
      };
  }
}

export const lgasCovered = ({ lgasPerState = 2 }: FixtureOptions = {}) =>
  nation(lgasPerState).map(({ lga_code }) => lga_code);

const tableText = (file: string, { release, tableBytes = 0 }: FixtureOptions) => {
  const line = `${file} of ${versionOf(release)}\n`;
  return line.repeat(Math.ceil(Math.max(1, tableBytes / line.length)));
};

/** Every file of the fixture, with its text. */
export function fixtureFiles(options: FixtureOptions = {}): { operation: Operation; file: string; text: string }[] {
  const { transmission = true, earlier = false } = options;
  const periods = periodRange(COVERAGE.first_estimated, COVERAGE.last_estimated);
  const months = Array.from({ length: FORECAST_MONTHS }, (_, i) => i + 1);
  return OPERATIONS.filter(
    (operation) => (transmission || !operation.needsTransmission) && !(earlier && operation.optional),
  ).flatMap((operation) => {
    const over = <T>(name: ParameterName, values: readonly T[], usual: T) =>
      operation.parameters.includes(name) ? values : [usual];
    return over('state', CODES, 'KN').flatMap((state) =>
      over('lga', lgasCovered(options), '').flatMap((lga) =>
        over('period', periods, COVERAGE.last_estimated).flatMap((period) =>
          over('months', months, FORECAST_MONTHS).map((n) => {
            const file = filePath(operation, { state, lga, period, months: n });
            if (operation.response === null) return { operation, file, text: tableText(file, options) };
            const body = bodyOf(operation.id as JsonOperationId, state, lga, period, n, options);
            return { operation, file, text: JSON.stringify(body) };
          }),
        ),
      ),
    );
  });
}

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
const NO_HASH = '0'.repeat(64);

/** Writes the fixture to `directory`, which is created. */
export function writeSnapshot(directory: string, options: FixtureOptions = {}): Manifest {
  const files: Record<string, FileEntry> = {};
  const write = (name: string, bytes: Buffer) => {
    mkdirSync(dirname(join(directory, name)), { recursive: true });
    writeFileSync(join(directory, name), bytes);
    files[name] = { bytes: bytes.length, sha256: sha256(bytes), etag: etagOf(sha256(bytes)) };
  };
  for (const { operation, file, text } of fixtureFiles(options)) {
    const bytes = Buffer.from(text);
    write(file, bytes);
    if (!isEncoded(operation)) continue;
    write(`${file}.gz`, gzipSync(bytes));
    write(`${file}.br`, brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }));
  }
  const manifest: Manifest = {
    format: 1,
    model_version: versionOf(options.release),
    country: 'fixture',
    synthetic: true,
    ...(options.earlier ? {} : { territory: TERRITORY }),
    updated_at: '2024-01-15T00:00:00.000Z',
    coverage: {
      ...COVERAGE,
      states: [...CODES],
      transmission: options.transmission ?? true,
      ...(options.earlier ? {} : { lgas: lgasCovered(options) }),
    },
    counts: { states: CODES.length },
    lock_file: NO_HASH,
    sources: [],
    stages: [],
    files,
  };
  writeFileSync(join(directory, 'manifest.json'), JSON.stringify(manifest));
  return manifest;
}

/** Points the link `current` of `build` at `target` in one step, as the pipeline does. */
export function publish(build: string, target: string): void {
  const temporary = join(build, `.current-${process.hrtime.bigint()}`);
  symlinkSync(target, temporary);
  renameSync(temporary, join(build, 'current'));
}

/** Creates a folder for a test, with a snapshot published as `current`. */
export function makeBuild(options: FixtureOptions = {}): {
  build: string;
  current: string;
  store: string;
  remove: () => void;
} {
  const build = mkdtempSync(join(tmpdir(), 'malaria-proxy-'));
  writeSnapshot(join(build, 'snapshots', versionOf(options.release)), options);
  publish(build, join('snapshots', versionOf(options.release)));
  return {
    build,
    current: join(build, 'current'),
    store: `sqlite:${join(build, 'store', 'proxy.sqlite')}`,
    remove: () => rmSync(build, { recursive: true, force: true }),
  };
}
