/** The schema of `held-back.json`, the register of evaluations on the held-back year ("looks" in its fields). */
import type { Static } from 'typebox';
import { Type } from '../contract/type.ts';
import { closed } from './shared-schemas.ts';

export const HELD_BACK_FILE = 'held-back.json';
/** One evaluation on the held-back year, registered before it runs. */
export const RegisteredEvaluation = Type.Object(
  {
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
        Type.Object(
          {
            months: Type.Integer(),
            mean_absolute_error: Type.Record(Type.String(), Type.Number()),
            seasonal_shape_correlation: Type.Number(),
          },
          closed,
        ),
      ],
      { description: 'null between registration and evaluation' },
    ),
  },
  closed,
);
export type RegisteredEvaluation = Static<typeof RegisteredEvaluation>;
/** held-back.json, written by `malaria-risk evaluate held-back`. */
export const HeldBack = Type.Object({ looks: Type.Array(RegisteredEvaluation) }, closed);
export type HeldBack = Static<typeof HeldBack>;
