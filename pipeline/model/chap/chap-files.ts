/** The files that CHAP gives and takes: its records and months to forecast as CSV, samples as CSV. */
import { readFile } from 'node:fs/promises';
import { type Static, Type } from 'typebox';
import { isPeriod, monthFromIndex, monthIndex, type Period } from '../../contract/months.ts';
import { type RawRow, readTable } from '../../ingest/readers/raw-table.ts';
import { writeAtomic } from '../../lib/atomic-write.ts';
import { InputLocation, readEach } from '../../lib/bad-input.ts';
import { compileSchema } from '../../lib/json-schema.ts';
import { writeCsv } from '../../lib/tables/csv.ts';
import { hyperparameterPriors } from '../forecast/case-hyperparameters.ts';
import { WINDOW_MONTHS } from '../forecast/case-model.ts';
import type { Panel } from '../forecast/panel.ts';

/** CHAP's names of columns. Others, such as covariates and population, are not read. */
const COLUMNS = { period: 'time_period', location: 'location', cases: 'disease_cases' };

/** Months that a model can forecast, from 1 after the last one of its records. */
export const CHAP_HORIZONS: readonly number[] = Array.from({ length: 12 }, (_, i) => i + 1);

/** What `train` leaves to `predict`. */
export const ChapModel = Type.Object(
  {
    model: Type.Literal('malaria-risk chap 1'),
    /** Logarithms, in the order of `hyperparameterPriors`. */
    hyperparameters: Type.Array(Type.Number(), {
      minItems: hyperparameterPriors(false).length,
      maxItems: hyperparameterPriors(false).length,
    }),
    /** Factors of the ranges, by months ahead. */
    stretches: Type.Array(Type.Object({ inner: Type.Number(), outer: Type.Number() }), {
      minItems: CHAP_HORIZONS.length,
      maxItems: CHAP_HORIZONS.length,
    }),
  },
  { additionalProperties: false },
);
export type ChapModel = Static<typeof ChapModel>;

const isChapModel = compileSchema(ChapModel);

export const writeModel = (file: string, model: ChapModel): Promise<void> =>
  writeAtomic(file, `${JSON.stringify(model, null, 2)}\n`);

/** @throws BadInput if the file is not what `writeModel` wrote */
export async function readModel(file: string): Promise<ChapModel> {
  const expected = 'the file that `malaria-risk chap train` of this version wrote';
  const location = new InputLocation(file);
  const text = await readFile(file, 'utf8').catch((error: Error) => {
    throw location.error(error.message, expected);
  });
  let model: unknown;
  try {
    model = JSON.parse(text);
  } catch (error) {
    throw location.error((error as Error).message, expected);
  }
  if (!isChapModel(model)) {
    const [{ instancePath, message } = { instancePath: '', message: '' }] = isChapModel.errors ?? [];
    throw location.error(`${instancePath || 'a value that'} ${message}`, expected);
  }
  return model as ChapModel;
}

/** Numbers of samples that can be asked for, and the usual one: CHAP's models give 100 to 1,000. */
export const SAMPLES = { least: 20, most: 1000, usual: 200 };

/**
 * The number of samples that CHAP's file of options asks for, a YAML file with an entry `samples`; the usual one if it
 * has none.
 * @throws BadInput if the file is missing, or the number is not a whole one from `SAMPLES.least` to `SAMPLES.most`
 */
export async function readSampleCount(file: string): Promise<number> {
  const text = await readFile(file, 'utf8').catch((error: Error) => {
    throw new InputLocation(file).error(error.message, 'the file of options that CHAP writes');
  });
  const entry = /^\s*samples:\s*(.*?)\s*$/m.exec(text)?.[1];
  if (entry === undefined) return SAMPLES.usual;
  const count = Number(entry);
  if (Number.isInteger(count) && count >= SAMPLES.least && count <= SAMPLES.most) return count;
  throw new InputLocation(file, 'samples').error(entry, `a whole number from ${SAMPLES.least} to ${SAMPLES.most}`);
}

/** A location in a month. */
export interface LocationMonth {
  location: string;
  month: number;
}

const readLocationMonth = (row: RawRow): LocationMonth => ({
  location: row.text('location'),
  month: monthIndex(readPeriod(row)),
});

function readPeriod(row: RawRow): Period {
  const text = row.text('period');
  if (isPeriod(text) && text >= '1900-01' && text <= '2100-12') return text;
  throw row
    .at(COLUMNS.period)
    .error(JSON.stringify(text), 'a month YYYY-MM of the years 1900 to 2100 (weeks and days are not supported)');
}

/** More than there are people: a larger number is a mistake, and would leave the range of what can be computed. */
const MAX_CASES = 1e10;

export interface ChapRecords {
  /** One group of all locations, in the order of the file. */
  panel: Panel;
  /** Locations in months without a row, between the first and the last month of the file. */
  missingMonths: LocationMonth[];
}

/**
 * Reads a file of records. An empty `disease_cases` and a missing row both mean an unknown month; a month without cases
 * has 0.
 * @throws BadInput naming the row: a time that is not a month, a number of cases that is not a whole number of 0 or
 *   more, two rows for one location and month; and for a file without any number of cases in its last six years
 */
export async function readRecords(file: string): Promise<ChapRecords> {
  const table = await readTable('', { files: [{ path: file }], columns: COLUMNS });
  const rows = readEach(table.rows, (row) => ({
    ...readLocationMonth(row),
    cases: row.numberOrNull('cases', { least: 0, most: MAX_CASES, integer: true }) ?? Number.NaN,
  }));
  table.refuseDuplicates(['location', 'period']);
  const monthIndices = rows.map(({ month }) => month);
  const first = monthIndices.reduce((a, b) => Math.min(a, b));
  const months = monthIndices.reduce((a, b) => Math.max(a, b)) - first + 1;
  const areas = [...Map.groupBy(rows, ({ location }) => location)].map(([location, locationRows]) => {
    const cases = new Float64Array(months).fill(Number.NaN);
    for (const { month, cases: value } of locationRows) cases[month - first] = value;
    return createArea(location, cases);
  });
  const rowKeys = new Set(rows.map(({ location, month }) => `${month} ${location}`));
  const missingMonths = areas.flatMap(({ code }) =>
    Array.from({ length: months }, (_, t) => ({ location: code, month: first + t })).filter(
      ({ location, month }) => !rowKeys.has(`${month} ${location}`),
    ),
  );
  if (!areas.some(({ cases }) => cases.slice(-WINDOW_MONTHS).some((value) => !Number.isNaN(value))))
    throw table.error(
      `no cases in the ${WINDOW_MONTHS} months up to ${monthFromIndex(first + months - 1)}`,
      'at least one known month: older ones are not used',
    );
  return { panel: createPanel(areas, first, months), missingMonths };
}

/** Population is not an input: every area has a level of its own. */
const createArea = (code: string, cases: Float64Array) => ({ code, state_code: '', people: null, cases });

const createPanel = (areas: Panel['areas'], first: number, months: number): Panel => ({
  level: 'lga',
  first,
  months,
  areas,
  disrupted: new Array(months).fill(false),
  origins: { first_forecast: 0, first_scored: 0 },
});

/** The panel with those of the locations that it lacks, without a month of data. */
export function addLocations(panel: Panel, locations: Iterable<string>): Panel {
  const knownCodes = new Set(panel.areas.map(({ code }) => code));
  const newLocations = [...new Set(locations)].filter((location) => !knownCodes.has(location));
  const unknownCases = () => new Float64Array(panel.months).fill(Number.NaN);
  const areas = [...panel.areas, ...newLocations.map((location) => createArea(location, unknownCases()))];
  return createPanel(areas, panel.first, panel.months);
}

/** A row of the months to forecast. */
export interface RequestedForecast {
  location: string;
  period: Period;
  /** Months after the last one of the records. */
  horizon: number;
}

/**
 * Reads the locations and months to forecast, in the order of the file.
 * @param records whose last month they follow
 * @throws BadInput naming the row: a time that is not a month, one that the records contain or that is more than a year
 *   after them, two rows for one location and month
 */
export async function readRequestedForecasts(file: string, records: Panel): Promise<RequestedForecast[]> {
  const { period, location } = COLUMNS;
  const table = await readTable('', { files: [{ path: file }], columns: { period, location } });
  table.refuseDuplicates(['location', 'period']);
  const lastMonth = records.first + records.months - 1;
  return readEach(table.rows, (row) => {
    const { location, month } = readLocationMonth(row);
    const horizon = month - lastMonth;
    if (horizon < 1 || horizon > CHAP_HORIZONS.length) {
      const [from, to] = [monthFromIndex(lastMonth + 1), monthFromIndex(lastMonth + CHAP_HORIZONS.length)];
      throw row.at(COLUMNS.period).error(monthFromIndex(month), `${from} to ${to}, the year after the historic data`);
    }
    return { location, period: monthFromIndex(month), horizon };
  });
}

/**
 * Writes samples as CHAP reads them: a row for each location and month, and a column for each draw, from `sample_0`.
 */
export function writeSamples(
  file: string,
  rows: readonly (RequestedForecast & { draws: Float64Array })[],
): Promise<void> {
  return writeCsv(
    file,
    rows.map(({ location, period, draws }) => ({
      time_period: period,
      location,
      ...Object.fromEntries([...draws].map((value, i) => [`sample_${i}`, value])),
    })),
  );
}
