import type { AlertScores } from '../../catalog/alert-evaluation.ts';
import { randomStream } from '../../lib/numerics/random.ts';
import { judgeMonths } from '../../model/forecast/alerts.ts';
import { type Panel, panelUpTo } from '../../model/forecast/panel.ts';
import { FOLLOWED_MONTHS, type FollowedArea, scoreAlerts } from './alert-scores.ts';
import { withChanges } from './changes.ts';

const SEED = 1;
/** Onsets of changes, as months before the end of the records. */
const ONSETS_BEFORE_END = [FOLLOWED_MONTHS, FOLLOWED_MONTHS + 5, FOLLOWED_MONTHS + 10];
/** Panels with changes at each onset, beside one without. */
const CHANGED_PANELS = 2;

/**
 * How soon the alerts of a panel find changes that are injected into its records, and how often there is one without.
 * Null if the records are too short. Some of the alerts without a change may be real outbreaks.
 */
export function evaluateAlerts(
  panel: Panel & { level: AlertScores['area'] },
  onProgress: (share: number) => void,
): AlertScores | null {
  const followedAreas: FollowedArea[] = [];
  const random = randomStream(SEED, `alerts ${panel.level}`);
  for (const [i, monthsBeforeEnd] of ONSETS_BEFORE_END.entries()) {
    const onset = panel.months - monthsBeforeEnd;
    const versions = [
      { panel, changes: panel.areas.map(() => null) },
      ...Array.from({ length: CHANGED_PANELS }, () => withChanges(panel, onset, random)),
    ];
    for (const [version, { panel: records, changes }] of versions.entries()) {
      const onVersionProgress = (share: number) =>
        onProgress((i + (version + share) / versions.length) / ONSETS_BEFORE_END.length);
      for (const [areaIndex, judgedMonths] of judgeMonths(
        panelUpTo(records, onset + FOLLOWED_MONTHS - 1),
        onVersionProgress,
      ).entries()) {
        const change = changes[areaIndex] ?? null;
        if (version > 0 && change === null) continue;
        const lastMonths = judgedMonths
          .slice(-FOLLOWED_MONTHS)
          .filter(({ cases }) => change !== null || cases !== null);
        const classes = lastMonths.map(({ month, detection }) => ({
          class: detection.class,
          isNew: detection.since === month,
        }));
        if (classes.length > 0)
          followedAreas.push({ kind: change?.kind ?? null, duration_months: change?.duration_months ?? 0, classes });
      }
    }
  }
  return followedAreas.length > 0 ? { area: panel.level, ...scoreAlerts(followedAreas) } : null;
}
