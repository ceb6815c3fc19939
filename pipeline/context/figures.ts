import { FIGURES, type Figure } from '../catalog/roles.ts';

/** Every figure of the context. */
export const figuresOf = (each: (figure: Figure) => number | null) =>
  Object.fromEntries(FIGURES.map((figure) => [figure, each(figure)])) as Record<Figure, number | null>;

/**
 * Σ weight × value / Σ weight over the areas that have a value; null if none has both a value and weight. Weights are
 * people, and an area without an estimate leaves the mean to the others.
 */
export function weightedMean(parts: readonly { value: number | null; weight: number }[]): number | null {
  let sum = 0;
  let weights = 0;
  for (const { value, weight } of parts) {
    if (value === null) continue;
    sum += weight * value;
    weights += weight;
  }
  return weights > 0 ? sum / weights : null;
}

/** Average of net use and effective treatment, shares 0-1; null if either is unknown. */
export function responseIndex(itnUse: number | null, effectiveTreatment: number | null): number | null {
  return itnUse === null || effectiveTreatment === null ? null : (itnUse + effectiveTreatment) / 2;
}
