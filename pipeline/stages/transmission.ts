import type { Areas, CaseSeries, Cases, Census, ReportLine } from '../artifacts.ts';
import type { Model } from '../catalog.ts';
import { roundAs, roundFields } from '../contract/decimals.ts';
import { addMonths, monthOf, type Period, periodOf, yearOf } from '../contract/months.ts';
import type { ProjectionScores, TransmissionModel } from '../contract/schemas.ts';
import type { StageRun } from '../engine/stage.ts';
import { type ProjectionRecord, type ProjectionTest, type Scores, testProjections } from '../models/projection-test.ts';
import { fitSirs, type SirsFit } from '../models/sirs-fit.ts';
import { describeLimits, type FitFigures } from '../models/transmission-limits.ts';
import { randomStream } from '../numerics/random.ts';

export interface TransmissionInput {
  areas: Areas;
  cases: Cases;
  census: Census;
  /** Usual rain by month (mm) of each state. */
  rain: Readonly<Record<string, readonly number[]>>;
  model: Model;
}
/** What the report says beyond the published model. */
export interface TransmissionFits {
  states: (FitFigures & { transmission_rate: number; lag_months: number })[];
  projection: ProjectionTest;
}
export interface TransmissionOutput {
  model: TransmissionModel;
  fits: TransmissionFits;
  report: ReportLine[];
}

/** The assumed immunity times this is tried too, to tell how little the records know of it. */
const OTHER_IMMUNITY = 4;

/** A transmission model for each state with monthly records of its own, and its projections put to the test; null where there are none. */
export function transmission({ areas, cases, census, rain, model }: TransmissionInput): TransmissionOutput | null {
  if (cases.states.length === 0) return null;
  const { transmission: settings, seed } = model.parameters;
  const { infectious_months, immune_months, development_first, held_back_year, starts } = settings;
  const durations = { infectious_months, immune_months };
  const named = new Map(areas.states.map(({ state_code, state }) => [state_code, state]));

  const ordered = [...cases.states].sort((a, b) => (a.state_code < b.state_code ? -1 : 1));
  const states = ordered.map((series) => {
    const record = recordOf(series, peopleOf(series.state_code, areas, census), rain);
    const random = randomStream(seed, `transmission ${series.state_code}`);
    const fitUnder = (immunity: number) =>
      fitSirs(
        { first_month: 0, ...record },
        record.rain_mm,
        { infectious_months, immune_months: immunity },
        { starts, random },
      );
    const fit = fitUnder(immune_months);
    const figures = figuresOf(
      series.state_code,
      fit,
      OTHER_IMMUNITY * immune_months,
      fitUnder(OTHER_IMMUNITY * immune_months),
    );
    return { state_code: series.state_code, state: named.get(series.state_code)!, record, fit, figures };
  });
  const projection = testProjections(
    states.map(({ record }) => record),
    { durations, development_first, held_back_year, starts, seed },
  );

  const fits: TransmissionFits = { states: states.map(({ figures }) => figures), projection };
  const published = {
    status: 'research' as const,
    assumed: durations,
    states: states.map(({ state_code, state, record, fit }) => ({
      state_code,
      state,
      fit_correlation: fit.correlation,
      ...reproduction(fit),
      share_of_transmission_year_round: fit.parameters.share_year_round,
      series: seriesOf(record, fit),
    })),
    projection_test: {
      development_years: projection.development_years,
      development: scoresOf(projection.development),
      held_back_year,
      held_back: scoresOf(projection.held_back),
    },
  };
  const output = roundFields<TransmissionModel>({
    ...published,
    limits: describeLimits(published, fits.states, projection),
  });
  return { model: output, fits, report: reportOf(fits) };
}

export const run: StageRun = async (io) => {
  const out = transmission({
    areas: io.artifact<Areas>('ingest/areas'),
    cases: io.artifact<Cases>('ingest/cases'),
    census: io.artifact<Census>('ingest/census'),
    rain: io.artifact<Record<string, number[]>>('season/rain'),
    model: io.model,
  });
  const none: ReportLine = { source: 'transmission', rule: 'no case records', what: 'v1/transmission is left out' };
  return out ? { ...out } : { model: null, fits: null, report: [none] };
};

/** People of a state by its census table; an LGA without a row adds nothing. @throws Error where that leaves nobody */
function peopleOf(state_code: string, areas: Areas, census: Census): number {
  const people = areas.lgas
    .filter((lga) => lga.state_code === state_code)
    .reduce((sum, { lga_code }) => sum + (census[lga_code]?.people ?? 0), 0);
  if (people > 0) return people;
  throw new Error(`census: found no people of ${state_code}, whose cases are to be told per 1,000`);
}

/** Cases per 1,000 people from the January of the first year on; months before the record are unknown. */
function recordOf(
  { state_code, first, confirmed, masked }: CaseSeries,
  people: number,
  rain: TransmissionInput['rain'],
): ProjectionRecord {
  const lead = monthOf(first) - 1;
  return {
    state_code,
    first_year: yearOf(first),
    per_1000: [
      ...new Array<null>(lead).fill(null),
      ...confirmed.map((value) => (value === null ? null : (value / people) * 1000)),
    ],
    masked: new Set(masked.map((t) => t + lead)),
    rain_mm: rain[state_code]!,
  };
}

/** Rounded first, and growing where the rounded number is above 1. */
function reproduction({ cycle }: SirsFit) {
  const reproduction_number_by_month = cycle.reproduction_number.map((r) => roundAs('reproduction_number_by_month', r));
  return {
    months_with_infection_growing: reproduction_number_by_month.flatMap((r, month) => (r > 1 ? [month + 1] : [])),
    reproduction_number_by_month,
  };
}

function seriesOf({ first_year, per_1000 }: ProjectionRecord, { modelled }: SirsFit) {
  const start: Period = periodOf(first_year * 12);
  return per_1000.flatMap((reported, t) =>
    reported === null ? [] : [{ period: addMonths(start, t), reported, modelled: modelled[t]! }],
  );
}

/** Zeros where nothing could be projected; `months` says so. */
function scoresOf({ months, errors, seasonal_shape_correlation }: Scores): ProjectionScores {
  const error = (name: string) => (months > 0 ? errors[name]! : 0);
  return {
    months,
    mean_absolute_error: {
      model: error('model'),
      same_month_last_year: error('same_month_last_year'),
      same_month_last_three_years: error('same_month_last_three_years'),
    },
    seasonal_shape_correlation,
  };
}

/** @throws Error where the model settles on no yearly cycle */
function figuresOf(
  state_code: string,
  fit: SirsFit,
  immune_months_tried: number,
  other: SirsFit,
): TransmissionFits['states'][number] {
  if (!fit.cycle.settled) throw new Error(`transmission: the model of ${state_code} settles on no yearly cycle`);
  return {
    state_code,
    transmission_rate: fit.parameters.transmission_rate,
    lag_months: fit.lag_months,
    detrended_correlation: fit.detrended_correlation,
    reporting_highest_over_lowest: Math.exp(Math.max(...fit.drift) - Math.min(...fit.drift)),
    immune_months_tried,
    squares_ratio: other.squares / fit.squares,
  };
}

function reportOf({ states, projection }: TransmissionFits): ReportLine[] {
  const errors = ({ errors: by, months }: Scores) =>
    `${months} months: ${Object.entries(by)
      .map(([name, value]) => `${name} ${value.toFixed(3)}`)
      .join(', ')}`;
  return [
    ...states.map((fit) => ({
      source: 'transmission',
      rule: 'season apart from drift',
      what: `${fit.state_code}: correlation ${fit.detrended_correlation.toFixed(2)} with the drift taken off; transmission follows rain by ${fit.lag_months.toFixed(1)} months`,
    })),
    { source: 'transmission', rule: 'projection, development', what: errors(projection.development) },
    { source: 'transmission', rule: 'projection, held back', what: errors(projection.held_back) },
    {
      source: 'transmission',
      rule: 'projection design',
      what: `the model's cycle at the level of the last ${projection.level_months} months, chosen on the development years`,
    },
  ];
}
