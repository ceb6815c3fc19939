import type { AlertScores } from '../../catalog/alert-evaluation.ts';
import { randomStream } from '../../lib/numerics/random.ts';
import { judgeMonths } from '../../model/forecast/alerts.ts';
import { type Panel, panelUpTo } from '../../model/forecast/panel.ts';
import { FOLLOWED, type FollowedArea, scoreAlerts } from './alert-scores.ts';
import { withChanges } from './changes.ts';

const SEED = 1;
/** Onsets of changes, so many months before the end of the records. */
const ONSETS = [FOLLOWED, FOLLOWED + 5, FOLLOWED + 10];
/** Panels with changes at each onset, beside one without. */
const CHANGED = 2;

/**
 * How soon the alerts of a panel find changes that are injected into its records, and how often there is one without.
 * Null if the records are too short. Some of the alerts without a change may be real outbreaks.
 */
export function evaluateAlerts(
  panel: Panel & { level: AlertScores['area'] },
  onProgress: (share: number) => void,
): AlertScores | null {
  const followed: FollowedArea[] = [];
  const random = randomStream(SEED, `alerts ${panel.level}`);
  for (const [i, before] of ONSETS.entries()) {
    const onset = panel.months - before;
    const versions = [
      { panel, changes: panel.areas.map(() => null) },
      ...Array.from({ length: CHANGED }, () => withChanges(panel, onset, random)),
    ];
    for (const [v, { panel: records, changes }] of versions.entries()) {
      const done = (share: number) => onProgress((i + (v + share) / versions.length) / ONSETS.length);
      for (const [a, months] of judgeMonths(panelUpTo(records, onset + FOLLOWED - 1), done).entries()) {
        const change = changes[a] ?? null;
        if (v > 0 && change === null) continue;
        const last = months.slice(-FOLLOWED).filter(({ cases }) => change !== null || cases !== null);
        const classes = last.map(({ month, detection }) => ({
          class: detection.class,
          isNew: detection.since === month,
        }));
        if (classes.length > 0) followed.push({ kind: change?.kind ?? null, months: change?.months ?? 0, classes });
      }
    }
  }
  return followed.length > 0 ? { area: panel.level, ...scoreAlerts(followed) } : null;
}
