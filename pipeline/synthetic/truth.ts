import { toCsv } from '../csv.ts';
import type { Departures } from './departures.ts';
import { CAMPAIGN, FAMILY_WORDS } from './families.ts';
import type { CountryFile } from './files.ts';
import type { Geography } from './geography.ts';
import type { MadeCountry } from './made.ts';
import { toDecimals } from './made.ts';
import { SEASON_RECIPE } from './season.ts';
import { STATES } from './states.ts';
import { RDT_LOGIT_SHIFT } from './surveys.ts';

/** What no real country gives: the values that the models are to recover. Nothing in `sources.json` points here. */
export function* listTruth(made: MadeCountry): Generator<CountryFile> {
  yield { path: 'truth/README.md', content: readme(made) };
  yield { path: 'truth/prevalence.csv', content: prevalenceByLga(made) };
  yield { path: 'truth/prevalence_states.csv', content: prevalenceByState(made) };
  yield { path: 'truth/season.csv', content: seasonTable(made) };
  yield { path: 'truth/cells.csv', content: cellTable(made) };
  yield { path: 'truth/clusters.csv', content: clusterTable(made) };
  yield { path: 'truth/cases_states.csv', content: stateCases(made) };
  yield { path: 'truth/cases_lgas.csv', content: lgaCases(made) };
  if (made.prevalence.departures.deviations) yield { path: 'truth/deviations.csv', content: deviationTable(made) };
  yield { path: 'truth/parameters.json', content: parameters(made) };
}

const README = `# The truth of a made-up country

Written by \`malaria-risk synth\` from one seed; true of no place. Estimates are checked against it, never made from it.

- prevalence.csv, prevalence_states.csv: share of children 6-59 months who would test positive by microscopy, by month,
  weighted by the population raster (its cells counted by their centres)
- season.csv: by LGA and month of year, mean rain (mm), what it lets through to transmission (forcing) and the season's
  index; both are 1 at their peak
- cells.csv: the pooled population cells that the prevalence is defined on
- clusters.csv: where the survey clusters really are, the true prevalence there and then, and the chance (prevalence with
  the cluster's own noise) that their children were drawn with
- cases_states.csv: new infections per person and month, share of them reported, cases without noise or gap
- cases_lgas.csv: cases without noise or dip
- parameters.json: prevalence (formula in pipeline/synthetic/prevalence.ts), its field as waves (frequencies in radians per
  km of a plane: x = km_per_degree_longitude × longitude, y = km_per_degree_latitude × latitude), rain to season, the SIRS
  of each state
`;

function readme({ prevalence: { departures } }: MadeCountry): string {
  const { family, deviations } = departures;
  if (family === 'matern') return README;
  return `${README}
The family of this truth is ${family}. matern is ${FAMILY_WORDS.matern};
${family}: as matern, ${FAMILY_WORDS[family]}.
parameters.json has its departures: effects of LGAs (logit); campaigns, whose step (logit) halves every
${CAMPAIGN.half_life_years} years from the first month on; slopes of states beside the nation's (logit a year, from 2010); two halves of the
country, the first where direction · (x, y) is below offset_km, each with a field of its own instead of the one field.
${deviations ? DEVIATIONS_README : ''}`;
}

const DEVIATIONS_README = `
deviations.csv has by state and month how far prevalence (logit) and reported cases (ln) depart from the usual. The
elasticity in parameters.json says how much of the former goes with a unit of the latter, but for reporting.
`;

function prevalenceByLga({ geography, prevalence }: MadeCountry): string {
  const rows = geography.lgas.flatMap(({ lga_pcode }, i) =>
    prevalence.periods.map((period, t) => ({
      lga_pcode,
      period,
      prevalence: toDecimals(prevalence.by_lga[t]![i]!, 6),
    })),
  );
  return `${toCsv(rows, ['lga_pcode', 'period', 'prevalence'])}\n`;
}

function prevalenceByState({ geography, population, prevalence }: MadeCountry): string {
  const rows = geography.states.flatMap(({ state: s }) => {
    const { state_code } = STATES[s]!;
    const here = [...geography.lgas.keys()].filter((i) => geography.lgas[i]!.state === s);
    const people = here.reduce((sum, i) => sum + population.by_lga[i]!, 0);
    return prevalence.periods.map((period, t) => {
      const positive = here.reduce((sum, i) => sum + population.by_lga[i]! * prevalence.by_lga[t]![i]!, 0);
      return { state_code, period, prevalence: toDecimals(positive / people, 6) };
    });
  });
  return `${toCsv(rows, ['state_code', 'period', 'prevalence'])}\n`;
}

function seasonTable({ geography, rain_mm, forcing, season }: MadeCountry): string {
  const rows = geography.lgas.flatMap(({ lga_pcode }, i) =>
    season[i]!.map((index, m) => ({
      lga_pcode,
      month: m + 1,
      rain_mm: toDecimals(rain_mm[i]![m]!, 4),
      forcing: toDecimals(forcing[i]![m]!, 6),
      seasonal_index: toDecimals(index, 6),
    })),
  );
  return `${toCsv(rows, ['lga_pcode', 'month', 'rain_mm', 'forcing', 'seasonal_index'])}\n`;
}

function cellTable({ geography, cells }: MadeCountry): string {
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

function clusterTable({ clusters }: MadeCountry): string {
  const rows = clusters.map(({ cluster_id, true_longitude, true_latitude, prevalence, chance }) => ({
    cluster_id,
    longitude: toDecimals(true_longitude, 6),
    latitude: toDecimals(true_latitude, 6),
    prevalence: toDecimals(prevalence, 6),
    chance: toDecimals(chance, 6),
  }));
  return `${toCsv(rows, ['cluster_id', 'longitude', 'latitude', 'prevalence', 'chance'])}\n`;
}

function stateCases({ cases_states }: MadeCountry): string {
  const rows = cases_states.flatMap(({ state, periods, incidence, reporting, expected }) =>
    periods.map((period, t) => ({
      state_code: STATES[state]!.state_code,
      period,
      incidence: toDecimals(incidence[t]!, 8),
      reporting: toDecimals(reporting[t]!, 8),
      expected: toDecimals(expected[t]!, 2),
    })),
  );
  return `${toCsv(rows, ['state_code', 'period', 'incidence', 'reporting', 'expected'])}\n`;
}

function lgaCases({ geography, cases_lgas }: MadeCountry): string {
  const rows = cases_lgas.flatMap(({ lga, periods, expected }) =>
    (expected ?? []).map((cases, t) => ({
      lga_pcode: geography.lgas[lga]!.lga_pcode,
      period: periods[t]!,
      expected: toDecimals(cases, 2),
    })),
  );
  return `${toCsv(rows, ['lga_pcode', 'period', 'expected'])}\n`;
}

function deviationTable({ geography, prevalence: { departures, periods } }: MadeCountry): string {
  const { prevalence, cases } = departures.deviations!;
  const rows = geography.states.flatMap(({ state: s }) =>
    periods.map((period, t) => ({
      state_code: STATES[s]!.state_code,
      period,
      prevalence_logit: toDecimals(prevalence[s]![t]!, 6),
      cases_log: toDecimals(cases[s]![t]!, 6),
    })),
  );
  return `${toCsv(rows, ['state_code', 'period', 'prevalence_logit', 'cases_log'])}\n`;
}

function parameters({ seed, geography, prevalence, cases_states }: MadeCountry): string {
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

/** By codes; the halves' fields as waves. */
function describeDepartures(departures: Departures, { lgas }: Geography) {
  const { family, lga_effects, campaigns, state_slopes, halves, deviations } = departures;
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
    ...(deviations ? { elasticity: deviations.elasticity } : {}),
  };
}
