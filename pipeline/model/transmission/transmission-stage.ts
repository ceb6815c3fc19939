import type { StageRun } from '../../catalog/country-stage.ts';
import { roundAsField, roundFields } from '../../contract/decimals.ts';
import { addMonths, monthFromIndex, type Period } from '../../contract/months.ts';
import type { ProjectionScores, TransmissionModel } from '../../contract/schemas.ts';
import { type Wording, worded } from '../../contract/words.ts';
import type { ReportLine } from '../../engine/stage.ts';
import { BadInput } from '../../lib/bad-input.ts';
import { randomStream } from '../../lib/numerics/random.ts';
import {
  projectionSettings,
  readTransmissionInput,
  type TransmissionInput,
  transmissionRecords,
} from './case-records.ts';
import { designHash, heldBackStanding, type Standing } from './held-back-design.ts';
import { describeLimits, type FitFigures } from './limits.ts';
import {
  developProjections,
  type ProjectionRecord,
  type ProjectionTest,
  type Scores,
  scoreHeldBack,
} from './projection-test.ts';
import { type ReproductionRange, reproductionRange } from './reproduction-range.ts';
import { fitSirs, type SirsFit } from './sirs-fit.ts';

/** Figures for the report in addition to the published model. */
export interface TransmissionFits {
  states: (FitFigures & {
    transmission_rate: number;
    lag_months: number;
    reproduction_range: ReproductionRange;
    /** Reported months that the fit leaves out. */
    left_out: Period[];
  })[];
  projection: ProjectionTest;
  /** The design's fingerprint, and its status in the register of evaluations on the held-back year. */
  design: string;
  standing: Standing;
}
/** The published model, with limits that speak of levels still without the country's words. */
export type FittedModel = Omit<TransmissionModel, 'limits'> & { limits: readonly (string | Wording)[] };

/** `model` and `fits` are null if no state has sufficient records for a fit. */
export interface TransmissionOutput {
  model: FittedModel | null;
  fits: TransmissionFits | null;
  report: ReportLine[];
}

/** Factor of the assumed immunity for a second fit, which shows how little the records reveal about it. */
const IMMUNITY_FACTOR = 4;

/** Fits a transmission model to each state with monthly records, and tests its projections. */
export function fitTransmission(input: TransmissionInput): TransmissionOutput {
  const { areas, model } = input;
  if (input.cases.states.length > 0 && Object.keys(input.rain).length === 0) {
    const what = 'the transmission model follows the climate, of which there are no data, and is left out';
    return { model: null, fits: null, report: [{ source: 'transmission', rule: 'no climate data', what }] };
  }
  const { records, insufficient } = transmissionRecords(input);
  const settings = projectionSettings(model);
  const { durations, held_back_year, starts, seed } = settings;
  const { assumed_from } = model.parameters.transmission;
  const stateNames = new Map(areas.states.map(({ state_code, state }) => [state_code, state]));
  const tooShort: ReportLine[] = insufficient.map((state_code) => ({
    source: 'transmission',
    rule: 'record left out',
    what:
      `${state_code}: fewer than 24 months reported, fewer than 12 of them with cases and not masked, or more than ` +
      'a tenth of them without a case',
  }));
  if (records.length === 0) {
    const what = worded`no {state.one} has a sufficient record of its own (role cases_states): the transmission model is left out`;
    const noRecords = { source: 'transmission', rule: 'no case records', what };
    return { model: null, fits: null, report: [...tooShort, noRecords] };
  }

  const states = records.map((record) => {
    const { state_code, rain_mm } = record;
    const searchRandom = randomStream(seed, `transmission ${state_code}`);
    const cases = { first_month: 0, per_1000: record.per_1000, masked: record.masked };
    const fitWithImmunity = (immune_months: number) =>
      fitSirs(cases, rain_mm, { ...durations, immune_months }, { starts, random: searchRandom });
    const fit = fitWithImmunity(durations.immune_months);
    const triedImmunity = IMMUNITY_FACTOR * durations.immune_months;
    const figures = stateFigures(state_code, fit, triedImmunity, fitWithImmunity(triedImmunity));
    const bootstrapRandom = randomStream(seed, `reproduction ${state_code}`);
    const reproduction_range = reproductionRange(cases, rain_mm, durations, fit, bootstrapRandom);
    const omittedMonths = monthsLeftOut(record, fit);
    const uncertainty = { reproduction_range, left_out: omittedMonths };
    return { state_code, state: stateNames.get(state_code)!, record, fit, figures: { ...figures, ...uncertainty } };
  });
  const developed = developProjections(records, settings);
  const design = designHash(developed.level_months, settings);
  const standing = heldBackStanding(model.held_back, held_back_year, design);
  const projection = scoreHeldBack(records, settings, developed);

  const fits: TransmissionFits = { states: states.map(({ figures }) => figures), projection, design, standing };
  const publishedModel = {
    status: 'research' as const,
    assumed: durations,
    states: states.map(({ state_code, state, record, fit }) => ({
      state_code,
      state,
      fit_correlation: fit.correlation,
      ...reproduction(fit),
      share_of_transmission_year_round: fit.parameters.share_year_round,
      series: fittedSeries(record, fit),
    })),
    projection_test: {
      development_years: projection.development_years,
      development: roundScores(projection.development),
      held_back_year,
      held_back: roundScores(projection.held_back),
    },
  };
  const output = roundFields<FittedModel>({
    ...publishedModel,
    limits: describeLimits(publishedModel, assumed_from, fits.states, projection, standing),
  });
  return { model: output, fits, report: [...tooShort, ...reportLines(fits)] };
}

export const run: StageRun = async (io) => {
  return { ...fitTransmission(readTransmissionInput(io, io.model)) };
};

/** Reproduction numbers are rounded first; infection grows in a month if the rounded number is above 1. */
function reproduction({ cycle }: SirsFit) {
  const reproduction_number_by_month = cycle.reproduction_number.map((r) =>
    roundAsField('reproduction_number_by_month', r),
  );
  return {
    months_with_infection_growing: reproduction_number_by_month.flatMap((r, month) => (r > 1 ? [month + 1] : [])),
    reproduction_number_by_month,
  };
}

function monthsLeftOut({ first_year, per_1000 }: ProjectionRecord, { used_months: usedMonths }: SirsFit): Period[] {
  const isUsed = new Set(usedMonths);
  return per_1000.flatMap((reported, t) =>
    reported === null || isUsed.has(t) ? [] : [monthFromIndex(first_year * 12 + t)],
  );
}

function fittedSeries({ first_year, per_1000 }: ProjectionRecord, { modelled }: SirsFit) {
  const start: Period = monthFromIndex(first_year * 12);
  return per_1000.flatMap((reported, t) =>
    reported === null ? [] : [{ period: addMonths(start, t), reported, modelled: modelled[t]! }],
  );
}

/** Zeros if nothing could be projected, in which case `months` is 0. */
function roundScores({ months, errors, seasonal_shape_correlation }: Scores): ProjectionScores {
  const errorOf = (name: string) => (months > 0 ? errors[name]! : 0);
  return {
    months,
    mean_absolute_error: {
      model: errorOf('model'),
      same_month_last_year: errorOf('same_month_last_year'),
      same_month_last_three_years: errorOf('same_month_last_three_years'),
    },
    seasonal_shape_correlation,
  };
}

/** @throws BadInput if the model does not converge to a yearly cycle with these durations */
function stateFigures(
  state_code: string,
  fit: SirsFit,
  immune_months_tried: number,
  longerImmunity: SirsFit,
): Omit<TransmissionFits['states'][number], 'reproduction_range' | 'left_out'> {
  if (!fit.cycle.converged)
    throw new BadInput({
      file: 'model.json',
      where: 'parameters.transmission',
      found: `durations with which the model of ${state_code} does not converge to a yearly cycle`,
      expected: 'other infectious_months or immune_months',
    });
  return {
    state_code,
    transmission_rate: fit.parameters.transmission_rate,
    lag_months: fit.lag_months,
    detrended_correlation: fit.detrended_correlation,
    reporting_highest_over_lowest: Math.exp(Math.max(...fit.drift) - Math.min(...fit.drift)),
    immune_months_tried,
    squares_ratio: longerImmunity.sum_of_squares / fit.sum_of_squares,
  };
}

/**
 * Errors on the held-back year are shown only if the evaluation is registered: a build must not be an evaluation
 * itself.
 */
function reportLines({ states, projection, design, standing }: TransmissionFits): ReportLine[] {
  const errors = ({ errors: methodErrors, months }: Scores) =>
    `${months} months: ${Object.entries(methodErrors)
      .map(([name, value]) => `${name} ${value.toFixed(3)}`)
      .join(', ')}`;
  const heldBackResult = standing.registered
    ? `${errors(projection.held_back)}; evaluations on this year: ${standing.looks}`
    : `design ${design.slice(0, 8)} is not registered; \`malaria-risk evaluate held-back\` registers and evaluates it`;
  const reportLine = (rule: string, what: string): ReportLine => ({ source: 'transmission', rule, what });
  return [
    ...states.map(({ state_code, detrended_correlation, lag_months }) =>
      reportLine(
        'season apart from trend',
        `${state_code}: correlation ${detrended_correlation?.toFixed(2) ?? 'unknown'}; transmission follows rain ` +
          `by ${lag_months.toFixed(1)} months`,
      ),
    ),
    reportLine('projection, development', errors(projection.development)),
    reportLine('projection, held back', heldBackResult),
    reportLine(
      'projection design',
      `the model's cycle at the level of the last ${projection.level_months} months, chosen on the development years`,
    ),
  ];
}
