import { centerOfMass } from '@turf/turf';
import { LEVELS } from '../../contract/levels.ts';
import type { Period } from '../../contract/months.ts';
import { caseFormOf } from '../../model/transmission/case-series-form.ts';
import type { TransmissionFits } from '../../model/transmission/transmission-stage.ts';
import type { Contents } from '../snapshot/contents.ts';
import { seasonsOf, trendsOf } from '../snapshot/contents.ts';
import { periodsOf, type SnapshotTables } from '../snapshot/snapshot-tables.ts';
import { areaCodes, encodeCertainty, encodeChanges, layersOf, observedOf, windowsOf } from './encode-decisions.ts';
import { otherTests } from './sections/tests.ts';
import { isReported } from './sections/words.ts';
import type { Evidence } from './shared/evidence.ts';
import type { AreaWords, PageData, PageTransmission } from './shared/page-data.ts';

/** The data that the page's scripts draw. */
export function pageData(
  contents: Contents,
  { risk, surveys, validation, season_check, fits, exact_series, past_forecasts }: Evidence,
): PageData {
  const { tables, model, coverage, transmission } = contents;
  const { context_states: states, context_lgas: lgas } = tables;
  const periods = periodsOf(tables);
  const names = new Map(states.map(({ state_code, state }) => [state_code, state]));
  const seasonOf = seasonsOf(contents);
  const trends = trendsOf(tables);
  return {
    country: model.name,
    model_version: contents.model_version,
    synthetic: model.synthetic,
    ages_months: model.territory.ages_months,
    periods,
    estimated: periods.filter((period) => period <= coverage.last_estimated).length,
    levels: LEVELS.map(({ level, below }) => ({ level, below: Number.isFinite(below) ? below : null })),
    states,
    lgas,
    scores: encodeScores(tables),
    certainty: encodeCertainty(tables),
    changes: encodeChanges(tables, coverage.last_estimated),
    windows: windowsOf(tables),
    neighbours: tables.places.map(({ neighbours }) => neighbours),
    layers: layersOf(contents),
    observed: observedOf(contents, risk.baseline?.rounds ?? []),
    words: { state: namesOf(model.territory.state), lga: namesOf(model.territory.lga) },
    citation: `${model.name}, malaria risk by ${model.territory.lga.one}, version ${contents.model_version}, updated ${model.updated_at.slice(0, 10)}`,
    seasons: {
      national: seasonOf(null),
      states: states.map(({ state_code }) => seasonOf(state_code)),
      lgas: lgas.map(({ lga_code }) => seasonOf(lga_code)),
    },
    north_to_south: northToSouth(tables),
    trend: { national: trends.national, states: states.map(({ state_code }) => trends.ofState(state_code)) },
    rounds: risk.baseline?.rounds ?? [],
    ...([model.parameters.survey.method].flat().length > 1 ? { other_tests: otherTests(model, { surveys }) } : {}),
    season_check: season_check.map(({ state_code, expected, recorded, correlation }) => ({
      state: names.get(state_code)!,
      expected: expected.map(short),
      recorded: recorded.map(short),
      correlation: short(correlation),
    })),
    past_forecasts: [...Map.groupBy(past_forecasts, (row) => `${row.state_code} ${row.horizon_months}`).values()].map(
      (rows) => ({
        state: names.get(rows[0]!.state_code)!,
        horizon: rows[0]!.horizon_months,
        months: rows.map(({ period, q05, q50, q95, observed }) => ({
          period: period as Period,
          values: [q05, q50, q95, observed].map((value) => Number(value.toFixed(3))),
        })),
      }),
    ),
    transmission: transmission && transmissionData(transmission, exact_series, fits),
    validation,
  };
}

/** Base64 of score, low and high × 10⁴ as Uint16, by area (states, then LGAs) and month. */
export function encodeScores(
  tables: Pick<
    SnapshotTables,
    'risk_states' | 'risk_lgas' | 'forecasts_states' | 'forecasts_lgas' | 'context_states' | 'context_lgas'
  >,
): string {
  const months = new Map(periodsOf(tables).map((period, i) => [period, i]));
  const codes = areaCodes(tables);
  const numbers = new DataView(new ArrayBuffer(codes.size * months.size * 3 * 2));
  const put = (code: string, row: SnapshotTables['risk_lgas'][number] | SnapshotTables['risk_states'][number]) => {
    const at = (codes.get(code)! * months.size + months.get(row.period)!) * 3;
    [row.score, row.score_low, row.score_high].forEach((value, i) => {
      numbers.setUint16(2 * (at + i), Math.round(value * 10_000), true);
    });
  };
  for (const row of [...tables.risk_states, ...tables.forecasts_states]) put(row.state_code, row);
  for (const row of [...tables.risk_lgas, ...tables.forecasts_lgas]) put(row.lga_code, row);
  return Buffer.from(numbers.buffer).toString('base64');
}

function northToSouth({ boundaries_states }: SnapshotTables): number[] {
  const latitudes = boundaries_states.map(({ geometry }) => centerOfMass(geometry).geometry.coordinates[1]!);
  return latitudes.map((_, i) => i).sort((a, b) => latitudes[b]! - latitudes[a]! || a - b);
}

function transmissionData(
  { states }: NonNullable<Contents['transmission']>,
  exact_series: Evidence['exact_series'],
  fits: TransmissionFits | null,
): PageTransmission {
  const seriesOf = new Map(exact_series.map(({ state_code, series }) => [state_code, series]));
  const indexOf = (state_code: string) => caseFormOf('index', seriesOf.get(state_code)!);
  const projection = fits?.projection;
  const figures = new Map(fits?.states.map((state) => [state.state_code, state]));
  const rangeOf = (state_code: string) => {
    const range = figures.get(state_code)?.reproduction_range;
    return range ? { low: range.low.map(short), high: range.high.map(short) } : null;
  };
  const isLeftOut = (state_code: string, period: Period) => figures.get(state_code)?.left_out.includes(period) ?? false;
  const own = (state_code: string, values: readonly (number | null)[]) =>
    values.map((value) => (value === null ? null : indexOf(state_code)(value)));
  return {
    states: states.map(({ state_code, state, reproduction_number_by_month }) => ({
      state_code,
      state,
      reproduction_number: reproduction_number_by_month,
      reproduction_range: rangeOf(state_code),
      series: seriesOf.get(state_code)!.map(({ period, reported, modelled }) => ({
        period,
        reported: indexOf(state_code)(reported),
        modelled: indexOf(state_code)(modelled),
        left_out: isLeftOut(state_code, period),
      })),
    })),
    projections: (projection?.years ?? []).map(({ state_code, year, reported, methods }) => ({
      state_code,
      year,
      held_back: !projection!.development_years.includes(year),
      reported: own(state_code, reported),
      model: own(state_code, methods.model!),
      same_month_last_year: own(state_code, methods.same_month_last_year!),
    })),
    errors: Object.keys(projection?.held_back.errors ?? {})
      .filter(isReported)
      .flatMap((method) => {
        const [development, held_back] = [projection!.development.errors[method], projection!.held_back.errors[method]];
        return development === undefined || held_back === undefined
          ? []
          : [{ method, development: short(development), held_back: short(held_back) }];
      }),
  };
}

const namesOf = ({ one, many }: AreaWords): AreaWords => ({ one, many });

/** A figure for plots, with four decimals. */
const short = (value: number) => Number(value.toFixed(4)) + 0;
