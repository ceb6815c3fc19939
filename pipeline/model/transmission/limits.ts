import type { TransmissionModel } from '../../contract/schemas.ts';
import { type Wording, worded } from '../../contract/words.ts';
import type { ProjectionTest, Scores } from './projection-test.ts';

/** Unpublished figures of a state's fit. */
export interface FitFigures {
  state_code: string;
  /** Null if the record has too many gaps for a trend. */
  detrended_correlation: number | null;
  reporting_highest_over_lowest: number;
  immune_months_tried: number;
  /** Sum of squares with `immune_months_tried` relative to that with the assumed immunity. */
  squares_ratio: number;
  reproduction_range: { low: number[]; high: number[] };
}

const SIMPLE_METHODS: Readonly<Record<string, string>> = {
  same_month_last_year: 'the same month of the year before',
  same_month_last_three_years: 'the mean of the same month over three years',
  abeku_raw: 'the seasonal adjustment of Abeku et al. 2002',
  flat: "last year's mean for every month",
};

/** The limits of the transmission model in plain words, with measured figures. */
export function describeLimits(
  { assumed, states }: Pick<TransmissionModel, 'assumed' | 'states'>,
  assumed_from: string,
  fits: readonly FitFigures[],
  projection: Pick<ProjectionTest, 'development' | 'held_back'>,
  standing: { registered: boolean; looks: number },
): (string | Wording)[] {
  const names = states.map(({ state }) => state).join(', ');
  const fitCorrelations = describeRange(states.map((state) => state.fit_correlation));
  const detrendedCorrelations = fits.flatMap(({ detrended_correlation: r }) => (r === null ? [] : [r]));
  const detrendedClause =
    detrendedCorrelations.length > 0 ? `, their detrended seasons at ${describeRange(detrendedCorrelations)}` : '';
  const reportingRatios = describeRange(
    fits.map((state) => state.reporting_highest_over_lowest),
    1,
  );
  const squaresRatios = describeRange(fits.map((state) => state.squares_ratio));
  return [
    worded`It covers only ${names} and makes no statement about other {state.many} or about {lga.many}.`,
    'Reporting is free to drift, and the drift explains much of the fit: modelled and reported cases correlate ' +
      `at ${fitCorrelations}${detrendedClause}. Reporting's highest month is ${reportingRatios} times its lowest; more reporting and more ` +
      'malaria cannot be distinguished.',
    `An infectious period of ${assumed.infectious_months} and an immunity of ${assumed.immune_months} months are ` +
      `assumed, not measured (${assumed_from}): with an immunity of ${fits[0]!.immune_months_tried} months the sum ` +
      `of squares is ${squaresRatios} times as large. Compare fits and projections, not parameters.`,
    'The share of year-round transmission is relative to the rate at the peak of the season: what would be left ' +
      'without any rain.',
    'Every year has the same season, that of the usual rain: a wet or dry year, spraying or net campaigns show ' +
      'only as drift.',
    describeUncertainMonths(states, fits),
    'Months flagged as gaps in reporting are shown as reported and left out of the fit.',
    describeProjections('development years', projection.development),
    describeProjections('held-back year', projection.held_back),
    describeStanding(standing),
  ];
}

/** States whether the held-back year was still unseen when the design was fixed. */
export function describeStanding({ registered, looks }: { registered: boolean; looks: number }): string {
  if (registered && looks === 1) return 'The design was registered before the held-back year was scored, once.';
  if (registered)
    return (
      `The design was registered before it was scored on the held-back year, but that was evaluation ${looks} on ` +
      'this year: designs changed after the first, so its score is not that of an unseen year.'
    );
  if (looks > 0)
    return (
      'The design was not registered before the held-back year was scored, and other designs had been scored on ' +
      'that year before.'
    );
  return 'The design was not registered before the held-back year was scored.';
}

/** Whether the model projected better or worse than each simple method a year ahead. */
export function describeProjections(what: string, { months, errors }: Pick<Scores, 'months' | 'errors'>): string {
  if (months === 0) return `Nothing could be projected in the ${what}: the records are too short.`;
  const modelError = errors.model!;
  const describeComparison = (verdict: string, isIncluded: (methodError: number) => boolean) => {
    const methods = Object.entries(SIMPLE_METHODS).filter(([name]) => isIncluded(errors[name]!));
    const describedMethods = methods.map(([name, description]) => `${description} (${errors[name]!.toFixed(2)})`);
    return describedMethods.length > 0 ? [`${verdict} ${describedMethods.join(', ')}`] : [];
  };
  const verdicts = [
    ...describeComparison('better than', (methodError) => modelError < methodError),
    ...describeComparison('not better than', (methodError) => modelError >= methodError),
  ];
  return (
    `A year ahead in the ${what} its mean error was ${modelError.toFixed(2)} cases per 1,000 over ${months} months: ` +
    `${verdicts.join('; ')}.`
  );
}

/** Months in which the range of R includes 1. */
function describeUncertainMonths(states: TransmissionModel['states'], fits: readonly FitFigures[]): string {
  const MONTH_NAMES = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
  const statesWithMonths = fits.map(({ reproduction_range: { low, high } }, i) => {
    const months = MONTH_NAMES.filter((_, month) => low[month]! <= 1 && high[month]! > 1);
    return `${states[i]!.state} ${months.length > 0 ? months.join(' ') : 'none'}`;
  });
  return (
    'Months in which the 90% range of new infections per infection contains 1, so that growth cannot be ' +
    `distinguished from decline: ${statesWithMonths.join('; ')}. The durations are taken as given in this range.`
  );
}

/** Smallest to largest; one number if they are equal. */
function describeRange(values: readonly number[], decimals = 2): string {
  const [least, most] = [Math.min(...values).toFixed(decimals), Math.max(...values).toFixed(decimals)];
  return least === most ? least : `${least} to ${most}`;
}
