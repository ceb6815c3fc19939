/** Seasons of a country without monthly rain, from its case records alone (MODEL.md, section 10). */
import { mean } from '../../lib/numerics/averages.ts';
import { type LogSeason, sharesOfPeak } from './case-season.ts';
import { compareSeasons } from './check.ts';
import type { SeasonCheckRow } from './season-tables.ts';

/** A state and its LGAs with the seasons of their records; null without a usable one. */
export interface StateRecord {
  state_code: string;
  people: number;
  record: LogSeason | null;
  lgas: readonly { lga_code: string; people: number; record: LogSeason | null }[];
}

/** Seasons as shares of the peak, January first. */
export interface CaseSeasons {
  national: number[];
  states: Record<string, number[]>;
  lgas: Record<string, number[]>;
  check: SeasonCheckRow[];
}

/**
 * Three levels on the log scale: the country's season is the mean of its states' records by population; a state's
 * record is drawn towards it, and an LGA's towards its state's season, by the share of noise in how records of that
 * level differ (empirical Bayes, normal on both levels). A place without a record has the season of the level above.
 * For the check, each state's record is compared with the mean of the other states'.
 * @returns null if no place has a usable record
 */
export function seasonsFromCases(stateRecords: readonly StateRecord[], highShare: number): CaseSeasons | null {
  const states = stateRecords.map((state) => {
    const lgas = state.lgas.map((lga) => ({ ...lga, record: centreRecord(lga.record) }));
    return { ...state, lgas, record: centreRecord(state.record) ?? pooledRecord(lgas) };
  });
  const statesWithRecord = states.filter(hasRecord);
  if (statesWithRecord.length === 0) return null;
  const national = pooledMean(statesWithRecord);
  const betweenStates = varianceBetween([statesWithRecord]);
  const betweenLgas = varianceBetween(states.map(({ lgas }) => lgas.filter(hasRecord)));
  const shrunkStates = states.map(({ state_code, record, lgas }) => {
    const logs = shrinkTowards(national, record, betweenStates);
    return {
      state_code,
      logs,
      lgas: lgas.map((lga) => ({ lga_code: lga.lga_code, logs: shrinkTowards(logs, lga.record, betweenLgas) })),
    };
  });
  return {
    national: sharesOfPeak(national),
    states: Object.fromEntries(shrunkStates.map(({ state_code, logs }) => [state_code, sharesOfPeak(logs)])),
    lgas: Object.fromEntries(
      shrunkStates.flatMap(({ lgas }) => lgas.map(({ lga_code, logs }) => [lga_code, sharesOfPeak(logs)])),
    ),
    check:
      statesWithRecord.length < 2 ? [] : statesWithRecord.map((state) => checkRow(state, statesWithRecord, highShare)),
  };
}

interface WithRecord {
  people: number;
  record: LogSeason;
}
const hasRecord = <Place extends { record: LogSeason | null }>(place: Place): place is Place & { record: LogSeason } =>
  place.record !== null;

/** Seasons are compared in shape alone. */
function centreRecord(record: LogSeason | null): LogSeason | null {
  return record && { ...record, logs: record.logs.map((log) => log - mean(record.logs)) };
}

/** The mean by population, month by month. */
function pooledMean(places: readonly WithRecord[]): number[] {
  const total = places.reduce((sum, { people }) => sum + people, 0);
  return Array.from({ length: 12 }, (_, month) =>
    places.reduce((sum, { people, record }) => sum + (people / total) * record.logs[month]!, 0),
  );
}

/**
 * A state's record if its LGAs' cannot be added up: their mean, with the noise of a single one, as bad years are
 * shared.
 */
function pooledRecord(lgas: readonly { people: number; record: LogSeason | null }[]): LogSeason | null {
  const lgasWithRecord = lgas.filter(hasRecord);
  return lgasWithRecord.length === 0
    ? null
    : { logs: pooledMean(lgasWithRecord), variance: mean(lgasWithRecord.map(({ record }) => record.variance)) };
}

/**
 * Variance of the seasons of one group's places beyond the noise of their records (one-way analysis of variance, by the
 * mean of the months); 0 if no group has two records of several years.
 */
function varianceBetween(groups: readonly (readonly WithRecord[])[]): number {
  const replicatedRecords = groups.map((places) =>
    places.flatMap(({ record }) => (Number.isFinite(record.variance) ? [record] : [])),
  );
  const degreesOfFreedom = replicatedRecords.reduce((sum, records) => sum + Math.max(0, records.length - 1), 0);
  if (degreesOfFreedom === 0) return 0;
  const squares = replicatedRecords.flatMap((records) => {
    const centre = Array.from({ length: 12 }, (_, month) => mean(records.map(({ logs }) => logs[month]!)));
    return records.map(({ logs }) => mean(logs.map((log, month) => (log - centre[month]!) ** 2)));
  });
  const noise = mean(replicatedRecords.flat().map(({ variance }) => variance));
  return Math.max(0, squares.reduce((sum, square) => sum + square, 0) / degreesOfFreedom - noise);
}

/** The season above, moved towards the record by the share of the variance between places in the sum with its noise. */
function shrinkTowards(
  seasonAbove: readonly number[],
  record: LogSeason | null,
  varianceBetweenPlaces: number,
): number[] {
  const share =
    record && varianceBetweenPlaces > 0 ? varianceBetweenPlaces / (varianceBetweenPlaces + record.variance) : 0;
  return seasonAbove.map((log, month) => log + share * ((record?.logs[month] ?? log) - log));
}

function checkRow(
  state: WithRecord & Pick<StateRecord, 'state_code' | 'lgas'>,
  statesWithRecord: readonly WithRecord[],
  highShare: number,
): SeasonCheckRow {
  const expected = sharesOfPeak(pooledMean(statesWithRecord.filter((other) => other !== state)));
  const compareWithExpected = ({ logs }: LogSeason) => compareSeasons(expected, sharesOfPeak(logs), highShare);
  return {
    state_code: state.state_code,
    ...compareWithExpected(state.record),
    lgas: state.lgas.filter(hasRecord).map(({ record }) => {
      const { correlation, peak_off, midpoint_off, wrong_months } = compareWithExpected(record);
      return { correlation, peak_off, midpoint_off, wrong_months };
    }),
  };
}
