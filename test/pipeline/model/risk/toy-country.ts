import { drawBetaBinomial } from '../../../../pipeline/lib/numerics/distributions.ts';
import type { Random } from '../../../../pipeline/lib/numerics/random.ts';
import { expit } from '../../../../pipeline/lib/numerics/special.ts';
import type { Hyperparameters } from '../../../../pipeline/model/risk/hyperparameters.ts';
import type { RiskObservation } from '../../../../pipeline/model/risk/likelihood.ts';
import { drawMatern, maternScale } from '../../../../pipeline/model/risk/matern-lattice.ts';
import { createMesh, type Mesh } from '../../../../pipeline/model/risk/mesh.ts';
import type { PriorConstants } from '../../../../pipeline/model/risk/terms.ts';

/** A square country of `side` × `side` LGAs of four cells each; states are blocks of 2 × 2 LGAs; a degree is 4 LGAs. */
export function toyMesh(
  side: number,
  random: Random,
  resolution = { place_km: 30, change_km: 60, margin_km: 60 },
): Mesh {
  const lgas = side * side;
  const blocks = side / 2;
  const lga = Int32Array.from({ length: 4 * lgas }, (_, c) => c >> 2);
  const at = (c: number, along: 0 | 1) => {
    const a = c >> 2;
    return (along === 0 ? a % side : Math.floor(a / side)) / 4 + ((c >> along) & 1) / 8;
  };
  const cells = {
    lga,
    longitude: Array.from(lga, (_, c) => at(c, 0)),
    latitude: Array.from(lga, (_, c) => at(c, 1)),
    population: Array.from(lga, () => 1 + random.uniform()),
    features: Float64Array.from(lga, () => random.normal()),
    feature_count: 1,
  };
  const stateOf = Int32Array.from({ length: lgas }, (_, a) => (Math.floor(a / side) >> 1) * blocks + ((a % side) >> 1));
  return createMesh(cells, stateOf, blocks * blocks, resolution);
}

/** Cells of an LGA with weights by population. */
export function lgaPlace({ cells, first_cell }: Mesh, a: number) {
  const own = Array.from({ length: first_cell[a + 1]! - first_cell[a]! }, (_, i) => first_cell[a]! + i);
  const total = own.reduce((sum, c) => sum + cells.population[c]!, 0);
  return { cells: Int32Array.from(own), weights: Float64Array.from(own, (c) => cells.population[c]! / total) };
}

/** The model's fixed parameters, without a national slope, as `simulateTruth` assumes. */
export const plainConstants = (season_sd: number, nation_drift: number, range_change_km: number): PriorConstants => ({
  season_exponent: { mean: 0.5, sd: season_sd },
  test_offset: { mean: 0.4, sd: 0.5 },
  nation_drift,
  nation_slope: 0,
  slope_years: 5,
  range_change_km,
});

export interface Truth {
  beta: number;
  /** National level at the rounds. */
  nation: number[];
  season_exponent: number;
  /** Offset of rows by another test; not needed if there are none. */
  test_offset?: number;
  h: Hyperparameters;
  range_change_km: number;
}

/** Draws a truth from the model and returns a function that computes the true prevalence of a place in a round. */
export function simulateTruth(mesh: Mesh, times: number[], truth: Truth, random: Random) {
  const { h } = truth;
  const place = drawMatern(mesh.place_field, maternScale(mesh.place_field, h.range_km, h.sigma_place), random);
  const scale = maternScale(mesh.change_field, truth.range_change_km, h.sigma_change);
  const normals = () => Float64Array.from({ length: mesh.stateCount }, () => h.sigma_state * random.normal());
  const lasting = Float64Array.from(mesh.state_by_lga, () => h.sigma_lga * random.normal());
  let change = drawMatern(mesh.change_field, scale, random);
  let state = normals();
  const rounds = times.map((time, r) => {
    if (r > 0) {
      const step = (from: Float64Array, fresh: Float64Array, tau: number) => {
        const phi = Math.exp(-(time - times[r - 1]!) / tau);
        return from.map((v, k) => phi * v + Math.sqrt(1 - phi * phi) * fresh[k]!);
      };
      change = step(change, drawMatern(mesh.change_field, scale, random), h.tau_years);
      state = step(state, normals(), h.tau_state_years);
    }
    return { change, state };
  });
  return (observation: Pick<RiskObservation, 'round' | 'cells' | 'weights' | 'log_season' | 'other_test'>): number => {
    const { round, cells, weights, log_season, other_test } = observation;
    const { change: w, state: v } = rounds[round]!;
    return cells.reduce((mean, c, i) => {
      const a = mesh.cells.lga[c]!;
      let eta = truth.nation[round]! + v[mesh.state_by_lga[a]!]! + truth.season_exponent * log_season[a]! + lasting[a]!;
      eta += truth.beta * mesh.cells.features[c]! + (other_test ? truth.test_offset! : 0);
      for (let k = 0; k < 4; k++) {
        eta += mesh.lga_weights[4 * a + k]! * w[mesh.lga_nodes[4 * a + k]!]!;
        eta += mesh.cell_weights[4 * c + k]! * place[mesh.cell_nodes[4 * c + k]!]!;
      }
      return mean + weights[i]! * expit(eta);
    }, 0);
  };
}

/** Simulates clusters spread over LGAs and rounds, with the true prevalence and overdispersion. */
export function simulateSurvey(
  mesh: Mesh,
  times: number[],
  clusters: number,
  examined: number,
  prevalence: ReturnType<typeof simulateTruth>,
  rho: number[],
  random: Random,
): RiskObservation[] {
  const lgas = mesh.state_by_lga.length;
  return Array.from({ length: clusters }, (_, k) => {
    const round = k % times.length;
    const where = {
      round,
      log_season: new Float64Array(lgas),
      ...lgaPlace(mesh, Math.floor(random.uniform() * lgas)),
    };
    const positive = drawBetaBinomial(random, examined, prevalence(where), rho[round]!);
    return { name: `c${k}`, ...where, examined, positive, clustered: true };
  });
}
