import { mean, median } from '../numerics/averages.ts';
import type { SeasonCheckRow } from './check.ts';
import type { Durations, RainSeason } from './rain-season.ts';

export interface SeasonAssumptions {
  durations: Durations;
  /** What the durations rest on, as a clause. */
  assumed_from: string;
  /** The least share of the peak at which a month is high. */
  highShare: number;
}

/** The season's method in plain words, and what its check says about twelve high months; all figures as measured. */
export function describeMethod(
  rain: RainSeason,
  check: readonly SeasonCheckRow[],
  { durations, assumed_from, highShare }: SeasonAssumptions,
): string {
  const method =
    `Usual rain, weighted by people, drives the transmission of an SIRS model (infectious ${durations.infectious_months}, ` +
    `immune ${durations.immune_months} months, ${assumed_from}): transmission follows rain by ` +
    `${rain.lag_months.toFixed(1)} months, its seasonal part is at half its ceiling at ${rain.half_saturation_mm.toFixed(0)} ` +
    `mm a month, and ${(100 * rain.share_year_round).toFixed(0)}% of its peak needs no rain. The index is new infections on the ` +
    `model's yearly cycle.`;
  if (check.length === 0)
    return `${method} Without monthly case records, parameters are those found elsewhere, unchecked here.`;
  return (
    `${method} Its parameters were fitted by least squares to ${check.length} states' monthly case records, which enter as month ` +
    `over the centred 12-month geometric mean, the median over years; the check leaves each state out in turn in fitting ` +
    `them, not in choosing the durations. ${describeHighMonths(check, highShare)}${describeLgas(check)}`
  );
}

/** How little recorded cases vary over the year, and which low months the check found in the states left out. */
function describeHighMonths(check: readonly SeasonCheckRow[], highShare: number): string {
  const months = check.flatMap(({ expected, recorded }) =>
    expected.map((value, month) => ({ expectedLow: value < highShare, recordedLow: recorded[month]! < highShare })),
  );
  const low = months.filter(({ recordedLow }) => recordedLow);
  const found = low.filter(({ expectedLow }) => expectedLow).length;
  const lowest = check.map(({ recorded }) => Math.min(...recorded));
  const whole = lowest.filter((value) => value >= highShare).length;
  const error = Math.sqrt(mean(check.map(({ index_error }) => index_error ** 2)));
  return (
    `A high season of twelve months says that no month is expected below ${highShare} of the peak, not that months are alike: ` +
    `the index shows how they differ. In ${whole} of the ${check.length} records no month falls below it; their lowest months are ` +
    `at ${Math.min(...lowest).toFixed(2)} to ${Math.max(...lowest).toFixed(2)} of the peak. Of ${months.length} months left out, ${low.length} ` +
    `were recorded below ${highShare}: the index found ${found} of them, and called ${months.filter(({ expectedLow, recordedLow }) => expectedLow && !recordedLow).length} others low. It is off by ` +
    `${error.toFixed(2)} of the peak (root mean square), so a month that close to ${highShare} may lie on either side.`
  );
}

/** How well the season of LGAs is predicted from their own rain; empty if none has a record. */
function describeLgas(check: readonly SeasonCheckRow[]): string {
  const lgas = check.flatMap((row) => row.lgas);
  if (lgas.length === 0) return '';
  const months = (figure: 'peak_off' | 'midpoint_off') => mean(lgas.map((lga) => lga[figure])).toFixed(1);
  return (
    ` The seasons of LGAs are predicted less well, and their records are noisier: over ${lgas.length} LGAs of states left out, the median correlation is ` +
    `${median(lgas.map(({ correlation }) => correlation)).toFixed(2)}, the peak ${months('peak_off')} and the high season's midpoint ` +
    `${months('midpoint_off')} months off on average.`
  );
}
