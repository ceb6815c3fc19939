import type { RiskEvidence, Surveys, Validation } from '../../artifacts.ts';
import type { TransmissionModel } from '../../contract/schemas.ts';
import type { LinkEvidence } from '../../forecast/link/stage.ts';
import type { PAST } from '../../forecast/tables.ts';
import type { SeasonCheckRow } from '../../season/check.ts';
import type { RowOf } from '../../table.ts';
import type { TransmissionFits } from '../../transmission/stage.ts';
import type { KnownTruth } from '../../validation/known-truth.ts';

/** Material for the report that is not in the answers. */
export interface Evidence {
  risk: RiskEvidence;
  /** The evidence in case records about prevalence, and whether it adjusts scores. */
  link: LinkEvidence;
  /** null if the country has too few cells to leave any out. */
  validation: Validation | null;
  known_truth: KnownTruth;
  season_check: readonly SeasonCheckRow[];
  fits: TransmissionFits | null;
  /** Reported and modelled cases per 1,000 people, for the report to draw as an index. */
  exact_series: readonly Pick<TransmissionModel['states'][number], 'state_code' | 'series'>[];
  surveys: Surveys;
  /** Past forecasts of states' cases; empty if there are none. */
  past_forecasts: readonly RowOf<typeof PAST>[];
}
