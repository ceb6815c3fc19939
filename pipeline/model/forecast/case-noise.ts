/** Heavy-tailed noise as a Gaussian whose variance differs by area and month, estimated by variational Bayes. */

/** Degrees of freedom of Student's t. */
export const NOISE_DF = 4;
/** Weight of the common scale relative to an area's own, as a number of months. */
const COMMON_SCALE_MONTHS = 16;

/** Student's t as a mixture of normals: classes of its weight, Gamma(ν/2, ν/2), with their medians. */
export const NOISE_MIXTURE = [
  { share: 0.01, weight: 0.0517 },
  { share: 0.06, weight: 0.1568 },
  { share: 0.16, weight: 0.3416 },
  { share: 0.24, weight: 0.6175 },
  { share: 0.26, weight: 1.0112 },
  { share: 0.27, weight: 1.7542 },
];

export interface Noise {
  /** Expected 1/σ² by area. */
  precision: number[];
  /** Common σ² of the areas. */
  common: number;
  /** Expected weights by area and month: below 1 for outliers. */
  weights: Float64Array[];
}

/** Initial noise, the same for all areas. @param sd standard deviation of ln cases */
export function startNoise(areas: number, months: number, sd: number): Noise {
  return {
    precision: new Array(areas).fill(1 / sd ** 2),
    common: sd ** 2,
    weights: Array.from({ length: areas }, () => new Float64Array(months).fill(1)),
  };
}

/** The noise for other months: without the first `droppedMonths` ones, and with weight 1 for new ones. */
export function noiseForMonths(noise: Noise, months: number, droppedMonths = 0): Noise {
  const weights = noise.weights.map((areaWeights) =>
    Float64Array.from({ length: months }, (_, t) => areaWeights[t + droppedMonths] ?? 1),
  );
  return { ...noise, weights };
}

/** Variance of an area's noise by month. */
export const noiseVariance = ({ precision, weights }: Noise, area: number): Float64Array =>
  weights[area]!.map((weight) => 1 / (weight * precision[area]!));

/** One update of the weights, then the areas' scales, then the common scale. */
export function updateNoise(noise: Noise, squares: readonly Float64Array[]): Noise {
  const weights = squares.map((areaSquares, a) =>
    areaSquares.map((square) =>
      Number.isNaN(square) ? 1 : (NOISE_DF + 1) / (NOISE_DF + square * noise.precision[a]!),
    ),
  );
  const precision = squares.map((areaSquares, a) => {
    let observedMonths = 0;
    let weightedSquares = 0;
    for (const [t, square] of areaSquares.entries())
      if (!Number.isNaN(square)) {
        observedMonths++;
        weightedSquares += weights[a]![t]! * square;
      }
    return (COMMON_SCALE_MONTHS + observedMonths) / (COMMON_SCALE_MONTHS * noise.common + weightedSquares);
  });
  const common = precision.length / precision.reduce((weightedSquares, p) => weightedSquares + p, 0);
  return { precision, common, weights };
}
