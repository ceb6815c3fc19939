import type { TransmissionModel } from '../contract/schemas.ts';

/** What the transmission model does not show, in plain words, from what was measured. */
export function describeLimits(
  { assumed, states, projection_test }: TransmissionModel,
  fits: readonly { state_code: string; detrended_correlation: number; reporting_highest_over_lowest: number }[],
): string[] {
  const names = states.map(({ state }) => state).join(', ');
  const fit = span(states.map((state) => state.fit_correlation));
  const detrended = span(fits.map((state) => state.detrended_correlation));
  const reporting = span(
    fits.map((state) => state.reporting_highest_over_lowest),
    1,
  );
  return [
    `It covers only ${names} and says nothing about other states or about LGAs.`,
    `Reporting is free to drift, and the drift does most of the work: the fit's correlation is ${fit}, but ${detrended} once the drift is taken off. Reporting's highest month is ${reporting} times its lowest; more reporting and more malaria cannot be told apart.`,
    `An infectious period of ${assumed.infectious_months} and an immunity of ${assumed.immune_months} months are assumptions: the records fit about as well with others. Compare fits and projections, not parameters.`,
    'Every year has the same season: it follows the usual rain, so a wet or dry year, spraying or net campaigns show only as drift.',
    'Months flagged as gaps in reporting are shown as reported and left out of the fit.',
    ...describeProjections('development years', projection_test.development),
    ...describeProjections(`held-back year ${projection_test.held_back_year}`, projection_test.held_back),
  ];
}

function describeProjections(
  what: string,
  { months, mean_absolute_error: error }: TransmissionModel['projection_test']['development'],
): string[] {
  if (months === 0) return [`Nothing could be projected in the ${what}: the records are too short.`];
  const rivals = [
    { name: 'the same month of the year before', value: error.same_month_last_year },
    { name: 'the mean of the same month over three years', value: error.same_month_last_three_years },
  ];
  const compare = rivals.map(({ name, value }) => {
    const verdict = error.model < value ? 'better than' : error.model > value ? 'worse than' : 'as good as';
    return `${verdict} ${name} (${value.toFixed(2)})`;
  });
  return [
    `Projecting a year ahead, its mean error in the ${what} was ${error.model.toFixed(2)} cases per 1,000 over ${months} months: ${compare.join(' and ')}. A sudden change of level is missed by all.`,
  ];
}

/** Least to greatest, once where they are the same. */
function span(values: readonly number[], decimals = 2): string {
  const [least, most] = [Math.min(...values).toFixed(decimals), Math.max(...values).toFixed(decimals)];
  return least === most ? least : `${least} to ${most}`;
}
