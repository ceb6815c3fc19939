/** A worker thread of the risk stage; `in-threads.ts` distributes the tasks. */
import { parentPort, workerData } from 'node:worker_threads';
import type { Mode } from '../../lib/numerics/laplace.ts';
import type { Share } from './draws.ts';
import { type FitPoint, pointNear, type ThetaPoint } from './fit.ts';
import type { RiskObservation } from './likelihood.ts';
import { prepareMarginal } from './marginal.ts';
import type { Mesh } from './mesh.ts';
import { slopeNear } from './optimum.ts';
import { fillPaths, type PathInputs, type Paths } from './paths.ts';
import { type Estimates, predictMonths } from './prediction.ts';
import { drawStreams } from './streams.ts';
import type { Constants } from './terms.ts';

export interface RiskData {
  mesh: Mesh;
  times: number[];
  observations: RiskObservation[];
  constants: Constants;
  pathInputs: PathInputs;
  seed: number;
}
export type RiskTask =
  /** The gradient at θ, near a mode. */
  | { slope: number[]; near: Mode }
  /** The posterior at a point of θ. */
  | { point: ThetaPoint; near: Mode }
  /** A batch of draws, written into the paths. */
  | { draw: Share; posterior: FitPoint; paths: Paths }
  /** One month of the year, for all years, written into the estimates. */
  | { month: number; paths: Paths; estimates: Estimates };

const { mesh, times, observations, constants, pathInputs, seed } = workerData as RiskData;
const marginal = prepareMarginal(mesh, times, observations, constants);
const { layout } = marginal;

function runTask(task: RiskTask): number[] | FitPoint | null {
  if ('slope' in task) return slopeNear(marginal, { mode: task.near }, task.slope);
  if ('point' in task) return pointNear(marginal, task.near, task.point);
  if ('draw' in task) fillPaths(task.paths, { mesh, layout }, task.posterior, task.draw, pathInputs, drawStreams(seed));
  else predictMonths(task.paths, task.month, task.estimates);
  return null;
}

parentPort!.on('message', (task: RiskTask) => parentPort!.postMessage(runTask(task)));
