import { roundFields } from '../../contract/decimals.ts';
import type { SeasonMethod } from '../../contract/schemas.ts';
import { type Wording, worded } from '../../contract/words.ts';
import { mean, median } from '../../lib/numerics/averages.ts';
import type { Durations } from '../../lib/numerics/sirs.ts';
import { summariseCheck } from './check.ts';
import type { RainSeason } from './rain-season.ts';
import type { SeasonCheckRow } from './season-tables.ts';

/** The published method, with a description that speaks of levels still without the country's words. */
export type WordedMethod = Omit<SeasonMethod, 'description'> & { description: string | Wording };

export interface SeasonAssumptions {
  durations: Durations;
  /** Basis of the durations, as a clause. */
  assumed_from: string;
  /** The share of the peak from which a month counts as high. */
  highShare: number;
}

/** The season's method in plain words, with the results of its check. */
export function describeMethod(
  rainSeason: RainSeason,
  check: readonly SeasonCheckRow[],
  { durations, assumed_from, highShare }: SeasonAssumptions,
): Wording {
  const method =
    'Population-weighted usual rain drives the transmission of an SIRS model (infectious for ' +
    `${durations.infectious_months}, immune for ${durations.immune_months} months, ${assumed_from}): transmission ` +
    `follows rain by ${rainSeason.lag_months.toFixed(1)} months, its seasonal part is at half its maximum at ` +
    `${rainSeason.half_saturation_mm.toFixed(0)} mm a month, and ${(100 * rainSeason.share_year_round).toFixed(0)}% of its peak ` +
    "does not depend on rain. The index is the number of new infections on the model's yearly cycle.";
  if (check.length === 0)
    return worded`${method} There are no monthly case records: the parameters are those fitted elsewhere and have not been checked here.`;
  return worded`${method} Its parameters were fitted by least squares to ${check.length} {state.many}' monthly case records, as the ratio of each month to the centred 12-month geometric mean, median over years; the check leaves each {state.one} out in turn when fitting them, but not when choosing the durations. ${describeHighMonths(check, highShare)}${describeLgas(check)}`;
}

/** Variation of recorded cases over the year, and how well the check predicted low months of left-out states. */
function describeHighMonths(check: readonly SeasonCheckRow[], highShare: number): string {
  const months = check.flatMap(({ expected, recorded }) =>
    expected.map((value, month) => ({ expectedLow: value < highShare, recordedLow: recorded[month]! < highShare })),
  );
  const recordedLowMonths = months.filter(({ recordedLow }) => recordedLow);
  const identifiedCount = recordedLowMonths.filter(({ expectedLow }) => expectedLow).length;
  const lowest = check.map(({ recorded }) => Math.min(...recorded));
  const neverLow = lowest.filter((value) => value >= highShare).length;
  const rootMeanSquareError = Math.sqrt(mean(check.map(({ index_error }) => index_error ** 2)));
  const wronglyLow = months.filter(({ expectedLow, recordedLow }) => expectedLow && !recordedLow).length;
  return (
    `A high season of twelve months means that no month is expected below ${highShare} of the peak, not that all ` +
    `months are alike: the index shows how they differ. In ${neverLow} of the ${check.length} records no month falls ` +
    `below it; the lowest months of the records are at ${Math.min(...lowest).toFixed(2)} to ` +
    `${Math.max(...lowest).toFixed(2)} of the peak. Of ${months.length} left-out months, ${recordedLowMonths.length} were recorded ` +
    `below ${highShare}: the index identified ${identifiedCount} of them, and put ${wronglyLow} others below it. Its error ` +
    `is ${rootMeanSquareError.toFixed(2)} of the peak (root mean square), so a month that close to ${highShare} may be on either ` +
    'side.'
  );
}

/** Accuracy of the season of LGAs predicted from their own rain; empty if no LGA has a record. */
function describeLgas(check: readonly SeasonCheckRow[]): Wording | string {
  const lgas = check.flatMap((row) => row.lgas);
  if (lgas.length === 0) return '';
  const months = (figure: 'peak_off' | 'midpoint_off') => mean(lgas.map((lga) => lga[figure])).toFixed(1);
  const correlation = median(lgas.map((lga) => lga.correlation)).toFixed(2);
  const monthsOff = `the peak is ${months('peak_off')} and the high season's midpoint ${months('midpoint_off')} months off`;
  return worded` The seasons of {lga.many} are predicted less well, and their records are noisier: over ${lgas.length} {lga.many} of left-out {state.many}, the median correlation is ${correlation}, and on average ${monthsOff}.`;
}

/** The season's method for a country without monthly rain, from case records alone. */
export function describeCaseSeason(
  check: readonly SeasonCheckRow[],
  records: { states: number; lgas: number },
  high_season_share_of_peak: number,
): WordedMethod {
  const method = worded`A record's season is the ratio of each month's reported cases to the centred 12-month geometric mean, median over years. The country's season is the mean of its {state.many}'; the record of {a.state} is drawn towards it, and that of {a.lga} towards the season of its {state.one}, the more the noisier it is compared with how such places differ. Places without a record have the season of the level above. ${records.states} {state.many} and ${records.lgas} {lga.many} have one.`;
  return roundFields({
    cases_follow_rain_by_months: 0,
    high_season_share_of_peak,
    description:
      check.length === 0
        ? worded`${method} With records of one {state.one} the season cannot be checked.`
        : worded`${method} The check compares the record of each {state.one} with the mean of the others, which is the season of a place without a record. ${describeHighMonths(check, high_season_share_of_peak)}`,
    check: summariseCheck(check),
  });
}

/** The season's method for a country without monthly rain or case records: the season is unknown. */
export function unknownSeasonMethod(high_season_share_of_peak: number): SeasonMethod {
  return {
    cases_follow_rain_by_months: 0,
    high_season_share_of_peak,
    description: 'The country has no monthly rain data from which to estimate a season, so no season is reported.',
    check: summariseCheck([]),
  };
}
