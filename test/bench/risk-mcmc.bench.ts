/**
 * Compares the risk model's posterior as the pipeline approximates it (Laplace at a design of hyperparameters) with
 * long Markov chains on the exact one, for a small made-up country: prevalence by LGA and round, and the
 * hyperparameters.
 *
 *   npm run bench -- risk-mcmc [--states 3] [--steps 20000] [--chains 2] [--truth matern] [--seed 1]
 *
 * A chain moves in θ and ε, where x = x̂(θ) + L(θ)⁻ᵀ ε, and x̂ and L Lᵀ are the mode and precision of Laplace's
 * approximation at θ. This is only a change of variables: a poor approximation lowers acceptance but does not bias the
 * chain. Moves are random-walk steps of θ with ε fixed, and preconditioned Crank-Nicolson steps of ε with θ fixed. The
 * target is p(y | x, θ) p(x | θ) p(θ) |L(θ)|⁻¹. The only error of a chain is Monte Carlo error, estimated by batch
 * means.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { POSITIVE } from '../../pipeline/catalog/model.ts';
import { choleskyDense, solveUpper } from '../../pipeline/lib/numerics/dense.ts';
import { findMode, type Mode, multiplySymmetric } from '../../pipeline/lib/numerics/laplace.ts';
import { type Random, randomStream } from '../../pipeline/lib/numerics/random.ts';
import { logDeterminantOf, solveBackward } from '../../pipeline/lib/numerics/sparse-cholesky.ts';
import { drawLatent } from '../../pipeline/model/risk/draws.ts';
import { constantsOf } from '../../pipeline/model/risk/estimate.ts';
import { fitRisk } from '../../pipeline/model/risk/fit.ts';
import { fromTheta, logPrior } from '../../pipeline/model/risk/hyperparameters.ts';
import { inputsOf, prepareRisk } from '../../pipeline/model/risk/inputs.ts';
import { preparePrior } from '../../pipeline/model/risk/latent.ts';
import { prepareLikelihood } from '../../pipeline/model/risk/likelihood.ts';
import { meanPrevalence, type Place, placeOf } from '../../pipeline/model/risk/places.ts';
import { withArtifacts } from '../../pipeline/release/with-artifacts.ts';
import { writeSyntheticCountry } from '../../pipeline/synthetic/country.ts';
import type { TruthFamily } from '../../pipeline/synthetic/families.ts';
import { sizeOf } from '../../pipeline/synthetic/size.ts';

const { values: given } = parseArgs({
  options: {
    states: { type: 'string', default: '3' },
    steps: { type: 'string', default: '20000' },
    chains: { type: 'string', default: '2' },
    truth: { type: 'string', default: 'matern' },
    seed: { type: 'string', default: '1' },
  },
});
const steps = Number(given.steps);
const chains = Number(given.chains);
const print = (line: string) => void process.stdout.write(`${line}\n`);

const out = mkdtempSync(path.join(tmpdir(), 'risk-mcmc-'));
const country = path.join(out, 'country');
const size = sizeOf({ states: Number(given.states) });
await writeSyntheticCountry({ seed: Number(given.seed), size, family: given.truth as TruthFamily, out: country });
const upTo = ['ingest', 'zonal', 'season'];
const { prepared, prior } = await withArtifacts(
  upTo,
  { country, out: path.join(out, 'build'), jobs: 2, onEvent: () => {} },
  (read, io) => ({ prepared: prepareRisk(inputsOf(io)), prior: read.model.parameters.risk }),
);
rmSync(out, { recursive: true });

const { mesh, times } = prepared;
const observations = prepared.observed.map(({ risk }) => risk);
const constants = constantsOf(prior, prepared.test);
const began = process.cpuUsage();
const fit = fitRisk(mesh, times, observations, constants);
const { layout } = fit;
print(
  `${mesh.state_of.length} LGAs, ${observations.length} cells and clusters, ${times.length} rounds, ${layout.size} unknowns; fit ${seconds(began)} CPU s`,
);

const { at: priorAt, mean: priorMean } = preparePrior(layout);
const { likelihood } = prepareLikelihood(mesh, layout, observations);
const centre = fit.points[0]!.mode;
const clustered = times.flatMap((_, round) =>
  observations.some((observation) => observation.clustered && observation.round === round) ? [round] : [],
);

interface ChainState {
  theta: number[];
  mode: Mode;
  epsilon: Float64Array;
  x: Float64Array;
  log_target: number;
}

/** The parts of the approximation at θ that the chain needs; null if it has no mode. */
function approximate(theta: number[]) {
  const hyperparameters = fromTheta(theta);
  if (theta.some((value) => Math.abs(value) > 12)) return null;
  const rho = times.map((_, round) => (clustered.includes(round) ? hyperparameters.rho[clustered.indexOf(round)]! : 0));
  const own = priorAt(hyperparameters);
  const model = {
    symbolic: layout.symbolic,
    ...own,
    likelihood: (...rest: [Float64Array, Float64Array, Float64Array, boolean]) => likelihood(rho, ...rest),
  };
  const mode = findMode(model, centre.x, { near: centre.factor, tolerance: 1e-8 });
  return mode && { hyperparameters, rho, own, mode };
}

function stateAt(theta: number[], epsilon: Float64Array, known = approximate(theta)): ChainState | null {
  if (!known) return null;
  const { hyperparameters, rho, own, mode } = known;
  const x = solveBackward(mode.factor, epsilon.slice());
  for (let i = 0; i < x.length; i++) x[i]! += mode.x[i]!;
  const deviation = x.map((value, i) => value - priorMean[i]!);
  const turned = multiplySymmetric(layout.symbolic, own.precision, deviation);
  let log_target = 0.5 * own.log_determinant - 0.5 * logDeterminantOf(mode.factor) + logPrior(hyperparameters);
  for (let i = 0; i < x.length; i++) log_target -= 0.5 * deviation[i]! * turned[i]!;
  log_target += likelihood(rho, x, new Float64Array(layout.size), new Float64Array(own.precision.length), false);
  return { theta, mode, epsilon, x, log_target };
}

/** Every LGA in every round, in June, with its cells weighted by population. */
const wanted = mesh.state_of.reduce<Place[]>((all, _, lga) => {
  const cells = Int32Array.from(
    { length: mesh.first_cell[lga + 1]! - mesh.first_cell[lga]! },
    (_, i) => mesh.first_cell[lga]! + i,
  );
  const people = cells.reduce((sum, cell) => sum + mesh.cells.population[cell]!, 0);
  const weights = Float64Array.from(cells, (cell) => mesh.cells.population[cell]! / people);
  const log_season = prepared.log_season[5]!;
  return all.concat(times.map((_, round) => placeOf(mesh, layout, { cells, weights, round, log_season })));
}, []);
const prevalences = (x: Float64Array) => wanted.map((place) => meanPrevalence(place, x));

const dimensions = fit.optimum.theta.length;
const factor = choleskyDense(Float64Array.from(fit.optimum.curvature.flat()), dimensions)!;
const axes = Array.from({ length: dimensions }, (_, i) => {
  const unit = new Float64Array(dimensions);
  unit[i] = 1;
  return solveUpper(factor, dimensions, unit);
});

/** Every tenth state of a chain, without the first fifth. */
function runChain(chain: number): { theta: number[]; prevalence: number[] }[] {
  const random = randomStream(Number(given.seed), `chain ${chain}`);
  const kept: { theta: number[]; prevalence: number[] }[] = [];
  let current = stateAt(fit.optimum.theta, normals(random))!;
  const accepted = { theta: 0, epsilon: 0 };
  for (let step = 0; step < steps; step++) {
    const stride = (2.38 / Math.sqrt(dimensions)) * (step % 2 === 0 ? 0.7 : 0.25);
    const move = Array.from({ length: dimensions }, () => random.normal());
    const theta = current.theta.map(
      (value, j) => value + stride * axes.reduce((sum, axis, i) => sum + axis[j]! * move[i]!, 0),
    );
    const proposed = stateAt(theta, current.epsilon);
    if (proposed && Math.log(random.uniform()) < proposed.log_target - current.log_target) {
      current = proposed;
      accepted.theta++;
    }
    const known = approximate(current.theta)!;
    const fresh = normals(random);
    // Alternate between small and large steps.
    const share = step % 2 === 0 ? 0.3 : 0.9;
    const epsilon = current.epsilon.map((value, i) => Math.sqrt(1 - share ** 2) * value + share * fresh[i]!);
    const shifted = stateAt(current.theta, epsilon, known)!;
    const gain = shifted.log_target + 0.5 * square(epsilon) - current.log_target - 0.5 * square(current.epsilon);
    if (Math.log(random.uniform()) < gain) {
      current = shifted;
      accepted.epsilon++;
    }
    if (step >= steps / 5 && step % 10 === 0) kept.push({ theta: current.theta, prevalence: prevalences(current.x) });
  }
  print(
    `chain ${chain}: ${((100 * accepted.theta) / steps).toFixed(0)}% of steps of θ accepted, ${((100 * accepted.epsilon) / steps).toFixed(0)}% of ε`,
  );
  return kept;
}

const chainStates = Array.from({ length: chains }, (_, chain) => runChain(chain));
const exact = chainStates.flat();
const drawn = [...drawLatent(fit, 4000, (draw) => randomStream(1, `draw ${draw}`))].map(({ x, point }) => ({
  theta: point.theta,
  prevalence: prevalences(x),
}));

print('\nhyperparameters       exact mean   sd     approximate mean   sd     error of the exact mean');
const names = [...POSITIVE, ...clustered.map((round) => `rho ${prepared.rounds[round]}`)];
names.forEach((name, j) => {
  const [a, b] = [momentsOf(exact.map(({ theta }) => theta[j]!)), momentsOf(drawn.map(({ theta }) => theta[j]!))];
  const error = errorOf(chainStates.map((chain) => chain.map(({ theta }) => theta[j]!)));
  print(
    `${name.padEnd(22)}${a.mean.toFixed(3).padStart(9)}${a.sd.toFixed(3).padStart(8)}${b.mean.toFixed(3).padStart(17)}${b.sd.toFixed(3).padStart(8)}${error.toFixed(3).padStart(14)}`,
  );
});

const compared = wanted.map((_, k) => {
  const [a, b] = [exact.map((state) => state.prevalence[k]!), drawn.map((state) => state.prevalence[k]!)];
  const [ma, mb] = [momentsOf(a), momentsOf(b)];
  const [ra, rb] = [rangeOf(a), rangeOf(b)];
  return {
    shift: (mb.mean - ma.mean) / ma.sd,
    absolute: Math.abs(mb.mean - ma.mean),
    width: (rb.high - rb.low) / (ra.high - ra.low),
    holds: a.filter((value) => value >= rb.low && value <= rb.high).length / a.length,
    error: errorOf(chainStates.map((chain) => chain.map((state) => state.prevalence[k]!))) / ma.sd,
  };
});
const spread = (name: keyof (typeof compared)[number], digits: number) => {
  const values = compared.map((row) => row[name]).sort((x, y) => x - y);
  const at = (share: number) => values[Math.round(share * (values.length - 1))]!.toFixed(digits);
  return `${at(0)}  ${at(0.05)}  ${at(0.5)}  ${at(0.95)}  ${at(1)}`;
};
print(`\nprevalence, ${wanted.length} LGAs and rounds            minimum, 5%, median, 95%, maximum`);
print(`mean, approximate minus exact, in sd      ${spread('shift', 3)}`);
print(`absolute difference, prevalence           ${spread('absolute', 4)}`);
print(`width of the 90% range, ratio             ${spread('width', 3)}`);
print(`share of the exact posterior in the range ${spread('holds', 3)}`);
print(`Monte Carlo error of the exact mean, sd   ${spread('error', 3)}`);

function normals(random: Random): Float64Array {
  return Float64Array.from({ length: layout.size }, () => random.normal());
}

function square(vector: Float64Array): number {
  return vector.reduce((sum, element) => sum + element * element, 0);
}

function momentsOf(values: readonly number[]) {
  const mean = values.reduce((a, b) => a + b, 0) / values.length;
  return { mean, sd: Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1)) };
}

function rangeOf(values: readonly number[]) {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.round(share * (sorted.length - 1))]!;
  return { low: at(0.05), high: at(0.95) };
}

/** Standard error of the mean, from ten batches of each chain. */
function errorOf(of: readonly (readonly number[])[]): number {
  const means = of.flatMap((values) =>
    Array.from({ length: 10 }, (_, batch) => {
      const own = values.slice(
        Math.floor((batch * values.length) / 10),
        Math.floor(((batch + 1) * values.length) / 10),
      );
      return own.reduce((sum, value) => sum + value, 0) / own.length;
    }),
  );
  return momentsOf(means).sd / Math.sqrt(means.length);
}

function seconds(since: NodeJS.CpuUsage): string {
  const { user, system } = process.cpuUsage(since);
  return ((user + system) / 1e6).toFixed(1);
}
