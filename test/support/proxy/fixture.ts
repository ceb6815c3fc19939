/** A small valid snapshot, made from the contract alone: three states, seven estimated months, four forecast months. */
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { type FileEntry, type Manifest, strongEtag } from '../../../pipeline/contract/manifest.ts';
import { FORECAST_MONTHS, HORIZONS, periodRange } from '../../../pipeline/contract/months.ts';
import { buildOpenapi } from '../../../pipeline/contract/openapi.ts';
import {
  type Coverage,
  exampleValues,
  filePath,
  forecastPeriods,
  isEncoded,
  OPERATIONS,
  type Operation,
  type ParameterName,
} from '../../../pipeline/contract/operations.ts';
import { coversProduct } from '../../../pipeline/contract/products.ts';
import { CONTRACT_VERSION } from '../../../pipeline/contract/version.ts';
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
  alerts: true,
} satisfies Coverage;

export interface FixtureOptions {
  /** Eight hex digits that end the model version and change every file. */
  release?: string;
  transmission?: boolean;
  alerts?: boolean;
  /** Like a snapshot older than the optional operations: without their files. */
  earlier?: boolean;
  /** Extra points in the outlines of the states: 100,000 of them make a file too large to hold in memory. */
  outlinePoints?: number;
  /** The same in the outlines of LGAs. */
  lgaOutlinePoints?: number;
  /** Approximate length of one table, risk_lgas.csv; from 1 MiB on it is too large to hold in memory. */
  tableBytes?: number;
  /** Number of LGAs in each state, by default 2. */
  lgasPerState?: number;
}

/** The table that `tableBytes` is the size of. */
const LARGE_TABLE = 'tables/risk_lgas.csv';

const UPDATED_AT = '2024-01-15T00:00:00.000Z';

export const versionOf = (release = '00000001') => `fixture-${release}`;

interface Schema {
  type?: string;
  const?: unknown;
  enum?: unknown[];
  anyOf?: Schema[];
  properties?: Record<string, Schema>;
  items?: Schema;
  minItems?: number;
  minimum?: number;
  'x-of-country'?: string;
}
/** Fields of answers, by their names. */
type Known = Record<string, unknown>;

const square = (points: number) => ({
  type: 'Polygon',
  coordinates: [[[0, 0], ...Array.from({ length: points }, (_, i) => [1, i / (points + 1)]), [1, 0], [1, 1], [0, 0]]],
});
const lgasOf = (code: State, { lgasPerState = 2 }: FixtureOptions) =>
  Array.from({ length: lgasPerState }, (_, i) => ({
    state_code: code,
    state: STATES[code],
    lga_code: `NG${code}${String(i + 1).padStart(3, '0')}`,
    lga: `${STATES[code]} ${i + 1}`,
  }));
const nation = (options: FixtureOptions) => CODES.flatMap((code) => lgasOf(code, options));

const PERIOD_COLUMN = { column: 'period', type: 'VARCHAR', meaning: 'Month, YYYY-MM' };

/**
 * The answer to an operation: known fields, free text that names the version, and otherwise the least that is valid.
 */
function bodyOf(
  operation: Operation,
  asked: { state: State } & Known,
  months: number,
  options: FixtureOptions,
): unknown {
  const { release, outlinePoints = 0, lgaOutlinePoints = 0 } = options;
  const version = versionOf(release);
  const states = CODES.map((code) => ({ state_code: code, state: STATES[code], iso_code: `NG-${code}` }));
  const lgas = operation.parameters.includes('state') ? lgasOf(asked.state, options) : nation(options);
  const isOfStates = operation.id === 'boundaries-states';
  /** What is known of each item of a list. */
  const lists: Record<string, Known[]> = {
    states,
    lgas,
    features: isOfStates ? states : lgas,
    tables: [{ table: 'risk_lgas', addresses: ['/v1/tables/risk_lgas.parquet'], ...PERIOD_COLUMN }],
    forecasts: forecastPeriods(COVERAGE)
      .slice(0, months)
      .map((period) => ({ period })),
  };
  const valid = (schema: Schema, known: Known, name = ''): unknown => {
    const { type, properties, items, minItems = 1, minimum = 0 } = schema;
    if (schema.anyOf) return name === 'geometry' ? known.geometry : valid(schema.anyOf[0]!, known, name);
    if ('const' in schema) return schema.const;
    if (schema.enum) return schema.enum[0];
    if (properties)
      return Object.fromEntries(Object.entries(properties).map(([key, inner]) => [key, valid(inner, known, key)]));
    if (type === 'array') {
      if (Array.isArray(known[name])) return known[name];
      const each = (items!.properties && lists[name]) ?? Array(minItems).fill({});
      return each.map((more) => valid(items!, { ...known, ...more }, name));
    }
    if (schema['x-of-country'] === 'state_code') return known.state_code;
    if (type === 'string') return known[name] ?? `made up, ${version}`;
    return type === 'boolean' || type === undefined ? true : (known[name] ?? minimum);
  };
  if (operation.id === 'openapi') {
    const sample = OPERATIONS.find(({ id }) => id === 'risk-lgas')!;
    return buildOpenapi(version, TERRITORY, {
      values: exampleValues(COVERAGE, TERRITORY),
      answers: new Map([
        ['risk-lgas', bodyOf(sample, { ...asked, period: '2023-09' }, months, release ? { release } : {})],
      ]),
    });
  }
  return valid(operation.response as Schema, {
    model_version: version,
    updated_at: UPDATED_AT,
    last_estimated: COVERAGE.last_estimated,
    last_forecast: COVERAGE.last_forecast,
    detection_since: COVERAGE.last_estimated,
    warning_since: COVERAGE.last_estimated,
    state_code: asked.state,
    geometry: square(isOfStates ? outlinePoints : lgaOutlinePoints),
    score: 0.3,
    population: 500,
    ...asked,
    state: STATES[asked.state],
  });
}

const lgasCovered = (options: FixtureOptions) => nation(options).map(({ lga_code }) => lga_code);

const tableText = (file: string, { release, tableBytes = 0 }: FixtureOptions) => {
  const line = `${file} of ${versionOf(release)}\n`;
  return line.repeat(file === LARGE_TABLE ? Math.ceil(Math.max(1, tableBytes / line.length)) : 1);
};

/** Every file of the fixture, with its text. */
export function fixtureFiles(options: FixtureOptions = {}): { operation: Operation; file: string; text: string }[] {
  const { transmission = true, alerts = true, earlier = false } = options;
  const periods = periodRange(COVERAGE.first_estimated, COVERAGE.last_estimated);
  return OPERATIONS.filter(
    (operation) => coversProduct({ transmission, alerts }, operation.needs) && !(earlier && operation.optional),
  ).flatMap((operation) => {
    const over = <T>(name: ParameterName, values: readonly T[], usual: T) =>
      operation.parameters.includes(name) ? values : [usual];
    return over('state', CODES, 'KN').flatMap((state) =>
      over('lga', lgasCovered(options), '').flatMap((lga) =>
        over('period', periods, COVERAGE.last_estimated).flatMap((period) =>
          over('months', HORIZONS, FORECAST_MONTHS).map((n) => {
            const file = filePath(operation, { state, lga, period, months: n });
            if (operation.response === null) return { operation, file, text: tableText(file, options) };
            const body = bodyOf(operation, { state, lga_code: lga, period }, n, options);
            return { operation, file, text: JSON.stringify(body) };
          }),
        ),
      ),
    );
  });
}

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

/** Writes the fixture to `directory`, which is created. */
export function writeSnapshot(directory: string, options: FixtureOptions = {}): Manifest {
  const files: Record<string, FileEntry> = {};
  const write = (name: string, bytes: Buffer) => {
    mkdirSync(dirname(join(directory, name)), { recursive: true });
    writeFileSync(join(directory, name), bytes);
    files[name] = { bytes: bytes.length, sha256: sha256(bytes), etag: strongEtag(sha256(bytes)) };
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
    territory: TERRITORY,
    updated_at: UPDATED_AT,
    code_version: '1.0.0',
    contract_version: CONTRACT_VERSION,
    coverage: {
      ...COVERAGE,
      states: [...CODES],
      transmission: options.transmission ?? true,
      alerts: options.alerts ?? true,
      lgas: lgasCovered(options),
    },
    counts: { states: CODES.length },
    runtime: process.version,
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
