import type { TransmissionModel } from '../../../contract/schemas.ts';
import type { CasesRow, Surveys } from '../../../ingest/ingest-tables.ts';
import type { TableRow } from '../../../lib/tables/table.ts';
import type { JointRisk, RiskEvidence } from '../../../model/risk/risk-tables.ts';
import type { SeasonCheckRow } from '../../../model/season/season-tables.ts';
import type { TransmissionFits } from '../../../model/transmission/transmission-stage.ts';
import type { PAST } from '../../../validate/backtest/backtest-tables.ts';
import type { KnownTruth } from '../../../validate/known-truth.ts';
import type { Validation } from '../../../validate/validation.ts';
import type { AreaDraws } from '../../snapshot/totals-table.ts';

/** Material for the report that is not in the answers. */
export interface Evidence {
  risk: RiskEvidence;
  /** null if the country has too few cells to leave any out. */
  validation: Validation | null;
  known_truth: KnownTruth;
  season_check: readonly SeasonCheckRow[];
  fits: TransmissionFits | null;
  /** Reported and modelled cases per 1,000 people, for the report to draw as an index. */
  exact_series: readonly Pick<TransmissionModel['states'][number], 'state_code' | 'series'>[];
  surveys: Surveys;
  cases: readonly CasesRow[];
  /** Joint draws of the areas whose cases are forecast. */
  case_draws: readonly AreaDraws[];
  /**
   * By area: standard deviations of the change of each month from the same month of one, two … years before; months
   * in ascending order.
   */
  contrasts: readonly { code: string; period: string; change_sd: number[] }[];
  joint: JointRisk;
  /** Past forecasts of states' cases; empty if there are none. */
  past_forecasts: readonly TableRow<typeof PAST>[];
}
