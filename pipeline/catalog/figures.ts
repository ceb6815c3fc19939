/** Context figures that a `layer` source can carry. */
export const FIGURES = [
  'itn_use',
  'itn_access',
  'irs_coverage',
  'effective_treatment',
  'travel_minutes_to_care',
] as const;
export type Figure = (typeof FIGURES)[number];
/** Figures that depend on the programme's own work. They are context, and never covariates of the risk score. */
export const COVERAGE: readonly Figure[] = ['itn_use', 'itn_access', 'irs_coverage', 'effective_treatment'];

/** A value for each context figure. */
export const figuresOf = (each: (figure: Figure) => number | null) =>
  Object.fromEntries(FIGURES.map((figure) => [figure, each(figure)])) as Record<Figure, number | null>;
