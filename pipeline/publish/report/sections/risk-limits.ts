/** The report's text on the meaning and limits of the figures, as they apply to this snapshot. */
import { hasCases, hasRain, missingDataSentences } from '../../../catalog/missing-data.ts';
import { hasScores } from '../../../contract/products.ts';
import { countryWords } from '../../../contract/words.ts';
import { describeSurveyEvidence } from '../../../model/risk/survey-evidence.ts';
import type { Contents } from '../../snapshot/contents.ts';
import { hasDuplicateNames } from '../../snapshot/table-columns.ts';
import type { Evidence } from '../shared/evidence.ts';
import { joinInSentence, monthName, periodName } from '../shared/names.ts';
import { describeTests } from './diagnostic-tests.ts';

/** What reported cases say, wherever they are shown per 1,000 people. */
export const INCIDENCE_LIMIT =
  'Reported cases per 1,000 people are what health facilities reported, not how many people fell ill: they follow ' +
  'how many seek care, are tested and are reported. A low figure beside few reported months says little.';

/** The data that the country lacks, what for want of surveys first. */
export function describeMissingData({ coverage, model, tables, sources }: Contents, { surveys }: Evidence): string[] {
  const [{ transmission }, scores] = [coverage, hasScores(coverage)];
  const noScores = scores ? null : describeSurveyEvidence(surveys, model.parameters, countryWords(model.territory));
  return [
    ...(noScores ? [noScores] : []),
    ...missingDataSentences(sources, { season: tables.season.length > 0, transmission, scores }),
  ];
}

/** What a reader must know before using a score, most important first, in the country's words. */
export function describeRiskLimits(contents: Contents, evidence: Evidence): string[] {
  const { coverage, model, tables, sources } = contents;
  const { risk, surveys } = evidence;
  const { state, lga, Lga, a } = countryWords(model.territory);
  const seasonal = tables.season.length > 0;
  const missing = describeMissingData(contents, evidence);
  const closing = [
    `${hasScores(coverage) ? 'Levels are classes of the score: a place near a boundary between two classes may change class without a relevant change. ' : ''}Join the ${tables.context_lgas.length} ${lga.many} by ` +
      `code${hasDuplicateNames(tables.context_lgas) ? ', since some share a name' : ''}.`,
  ];
  if (!hasScores(coverage))
    return [...missing, ...(hasCases(sources) ? [INCIDENCE_LIMIT] : []), model.parameters.context.note, ...closing];
  const doubt = describeSurveyEvidence(surveys, model.parameters, countryWords(model.territory));
  const limits = [
    ...(doubt ? [doubt] : []),
    `The score is a modelled share of children aged ${model.territory.ages_months.join('–')} months who would ` +
      `test positive by ${model.territory.method}. It is not a count of cases, and it does not describe adults or ` +
      'severe illness.',
    'The range is the central 90% of the model’s own uncertainty. Where the model is wrong in ways that it does ' +
      'not account for, the truth can lie outside more often.',
    'Scores are based on household surveys years apart. Between and after the rounds they follow the model, not ' +
      `new observations: ${seasonal ? 'differences from month to month are the usual season, and ' : ''}they do ` +
      'not show a wet year, an outbreak or a campaign.',
    ...describeTests(contents, evidence),
    ...missing,
  ];
  if (risk.model === 'baseline')
    limits.push(
      `The scores are those of the simple baseline: each ${state.one}’s average in the nearest survey round, ` +
        `adjusted for the season. ${Lga.many} of one ${state.one} differ only in their season; no other difference ` +
        `within ${a.state} is taken into account.`,
    );
  const unsurveyed = monthsWithoutSurvey(surveys.clusters.map(({ period }) => period));
  if (seasonal && unsurveyed.length > 0)
    limits.push(
      `No survey was taken in ${monthsInWords(unsurveyed)}: for these months the score depends on the shape of the ` +
        'season alone.',
    );
  const withoutNumbers = surveys.area_rounds.filter(({ examined }) => examined == null);
  const stateOnlyYears = [...new Set(withoutNumbers.map(({ survey_year }) => survey_year))].sort((a, b) => a - b);
  if (stateOnlyYears.length > 0) {
    const rounds =
      stateOnlyYears.length === 1
        ? `Round ${stateOnlyYears[0]} is`
        : `Rounds ${joinInSentence(stateOnlyYears.map(String))} are`;
    const { state_only_effective_size } = model.parameters.risk;
    limits.push(
      `${rounds} known only by ${state.one}, without the number of children tested: each ${state.one}’s result ` +
        `is assumed to count as much as a sample of ${state_only_effective_size} children.`,
    );
  }
  if (surveys.area_rounds.length > withoutNumbers.length)
    limits.push(
      'Survey results published by area, without the number of children tested, count as much as the sample that ' +
        'their confidence intervals or standard errors stand for.',
    );
  limits.push(
    `Months after ${periodName(coverage.last_estimated)} are forecasts: the same model carried forward without ` +
      'new ' +
      `observations${seasonal ? ' and with the usual season' : ''}${hasRain(sources) ? '. Neither they nor the estimated months take the rain of the actual year into account' : ''}.`,
    'Net use, treatment and the other context figures are shown beside the score but are not inputs to it. ' +
      `${model.parameters.context.note}`,
    'Survey results from few children are marked; use their ranges rather than their point values.',
    ...closing,
  );
  return limits;
}

/** Months of the year (1-12) in which no cluster was visited. */
export function monthsWithoutSurvey(periods: readonly string[]): number[] {
  const surveyed = new Set(periods.map((period) => Number(period.slice(5))));
  return surveyed.size === 0 ? [] : Array.from({ length: 12 }, (_, i) => i + 1).filter((month) => !surveyed.has(month));
}

/** `January to July` for consecutive months (1-12, ascending), else all their names. */
export function monthsInWords(months: readonly number[]): string {
  const consecutive = months.length > 2 && months.at(-1)! - months[0]! === months.length - 1;
  return consecutive
    ? `${monthName(months[0]!)} to ${monthName(months.at(-1)!)}`
    : joinInSentence(months.map(monthName));
}

const METHOD_NAMES: Record<string, string> = {
  model: 'Transmission model',
  model_and_abeku: 'Geometric mean of the model and Abeku’s adjustment',
  same_month_last_year: 'Same month last year',
  same_month_last_three_years: 'Same month, mean of three years',
  abeku_raw: 'Seasonal adjustment (Abeku et al. 2002)',
  abeku_log: 'Seasonal adjustment on logarithms',
  flat: 'Last year’s mean in every month',
};

/** Whether the report shows a method: it leaves out the variants among which development chose the model's level. */
export const isReported = (method: string): boolean => !/^model_level_of_/.test(method);

/** A projection method in words. */
export const methodName = (method: string): string => METHOD_NAMES[method] ?? method.replaceAll('_', ' ');
