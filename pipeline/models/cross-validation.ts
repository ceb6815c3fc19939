import { randomStream } from '../numerics/random.ts';
import { drawBetaBinomial } from '../numerics/variates.ts';
import { drawBaseline, fitBaseline } from './baseline.ts';
import { drawLatent, placePrevalence } from './risk-draws.ts';
import { fitRisk } from './risk-fit.ts';
import type { Observed, PreparedRisk } from './risk-inputs.ts';
import type { Constants } from './risk-latent.ts';
import { partsOf } from './risk-likelihood.ts';
import { fairCrps, logScore, quantile, randomisedPit } from './validation-scores.ts';

/** Posterior draws of a held-out cell's prevalence (without cluster noise) and of the overdispersion. */
export interface HeldOutDraws {
  prevalence: Float64Array;
  rho: Float64Array;
}

export interface HeldOut {
  cell_id: string;
  model: 'spatial' | 'baseline';
  fold: number;
  survey_year: number;
  state_code: string;
  examined: number;
  observed: number;
  /** Posterior mean, then quantiles of the observed share. */
  mean: number;
  q025: number;
  q05: number;
  q25: number;
  q50: number;
  q75: number;
  q95: number;
  q975: number;
  log_score: number;
  crps: number;
  /** Randomised probability integral transform of the observed share. */
  pit: number;
  draws: HeldOutDraws;
}

/**
 * Predicts every cell by models that saw none of its fold. Rounds known by state only are left out throughout: their
 * figures hold the held-out places too.
 * @param foldOf fold of each LGA
 * @throws RangeError when a surveyed LGA has no fold
 */
export function* crossValidate(
  { ground, rounds, times, observed }: PreparedRisk,
  states: string[],
  foldOf: Map<string, number>,
  constants: Constants,
  draws: number,
  seed: number,
): Generator<HeldOut> {
  const cells = observed.filter((o) => o.risk.clustered);
  const fold = (o: Observed) => {
    const own = foldOf.get(o.lga_code!);
    if (own === undefined) throw new RangeError(`surveyed LGA ${o.lga_code} has no fold`);
    return own;
  };
  const seen = [...new Set(cells.map((o) => o.risk.round))].sort((a, b) => a - b);
  const own = (o: Observed) => ({ ...o.risk, round: seen.indexOf(o.risk.round) });

  for (const k of [...new Set(cells.map(fold))].sort((a, b) => a - b)) {
    const train = cells.filter((o) => fold(o) !== k);
    const test = cells.filter((o) => fold(o) === k);
    const stream = (name: string) => randomStream(seed, `cross-validate/${k}/${name}`);

    const spatial = fitRisk(
      ground,
      seen.map((r) => times[r]!),
      train.map(own),
      constants,
    );
    const parts = test.map((o) => partsOf(ground, o.risk));
    const prevalence = test.map(() => new Float64Array(draws));
    const rho = seen.map(() => new Float64Array(draws));
    let d = 0;
    for (const { x, point } of drawLatent(spatial, draws, stream('spatial'))) {
      for (const [r, own] of point.rho.entries()) rho[r]![d] = own;
      test.forEach((o, i) => {
        prevalence[i]![d] = placePrevalence(ground, spatial.layout, x, own(o).round, parts[i]!);
      });
      d++;
    }
    yield* test.map((o, i) =>
      score(
        o,
        'spatial',
        k,
        rounds,
        { prevalence: prevalence[i]!, rho: rho[own(o).round]! },
        stream(`spatial/${o.risk.name}`),
      ),
    );

    const plain = fitBaseline(
      train.map((o) => o.baseline),
      states,
      constants.season_exponent,
      draws,
      stream('baseline'),
    );
    const plainRho = new Float64Array(draws).fill(plain.rho);
    yield* test.map((o) => {
      const { state_code, survey_year, log_season } = o.baseline;
      const drawn = { prevalence: drawBaseline(plain, state_code, survey_year, log_season), rho: plainRho };
      return score(o, 'baseline', k, rounds, drawn, stream(`baseline/${o.risk.name}`));
    });
  }
}

function score(
  o: Observed,
  model: HeldOut['model'],
  fold: number,
  rounds: number[],
  draws: HeldOutDraws,
  random: ReturnType<typeof randomStream>,
): HeldOut {
  const { examined, positive, name, round } = o.risk;
  const observed = positive / examined;
  const shares = draws.prevalence
    .map((p, d) => drawBetaBinomial(examined, p, draws.rho[d]!, random) / Math.round(examined))
    .sort();
  return {
    cell_id: name,
    model,
    fold,
    survey_year: rounds[round]!,
    state_code: o.baseline.state_code,
    examined,
    observed,
    mean: draws.prevalence.reduce((sum, p) => sum + p, 0) / draws.prevalence.length,
    q025: quantile(shares, 0.025),
    q05: quantile(shares, 0.05),
    q25: quantile(shares, 0.25),
    q50: quantile(shares, 0.5),
    q75: quantile(shares, 0.75),
    q95: quantile(shares, 0.95),
    q975: quantile(shares, 0.975),
    log_score: logScore(o.risk, draws.prevalence, draws.rho),
    crps: fairCrps(shares, observed),
    pit: randomisedPit(shares, observed, random),
    draws,
  };
}
