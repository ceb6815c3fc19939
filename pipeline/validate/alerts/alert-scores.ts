/** How soon alerts find changes of known date, and how often there is one without a change. */

import type { AlertScores } from '../../catalog/alert-evaluation.ts';
import { mean } from '../../lib/numerics/averages.ts';
import type { AlertClass } from '../../model/forecast/alerts.ts';

/** The first months of an area from the onset of a change on, or the same months without it. */
export interface FollowedArea {
  /** null if nothing was changed */
  kind: string | null;
  /** Months that the change lasts. */
  duration_months: number;
  classes: { class: AlertClass; isNew: boolean }[];
}

/** Months from the onset on that are looked at. */
export const FOLLOWED_MONTHS = 4;

const KINDS_WITHOUT_RISE: ReadonlySet<string> = new Set(['spike', 'fall']);

export function scoreAlerts(areas: readonly FollowedArea[]): Omit<AlertScores, 'area'> {
  const share = <T>(list: readonly T[], isCounted: (one: T) => boolean) =>
    list.length === 0 ? 0 : Number(mean(list.map((one) => Number(isCounted(one)))).toFixed(4));
  const reachesClass =
    (name: AlertClass, withinMonths: number) =>
    ({ classes }: FollowedArea) =>
      classes.slice(0, withinMonths).some((month) => month.class === name);
  const unchangedMonths = areas.filter(({ kind }) => kind === null).flatMap(({ classes }) => classes);
  const rises = areas.filter(({ kind }) => kind !== null && !KINDS_WITHOUT_RISE.has(kind));
  const falls = areas.filter(({ kind }) => kind === 'fall');
  const newAlertShare = share(unchangedMonths, ({ class: name, isNew }) => name === 'alert' && isNew);
  const medianDelay = [1, 2, 3, 4].find((months) => share(rises, reachesClass('alert', months)) >= 0.5) ?? null;
  return {
    unchanged_months: unchangedMonths.length,
    false_alerts_per_area_year: Number((12 * newAlertShare).toFixed(3)),
    new_without_change: newAlertShare,
    alert_without_change: share(unchangedMonths, ({ class: name }) => name === 'alert'),
    fall_without_change: share(unchangedMonths, ({ class: name }) => name === 'fall'),
    rises: rises.length,
    found_within_1: share(rises, reachesClass('alert', 1)),
    found_within_2: share(rises, reachesClass('alert', 2)),
    median_delay_months: medianDelay,
    alert_in_month_4: share(
      rises.filter(({ duration_months: months }) => months > FOLLOWED_MONTHS),
      ({ classes }) => classes[FOLLOWED_MONTHS - 1]?.class === 'alert',
    ),
    falls: falls.length,
    falls_found_within_2: share(falls, reachesClass('fall', 2)),
  };
}
