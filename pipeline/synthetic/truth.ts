import { toCsv } from '../lib/tables/csv.ts';
import type { Departures } from './departures.ts';
import { CAMPAIGN, FAMILY_WORDS } from './families.ts';
import type { CountryFile } from './files.ts';
import type { Geography } from './geography.ts';
import type { SyntheticCountry } from './make-country.ts';
import { toDecimals } from './make-country.ts';
import { SEASON_RECIPE } from './season.ts';
import { STATES } from './states.ts';
import { RDT_LOGIT_SHIFT } from './surveys.ts';

/**
 * The values that the models should recover, which are unknown in a real country. `sources.json` does not list them.
 */
export function* listTruth(made: SyntheticCountry): Generator<CountryFile> {
  yield { path: 'truth/README.md', content: readme(made) };
  yield { path: 'truth/prevalence.csv', content: prevalenceByLga(made) };
  yield { path: 'truth/prevalence_states.csv', content: prevalenceByState(made) };
  yield { path: 'truth/season.csv', content: seasonTable(made) };
  yield { path: 'truth/cells.csv', content: cellTable(made) };
  yield { path: 'truth/clusters.csv', content: clusterTable(made) };
  yield { path: 'truth/cases_states.csv', content: stateCases(made) };
  yield { path: 'truth/cases_lgas.csv', content: lgaCases(made) };
  yield { path: 'truth/parameters.json', content: parameters(made) };
}

const README = `# The truth of a made-up country

Written by \`malaria-risk synth\` from one seed; it describes no real place. Estimates are compared with this truth, but
never use it.

- prevalence.csv, prevalence_states.csv: share of children 6-59 months who would test positive by microscopy, by month,
  weighted by the population raster (cells assigned by their centres)
- season.csv: by LGA and month of year, mean rain (mm), the resulting forcing of transmission, and the seasonal index;
  forcing and index are 1 at their peak
- cells.csv: the pooled population cells on which prevalence is defined
- clusters.csv: true coordinates of the survey clusters, the true prevalence there and then, and the chance with which the
  children's results were drawn (prevalence with the cluster's noise)
- cases_states.csv: new infections per person and month, the share of them reported, cases without noise and gaps
- cases_lgas.csv: cases without noise and dip
- parameters.json: prevalence (formula in pipeline/synthetic/prevalence.ts), its field as waves (frequencies in radians
  per km on a plane: x = KM_PER_DEGREE_LONGITUDE × longitude, y = KM_PER_DEGREE_LATITUDE × latitude, constants of
  pipeline/synthetic/noise.ts), the effect of rain on the season, and the SIRS of each state
`;

function readme({ prevalence: { departures } }: SyntheticCountry): string {
  const { family } = departures;
  if (family === 'matern') return README;
  return `${README}
The family of this truth is ${family}. matern is ${FAMILY_WORDS.matern};
${family}: as matern, ${FAMILY_WORDS[family]}.
parameters.json lists its departures: effects of LGAs (logit); campaigns, whose step (logit) halves every
${CAMPAIGN.half_life_years} years from the first month on; slopes of states relative to the nation's (logit per year, from 2010); two
halves of the country, each with its own field (the first is where direction · (x, y) is below offset_km).
`;
}

function prevalenceByLga({ geography, prevalence }: SyntheticCountry): string {
  const rows = geography.lgas.flatMap(({ lga_pcode }, i) =>
    prevalence.periods.map((period, month) => ({
      lga_pcode,
      period,
      prevalence: toDecimals(prevalence.by_lga[month]![i]!, 6),
    })),
  );
  return `${toCsv(rows, ['lga_pcode', 'period', 'prevalence'])}\n`;
}

function prevalenceByState({ geography, population, prevalence }: SyntheticCountry): string {
  const rows = geography.states.flatMap(({ state }) => {
    const { state_code } = STATES[state]!;
    const here = [...geography.lgas.keys()].filter((i) => geography.lgas[i]!.state === state);
    const people = here.reduce((sum, i) => sum + population.by_lga[i]!, 0);
    return prevalence.periods.map((period, month) => {
      const positive = here.reduce((sum, i) => sum + population.by_lga[i]! * prevalence.by_lga[month]![i]!, 0);
      return { state_code, period, prevalence: toDecimals(positive / people, 6) };
    });
  });
  return `${toCsv(rows, ['state_code', 'period', 'prevalence'])}\n`;
}

function seasonTable({ geography, rain_mm, forcing, season }: SyntheticCountry): string {
  const rows = geography.lgas.flatMap(({ lga_pcode }, i) =>
    season[i]!.map((index, month) => ({
      lga_pcode,
      month: month + 1,
      rain_mm: toDecimals(rain_mm[i]![month]!, 4),
      forcing: toDecimals(forcing[i]![month]!, 6),
      seasonal_index: toDecimals(index, 6),
    })),
  );
  return `${toCsv(rows, ['lga_pcode', 'month', 'rain_mm', 'forcing', 'seasonal_index'])}\n`;
}

function cellTable({ geography, cells }: SyntheticCountry): string {
  const rows = cells.lga.map((lga, i) => ({
    lga_pcode: geography.lgas[lga]!.lga_pcode,
    longitude: toDecimals(cells.longitude[i]!, 6),
    latitude: toDecimals(cells.latitude[i]!, 6),
    population: toDecimals(cells.population[i]!, 1),
    population_density: toDecimals(cells.population_density[i]!, 3),
    elevation_m: toDecimals(cells.elevation_m[i]!, 1),
  }));
  return `${toCsv(rows, ['lga_pcode', 'longitude', 'latitude', 'population', 'population_density', 'elevation_m'])}\n`;
}

function clusterTable({ clusters }: SyntheticCountry): string {
  const rows = clusters.map(({ cluster_id, true_longitude, true_latitude, prevalence, chance }) => ({
    cluster_id,
    longitude: toDecimals(true_longitude, 6),
    latitude: toDecimals(true_latitude, 6),
    prevalence: toDecimals(prevalence, 6),
    chance: toDecimals(chance, 6),
  }));
  return `${toCsv(rows, ['cluster_id', 'longitude', 'latitude', 'prevalence', 'chance'])}\n`;
}

function stateCases({ cases_states }: SyntheticCountry): string {
  const rows = cases_states.flatMap(({ state, periods, incidence, reporting, expected }) =>
    periods.map((period, month) => ({
      state_code: STATES[state]!.state_code,
      period,
      incidence: toDecimals(incidence[month]!, 8),
      reporting: toDecimals(reporting[month]!, 8),
      expected: toDecimals(expected[month]!, 2),
    })),
  );
  return `${toCsv(rows, ['state_code', 'period', 'incidence', 'reporting', 'expected'])}\n`;
}

function lgaCases({ geography, cases_lgas }: SyntheticCountry): string {
  const rows = cases_lgas.flatMap(({ lga, periods, expected }) =>
    (expected ?? []).map((cases, month) => ({
      lga_pcode: geography.lgas[lga]!.lga_pcode,
      period: periods[month]!,
      expected: toDecimals(cases, 2),
    })),
  );
  return `${toCsv(rows, ['lga_pcode', 'period', 'expected'])}\n`;
}

function parameters({ seed, geography, prevalence, cases_states }: SyntheticCountry): string {
  const { departures, recipe, field } = prevalence;
  const truth = {
    seed,
    ...(departures.family === 'matern' ? {} : { truth: describeDepartures(departures, geography) }),
    prevalence: recipe,
    rdt_logit_shift: RDT_LOGIT_SHIFT,
    season: SEASON_RECIPE,
    transmission: cases_states.map(({ state, sirs, forcing }) => ({
      state_code: STATES[state]!.state_code,
      ...sirs,
      forcing,
    })),
    field,
  };
  return `${JSON.stringify(truth, null, 1)}\n`;
}

/** The departures by area code; the fields of halves as waves. */
function describeDepartures(departures: Departures, { lgas }: Geography) {
  const { family, lga_effects, campaigns, state_slopes, halves } = departures;
  const byCode = (codes: string[], values: number[]) => Object.fromEntries(codes.map((code, i) => [code, values[i]!]));
  const codeOf = (state: number) => STATES[state]!.state_code;
  return {
    family,
    lga_effects:
      lga_effects &&
      byCode(
        lgas.map(({ lga_pcode }) => lga_pcode),
        lga_effects,
      ),
    campaigns: campaigns?.map(({ state, ...rest }) => ({ state_code: codeOf(state), ...rest })) ?? null,
    state_slopes: state_slopes && byCode([...STATES.keys()].map(codeOf), state_slopes),
    halves,
  };
}
