import type { Random } from '../lib/numerics/random.ts';

/** Degrees to km on a plane that touches the sphere at the country's centre (9° N); lengths are accurate to 2%. */
export const KM_PER_DEGREE_LATITUDE = 111.195;
export const KM_PER_DEGREE_LONGITUDE = KM_PER_DEGREE_LATITUDE * Math.cos((9 * Math.PI) / 180);

/** Frequencies, in radians per km, of the waves whose sum is a Gaussian field. */
export interface Waves {
  frequency_x: number[];
  frequency_y: number[];
}

/**
 * Frequencies of a Matérn field of smoothness 1 (the SPDE model of Lindgren, Rue & Lindström 2011 in two dimensions,
 * α = 2) by random Fourier features (Rahimi & Recht 2007). Its spectral density is proportional to
 * (κ² + |ω|²)^−2 with κ = √8 / range, so ω = κ z / √(2 E), z standard normal in the plane, E exponential of mean 1;
 * at distance `range_km` the correlation has fallen to about 0.14.
 */
export function drawMaternWaves(random: Random, waves: number, range_km: number): Waves {
  const kappa = Math.sqrt(8) / range_km;
  const frequency_x: number[] = [];
  const frequency_y: number[] = [];
  for (let i = 0; i < waves; i++) {
    const scale = kappa / Math.sqrt(-2 * Math.log(random.uniform()));
    frequency_x.push(scale * random.normal());
    frequency_y.push(scale * random.normal());
  }
  return { frequency_x, frequency_y };
}

/** A smooth random surface over longitude and latitude, mean 0 and variance 1. */
export type Surface = (longitude: number, latitude: number) => number;

/**
 * A Gaussian surface for geography and weather: a few waves of about `range_km`, infinitely smooth (squared exponential
 * covariance of length range / 2), approximately.
 */
export function drawSurface(random: Random, range_km: number, waves = 24): Surface {
  const terms = Array.from({ length: waves }, () => ({
    x: (2 * random.normal() * KM_PER_DEGREE_LONGITUDE) / range_km,
    y: (2 * random.normal() * KM_PER_DEGREE_LATITUDE) / range_km,
    phase: 2 * Math.PI * random.uniform(),
  }));
  const scale = Math.sqrt(2 / waves);
  return (longitude, latitude) => {
    let sum = 0;
    for (const term of terms) sum += Math.cos(term.x * longitude + term.y * latitude + term.phase);
    return scale * sum;
  };
}
