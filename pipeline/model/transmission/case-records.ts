import type { StageIo } from '../../catalog/country-stage.ts';
import type { Model } from '../../catalog/model.ts';
import { calendarMonth, calendarYear } from '../../contract/months.ts';
import { type CaseSeries, type Cases, groupCases } from '../../ingest/case-series.ts';
import type { Areas, Census } from '../../ingest/ingest-tables.ts';
import * as ingest from '../../ingest/ingest-tables.ts';
import { readAreas } from '../../ingest/read-areas.ts';
import { BadInput } from '../../lib/bad-input.ts';
import { rowByCode, valuesByCode } from '../../lib/tables/table.ts';
import * as zonal from '../../measure/zonal/zonal-tables.ts';
import * as season from '../season/season-tables.ts';
import type { ProjectionRecord, ProjectionSettings } from './projection-test.ts';
import { isSufficientForFit } from './sirs-fit.ts';

export interface TransmissionInput {
  areas: Areas;
  cases: Cases;
  census: Census;
  /** Usual rain by month (mm) of each state. */
  rain: Readonly<Record<string, readonly number[]>>;
  model: Model;
}

/** The stage's input, from the artifacts. */
export const readTransmissionInput = (io: StageIo, model: Model): TransmissionInput => ({
  areas: readAreas(io),
  cases: groupCases(io.table(ingest.CASES)),
  census: readCensus(io),
  rain: valuesByCode(io.table(season.RAIN), 'state_code', 'rain_mm'),
  model,
});

/** The census or, in a country without one, the people of the population raster. */
function readCensus(io: StageIo): Census {
  const census = rowByCode(io.table(ingest.CENSUS), 'lga_code');
  if (Object.keys(census).length > 0) return census;
  return Object.fromEntries(
    io.table(zonal.LGAS).map(({ lga_code, population }) => [lga_code, { people: population, children_0_4: null }]),
  );
}

/** Case records by state, ordered by code: those sufficient for a fit, and the codes of the others. */
export function transmissionRecords({ areas, cases, census, rain }: TransmissionInput): {
  records: ProjectionRecord[];
  insufficient: string[];
} {
  const allRecords = [...cases.states]
    .sort((a, b) => (a.state_code < b.state_code ? -1 : 1))
    .map((series) => toProjectionRecord(series, peopleInState(series.state_code, areas, census), rain));
  const isSufficient = (record: ProjectionRecord) => isSufficientForFit({ first_month: 0, ...record });
  return {
    records: allRecords.filter(isSufficient),
    insufficient: allRecords.filter((record) => !isSufficient(record)).map(({ state_code }) => state_code),
  };
}

export function projectionSettings({ parameters }: Model): ProjectionSettings {
  const { infectious_months, immune_months, development_first, held_back_year, starts } = parameters.transmission;
  const durations = { infectious_months, immune_months };
  return { durations, development_first, held_back_year, starts, seed: parameters.seed };
}

/** Population of a state in the census; an LGA without a row counts as 0. @throws BadInput if the sum is 0 */
function peopleInState(state_code: string, areas: Areas, census: Census): number {
  const people = areas.lgas
    .filter((lga) => lga.state_code === state_code)
    .reduce((sum, { lga_code }) => sum + (census[lga_code]?.people ?? 0), 0);
  if (people > 0) return people;
  throw new BadInput({
    file: 'the census',
    where: state_code,
    found: 'no people in any of its areas',
    expected: 'a population, since cases are given per 1,000 people',
  });
}

/** Cases per 1,000 people, starting in January of the first year; months before the record are unknown. */
function toProjectionRecord(
  { state_code, first, confirmed, masked }: CaseSeries,
  people: number,
  rain: TransmissionInput['rain'],
): ProjectionRecord {
  const leadingMonths = calendarMonth(first) - 1;
  return {
    state_code,
    first_year: calendarYear(first),
    per_1000: [
      ...new Array<null>(leadingMonths).fill(null),
      ...confirmed.map((value) => (value === null ? null : (value / people) * 1000)),
    ],
    masked: new Set(masked.map((t) => t + leadingMonths)),
    rain_mm: rain[state_code]!,
  };
}
