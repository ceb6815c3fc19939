import { availableParallelism } from 'node:os';
import { openThreadPool, type ThreadPool } from '../../engine/threads.ts';
import type { Mode } from '../../lib/numerics/laplace.ts';
import { drawBatches } from './draws.ts';
import { centrePoint, type FitPoint, pointsAround, type RiskFit, summariseFit, weighed } from './fit.ts';
import { prepareMarginal } from './marginal.ts';
import { type Centre, type Optimum, searchOptimum, settle, slopesWanted } from './optimum.ts';
import { emptyPaths } from './paths.ts';
import { type Estimates, emptyEstimates, monthsOfYear } from './prediction.ts';
import type { RiskData, RiskTask } from './thread.ts';

/** Draws per batch: enough batches for any number of cores, few enough that distributing them costs nothing. */
const BATCH = 50;

/**
 * Gives bit for bit the results of `fitRisk`, `drawPaths` and `predictRisk`, with the work distributed over threads:
 * each result depends only on its task and has its own position, so neither the number of threads nor their order
 * matters. Only the search for the optimum is sequential.
 * @param start θ at which the search starts
 * @param progress receives the share done
 */
export async function estimateInThreads(
  data: RiskData,
  draws: number,
  start: number[],
  progress: (share: number, what: string) => void,
): Promise<Estimates & { fit: RiskFit }> {
  const { mesh, times, observations, constants, pathInputs } = data;
  progress(0, 'fit');
  const pool = openThreadPool<RiskTask, unknown>(new URL('./thread.ts', import.meta.url), data, availableParallelism());
  try {
    const marginal = prepareMarginal(mesh, times, observations, constants);
    const { symbolic } = marginal.layout;
    // threads return a copy of the symbolic analysis, which all factors share
    const withSharedSymbolic = (mode: Mode): Mode => ({ ...mode, factor: { ...mode.factor, symbolic } });
    const settledFrom = async (near: Centre): Promise<Optimum> => {
      const slopes = slopesWanted(near).map((slope) => ({ slope, near: near.mode }));
      const { optimum, reached } = settle(marginal, near, await share<number[]>(pool, slopes));
      return optimum ?? settledFrom(reached);
    };
    const near = searchOptimum(marginal, start);
    progress(0.3, 'fit');
    const optimum = await settledFrom(near);
    progress(0.5, 'fit');
    const [first, ...corners] = pointsAround(optimum);
    const centre = centrePoint(marginal, first);
    const around = await share<FitPoint | null>(
      pool,
      corners.map((point) => ({ point, near: centre.mode })),
    );
    const points = weighed([
      centre,
      ...around.map((point) => point && { ...point, mode: withSharedSymbolic(point.mode) }),
    ]);
    const fit = summariseFit(mesh, marginal, optimum, points);
    progress(0.6, 'predict');
    const paths = emptyPaths(fit, pathInputs, draws);
    const batches = drawBatches(points, draws, BATCH).map((draw) => ({ draw, posterior: points[draw.point]!, paths }));
    await share(pool, batches);
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
  Promise.all(tasks.map(pool.run)) as Promise<Answer[]>;
