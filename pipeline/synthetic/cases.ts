import { calendarMonth, calendarYear, monthIndex, type Period, periodRange } from '../contract/months.ts';
import { drawBinomial, drawNegativeBinomial } from '../lib/numerics/distributions.ts';
import { type Random, randomStream } from '../lib/numerics/random.ts';
import type { Geography } from './geography.ts';
import { SEASON_RECIPE, scaleToPeak } from './season.ts';
import { type Sirs, simulateSirs } from './sirs.ts';
import { type CountrySize, firstMonth, NIGERIAN_SIZE } from './size.ts';
import { STATES } from './states.ts';

export const STATE_CASES_FIRST: Period = '2015-01';
const LGA_CASES_FIRST: Period = '2020-01';
export const CASES_LAST: Period = '2023-12';
/** First month of the records by LGA, whose length is a fixed share of the estimated months. */
export const lgaCasesFirst = ({ months }: CountrySize = NIGERIAN_SIZE): Period =>
  firstMonth(Math.round((48 * months) / NIGERIAN_SIZE.months));
/** States with records by state, and by LGA. Kebbi has both: its LGAs add up to the state. */
const STATES_WITH_CASES = ['EK', 'KE', 'KW'];
const STATES_WITH_LGA_CASES = ['AK', 'BE', 'CR', 'GO', 'KE', 'NI', 'OS', 'OY', 'PL', 'RI'];
/** Those of the given states that are in the country; its first two states if none are. */
function recordedStates(codes: readonly string[], { states }: Geography): string[] {
  const countryCodes = states.map(({ state_index }) => STATES[state_index]!.state_code);
  const present = codes.filter((code) => countryCodes.includes(code));
  return present.length > 0 ? present : countryCodes.slice(0, 2);
}
/** Size of the counts' negative binomial distribution: about 7% of variation beyond chance. */
const NOISE_SIZE = 200;

/** Months with known errors in the records; the catalog declares them. */
export const STATE_GAPS = [
  {
    state_code: 'EK',
    first: '2016-06',
    last: '2016-06',
    factor: 0.15,
    reason: 'Reporting gap: most returns are missing',
  },
  { state_code: 'KW', first: '2015-01', last: '2015-05', factor: 0.5, reason: 'Reporting was still being rolled out' },
];
export const LGA_DIP = {
  first: '2020-04',
  last: '2020-06',
  factor: 0.7,
  reason: 'Clinics were avoided during the lockdown',
};
/** A month that one LGA did not report: an empty field. */
export const LGA_BLANK = { lga_pcode: 'NG027004', period: '2021-07' };

export interface StateCases {
  state_index: number;
  sirs: Sirs;
  /** Season of transmission by month of year, 1 at its peak. */
  forcing: number[];
  periods: Period[];
  /** New infections per person and month; the share of them reported; the records without noise and gaps. */
  incidence: number[];
  reporting: number[];
  expected: number[];
  confirmed: number[];
}
export interface LgaCases {
  lga_index: number;
  periods: Period[];
  expected: number[] | null;
  confirmed: (number | null)[];
}

const isWithin = (period: Period, span: { first: Period; last: Period }) => period >= span.first && period <= span.last;

/**
 * Monthly confirmed cases of three states: infections of a simulated SIRS × people × reporting, with noise. The
 * durations are common to the country; b and the share year-round differ by state.
 */
export function makeStateCases(
  seed: number,
  geography: Geography,
  people: number[],
  forcing: number[][],
  first: Period = STATE_CASES_FIRST,
): StateCases[] {
  return recordedStates(STATES_WITH_CASES, geography).map((code) => {
    const random = randomStream(seed, `cases ${code}`);
    const stateIndex = STATES.findIndex((recipe) => recipe.state_code === code);
    const lgaIndexes = [...geography.lgas.keys()].filter((i) => geography.lgas[i]!.state_index === stateIndex);
    const residents = lgaIndexes.reduce((sum, i) => sum + people[i]!, 0);
    const meanForcing = Array.from({ length: 12 }, (_, month) =>
      lgaIndexes.reduce((sum, i) => sum + (people[i]! / residents) * forcing[i]![month]!, 0),
    );
    const sirs = {
      ...SEASON_RECIPE.sirs,
      b: 2.9 + 0.9 * random.uniform(),
      share_year_round: 0.4 + 0.25 * random.uniform(),
    };
    const periods = periodRange(first, CASES_LAST);
    const season = scaleToPeak(meanForcing);
    const incidence = simulateSirs(sirs, season, periods.length);
    const reporting = driftReporting(random, periods);
    const expected = incidence.map((infections, i) => residents * infections * reporting[i]!);
    const confirmed = expected.map((cases, i) => {
      const gap = STATE_GAPS.find((gap) => gap.state_code === code && isWithin(periods[i]!, gap));
      return drawNegativeBinomial(random, cases * (gap?.factor ?? 1), NOISE_SIZE);
    });
    return { state_index: stateIndex, sirs, forcing: season, periods, incidence, reporting, expected, confirmed };
  });
}

/** Share of infections reported: its logarithm is a random walk over Januaries, and linear in between. */
function driftReporting(random: Random, periods: Period[]): number[] {
  let logShare = Math.log(0.03 + 0.03 * random.uniform());
  const knots: number[] = [];
  for (let year = calendarYear(periods[0]!); year <= calendarYear(periods.at(-1)!) + 1; year++) {
    knots.push(logShare);
    logShare += 0.02 + 0.12 * random.normal();
  }
  return periods.map((period) => {
    const years = (monthIndex(period) - monthIndex(periods[0]!)) / 12;
    const knot = Math.floor(years);
    return Math.exp(knots[knot]! + (years - knot) * (knots[knot + 1]! - knots[knot]!));
  });
}

/**
 * Monthly confirmed cases of the LGAs of ten states: people × the LGA's rate × the true seasonal index × growing
 * reporting, with noise. In a state with its own record, the LGAs split that record's counts.
 */
export function makeLgaCases(
  seed: number,
  geography: Geography,
  people: number[],
  season: number[][],
  states: StateCases[],
  size: CountrySize = NIGERIAN_SIZE,
): LgaCases[] {
  const periods = periodRange(lgaCasesFirst(size), CASES_LAST);
  return recordedStates(STATES_WITH_LGA_CASES, geography).flatMap((code) => {
    const random = randomStream(seed, `cases by LGA ${code}`);
    const stateIndex = STATES.findIndex((recipe) => recipe.state_code === code);
    const lgaIndexes = [...geography.lgas.keys()].filter((i) => geography.lgas[i]!.state_index === stateIndex);
    const stateRecord = states.find((recorded) => recorded.state_index === stateIndex);
    const growth = 0.1 * random.normal();
    const expectedCases = (lgaIndex: number, rate: number) =>
      periods.map(
        (period) =>
          people[lgaIndex]! *
          rate *
          season[lgaIndex]![calendarMonth(period) - 1]! *
          Math.exp((growth * (monthIndex(period) - monthIndex(LGA_CASES_FIRST))) / 12),
      );
    const expected = lgaIndexes.map((lgaIndex) => expectedCases(lgaIndex, 0.01 * Math.exp(0.35 * random.normal())));
    if (stateRecord) return splitAmong(random, stateRecord, lgaIndexes, periods, expected);
    return lgaIndexes.map((lgaIndex, k) => ({
      lga_index: lgaIndex,
      periods,
      expected: expected[k]!,
      confirmed: expected[k]!.map((cases, month) => {
        const factor = isWithin(periods[month]!, LGA_DIP) ? LGA_DIP.factor : 1;
        const count = drawNegativeBinomial(random, cases * factor, NOISE_SIZE / 4);
        const isBlank =
          geography.lgas[lgaIndex]!.lga_pcode === LGA_BLANK.lga_pcode && periods[month] === LGA_BLANK.period;
        return isBlank ? null : count;
      }),
    }));
  });
}

/** Splits a state's counts among its LGAs in proportion to `shares`: a multinomial draw, one LGA after another. */
function splitAmong(
  random: Random,
  stateRecord: StateCases,
  lgaIndexes: number[],
  periods: Period[],
  shares: number[][],
): LgaCases[] {
  const confirmed = lgaIndexes.map(() => new Array<number>(periods.length).fill(0));
  for (const [month, period] of periods.entries()) {
    let remainingCases = stateRecord.confirmed[stateRecord.periods.indexOf(period)]!;
    let remainingShares = shares.reduce((sum, share) => sum + share[month]!, 0);
    for (const [k, share] of shares.entries()) {
      const isLast = k === shares.length - 1;
      const count = isLast
        ? remainingCases
        : drawBinomial(random, remainingCases, Math.min(1, share[month]! / remainingShares));
      confirmed[k]![month] = count;
      remainingCases -= count;
      remainingShares -= share[month]!;
    }
  }
  return lgaIndexes.map((lgaIndex, k) => ({ lga_index: lgaIndex, periods, expected: null, confirmed: confirmed[k]! }));
}
