/** How soon alerts find changes of known date, and how often there is one without a change. */

import { mean } from '../../lib/numerics/averages.ts';
import type { AlertClass } from '../../model/forecast/alerts.ts';

/** The first months of an area from the onset of a change on, or the same months without it. */
export interface FollowedArea {
  /** null if nothing was changed */
  kind: string | null;
  /** Months that the change lasts. */
  months: number;
  classes: { class: AlertClass; isNew: boolean }[];
}

/** Months from the onset on that are looked at. */
export const FOLLOWED = 4;

export interface AlertScores {
  /** Area-months without a change. */
  unchanged_months: number;
  /** Alerts that begin without a change, by area and year. */
  false_alerts_per_area_year: number;
  /** Shares of area-months without a change in which an alert begins, or lasts. */
  new_without_change: number;
  alert_without_change: number;
  fall_without_change: number;
  rises: number;
  /** Shares of rises in alert in their first month, or in one of their first two. */
  found_within_1: number;
  found_within_2: number;
  /** Median month of the rise in which it is found; null if fewer than half are within four. */
  median_delay_months: number | null;
  /** Share in alert in the fourth month of rises that last five months or more. */
  alert_in_month_4: number;
  falls: number;
  falls_found_within_2: number;
}

const NO_RISE: ReadonlySet<string> = new Set(['spike', 'fall']);

export function scoreAlerts(areas: readonly FollowedArea[]): AlertScores {
  const share = <T>(list: readonly T[], isCounted: (one: T) => boolean) =>
    Number(mean(list.map((one) => Number(isCounted(one)))).toFixed(4));
  const inClass =
    (name: AlertClass, months: number) =>
    ({ classes }: FollowedArea) =>
      classes.slice(0, months).some((month) => month.class === name);
  const unchanged = areas.filter(({ kind }) => kind === null).flatMap(({ classes }) => classes);
  const rises = areas.filter(({ kind }) => kind !== null && !NO_RISE.has(kind));
  const falls = areas.filter(({ kind }) => kind === 'fall');
  const newWithout = share(unchanged, ({ class: name, isNew }) => name === 'alert' && isNew);
  const delay = [1, 2, 3, 4].find((months) => share(rises, inClass('alert', months)) >= 0.5) ?? null;
  return {
    unchanged_months: unchanged.length,
    false_alerts_per_area_year: Number((12 * newWithout).toFixed(3)),
    new_without_change: newWithout,
    alert_without_change: share(unchanged, ({ class: name }) => name === 'alert'),
    fall_without_change: share(unchanged, ({ class: name }) => name === 'fall'),
    rises: rises.length,
    found_within_1: share(rises, inClass('alert', 1)),
    found_within_2: share(rises, inClass('alert', 2)),
    median_delay_months: delay,
    alert_in_month_4: share(
      rises.filter(({ months }) => months > FOLLOWED),
      ({ classes }) => classes[FOLLOWED - 1]?.class === 'alert',
    ),
    falls: falls.length,
    falls_found_within_2: share(falls, inClass('fall', 2)),
  };
}
