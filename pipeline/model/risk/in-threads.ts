import { availableParallelism } from 'node:os';
import { openThreadPool, type ThreadPool } from '../../engine/threads.ts';
import type { Mode } from '../../lib/numerics/laplace.ts';
import { drawBatches } from './draws.ts';
import { designPoints, type FitPoint, fitPointFromPrior, type RiskFit, rescaleWeights, toRiskFit } from './fit.ts';
import { prepareMarginal } from './marginal.ts';
import { gradientPoints, type Optimum, refineOptimum, searchOptimum, type ThetaWithMode } from './optimum.ts';
import { emptyPaths } from './paths.ts';
import { calendarMonths, type Estimates, emptyEstimates } from './prediction.ts';
import type { RiskTask, ThreadData } from './thread.ts';

/** Draws per batch: enough batches for any number of cores, few enough that distributing them costs nothing. */
const BATCH_DRAWS = 50;

/**
 * Gives bit for bit the results of `fitRisk`, `drawPaths` and `predictRisk`, with the work distributed over threads:
 * each result depends only on its task and has its own position, so neither the number of threads nor their order
 * matters. Only the search for the optimum is sequential.
 * @param start θ at which the search starts
 * @param onProgress receives the share done
 */
export async function estimateInThreads(
  data: ThreadData,
  draws: number,
  start: number[],
  onProgress: (share: number, what: string) => void,
): Promise<Estimates & { fit: RiskFit }> {
  const { mesh, times, observations, constants, pathInputs } = data;
  onProgress(0, 'fit');
  const pool = openThreadPool<RiskTask, unknown>(new URL('./thread.ts', import.meta.url), data, availableParallelism());
  try {
    const marginal = prepareMarginal(mesh, times, observations, constants);
    const { symbolic } = marginal.layout;
    // threads return a copy of the symbolic analysis, which all factors share
    const withSharedSymbolic = (mode: Mode): Mode => ({ ...mode, factor: { ...mode.factor, symbolic } });
    const refineFrom = async (from: ThetaWithMode): Promise<Optimum> => {
      const gradientTasks = gradientPoints(from).map((gradientAt) => ({ slope: gradientAt, near: from.mode }));
      const { optimum, reached } = refineOptimum(marginal, from, await runTasks<number[]>(pool, gradientTasks));
      return optimum ?? refineFrom(reached);
    };
    const searched = searchOptimum(marginal, start);
    onProgress(0.3, 'fit');
    const optimum = await refineFrom(searched);
    onProgress(0.5, 'fit');
    const [first, ...cornerPoints] = designPoints(optimum);
    const centre = fitPointFromPrior(marginal, first);
    const fittedCorners = await runTasks<FitPoint | null>(
      pool,
      cornerPoints.map((point) => ({ point, near: centre.mode })),
    );
    const points = rescaleWeights([
      centre,
      ...fittedCorners.map((point) => point && { ...point, mode: withSharedSymbolic(point.mode) }),
    ]);
    const fit = toRiskFit(mesh, marginal, optimum, points);
    onProgress(0.6, 'predict');
    const paths = emptyPaths(fit, pathInputs, draws);
    const batches = drawBatches(points, draws, BATCH_DRAWS).map((draw) => ({
      draw,
      posterior: points[draw.point]!,
      paths,
    }));
    await runTasks(pool, batches);
    onProgress(0.8, 'predict');
    const estimates = emptyEstimates(paths);
    await runTasks(
      pool,
      [...calendarMonths(paths)].map((month) => ({ month, paths, estimates })),
    );
    return { ...estimates, fit };
  } finally {
    await pool.close();
  }
}

const runTasks = <Answer>(pool: ThreadPool<RiskTask, unknown>, tasks: readonly RiskTask[]) =>
  Promise.all(tasks.map(pool.run)) as Promise<Answer[]>;
