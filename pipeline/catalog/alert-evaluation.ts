/** The schema of `alert-evaluation.json`, the last result of `malaria-risk evaluate alerts`, with its date. */
import type { Static } from 'typebox';
import { closedObject, Type } from '../contract/type.ts';

export const ALERT_EVALUATION_FILE = 'alert-evaluation.json';

export const AlertEvaluation = closedObject({
  evaluated_on: Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$' }),
  scores: Type.Array(
    closedObject({
      area: Type.Enum(['lga', 'state']),
      unchanged_months: Type.Integer({ description: 'Area-months without a change' }),
      false_alerts_per_area_year: Type.Number({ description: 'Alerts that begin without a change' }),
      new_without_change: Type.Number({ description: 'Share of unchanged area-months in which an alert begins' }),
      alert_without_change: Type.Number({ description: 'Share of them in alert' }),
      fall_without_change: Type.Number({ description: 'Share of them in fall' }),
      rises: Type.Integer(),
      found_within_1: Type.Number({ description: 'Share of rises in alert in their first month' }),
      found_within_2: Type.Number({ description: 'Share in alert in one of their first two' }),
      median_delay_months: Type.Union([Type.Integer(), Type.Null()], {
        description: 'Median month of a rise in which it is found; null if fewer than half are within four',
      }),
      alert_in_month_4: Type.Number({
        description: 'Share of rises of five months or more, in their fourth month',
      }),
      falls: Type.Integer(),
      falls_found_within_2: Type.Number(),
    }),
  ),
});
export type AlertEvaluation = Static<typeof AlertEvaluation>;
export type AlertScores = AlertEvaluation['scores'][number];
