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
import { logSeason } from './case-season.ts';
import { checkSeason, summariseCheck } from './check.ts';
import { describeCaseSeason, describeMethod, unknownSeason, type WordedMethod } from './description.ts';
import { describeSeason } from './high-season.ts';
import { expectedSeason, fitRainSeason, lagInMonths, type RainSeason, usualByMonth } from './rain-season.ts';
import { recordedSeason, seasonFromMonths, stateCases, usualMonths, withoutMasked } from './season-records.ts';
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
  fitted: RainSeason;
  /** Recorded seasons by code. */
  records: { states: Record<string, readonly number[]>; lgas: Record<string, readonly number[]> };
  /** Recorded seasons of left-out states, and those expected there. */
  left_out: { states: SeasonPair[]; lgas: SeasonPair[] };
}

/**
 * Seasons of the country, its states and LGAs: one fit to all records determines the effect of rain; each area's season
 * then follows from its population-weighted rain.
 */
export function season(input: SeasonInput): SeasonOutput {
  const fit = fitSeason(input);
  const { method, national, check, report } = fit;
  return { method, national, check, report, ...areaSeasons(input, fit) };
}

export const run: StageRun = async (io) => {
  const input = readSeasonInput(io);
  const { method, national, states, lgas, rain, windows, check, report } =
    input.climate.length > 0 ? season(input) : seasonWithoutRain(input);
  const each = <Code extends string>(code: Code, seasons: Record<string, Season>) =>
    Object.entries(seasons).flatMap(([areaCode, season]) => {
      const area = { [code]: areaCode } as Record<Code, string>;
      return seasonRows(season).map((month) => ({ ...area, ...month }));
    });
  const rainByMonth = Object.entries(rain).flatMap(([state_code, usual]) =>
    usual.map((rain_mm, i) => ({ state_code, month: i + 1, rain_mm })),
  );
  return {
    method,
    check,
    report,
    national: toTable(NATIONAL, national ? seasonRows(national) : []),
    states: toTable(STATES, each('state_code', states)),
    lgas: toTable(LGAS, each('lga_code', lgas)),
    rain: toTable(RAIN, rainByMonth),
    windows: toTable(
      WINDOWS,
      [windows.states, windows.lgas].flatMap((areas) => Object.values(areas).flat()),
    ),
  };
};

/** Seasons from case records alone, or none if there are no usable ones. */
export function seasonWithoutRain({ areas, populations, cases, model }: SeasonInput): SeasonOutput {
  const { high_share } = model.parameters.season;
  const lgasByState = Map.groupBy(areas.lgas, ({ state_code }) => state_code);
  const seriesByLga = new Map(cases.lgas.map((series) => [series.lga_code, series]));
  const records = areas.states.map(({ state_code }) => {
    const series = stateCases(state_code, cases);
    const lgas = lgasByState.get(state_code)!.map(({ lga_code }) => {
      const lgaSeries = seriesByLga.get(lga_code);
      const record = lgaSeries ? logSeason(usualMonths(lgaSeries.first, withoutMasked(lgaSeries), model)) : null;
      return { lga_code, people: populations[lga_code]!, record };
    });
    return {
      state_code,
      people: lgas.reduce((sum, { people }) => sum + people, 0),
      record: series ? logSeason(usualMonths(series.first, series.cases, model)) : null,
      lgas,
    };
  });
  const caseSeasons = seasonsFromCases(records, high_share);
  const seasons = (shares: Record<string, number[]> = {}) =>
    Object.fromEntries(Object.entries(shares).map(([code, values]) => [code, describeSeason(values, high_share)]));
  const counts = {
    states: records.filter(({ record }) => record !== null).length,
    lgas: records.flatMap(({ lgas }) => lgas).filter(({ record }) => record !== null).length,
  };
  const what = caseSeasons
    ? worded`the season is estimated from the case records of ${counts.states} {state.many} and ${counts.lgas} {lga.many}`
    : 'no season is reported; scores are the same in all months of a year';
  return {
    method: caseSeasons ? describeCaseSeason(caseSeasons.check, counts, high_share) : unknownSeason(high_share),
    national: caseSeasons && describeSeason(caseSeasons.national, high_share),
    states: seasons(caseSeasons?.states),
    lgas: seasons(caseSeasons?.lgas),
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
  const { rainByLga, rain, national: nationalRain } = usualRains(input);

  const report: ReportLine[] = [];
  const records = areas.states.flatMap(({ state_code }) => {
    const recorded = recordedSeason(state_code, cases, model, report);
    if (!recorded) return [];
    const lgas = cases.lgas.flatMap((series) => {
      if (series.state_code !== state_code || series.lga_code === null) return [];
      const season = seasonFromMonths(series.first, withoutMasked(series), model);
      return season ? [{ lga_code: series.lga_code, rain_mm: rainByLga.get(series.lga_code)!, season }] : [];
    });
    return [{ state_code, rain_mm: rain[state_code]!, season: recorded, lgas }];
  });
  const checked = checkSeason(records, durations, { highShare, seed });
  const check = checked.map((row) => ({
    ...row,
    lgas: row.lgas.map(({ expected: _, recorded: __, ...figures }) => figures),
  }));
  const fitted = fitRainSeason(records, durations, randomStream(seed, 'season'));
  const national = describeSeason(expectedSeason(nationalRain, fitted, durations), highShare);
  const method: WordedMethod = roundFields({
    cases_follow_rain_by_months: lagInMonths(nationalRain, national.seasonal_index),
    high_season_share_of_peak: highShare,
    description: describeMethod(fitted, check, { durations, assumed_from, highShare }),
    check: summariseCheck(check),
  });
  report.push(...reportCheck(check, records.length));
  const seasonPair = ({ expected, recorded }: SeasonPair) => ({ expected, recorded });
  return {
    fitted,
    method,
    national,
    check,
    report,
    records: {
      states: Object.fromEntries(records.map(({ state_code, season }) => [state_code, season])),
      lgas: Object.fromEntries(records.flatMap(({ lgas }) => lgas.map((lga) => [lga.lga_code, lga.season]))),
    },
    left_out: { states: checked.map(seasonPair), lgas: checked.flatMap(({ lgas }) => lgas.map(seasonPair)) },
  };
}

function areaSeasons(
  input: SeasonInput,
  { fitted, records, left_out }: SeasonFit,
): Pick<SeasonOutput, 'states' | 'lgas' | 'rain' | 'windows'> {
  const { season, transmission } = input.model.parameters;
  const { rainByLga, rain } = usualRains(input);
  const seasonsFrom = (area: SeasonWindow['area'], rains: Iterable<[string, readonly number[]]>) => {
    const kind = area === 'state' ? 'states' : 'lgas';
    const errors = seasonErrors(left_out[kind]);
    const each = [...rains].map(([code, rain_mm]) => {
      const expected = expectedSeason(rain_mm, fitted, transmission);
      const recorded = records[kind][code] ?? null;
      const windows = areaWindows({ area, code, rain_mm, expected, recorded }, fitted, errors);
      return { code, season: describeSeason(expected, season.high_share), windows };
    });
    return {
      seasons: Object.fromEntries(each.map(({ code, season }) => [code, season])),
      windows: Object.fromEntries(each.map(({ code, windows }) => [code, windows])),
    };
  };
  const states = seasonsFrom('state', Object.entries(rain));
  const lgas = seasonsFrom('lga', rainByLga);
  return {
    states: states.seasons,
    lgas: lgas.seasons,
    rain,
    windows: { states: states.windows, lgas: lgas.windows },
  };
}

/** Usual rain by month (mm) of each LGA, and the population-weighted means for each state and the country. */
function usualRains({ areas, climate, populations }: SeasonInput) {
  const months = Map.groupBy(climate, ({ lga_code }) => lga_code);
  const rainByLga = new Map(areas.lgas.map(({ lga_code }) => [lga_code, usualRain(months.get(lga_code)!)]));
  const rainOver = (lgas: Areas['lgas']) =>
    weighByPopulation(
      lgas.map(({ lga_code }) => ({ rain: rainByLga.get(lga_code)!, people: populations[lga_code] ?? 0 })),
    );
  const byState = Map.groupBy(areas.lgas, (lga) => lga.state_code);
  const rain = Object.fromEntries(
    areas.states.map(({ state_code }) => [state_code, rainOver(byState.get(state_code)!)]),
  );
  return { rainByLga, rain, national: rainOver(areas.lgas) };
}

function usualRain(months: readonly ClimateRow[]): number[] {
  const series = months.map(({ rain_mm }) => rain_mm);
  return usualByMonth(series, calendarMonth(months[0]!.period) - 1);
}

/** Population-weighted mean by month; unweighted if there is no population. */
function weighByPopulation(areas: readonly { rain: readonly number[]; people: number }[]): number[] {
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
  const wrong = check.reduce((sum, row) => sum + row.wrong_months, 0) / check.length;
  return [
    {
      source: 'season',
      rule: 'leave one out',
      what: worded`${wrong.toFixed(2)} months of twelve on the wrong side of the high season on average over ${series} {state.many}`,
    },
  ];
}
