import type { Departures } from './departures.ts';
import { CAMPAIGN, FAMILY_DESCRIPTIONS } from './families.ts';
import { type CountryFile, toCsvFile } from './files.ts';
import type { Geography } from './geography.ts';
import type { SyntheticCountry } from './make-country.ts';
import { toDecimals } from './make-country.ts';
import { SEASON_RECIPE } from './season.ts';
import { STATES } from './states.ts';
import { RDT_LOGIT_SHIFT } from './surveys.ts';

/**
 * The values that the models should recover, which are unknown in a real country. `sources.json` does not list them.
 */
export function* listTruth(country: SyntheticCountry): Generator<CountryFile> {
  yield { path: 'truth/README.md', content: truthReadme(country) };
  yield { path: 'truth/prevalence.csv', content: prevalenceByLga(country) };
  yield { path: 'truth/season.csv', content: seasonTable(country) };
  yield { path: 'truth/parameters.json', content: truthParameters(country) };
}

const README = `# The truth of a made-up country

Written by \`malaria-risk synth\` from one seed; it describes no real place. Estimates are compared with this truth, but
never use it.

- prevalence.csv: share of children 6-59 months who would test positive by microscopy, by LGA and month, weighted by the
  population raster (cells assigned by their centres)
- season.csv: by LGA and month of year, mean rain (mm), the resulting forcing of transmission, and the seasonal index;
  forcing and index are 1 at their peak
- parameters.json: prevalence (formula in pipeline/synthetic/prevalence.ts), its field as waves (frequencies in radians
  per km on a plane: x = KM_PER_DEGREE_LONGITUDE × longitude, y = KM_PER_DEGREE_LATITUDE × latitude, constants of
  pipeline/synthetic/noise.ts), the effect of rain on the season, and the SIRS of each state
`;

function truthReadme({ prevalence: { departures } }: SyntheticCountry): string {
  const { family } = departures;
  if (family === 'matern') return README;
  return `${README}
The family of this truth is ${family}. matern is ${FAMILY_DESCRIPTIONS.matern};
${family}: as matern, ${FAMILY_DESCRIPTIONS[family]}.
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
  return toCsvFile(rows);
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
  return toCsvFile(rows);
}

function truthParameters({ seed, geography, prevalence, cases_states }: SyntheticCountry): string {
  const { departures, recipe, field } = prevalence;
  const truth = {
    seed,
    ...(departures.family === 'matern' ? {} : { truth: describeDepartures(departures, geography) }),
    prevalence: recipe,
    rdt_logit_shift: RDT_LOGIT_SHIFT,
    season: SEASON_RECIPE,
    transmission: cases_states.map(({ state_index, sirs, forcing }) => ({
      state_code: STATES[state_index]!.state_code,
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
  const stateCode = (stateIndex: number) => STATES[stateIndex]!.state_code;
  return {
    family,
    lga_effects:
      lga_effects &&
      byCode(
        lgas.map(({ lga_pcode }) => lga_pcode),
        lga_effects,
      ),
    campaigns: campaigns?.map(({ state_index, ...rest }) => ({ state_code: stateCode(state_index), ...rest })) ?? null,
    state_slopes: state_slopes && byCode([...STATES.keys()].map(stateCode), state_slopes),
    halves,
  };
}
