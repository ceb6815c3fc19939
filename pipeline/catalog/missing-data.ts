/**
 * Data that a country lacks, and the consequences for its answers; shown in the manifest, the report and the model
 * card.
 */

import { PRODUCTS } from '../contract/products.ts';
import { FIGURES } from './figures.ts';
import type { Role } from './roles.ts';
import type { Source } from './sources.ts';

const hasRole = (sources: readonly Pick<Source, 'role'>[], ...roles: Role[]) =>
  sources.some(({ role }) => roles.includes(role));

/** Whether the country has monthly rain. */
export const hasRain = (sources: readonly Pick<Source, 'role'>[]): boolean => hasRole(sources, 'climate');
/** Whether it has monthly case records. */
export const hasCases = (sources: readonly Pick<Source, 'role'>[]): boolean =>
  hasRole(sources, 'cases_states', 'cases_lgas');

const FIGURE_NAMES: Record<(typeof FIGURES)[number], string> = {
  itn_use: 'net use',
  itn_access: 'access to nets',
  irs_coverage: 'indoor spraying',
  effective_treatment: 'effective treatment',
  travel_minutes_to_care: 'travel time to care',
};

export const NO_RAIN = 'No monthly rain: no season is given.';
const NO_SEASON_OF_SCORES =
  ' The score is the same in all months of a year, and its range is widened ' +
  'by a prior for how far a month may differ from the months of survey fieldwork.';
export const NO_CASES = 'No monthly case records: no forecasts of cases.';

export const NO_ALERTS = `No alerts: they need ${PRODUCTS.cases.needs}.`;

const SEASON_FROM_CASES_ALONE =
  'The season is estimated from case records alone: without climate data there are no best months to act.';

export const NO_SURVEYS = 'No surveys of malaria infection.';
export const NO_SCORES = `No scores: they need ${PRODUCTS.scores.needs}.`;

export const NO_TRANSMISSION = `No transmission model: it needs ${PRODUCTS.transmission.needs}. Records by areas of the lower level are not added up for it.`;

/**
 * A sentence for each kind of data that the catalog has no source for, and for each model that the data do not allow.
 * @param models which of them could be fitted
 */
export function missingDataSentences(
  sources: readonly Pick<Source, 'role' | 'figure' | 'columns' | 'sums'>[],
  models: { season: boolean; transmission: boolean; scores: boolean },
): string[] {
  const sentences: string[] = [];
  if (!hasRain(sources))
    sentences.push(models.season ? SEASON_FROM_CASES_ALONE : NO_RAIN + (models.scores ? NO_SEASON_OF_SCORES : ''));
  if (!hasCases(sources)) sentences.push(NO_CASES);
  if (!models.transmission) sentences.push(NO_TRANSMISSION);
  const census = sources.find(({ role }) => role === 'population_census');
  if (!hasRole(sources, 'population'))
    sentences.push(
      'No population raster: people are spread evenly over each area, so towns inside an area do not stand out.',
    );
  if (!census) sentences.push('No table of people by area: the population raster has not been compared with one.');
  else if (!(census.columns?.children_0_4 ?? census.sums?.children_0_4))
    sentences.push('No ages in the table of people: numbers of children under five are not known by area.');
  if (!hasRole(sources, 'elevation')) sentences.push('No elevation.');
  if (!hasRole(sources, 'state_boundaries'))
    sentences.push('No outlines of the upper level: they are derived from those of the lower level.');
  const missingFigures = FIGURES.filter((figure) => !sources.some((source) => source.figure === figure));
  if (missingFigures.length > 0)
    sentences.push(
      `No data on ${missingFigures.map((figure) => FIGURE_NAMES[figure]).join(', ')}: these figures are missing.`,
    );
  return sentences;
}
