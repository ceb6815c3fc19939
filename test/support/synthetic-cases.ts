import { addMonths, monthIndex, type Period } from '../../pipeline/contract/months.ts';
import type { CaseSeries } from '../../pipeline/ingest/case-series.ts';
import type { Areas } from '../../pipeline/ingest/ingest-tables.ts';
import { makeStateCases, STATE_CASES_FIRST, STATE_GAPS, type StateCases } from '../../pipeline/synthetic/cases.ts';
import { makeRain, meanRain } from '../../pipeline/synthetic/climate.ts';
import { makeGeography } from '../../pipeline/synthetic/geography.ts';
import { centresByLga } from '../../pipeline/synthetic/make-country.ts';
import { makePopulation } from '../../pipeline/synthetic/population.ts';
import { rainForcing } from '../../pipeline/synthetic/season.ts';
import { type Sirs, transmissionRate } from '../../pipeline/synthetic/sirs.ts';
import { STATES } from '../../pipeline/synthetic/states.ts';

/**
 * Case records of a made-up country with their truth, and the other inputs of the transmission stage, without files.
 */
export function makeCases(seed: number) {
  const geography = makeGeography(seed);
  const population = makePopulation(seed, geography);
  const rain = makeRain(seed, geography);
  const rain_mm = centresByLga(geography, population).map((centres) => meanRain(rain, centres));
  const people = Array.from(population.by_lga);
  const truth = makeStateCases(seed, geography, people, rain_mm.map(rainForcing));
  const areas: Areas = {
    states: STATES.map(({ state_code, state_pcode, state, zone }) => ({ state_code, state_pcode, state, zone })),
    lgas: geography.lgas.map((lga) => ({
      lga_code: lga.lga_pcode,
      lga: lga.lga_pcode,
      state_code: STATES[lga.state_index]!.state_code,
    })),
  };
  const usual = (state: number) => {
    const here = [...geography.lgas.keys()].filter((i) => geography.lgas[i]!.state_index === state);
    const total = here.reduce((sum, i) => sum + people[i]!, 0);
    return Array.from({ length: 12 }, (_, month) =>
      here.reduce((sum, i) => sum + (people[i]! / total) * rain_mm[i]![month]!, 0),
    );
  };
  const codeOf = ({ state_index: state }: StateCases) => STATES[state]!.state_code;
  return {
    areas,
    cases: { states: truth.map((record) => seriesOf(record, codeOf(record))), lgas: [] },
    census: Object.fromEntries(
      areas.lgas.map(({ lga_code }, i) => [lga_code, { people: Math.round(people[i]!), children_0_4: 1 }]),
    ),
    rain: Object.fromEntries(truth.map((record) => [codeOf(record), usual(record.state_index)])),
    truth: truth.map((record) => {
      const state_code = codeOf(record);
      const people = areas.lgas.reduce(
        (sum, lga, i) => sum + (lga.state_code === state_code ? Math.round(population.by_lga[i]!) : 0),
        0,
      );
      return {
        state_code,
        /** Cases per 1,000 people, without noise and gaps. */
        expected_per_1000: record.expected.map((cases) => (cases / people) * 1000),
        reproduction_number: reproductionByMonth(record.sirs, record.forcing),
      };
    }),
  };
}

/** The record as ingest returns it, with the catalog's gaps masked. */
function seriesOf({ periods, confirmed }: StateCases, state_code: string): CaseSeries {
  const first: Period = periods[0] ?? STATE_CASES_FIRST;
  const gaps = STATE_GAPS.filter((gap) => gap.state_code === state_code);
  const masked = confirmed.flatMap((_, month) => {
    const period = addMonths(first, month);
    return gaps.some((gap) => monthIndex(period) >= monthIndex(gap.first) && monthIndex(period) <= monthIndex(gap.last))
      ? [month]
      : [];
  });
  return { state_code, lga_code: null, first, confirmed, masked };
}

/**
 * The true effective reproduction number, β S × infectious months, averaged over each month of the yearly cycle on
 * which transmission in the made-up country settles. The season is constant over a month, as in `simulateSirs`; Heun's
 * method.
 */
function reproductionByMonth(sirs: Sirs, season: readonly number[]): number[] {
  const steps = 400;
  const h = 1 / steps;
  let [s, i] = [0.7, 0.05];
  const reproduction = new Array<number>(12).fill(0);
  for (let month = 0; month < 12 * 40; month++) {
    const beta = transmissionRate(sirs, season[month % 12]!);
    const flow = (s: number, i: number) => ({
      ds: (1 - s - i) / sirs.immune_months - beta * s * i,
      di: beta * s * i - i / sirs.infectious_months,
    });
    let mean = 0;
    for (let step = 0; step < steps; step++) {
      const a = flow(s, i);
      const b = flow(s + h * a.ds, i + h * a.di);
      mean += (s + (h * a.ds) / 2) * h;
      s += (h * (a.ds + b.ds)) / 2;
      i += (h * (a.di + b.di)) / 2;
    }
    reproduction[month % 12] = beta * mean * sirs.infectious_months;
  }
  return reproduction;
}
