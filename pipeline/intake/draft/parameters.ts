/** Initial model parameters of a new country, each with its basis. */
import type { Model } from '../../catalog/model.ts';

const DEFAULT_SOURCE = 'default of `new-country`: this country’s files give no value';

/**
 * How many months after the last survey may be estimated: with case records as far as the ranges of scores have been
 * tested on made-up countries (risk/RESULTS.md, section 5.4), without them for one year.
 */
export const limitAfterSurvey = (hasCases: boolean) =>
  hasCases
    ? {
        months: 96,
        reason:
          'default of `new-country` for a country with case records: in made-up countries, ranges held up to eight years after the last survey',
      }
    : { months: 12, reason: `${DEFAULT_SOURCE}; most surveys are used for one year` };

/** What the parameters depend on. */
export interface ParameterBasis {
  methods: readonly ('microscopy' | 'rdt')[];
  hasRain: boolean;
  hasCases: boolean;
  firstYear: number;
  lastYear: number;
}

export function draftParameters({
  methods,
  hasRain,
  hasCases,
  firstYear,
  lastYear,
}: ParameterBasis): Model['parameters'] {
  const [only, ...more] = methods;
  const { months, reason } = limitAfterSurvey(hasCases);
  return {
    seed: 1,
    boundaries: { tolerance_m: 200, max_area_change: 0.05 },
    context: {
      name: 'the files of sources.json',
      coverage_year: lastYear,
      note: 'Years of the layers are not given. Figures shown as context; not inputs to the risk score.',
    },
    survey: { method: more.length > 0 ? [...methods] : (only ?? 'microscopy'), small_sample: 100, confidence: 0.95 },
    season: { high_share: 0.5, masked: [] },
    risk: {
      score: 'spatial',
      draws: 500,
      state_only_effective_size: 100,
      ...(hasRain ? {} : { season_unknown: { sd: 0.5, source: DEFAULT_SOURCE } }),
      ...(more.length > 0
        ? {
            test_offset: {
              mean: 0.6,
              sd: 0.4,
              source: `${DEFAULT_SOURCE}; in African surveys that tested the same children by both, logit positivity by rapid test was 0.4 to 0.8 above that by microscopy`,
            },
          }
        : {}),
      season_exponent: {
        mean: 0.4,
        sd: 0.15,
        source:
          'damping of a yearly cycle of infection by infections that last 3 to 7 months: 1/sqrt(1 + (2 pi D / 12)^2) is 0.54 at D = 3 and 0.26 at D = 7',
      },
    },
    transmission: {
      infectious_months: 2,
      immune_months: 3,
      assumed_from: DEFAULT_SOURCE,
      development_first: Math.max(firstYear + 1, lastYear - 3),
      held_back_year: lastYear + (firstYear + 1 >= lastYear ? 2 : 0),
      starts: 20,
    },
    evidence: { max_months_after_survey: months, reason },
    diff: { score_change: 0.02, max_moved_share: 0.02, max_flipped_share: 0.02, max_disjoint_share: 0.001 },
  };
}
