import { choleskyDense } from '../../../../pipeline/lib/numerics/dense.ts';
import { multiplyVector } from '../../../../pipeline/lib/numerics/dense-products.ts';
import { drawGamma } from '../../../../pipeline/lib/numerics/distributions.ts';
import { randomStream } from '../../../../pipeline/lib/numerics/random.ts';
import {
  type HierarchyParameters,
  SEASON_SMOOTHNESS,
} from '../../../../pipeline/model/forecast/case-hyperparameters.ts';
import { NOISE_DF } from '../../../../pipeline/model/forecast/case-noise.ts';
import { type ProcessParameters, processCovariance } from '../../../../pipeline/model/forecast/covariance.ts';
import type { Panel } from '../../../../pipeline/model/forecast/panel.ts';

/** The parameters from which records are simulated. */
export const TRUTH: HierarchyParameters = {
  country: { constant_sd: 0, level: { sd: 0.15, months: 12 }, season_sd: 0.25, shock_sd: 0.05 },
  group: { constant_sd: 0, level: { sd: 0.2, months: 15 }, season_sd: 0.2, shock_sd: 0.1 },
  area: { constant_sd: 0.8, level: { sd: 0.3, months: 30 }, season_sd: 0.15, shock_sd: 0 },
};

/** Mean of ln cases, so high that counting adds next to nothing to the noise. */
const LEVEL = 9;

/** Records simulated from the model, 5 states of 4 areas, with the noise scale of each area. */
export function simulated(seed: number, months: number): { panel: Panel; scales: number[] } {
  const random = randomStream(seed, 'simulated');
  const draw = (parameters: ProcessParameters) => {
    const factor = choleskyDense(processCovariance(parameters, SEASON_SMOOTHNESS, months), months)!;
    return multiplyVector(
      factor,
      Float64Array.from({ length: months }, () => random.normal()),
      months,
    );
  };
  const noise = () => random.normal() / Math.sqrt(drawGamma(random, NOISE_DF / 2) / (NOISE_DF / 2));
  const scales: number[] = [];
  const country = draw(TRUTH.country!);
  const areas = Array.from({ length: 5 }, (_, g) => `S${g}`).flatMap((state_code) => {
    const group = draw(TRUTH.group);
    return Array.from({ length: 4 }, (_, a) => {
      const area = draw(TRUTH.area);
      const scale = 0.12 * Math.exp(0.5 * random.normal());
      scales.push(scale);
      const cases = area.map((value, t) => Math.exp(LEVEL + value + group[t]! + country[t]! + scale * noise()));
      return { code: `${state_code}-${a}`, state_code, people: null, cases: cases.map(Math.round) };
    });
  });
  const panel: Panel = {
    level: 'lga',
    first: 2020 * 12,
    months,
    areas,
    disrupted: new Array(months).fill(false),
    origins: { first_forecast: months - 8, first_scored: months - 8 },
  };
  return { panel, scales };
}
