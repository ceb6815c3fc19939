/** A worker thread of the risk stage; `in-threads.ts` distributes the tasks. */
import { parentPort, workerData } from 'node:worker_threads';
import type { Mode } from '../../lib/numerics/laplace.ts';
import type { DrawBatch } from './draws.ts';
import { type FitPoint, fitPointNear, type ThetaPoint } from './fit.ts';
import type { RiskObservation } from './likelihood.ts';
import { prepareMarginal } from './marginal.ts';
import type { Mesh } from './mesh.ts';
import { costGradientNear } from './optimum.ts';
import { fillPathBatch, type PathInputs, type Paths } from './paths.ts';
import { type Estimates, estimateCalendarMonth } from './prediction.ts';
import { antitheticStreams } from './streams.ts';
import type { PriorConstants } from './terms.ts';

export interface ThreadData {
  mesh: Mesh;
  times: number[];
  observations: RiskObservation[];
  constants: PriorConstants;
  pathInputs: PathInputs;
  seed: number;
}
export type RiskTask =
  /** The gradient at θ, near a mode. */
  | { slope: number[]; near: Mode }
  /** The posterior at a point of θ. */
  | { point: ThetaPoint; near: Mode }
  /** A batch of draws, written into the paths. */
  | { draw: DrawBatch; posterior: FitPoint; paths: Paths }
  /** One month of the year, for all years, written into the estimates. */
  | { month: number; paths: Paths; estimates: Estimates };

const { mesh, times, observations, constants, pathInputs, seed } = workerData as ThreadData;
const marginal = prepareMarginal(mesh, times, observations, constants);
const { layout } = marginal;

function runTask(task: RiskTask): number[] | FitPoint | null {
  if ('slope' in task) return costGradientNear(marginal, { mode: task.near }, task.slope);
  if ('point' in task) return fitPointNear(marginal, task.near, task.point);
  if ('draw' in task)
    fillPathBatch(task.paths, { mesh, layout }, task.posterior, task.draw, pathInputs, antitheticStreams(seed));
  else estimateCalendarMonth(task.paths, task.month, task.estimates);
  return null;
}

parentPort!.on('message', (task: RiskTask) => parentPort!.postMessage(runTask(task)));
