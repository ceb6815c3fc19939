/** The report's words on what the figures mean and what they do not show. Each is said of what this snapshot holds. */
import { missingData } from '../../../catalog/missing.ts';
import { inWords } from '../../../contract/territory.ts';
import type { Contents } from '../../snapshot/contents.ts';
import { shareNames } from '../../snapshot/table-columns.ts';
import type { Evidence } from '../evidence.ts';
import { inSentence, monthName, periodName } from '../names.ts';
import { describeTests } from './tests.ts';

/** What a reader must know before using a score, the weightiest first, in the country's words. */
export function describeRiskLimits(contents: Contents, evidence: Evidence): string[] {
  const { coverage, model, tables, sources } = contents;
  const { risk, surveys } = evidence;
  const seasonal = tables.season.length > 0;
  const lines = [
    `The score is a modelled share of children aged ${model.territory.ages_months.join('–')} months who would test positive by ${model.territory.method}. It is not a count of cases, and says nothing of adults or of severe illness.`,
    'The range is the central 90% of the model’s own uncertainty. Where the model is wrong in a way it does not know of, the truth can lie outside more often.',
    `Scores rest on household surveys, years apart. Between and after the rounds they follow the model, not new observation: ${seasonal ? 'differences from month to month are the usual season, and ' : ''}a wet year, an outbreak or a campaign does not show.`,
    ...describeTests(contents, evidence),
    ...missingData(sources),
  ];
  if (risk.model === 'baseline')
    lines.push(
      'The scores are the simple baseline’s: each state’s average of the nearest survey round, moved by the season. LGAs of one state differ only by their season; no other difference inside a state enters.',
    );
  const unseen = monthsWithoutSurvey(surveys.clusters.map(({ period }) => period));
  if (seasonal && unseen.length > 0)
    lines.push(
      `No survey was taken in ${monthsInWords(unseen)}: for these months the score rests on the season’s shape alone.`,
    );
  const byState = [...new Set(surveys.state_rounds.map(({ survey_year }) => survey_year))].sort((a, b) => a - b);
  if (byState.length > 0) {
    const rounds = byState.length === 1 ? `Round ${byState[0]} is` : `Rounds ${inSentence(byState.map(String))} are`;
    const { state_only_effective_size } = model.parameters.risk;
    lines.push(
      `${rounds} known by state only, without the number of children tested: each state’s figure counts as one of ${state_only_effective_size} children, which is an assumption.`,
    );
  }
  lines.push(
    `Months after ${periodName(coverage.last_estimated)} are forecasts: the same model carried on, without any new observation${seasonal ? ', and with the usual season: no rain that has fallen enters, here or in the estimated months' : ''}.`,
    `Net use, treatment and the other figures of the context are shown beside the score and are no inputs to it. ${model.parameters.context.note}`,
    'Rounds of few children are marked; use their ranges, not their points.',
    `Levels are classes of the score: a place near a boundary between two classes may change class without a change that matters. ${tables.context_lgas.length} LGAs are joined by code${shareNames(tables.context_lgas) ? '; some share a name' : ''}.`,
  );
  return lines.map((line) => inWords(line, model.territory));
}

/** Months of the year (1-12) in which no cluster was visited. */
export function monthsWithoutSurvey(periods: readonly string[]): number[] {
  const seen = new Set(periods.map((period) => Number(period.slice(5))));
  return seen.size === 0 ? [] : Array.from({ length: 12 }, (_, i) => i + 1).filter((month) => !seen.has(month));
}

/** `January to July` for months (1-12, ascending) on end, else all their names. */
export function monthsInWords(months: readonly number[]): string {
  const onEnd = months.length > 2 && months.at(-1)! - months[0]! === months.length - 1;
  return onEnd ? `${monthName(months[0]!)} to ${monthName(months.at(-1)!)}` : inSentence(months.map(monthName));
}

const METHODS: Record<string, string> = {
  model: 'Transmission model',
  model_and_abeku: 'The model and Abeku’s adjustment, geometric mean',
  same_month_last_year: 'Same month last year',
  same_month_last_three_years: 'Same month, mean of three years',
  abeku_raw: 'Seasonal adjustment (Abeku et al. 2002)',
  abeku_log: 'Seasonal adjustment on logarithms',
  flat: 'Last year’s mean in every month',
};

/** Methods that the report shows: all but the levels that development chose the model's among. */
export const isReported = (method: string): boolean => !/^model_level_of_/.test(method);

/** A projection method in words. */
export const methodName = (method: string): string => METHODS[method] ?? method.replaceAll('_', ' ');
