import { figures } from '../contract/fields.ts';

/** Context figures that a `layer` source can carry. */
export type Figure = keyof typeof figures;
export const FIGURES = Object.keys(figures) as Figure[];
/** Coverage of interventions, which the programme itself changes: context, and never a covariate of the risk score. */
export const COVERAGE_FIGURES: readonly Figure[] = ['itn_use', 'itn_access', 'irs_coverage', 'effective_treatment'];

/** A value for each context figure. */
export const figureValues = (valueFor: (figure: Figure) => number | null) =>
  Object.fromEntries(FIGURES.map((figure) => [figure, valueFor(figure)])) as Record<Figure, number | null>;
