/** A thread of the risk stage: does the tasks that `in-threads.ts` shares out. */
import { parentPort, workerData } from 'node:worker_threads';
import type { Mode } from '../numerics/laplace.ts';
import type { Share } from './draws.ts';
import { type FitPoint, pointNear, type ThetaPoint } from './fit.ts';
import type { Constants } from './latent.ts';
import type { RiskObservation } from './likelihood.ts';
import { prepareMarginal } from './marginal.ts';
import type { Mesh } from './mesh.ts';
import { slopeNear } from './optimum.ts';
import { type Drawing, fillPaths, type Paths } from './paths.ts';
import { type Estimates, predictMonths } from './prediction.ts';
import { drawStreams } from './streams.ts';

export interface RiskData {
  mesh: Mesh;
  times: number[];
  observations: RiskObservation[];
  constants: Constants;
  drawing: Drawing;
  seed: number;
}
export type RiskTask =
  /** The slope at θ, close to where a mode is known. */
  | { slope: number[]; near: Mode }
  /** The posterior at a point of θ. */
  | { point: ThetaPoint; near: Mode }
  /** A share of the draws, put into the paths. */
  | { draw: Share; at: FitPoint; paths: Paths }
  /** The months of one name, put into the estimates. */
  | { month: number; paths: Paths; estimates: Estimates };

const { mesh, times, observations, constants, drawing, seed } = workerData as RiskData;
const marginal = prepareMarginal(mesh, times, observations, constants);
const { layout } = marginal;

function answerOf(task: RiskTask): number[] | FitPoint | null {
  if ('slope' in task) return slopeNear(marginal, { mode: task.near }, task.slope);
  if ('point' in task) return pointNear(marginal, task.near, task.point);
  if ('draw' in task)
    fillPaths(task.paths, { mesh, layout, constants }, task.at, task.draw, drawing, drawStreams(seed));
  else predictMonths(task.paths, task.month, task.estimates);
  return null;
}

parentPort!.on('message', (task: RiskTask) => parentPort!.postMessage(answerOf(task)));
