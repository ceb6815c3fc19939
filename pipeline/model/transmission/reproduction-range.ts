import type { BoundedSearch } from '../../lib/numerics/bounded-squares.ts';
import type { Random } from '../../lib/numerics/random.ts';
import { selectQuantiles } from '../../lib/numerics/selection.ts';
import type { Durations } from '../../lib/numerics/sirs.ts';
import { KNOT_MONTHS, STIFFNESS } from './reporting-drift.ts';
import { type CaseRecord, fitSirs, type RainForm, type SirsFit } from './sirs-fit.ts';

/** Share of draws below the range, and above it. */
const TAIL_SHARE = 0.05;
const BOOTSTRAP_DRAWS = 200;
/** Plausible forms of the effect of rain: half-saturation (log-uniform) and steepness (uniform). */
const RAIN_FORM_RANGE = { least_mm: 40, most_mm: 160, least_steepness: 1, most_steepness: 3 };
/** Number of fitted parameters: three of the model, and the level of reporting. */
const FITTED_PARAMETERS = 4;

/** Uncertainty of the effective reproduction number by month, January first. */
export interface ReproductionRange {
  /** Central 90% range over the draws. */
  low: number[];
  high: number[];
  /** Share of the draws with more than one new infection per infection. */
  growing: number[];
}

/**
 * Range of R by month, by parametric bootstrap (Efron & Tibshirani 1993, chapter 6; for epidemic curves Chowell 2017,
 * Infect Dis Model 2:379): records are simulated from the fitted model with a new random walk of reporting and new
 * scatter, and fitted again, each with another form of the effect of rain. The walk makes deviations of neighbouring
 * months similar, as in the record; with independent months the ranges would be too narrow. The variance of the
 * scatter, and of the walk's steps, is s² = penalised sum of squares / (months in the fit − 4). With the form fixed,
 * the ranges would ignore its error: in made-up countries they then contain two fifths of the true values, and
 * nineteen twentieths if it is drawn. Durations and usual rain are taken as given: R − 1 grows with the assumed
 * infectious period.
 */
export function reproductionRange(
  record: CaseRecord,
  rain_mm: readonly number[],
  durations: Durations,
  fit: SirsFit,
  random: Random,
  drawCount = BOOTSTRAP_DRAWS,
): ReproductionRange {
  const scatterSd = Math.sqrt(fit.sum_of_squares / Math.max(1, fit.used_months.length - FITTED_PARAMETERS));
  const inUse = new Set(fit.used_months);
  const logShape = fit.modelled.map((value, t) => Math.log(value) - fit.drift[t]!);
  const drawRecord = (): CaseRecord => {
    const walk = drawWalk(logShape.length, scatterSd / Math.sqrt(STIFFNESS), random);
    const per_1000 = logShape.map((value, t) =>
      inUse.has(t) ? Math.exp(value + walk[t]! + scatterSd * random.normal()) : null,
    );
    return { ...record, per_1000 };
  };
  const reproductionNumbers = Array.from({ length: drawCount }, () => {
    const form = drawForm(random);
    const search: BoundedSearch = { starts: 0, random, firstStart: fit.optimum };
    const refit = fitSirs(drawRecord(), rain_mm, durations, search, form);
    return refit.cycle.reproduction_number;
  });
  const byMonth = Array.from({ length: 12 }, (_, month) => reproductionNumbers.map((values) => values[month]!));
  const ranges = byMonth.map((values) => selectQuantiles(Float64Array.from(values), [TAIL_SHARE, 1 - TAIL_SHARE]));
  return {
    low: ranges.map(([low]) => low!),
    high: ranges.map(([, high]) => high!),
    growing: byMonth.map((values) => values.filter((value) => value > 1).length / drawCount),
  };
}

/** A random walk over the knots, linear in between. */
function drawWalk(months: number, stepSd: number, random: Random): number[] {
  const knots = [0];
  while ((knots.length - 1) * KNOT_MONTHS < months) knots.push(knots.at(-1)! + stepSd * random.normal());
  return Array.from({ length: months }, (_, t) => {
    const knot = Math.floor(t / KNOT_MONTHS);
    const positionBetweenKnots = (t % KNOT_MONTHS) / KNOT_MONTHS;
    return knots[knot]! + positionBetweenKnots * (knots[knot + 1]! - knots[knot]!);
  });
}

function drawForm(random: Random): RainForm {
  const {
    least_mm: lowest_mm,
    most_mm: highest_mm,
    least_steepness: lowest_steepness,
    most_steepness: highest_steepness,
  } = RAIN_FORM_RANGE;
  return {
    half_saturation_mm: lowest_mm * (highest_mm / lowest_mm) ** random.uniform(),
    steepness: lowest_steepness + (highest_steepness - lowest_steepness) * random.uniform(),
  };
}
