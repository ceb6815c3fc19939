import type { Areas, CaseSeries, Cases, Climate, ReportLine, ZonalRow } from '../artifacts.ts';
import type { Model } from '../catalog.ts';
import { roundFields } from '../contract/decimals.ts';
import { monthIndex, monthOf } from '../contract/months.ts';
import type { Season, SeasonMethod } from '../contract/schemas.ts';
import type { StageRun } from '../engine/stage.ts';
import { caseSeason, sumReporting } from '../models/case-season.ts';
import { describeSeason } from '../models/high-season.ts';
import { expectedSeason, fitRainSeason, usualByMonth, wholeLag } from '../models/rain-season.ts';
import { checkSeason, type SeasonCheckRow, summariseCheck } from '../models/season-check.ts';
import { describeMethod } from '../models/season-description.ts';
import { randomStream } from '../numerics/random.ts';

export interface SeasonInput {
  areas: Areas;
  climate: Climate;
  /** People by LGA code. */
  populations: Readonly<Record<string, number>>;
  cases: Cases;
  model: Model;
}
export interface SeasonOutput {
  method: SeasonMethod;
  national: Season;
  states: Record<string, Season>;
  lgas: Record<string, Season>;
  /** Usual rain by month (mm) of each state, weighted by people: what transmission follows. */
  rain: Record<string, number[]>;
  check: SeasonCheckRow[];
  report: ReportLine[];
}

/** Seasons of the country, its states and LGAs, each from the rain its own people get. */
export function season({ areas, climate, populations, cases, model }: SeasonInput): SeasonOutput {
  const { seed, transmission: durations } = model.parameters;
  const { assumed_from } = durations;
  const highShare = model.parameters.season.high_share;
  const rainOf = new Map(areas.lgas.map(({ lga_code }) => [lga_code, usualRain(climate, lga_code)]));
  const rainOver = (lgas: Areas['lgas']) =>
    weighByPeople(lgas.map(({ lga_code }) => ({ rain: rainOf.get(lga_code)!, people: populations[lga_code] ?? 0 })));
  const byState = Map.groupBy(areas.lgas, (lga) => lga.state_code);
  const rain = Object.fromEntries(
    areas.states.map(({ state_code }) => [state_code, rainOver(byState.get(state_code)!)]),
  );

  const report: ReportLine[] = [];
  const records = areas.states.flatMap(({ state_code }) => {
    const recorded = recordedSeason(state_code, cases, model, report);
    if (!recorded) return [];
    const lgas = cases.lgas.flatMap((series) => {
      if (series.state_code !== state_code || series.lga_code === null) return [];
      const season = seasonOf(series.first, withoutMasked(series), model);
      return season ? [{ rain_mm: rainOf.get(series.lga_code)!, season }] : [];
    });
    return [{ state_code, rain_mm: rain[state_code]!, season: recorded, lgas }];
  });
  const check = checkSeason(records, durations, { highShare, seed });
  const fitted = fitRainSeason(records, durations, randomStream(seed, 'season'));
  const describe = (rain_mm: readonly number[]) =>
    describeSeason(expectedSeason(rain_mm, fitted, durations), highShare);

  const nationalRain = rainOver(areas.lgas);
  const national = describe(nationalRain);
  const method: SeasonMethod = roundFields({
    cases_follow_rain_by_months: wholeLag(nationalRain, national.seasonal_index),
    high_season_share_of_peak: highShare,
    description: describeMethod(fitted, check, { durations, assumed_from, highShare }),
    check: summariseCheck(check),
  });
  report.push(...reportCheck(check, records.length));
  return {
    method,
    national,
    states: Object.fromEntries(areas.states.map(({ state_code }) => [state_code, describe(rain[state_code]!)])),
    lgas: Object.fromEntries(areas.lgas.map(({ lga_code }) => [lga_code, describe(rainOf.get(lga_code)!)])),
    rain,
    check,
    report,
  };
}

export const run: StageRun = async (io) => {
  const rows = io.artifact<ZonalRow[]>('zonal/lgas');
  return {
    ...season({
      areas: io.artifact<Areas>('ingest/areas'),
      climate: (io.artifact<Climate | null>('ingest/climate') ?? io.artifact<Climate | null>('zonal/climate'))!,
      populations: Object.fromEntries(rows.map((row) => [row.lga_code, row.population])),
      cases: io.artifact<Cases>('ingest/cases'),
      model: io.model,
    }),
  };
};

/** @throws Error where the climate lacks the LGA or does not cover every month of the year */
function usualRain(climate: Climate, lga_code: string): number[] {
  const series = climate.rain_mm[lga_code];
  if (!series || series.length < 12) throw new Error(`climate: found no 12 months of rain of ${lga_code}`);
  return usualByMonth(series, monthOf(climate.first) - 1);
}

/** Mean by month weighted by people; the plain mean where nobody lives. */
function weighByPeople(places: readonly { rain: readonly number[]; people: number }[]): number[] {
  const total = places.reduce((sum, { people }) => sum + people, 0);
  const weight = (people: number) => (total > 0 ? people / total : 1 / places.length);
  return Array.from({ length: 12 }, (_, month) =>
    places.reduce((sum, { rain, people }) => sum + weight(people) * rain[month]!, 0),
  );
}

/** Season of a state's records: its own series where there is one, else its LGAs' sum; null where it cannot be had. */
function recordedSeason(state_code: string, cases: Cases, model: Model, report: ReportLine[]): number[] | null {
  const inState = (series: CaseSeries) => series.state_code === state_code;
  const own = cases.states.find(inState);
  const lgas = cases.lgas.filter(inState);
  if (!own && lgas.length === 0) return null;
  const series = own
    ? { first: own.first, cases: withoutMasked(own) }
    : { first: lgas[0]!.first, cases: sumOfLgas(state_code, lgas) };
  const found = series.cases && seasonOf(series.first, series.cases, model);
  if (!found)
    report.push({
      source: 'season',
      rule: 'record left out',
      what: `${state_code}: too few months reported throughout to tell a season`,
    });
  return found;
}

/** The season of monthly cases from `first` on, the country's unusual months left out. */
function seasonOf(first: CaseSeries['first'], cases: readonly (number | null)[], model: Model): number[] | null {
  const start = monthIndex(first);
  const unusual = new Set(
    model.parameters.season.masked.flatMap((span) =>
      Array.from(
        { length: monthIndex(span.last) - monthIndex(span.first) + 1 },
        (_, i) => monthIndex(span.first) + i - start,
      ),
    ),
  );
  return caseSeason({ first_month: monthOf(first) - 1, cases, unusual });
}

const withoutMasked = ({ confirmed, masked }: CaseSeries) =>
  confirmed.map((value, t) => (masked.includes(t) ? null : value));

/** @throws Error where the LGAs' series differ in span */
function sumOfLgas(state_code: string, lgas: readonly CaseSeries[]): number[] | null {
  const span = ({ first, confirmed }: CaseSeries) => `${confirmed.length} months from ${first}`;
  const other = lgas.find((lga) => span(lga) !== span(lgas[0]!));
  if (other)
    throw new Error(`cases of ${state_code}: found ${span(other)} of ${other.lga_code}, expected ${span(lgas[0]!)}`);
  return sumReporting(lgas.map((lga) => lga.confirmed));
}

function reportCheck(check: readonly SeasonCheckRow[], series: number): ReportLine[] {
  if (series === 0)
    return [
      {
        source: 'season',
        rule: 'no case records',
        what: "the season's parameters are those found elsewhere, unchecked here",
      },
    ];
  const wrong = check.reduce((sum, row) => sum + row.wrong_months, 0) / check.length;
  return [
    {
      source: 'season',
      rule: 'leave one state out',
      what: `${wrong.toFixed(2)} months of twelve on the wrong side of the high season on average over ${series} states`,
    },
  ];
}
