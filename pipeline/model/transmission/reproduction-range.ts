import type { Random } from '../../lib/numerics/random.ts';
import { selectQuantiles } from '../../lib/numerics/selection.ts';
import type { Durations } from '../../lib/numerics/sirs.ts';
import { KNOT_MONTHS, STIFFNESS } from './reporting-drift.ts';
import { type CaseRecord, fitSirs, type RainForm, type SirsFit } from './sirs-fit.ts';

/** Share of draws below the range, and above it. */
const TAIL = 0.05;
const DRAWS = 200;
/** Plausible forms of the effect of rain: half-saturation (log-uniform) and steepness (uniform). */
const FORMS = { least_mm: 40, most_mm: 160, least_steepness: 1, most_steepness: 3 };
/** Number of fitted parameters: three of the model, and the level of reporting. */
const FITTED = 4;

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
  draws = DRAWS,
): ReproductionRange {
  const scatter = Math.sqrt(fit.squares / Math.max(1, fit.used.length - FITTED));
  const inUse = new Set(fit.used);
  const shape = fit.modelled.map((value, t) => Math.log(value) - fit.drift[t]!);
  const drawRecord = (): CaseRecord => {
    const walk = drawWalk(shape.length, scatter / Math.sqrt(STIFFNESS), random);
    const per_1000 = shape.map((value, t) =>
      inUse.has(t) ? Math.exp(value + walk[t]! + scatter * random.normal()) : null,
    );
    return { ...record, per_1000 };
  };
  const drawn = Array.from({ length: draws }, () => {
    const form = drawForm(random);
    const search = { starts: 0, random, from: fit.optimum };
    const again = fitSirs(drawRecord(), rain_mm, durations, search, form);
    return again.cycle.reproduction_number;
  });
  const byMonth = Array.from({ length: 12 }, (_, month) => drawn.map((values) => values[month]!));
  const ranges = byMonth.map((values) => selectQuantiles(Float64Array.from(values), [TAIL, 1 - TAIL]));
  return {
    low: ranges.map(([low]) => low!),
    high: ranges.map(([, high]) => high!),
    growing: byMonth.map((values) => values.filter((value) => value > 1).length / draws),
  };
}

/** A random walk over the knots, linear in between. */
function drawWalk(months: number, step: number, random: Random): number[] {
  const knots = [0];
  while ((knots.length - 1) * KNOT_MONTHS < months) knots.push(knots.at(-1)! + step * random.normal());
  return Array.from({ length: months }, (_, t) => {
    const knot = Math.floor(t / KNOT_MONTHS);
    const share = (t % KNOT_MONTHS) / KNOT_MONTHS;
    return knots[knot]! + share * (knots[knot + 1]! - knots[knot]!);
  });
}

function drawForm(random: Random): RainForm {
  const { least_mm, most_mm, least_steepness, most_steepness } = FORMS;
  return {
    half_saturation_mm: least_mm * (most_mm / least_mm) ** random.uniform(),
    steepness: least_steepness + (most_steepness - least_steepness) * random.uniform(),
  };
}
