/**
 * Population-weighted mean, Σ weight × value / Σ weight, over the areas with a value; null if no area with a value has
 * people.
 */
export function weightedMean(parts: readonly { value: number | null; weight: number }[]): number | null {
  let sum = 0;
  let weightSum = 0;
  for (const { value, weight } of parts) {
    if (value === null) continue;
    sum += weight * value;
    weightSum += weight;
  }
  return weightSum > 0 ? sum / weightSum : null;
}

/** Mean of net use and effective treatment, shares 0-1; null if either is unknown. */
export function responseIndex(itnUse: number | null, effectiveTreatment: number | null): number | null {
  return itnUse === null || effectiveTreatment === null ? null : (itnUse + effectiveTreatment) / 2;
}
