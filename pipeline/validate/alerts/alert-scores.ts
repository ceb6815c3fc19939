/** How soon alerts find changes of known date, and how often there is one without a change. */

import type { AlertScores } from '../../catalog/alert-evaluation.ts';
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

const NO_RISE: ReadonlySet<string> = new Set(['spike', 'fall']);

export function scoreAlerts(areas: readonly FollowedArea[]): Omit<AlertScores, 'area'> {
  const share = <T>(list: readonly T[], isCounted: (one: T) => boolean) =>
    list.length === 0 ? 0 : Number(mean(list.map((one) => Number(isCounted(one)))).toFixed(4));
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
