/** The schema of `held-back.json`, the register of evaluations on the held-back year ("looks" in its fields). */
import type { Static } from 'typebox';
import { closedObject, Type } from '../contract/type.ts';

export const HELD_BACK_FILE = 'held-back.json';
/** One evaluation on the held-back year, registered before it runs. */
export const RegisteredEvaluation = closedObject({
  held_back_year: Type.Integer(),
  design: Type.String({
    pattern: '^[0-9a-f]{64}$',
    description: 'Fingerprint of settings and projections (pipeline/model/transmission/held-back-design.ts)',
  }),
  level_months: Type.Integer(),
  reason: Type.String({ minLength: 1 }),
  result: Type.Union(
    [
      Type.Null(),
      closedObject({
        months: Type.Integer(),
        mean_absolute_error: Type.Record(Type.String(), Type.Number()),
        seasonal_shape_correlation: Type.Number(),
      }),
    ],
    { description: 'null between registration and evaluation' },
  ),
});
export type RegisteredEvaluation = Static<typeof RegisteredEvaluation>;
/** held-back.json, written by `malaria-risk evaluate held-back`. */
export const HeldBack = closedObject({ looks: Type.Array(RegisteredEvaluation) });
export type HeldBack = Static<typeof HeldBack>;
