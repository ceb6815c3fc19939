import { availableParallelism } from 'node:os';
import { openPool, type ThreadPool } from '../engine/threads.ts';
import type { Mode } from '../numerics/laplace.ts';
import { sharesOf } from './draws.ts';
import { centrePoint, type FitPoint, fitOf, pointsAround, type RiskFit, weighed } from './fit.ts';
import { prepareMarginal } from './marginal.ts';
import { type Centre, type Optimum, searchOptimum, settle, slopesWanted } from './optimum.ts';
import { emptyPaths } from './paths.ts';
import { type Estimates, emptyEstimates, monthsOfYear } from './prediction.ts';
import type { RiskData, RiskTask } from './thread.ts';

/** Draws in a lot: enough lots for any number of cores, few enough that handing them out costs nothing. */
const LOT = 50;

/**
 * What `fitRisk`, `drawPaths` and `predictRisk` give, to the bit, with the work shared out over threads: each piece
 * follows from what its task says, and is put where it belongs, so that neither their number nor their order matters.
 * Only the search for the optimum goes step by step.
 * @param start θ to begin the search at
 * @param progress gets the share done
 */
export async function estimateInThreads(
  data: RiskData,
  draws: number,
  start: number[],
  progress: (share: number, what: string) => void,
): Promise<Estimates & { fit: RiskFit }> {
  const { mesh, times, observations, constants, drawing } = data;
  progress(0, 'fit');
  const pool = openPool<RiskTask, unknown>(new URL('./thread.ts', import.meta.url), data, availableParallelism());
  try {
    const marginal = prepareMarginal(mesh, times, observations, constants);
    const { symbolic } = marginal.layout;
    // what all factors share came back as a copy
    const owned = (mode: Mode): Mode => ({ ...mode, factor: { ...mode.factor, symbolic } });
    const settledFrom = async (near: Centre): Promise<Optimum> => {
      const slopes = slopesWanted(near).map((slope) => ({ slope, near: near.mode }));
      const { optimum, at } = settle(marginal, near, await share<number[]>(pool, slopes));
      return optimum ?? settledFrom(at);
    };
    const near = searchOptimum(marginal, start);
    progress(0.3, 'fit');
    const optimum = await settledFrom(near);
    progress(0.5, 'fit');
    const [first, ...others] = pointsAround(optimum);
    const centre = centrePoint(marginal, first);
    const around = await share<FitPoint | null>(
      pool,
      others.map((point) => ({ point, near: centre.mode })),
    );
    const points = weighed([centre, ...around.map((point) => point && { ...point, mode: owned(point.mode) })]);
    const fit = fitOf(mesh, constants, marginal, optimum, points);
    progress(0.6, 'predict');
    const paths = emptyPaths(fit, drawing, draws);
    const lots = sharesOf(points, draws, LOT).map((draw) => ({ draw, at: points[draw.point]!, paths }));
    await share(pool, lots);
    progress(0.8, 'predict');
    const estimates = emptyEstimates(paths);
    await share(
      pool,
      [...monthsOfYear(paths)].map((month) => ({ month, paths, estimates })),
    );
    return { ...estimates, fit };
  } finally {
    await pool.close();
  }
}

const share = <Answer>(pool: ThreadPool<RiskTask, unknown>, tasks: readonly RiskTask[]) =>
  Promise.all(tasks.map(pool.ask)) as Promise<Answer[]>;
