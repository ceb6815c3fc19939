import type { RiskModel, Validation } from '../artifacts.ts';
import type { StageRun } from '../engine/stage.ts';
import { mapInThreads } from '../engine/threads.ts';
import { type FitSummary, GIVEN } from '../risk/estimate.ts';
import { inputsOf, prepareRisk } from '../risk/inputs.ts';
import { foldsOf, placedOf } from './cross-validation.ts';
import type { FoldResult, FoldTask } from './fold.ts';
import { foldByBlock, placesOf } from './spatial-folds.ts';
import { summariseValidation } from './summary.ts';

const BLOCK_DEGREES = 1;
const FOLDS = 5;

/** The evidence for the risk scores: both models on surveys they have not seen, in folds of spatial blocks. */
export const run: StageRun = async (io) => {
  const { risk, seed } = io.model.parameters;
  const inputs = inputsOf(io, risk.state_only_effective_size);
  const { areas, cells } = inputs;
  const prepared = prepareRisk(inputs);
  const places = placedOf(prepared.observed).map((o) => ({ lga_code: o.lga_code, examined: o.risk.examined }));
  const foldOf = foldByBlock(placesOf(cells, places), FOLDS, BLOCK_DEGREES);
  const folds = foldsOf(prepared, foldOf);
  const evidence = io.artifact<{ model: RiskModel; spatial: FitSummary | null }>('risk/evidence');
  const how = {
    states: areas.states.map((state) => state.state_code),
    foldOf,
    constants: { season_exponent: risk.season_exponent, ...GIVEN },
    draws: risk.draws,
    seed,
    like: evidence.spatial?.optimum ?? null,
  };
  io.progress(0.1, `${folds.length} folds`);
  const tasks = folds.length > 1 ? folds.map((fold) => ({ inputs, fold, how })) : [];
  const rows = await mapInThreads<FoldTask, FoldResult>(new URL('./fold.ts', import.meta.url), tasks);
  if (rows.flat().length === 0) {
    const what = 'no round was held in two blocks, so that no place can be predicted from others';
    return { scores: null, report: [{ source: 'survey_clusters', rule: 'cross-validation', what }] };
  }
  const scores: Validation = summariseValidation(rows.flat(), evidence.model, BLOCK_DEGREES);
  return { scores, report: [{ source: 'survey_clusters', rule: 'cross-validation', what: scores.words }] };
};
