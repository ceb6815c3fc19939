import type { PredictionCells } from '../artifacts.ts';

/**
 * The risk model's covariates by cell, standardised over people (mean 0, variance 1): log of population density, its
 * square about the mean (risk falls in towns, less so between village and hamlet), and the share living in urban
 * centres. Elevation, rain and temperature are left out: next to the fields, they lower both the marginal likelihood and
 * the blocked cross-validation score on the real data.
 * @returns `features[cell * feature_count + f]`
 */
export function riskFeatures(cells: PredictionCells): { features: Float64Array; feature_count: number } {
  const density = standardise(cells.population_density.map(Math.log), cells.population);
  const columns = [
    density,
    standardise(
      density.map((v) => v * v),
      cells.population,
    ),
    standardise(cells.urban_share, cells.population),
  ];
  const feature_count = columns.length;
  const features = new Float64Array(cells.population.length * feature_count);
  columns.forEach((column, f) => {
    column.forEach((v, c) => {
      features[c * feature_count + f] = v;
    });
  });
  return { features, feature_count };
}

/** Weighted mean 0 and variance 1; all 0 if the values do not vary. */
function standardise(values: number[], weights: number[]): number[] {
  const total = weights.reduce((sum, w) => sum + w, 0);
  const mean = values.reduce((sum, v, i) => sum + weights[i]! * v, 0) / total;
  const variance = values.reduce((sum, v, i) => sum + weights[i]! * (v - mean) ** 2, 0) / total;
  return values.map((v) => (variance > 1e-12 ? (v - mean) / Math.sqrt(variance) : 0));
}
