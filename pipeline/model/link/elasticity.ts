/**
 * Elasticity: change in logit prevalence per unit of ln cases, from surveys in places and at times with case records.
 */
import { studentCdf } from '../../lib/numerics/student-t.ts';

/** Change of a state from one survey round to the next. */
export interface PrevalenceChange {
  state_code: string;
  /** Survey year of the later round. Changes are compared within a round, which removes the national change. */
  round: number;
  /** Change of logit positivity. */
  prevalence: number;
  /** Sampling variance of that change. */
  variance: number;
  /** Change of the deviation of ln cases; the deviation of an earlier round without records counts as 0. */
  cases: number;
}

export interface Normal {
  mean: number;
  sd: number;
}

/** Prior of the elasticity (../forecast/MODEL.md, section 8). */
export const PRIOR: Normal = { mean: 0.5, sd: 0.5 };
/** The elasticity is used only if, from the surveys alone, the probability that it is not positive is at most this. */
const SIGNIFICANCE = 0.025;
/** Minimum number of changes, in addition to one per round, that count as evidence. */
const LEAST_CHANGES = 5;
/** Standard deviations of true changes that cases do not explain, logit, with equal prior probabilities. */
const SPREADS = Array.from({ length: 31 }, (_, i) => i / 20);

export interface ElasticityEvidence {
  prior: Normal;
  states: number;
  changes: number;
  /** Estimate from the surveys alone; null if there are too few. */
  surveys: (Normal & { chance_not_positive: number }) | null;
  /** Combined with the prior. */
  posterior: Normal;
  /** Standard deviation of true changes that cases do not explain, logit; 0 without evidence. */
  spread: number;
  /** Mean squared error of a state's changes, weighted, with the elasticity of the others and with 0. */
  held_out: { with_cases: number; without: number } | null;
  /** The elasticity used: the posterior if the surveys support it, else 0. */
  used: Normal;
}

/**
 * The rule: the posterior is used if, from the surveys alone, the probability that the elasticity is not positive is at
 * most 2.5%, and left-out states are predicted better with it; otherwise 0. A prior alone moves no score.
 */
export function elasticityOf(changes: readonly PrevalenceChange[]): ElasticityEvidence {
  const states = [...new Set(changes.map(({ state_code }) => state_code))];
  const summary = { prior: PRIOR, states: states.length, changes: changes.length };
  const rounds = new Set(changes.map(({ round }) => round)).size;
  if (changes.length - rounds < LEAST_CHANGES || states.length < 3)
    return { ...summary, surveys: null, posterior: PRIOR, spread: 0, held_out: null, used: { mean: 0, sd: 0 } };
  const { spread, ...surveys } = fromSurveys(changes, states);
  const { mean, sd } = combined(surveys, PRIOR);
  const held_out = heldOut(changes, states);
  const supported = surveys.chance_not_positive <= SIGNIFICANCE && held_out.with_cases < held_out.without;
  return {
    ...summary,
    surveys,
    posterior: { mean, sd },
    spread,
    held_out,
    used: supported ? { mean, sd } : { mean: 0, sd: 0 },
  };
}

/**
 * change = national change in that round + elasticity × cases + N(0, variance + spread²): normal given the spread, with
 * flat priors on the elasticity and the national change, averaged over spreads.
 */
function estimateOf(changes: readonly PrevalenceChange[]): Normal & { spread: number } {
  const bySpread = SPREADS.map((spread) => {
    const { xx, xy, yy, log_weights } = momentsOf(changes, spread);
    return {
      spread,
      mean: xy / xx,
      sd: xx ** -0.5,
      log_likelihood: log_weights - (yy - xy ** 2 / xx + Math.log(xx)) / 2,
    };
  });
  const most = Math.max(...bySpread.map(({ log_likelihood }) => log_likelihood));
  const weights = bySpread.map(({ log_likelihood }) => Math.exp(log_likelihood - most));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const average = (value: (estimate: (typeof bySpread)[number]) => number) =>
    bySpread.reduce((sum, estimate, i) => sum + (weights[i]! / total) * value(estimate), 0);
  const mean = average((estimate) => estimate.mean);
  return {
    mean,
    sd: Math.sqrt(average((estimate) => estimate.sd ** 2 + (estimate.mean - mean) ** 2)),
    spread: average((estimate) => estimate.spread),
  };
}

/**
 * The estimate with the larger of two standard deviations: its own, and that of a jackknife over states, since changes
 * of one state share a round, and the usual level is itself estimated.
 */
function fromSurveys(changes: readonly PrevalenceChange[], states: readonly string[]) {
  const { mean, sd, spread } = estimateOf(changes);
  const without = states.map((state) => estimateOf(changes.filter(({ state_code }) => state_code !== state)).mean);
  const middle = without.reduce((sum, value) => sum + value, 0) / states.length;
  const squares = without.reduce((sum, value) => sum + (value - middle) ** 2, 0);
  const larger = Math.max(sd, Math.sqrt((squares * (states.length - 1)) / states.length));
  return { mean, sd: larger, spread, chance_not_positive: studentCdf(-mean / larger, states.length - 1) };
}

function combined(a: Normal, b: Normal): Normal {
  const [p, q] = [a.sd ** -2, b.sd ** -2];
  return { mean: (p * a.mean + q * b.mean) / (p + q), sd: (p + q) ** -0.5 };
}

/** Weighted squares and products about each round's mean, and the weights' contribution to the log-likelihood. */
function momentsOf(changes: readonly PrevalenceChange[], spread: number) {
  const sums = { xx: 0, xy: 0, yy: 0, log_weights: 0 };
  for (const own of Map.groupBy(changes, ({ round }) => round).values()) {
    const weights = own.map(({ variance }) => 1 / (variance + spread ** 2));
    const total = weights.reduce((sum, weight) => sum + weight, 0);
    const middle = (value: (change: PrevalenceChange) => number) =>
      own.reduce((sum, change, i) => sum + weights[i]! * value(change), 0) / total;
    const [x, y] = [middle(({ cases }) => cases), middle(({ prevalence }) => prevalence)];
    for (const [i, { cases, prevalence }] of own.entries()) {
      sums.xx += weights[i]! * (cases - x) ** 2;
      sums.xy += weights[i]! * (cases - x) * (prevalence - y);
      sums.yy += weights[i]! * (prevalence - y) ** 2;
      sums.log_weights += Math.log(weights[i]!) / 2;
    }
    sums.log_weights -= Math.log(total) / 2;
  }
  return sums;
}

/** Predicts each state from the others' means and elasticity (with the prior), and from their means alone. */
function heldOut(changes: readonly PrevalenceChange[], states: readonly string[]) {
  const sums = { with_cases: 0, without: 0, weight: 0 };
  for (const state of states) {
    const others = changes.filter(({ state_code }) => state_code !== state);
    const { spread, ...surveys } = estimateOf(others);
    const { mean } = combined(surveys, PRIOR);
    for (const change of changes.filter(({ state_code }) => state_code === state)) {
      const same = others.filter(({ round }) => round === change.round);
      if (same.length === 0) continue;
      const weights = same.map(({ variance }) => 1 / (variance + spread ** 2));
      const total = weights.reduce((sum, weight) => sum + weight, 0);
      const errorWith = (elasticity: number) =>
        change.prevalence -
        elasticity * change.cases -
        same.reduce((sum, other, i) => sum + weights[i]! * (other.prevalence - elasticity * other.cases), 0) / total;
      const weight = 1 / (change.variance + spread ** 2);
      sums.with_cases += weight * errorWith(mean) ** 2;
      sums.without += weight * errorWith(0) ** 2;
      sums.weight += weight;
    }
  }
  return { with_cases: sums.with_cases / sums.weight, without: sums.without / sums.weight };
}
