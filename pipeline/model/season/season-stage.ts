import type { StageIo, StageRun } from '../../catalog/country-stage.ts';
import type { Model } from '../../catalog/model.ts';
import { roundFields } from '../../contract/decimals.ts';
import { calendarMonth } from '../../contract/months.ts';
import type { Season } from '../../contract/schemas.ts';
import { worded } from '../../contract/words.ts';
import type { ReportLine } from '../../engine/stage.ts';
import { type Cases, groupCases } from '../../ingest/case-series.ts';
import type { Areas, ClimateRow } from '../../ingest/ingest-tables.ts';
import * as ingest from '../../ingest/ingest-tables.ts';
import { readAreas } from '../../ingest/read-areas.ts';
import { randomStream } from '../../lib/numerics/random.ts';
import { toTable } from '../../lib/tables/table.ts';
import * as zonal from '../../measure/zonal/zonal-tables.ts';
import { areaWindows } from './area-windows.ts';
import { seasonsFromCases } from './case-hierarchy.ts';
import { estimateLogSeason } from './case-season.ts';
import { checkSeason, summariseCheck } from './check.ts';
import { describeCaseSeason, describeMethod, unknownSeasonMethod, type WordedMethod } from './description.ts';
import { describeSeason } from './high-season.ts';
import { expectedSeason, fitRainSeason, lagInMonths, meanByCalendarMonth, type RainSeason } from './rain-season.ts';
import { casesWithoutMasked, seasonFromMonths, stateCases, stateSeason, toCaseMonths } from './season-records.ts';
import type { SeasonCheckRow, SeasonPair, SeasonWindow } from './season-tables.ts';
import { LGAS, NATIONAL, RAIN, STATES, WINDOWS } from './season-tables.ts';
import { seasonErrors } from './windows.ts';

export interface SeasonInput {
  areas: Areas;
  climate: readonly ClimateRow[];
  /** People by LGA code. */
  populations: Readonly<Record<string, number>>;
  cases: Cases;
  model: Model;
}
export interface SeasonOutput {
  method: WordedMethod;
  /** Null if the season is unknown; there are none of states and LGAs then. */
  national: Season | null;
  states: Record<string, Season>;
  lgas: Record<string, Season>;
  /** Usual rain by month (mm) of each state, population-weighted; empty without monthly rain. */
  rain: Record<string, number[]>;
  /** Runs of months with the largest share of the year, by state and by LGA; empty without monthly rain. */
  windows: { states: Record<string, SeasonWindow[]>; lgas: Record<string, SeasonWindow[]> };
  check: SeasonCheckRow[];
  report: ReportLine[];
}

/** Results of the fit to the records, which apply to every area, and the country's season. */
interface SeasonFit extends Pick<SeasonOutput, 'method' | 'check' | 'report'> {
  national: Season;
  rainSeason: RainSeason;
  /** Recorded seasons by code. */
  recorded: { states: Record<string, readonly number[]>; lgas: Record<string, readonly number[]> };
  /** Recorded seasons of left-out states, and those expected there. */
  left_out_pairs: { states: SeasonPair[]; lgas: SeasonPair[] };
}

/**
 * Seasons of the country, its states and LGAs: one fit to all records determines the effect of rain; each area's season
 * then follows from its population-weighted rain.
 */
export function estimateSeasons(input: SeasonInput): SeasonOutput {
  const fit = fitSeason(input);
  const { method, national, check, report } = fit;
  return { method, national, check, report, ...seasonsByArea(input, fit) };
}

export const run: StageRun = async (io) => {
  const input = readSeasonInput(io);
  const { method, national, states, lgas, rain, windows, check, report } =
    input.climate.length > 0 ? estimateSeasons(input) : estimateSeasonsFromCases(input);
  const areaRows = <Code extends string>(code: Code, seasons: Record<string, Season>) =>
    Object.entries(seasons).flatMap(([areaCode, season]) => {
      const area = { [code]: areaCode } as Record<Code, string>;
      return seasonRows(season).map((month) => ({ ...area, ...month }));
    });
  const rainByMonth = Object.entries(rain).flatMap(([state_code, rainOfState]) =>
    rainOfState.map((rain_mm, i) => ({ state_code, month: i + 1, rain_mm })),
  );
  return {
    method,
    check,
    report,
    national: toTable(NATIONAL, national ? seasonRows(national) : []),
    states: toTable(STATES, areaRows('state_code', states)),
    lgas: toTable(LGAS, areaRows('lga_code', lgas)),
    rain: toTable(RAIN, rainByMonth),
    windows: toTable(
      WINDOWS,
      [windows.states, windows.lgas].flatMap((areas) => Object.values(areas).flat()),
    ),
  };
};

/** Seasons from case records alone, or none if there are no usable ones. */
export function estimateSeasonsFromCases({ areas, populations, cases, model }: SeasonInput): SeasonOutput {
  const { high_share } = model.parameters.season;
  const lgasByState = Map.groupBy(areas.lgas, ({ state_code }) => state_code);
  const seriesByLga = new Map(cases.lgas.map((series) => [series.lga_code, series]));
  const stateRecords = areas.states.map(({ state_code }) => {
    const series = stateCases(state_code, cases);
    const lgas = lgasByState.get(state_code)!.map(({ lga_code }) => {
      const lgaSeries = seriesByLga.get(lga_code);
      const record = lgaSeries
        ? estimateLogSeason(toCaseMonths(lgaSeries.first, casesWithoutMasked(lgaSeries), model))
        : null;
      return { lga_code, people: populations[lga_code]!, record };
    });
    return {
      state_code,
      people: lgas.reduce((sum, { people }) => sum + people, 0),
      record: series ? estimateLogSeason(toCaseMonths(series.first, series.cases, model)) : null,
      lgas,
    };
  });
  const caseSeasons = seasonsFromCases(stateRecords, high_share);
  const describeSeasons = (shares: Record<string, number[]> = {}) =>
    Object.fromEntries(Object.entries(shares).map(([code, values]) => [code, describeSeason(values, high_share)]));
  const recordCounts = {
    states: stateRecords.filter(({ record }) => record !== null).length,
    lgas: stateRecords.flatMap(({ lgas }) => lgas).filter(({ record }) => record !== null).length,
  };
  const what = caseSeasons
    ? worded`the season is estimated from the case records of ${recordCounts.states} {state.many} and ${recordCounts.lgas} {lga.many}`
    : 'no season is reported; scores are the same in all months of a year';
  return {
    method: caseSeasons
      ? describeCaseSeason(caseSeasons.check, recordCounts, high_share)
      : unknownSeasonMethod(high_share),
    national: caseSeasons && describeSeason(caseSeasons.national, high_share),
    states: describeSeasons(caseSeasons?.states),
    lgas: describeSeasons(caseSeasons?.lgas),
    rain: {},
    windows: { states: {}, lgas: {} },
    check: caseSeasons?.check ?? [],
    report: [{ source: 'season', rule: caseSeasons ? 'case records alone' : 'no monthly rain', what }],
  };
}

const seasonRows = ({ seasonal_index, high_months, peak_month }: Season) =>
  seasonal_index.map((index, i) => ({
    month: i + 1,
    seasonal_index: index,
    is_high: high_months.includes(i + 1),
    is_peak: peak_month === i + 1,
  }));

function readSeasonInput(io: StageIo): SeasonInput {
  return {
    areas: readAreas(io),
    climate: [...io.table(ingest.CLIMATE), ...io.table(zonal.CLIMATE)],
    populations: Object.fromEntries(io.table(zonal.LGAS).map((row) => [row.lga_code, row.population])),
    cases: groupCases(io.table(ingest.CASES)),
    model: io.model,
  };
}

function fitSeason(input: SeasonInput): SeasonFit {
  const { areas, cases, model } = input;
  const { seed, transmission: durations } = model.parameters;
  const { assumed_from } = durations;
  const highShare = model.parameters.season.high_share;
  const { rainByLga, rain, national: nationalRain } = usualRainByArea(input);

  const report: ReportLine[] = [];
  const records = areas.states.flatMap(({ state_code }) => {
    const stateRecord = stateSeason(state_code, cases, model, report);
    if (!stateRecord) return [];
    const lgas = cases.lgas.flatMap((series) => {
      if (series.state_code !== state_code || series.lga_code === null) return [];
      const season = seasonFromMonths(series.first, casesWithoutMasked(series), model);
      return season ? [{ lga_code: series.lga_code, rain_mm: rainByLga.get(series.lga_code)!, season }] : [];
    });
    return [{ state_code, rain_mm: rain[state_code]!, season: stateRecord, lgas }];
  });
  const checkedStates = checkSeason(records, durations, { highShare, seed });
  const check = checkedStates.map((row) => ({
    ...row,
    lgas: row.lgas.map(({ expected: _, recorded: __, ...figures }) => figures),
  }));
  const rainSeason = fitRainSeason(records, durations, randomStream(seed, 'season'));
  const national = describeSeason(expectedSeason(nationalRain, rainSeason, durations), highShare);
  const method: WordedMethod = roundFields({
    cases_follow_rain_by_months: lagInMonths(nationalRain, national.seasonal_index),
    high_season_share_of_peak: highShare,
    description: describeMethod(rainSeason, check, { durations, assumed_from, highShare }),
    check: summariseCheck(check),
  });
  report.push(...reportCheck(check, records.length));
  const seasonPair = ({ expected, recorded }: SeasonPair) => ({ expected, recorded });
  return {
    rainSeason,
    method,
    national,
    check,
    report,
    recorded: {
      states: Object.fromEntries(records.map(({ state_code, season }) => [state_code, season])),
      lgas: Object.fromEntries(records.flatMap(({ lgas }) => lgas.map((lga) => [lga.lga_code, lga.season]))),
    },
    left_out_pairs: {
      states: checkedStates.map(seasonPair),
      lgas: checkedStates.flatMap(({ lgas }) => lgas.map(seasonPair)),
    },
  };
}

function seasonsByArea(
  input: SeasonInput,
  { rainSeason, recorded, left_out_pairs }: SeasonFit,
): Pick<SeasonOutput, 'states' | 'lgas' | 'rain' | 'windows'> {
  const { season, transmission } = input.model.parameters;
  const { rainByLga, rain } = usualRainByArea(input);
  const areaSeasons = (area: SeasonWindow['area'], rainEntries: Iterable<[string, readonly number[]]>) => {
    const group = area === 'state' ? 'states' : 'lgas';
    const errors = seasonErrors(left_out_pairs[group]);
    const areas = [...rainEntries].map(([code, rain_mm]) => {
      const expected = expectedSeason(rain_mm, rainSeason, transmission);
      const recordedSeason = recorded[group][code] ?? null;
      const windows = areaWindows({ area, code, rain_mm, expectedCases: expected, recordedSeason }, rainSeason, errors);
      return { code, season: describeSeason(expected, season.high_share), windows };
    });
    return {
      seasons: Object.fromEntries(areas.map(({ code, season }) => [code, season])),
      windows: Object.fromEntries(areas.map(({ code, windows }) => [code, windows])),
    };
  };
  const states = areaSeasons('state', Object.entries(rain));
  const lgas = areaSeasons('lga', rainByLga);
  return {
    states: states.seasons,
    lgas: lgas.seasons,
    rain,
    windows: { states: states.windows, lgas: lgas.windows },
  };
}

/** Usual rain by month (mm) of each LGA, and the population-weighted means for each state and the country. */
function usualRainByArea({ areas, climate, populations }: SeasonInput) {
  const months = Map.groupBy(climate, ({ lga_code }) => lga_code);
  const rainByLga = new Map(areas.lgas.map(({ lga_code }) => [lga_code, usualRain(months.get(lga_code)!)]));
  const meanRain = (lgas: Areas['lgas']) =>
    populationWeightedMean(
      lgas.map(({ lga_code }) => ({ rain: rainByLga.get(lga_code)!, people: populations[lga_code] ?? 0 })),
    );
  const byState = Map.groupBy(areas.lgas, (lga) => lga.state_code);
  const rain = Object.fromEntries(
    areas.states.map(({ state_code }) => [state_code, meanRain(byState.get(state_code)!)]),
  );
  return { rainByLga, rain, national: meanRain(areas.lgas) };
}

function usualRain(months: readonly ClimateRow[]): number[] {
  const series = months.map(({ rain_mm }) => rain_mm);
  return meanByCalendarMonth(series, calendarMonth(months[0]!.period) - 1);
}

/** Population-weighted mean by month; unweighted if there is no population. */
function populationWeightedMean(areas: readonly { rain: readonly number[]; people: number }[]): number[] {
  const total = areas.reduce((sum, { people }) => sum + people, 0);
  const weight = (people: number) => (total > 0 ? people / total : 1 / areas.length);
  return Array.from({ length: 12 }, (_, month) =>
    areas.reduce((sum, { rain, people }) => sum + weight(people) * rain[month]!, 0),
  );
}

function reportCheck(check: readonly SeasonCheckRow[], series: number): ReportLine[] {
  if (series === 0)
    return [
      {
        source: 'season',
        rule: 'no case records',
        what: "the season's parameters are those fitted elsewhere and have not been checked here",
      },
    ];
  const meanWrongMonths = check.reduce((sum, row) => sum + row.wrong_months, 0) / check.length;
  return [
    {
      source: 'season',
      rule: 'leave one out',
      what: worded`${meanWrongMonths.toFixed(2)} months of twelve on the wrong side of the high season on average over ${series} {state.many}`,
    },
  ];
}
