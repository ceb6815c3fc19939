/** The data that the annex's scripts draw. */
import { centerOfMass } from '@turf/center-of-mass';
import type { Period } from '../../contract/months.ts';
import { caseConversion } from '../../model/transmission/case-series-form.ts';
import type { TransmissionFits } from '../../model/transmission/transmission-stage.ts';
import type { Contents } from '../snapshot/contents.ts';
import { makeSeasonLookup, surveyTrends } from '../snapshot/contents.ts';
import type { SnapshotTables } from '../snapshot/snapshot-tables.ts';
import { otherTestsByYear } from './sections/diagnostic-tests.ts';
import type { AnnexData, AnnexTransmission } from './shared/annex-data.ts';
import type { Evidence } from './shared/evidence.ts';

export function annexData(
  contents: Contents,
  { risk, surveys, validation, season_check, fits, exact_series, past_forecasts }: Evidence,
): AnnexData {
  const { tables, model, transmission } = contents;
  const names = new Map(tables.context_states.map(({ state_code, state }) => [state_code, state]));
  const findSeason = makeSeasonLookup(contents);
  const trends = surveyTrends(tables);
  const middleMonths = new Map((risk.baseline?.rounds ?? []).map(({ survey_year, middle }) => [survey_year, middle]));
  const scores = new Map(tables.risk_states.map((row) => [`${row.state_code} ${row.period}`, row]));
  return {
    states_many: model.territory.state.many,
    seasons: northToSouth(tables).map((state_code) => {
      const { seasonal_index, peak_month } = findSeason(state_code);
      return { state: names.get(state_code)!, seasonal_index, peak_month };
    }),
    season_check: season_check.map(({ state_code, expected, recorded, correlation }) => ({
      state: names.get(state_code)!,
      expected: expected.map(toFourDecimals),
      recorded: recorded.map(toFourDecimals),
      correlation: toFourDecimals(correlation),
    })),
    national: trends.national,
    surveyed: [...names].flatMap(([state_code, state]) =>
      trends.forState(state_code).flatMap((row) => {
        const scoreRow = scores.get(`${state_code} ${middleMonths.get(row.survey_year)}`);
        if (scoreRow === undefined) return [];
        const { score, score_low, score_high } = scoreRow;
        return [{ ...row, state, score, score_low, score_high }];
      }),
    ),
    other_tests: otherTestsByYear(model, { surveys }),
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

/** Codes of the states by the latitude of their centres. */
function northToSouth({ boundaries_states }: SnapshotTables): string[] {
  const latitudes = boundaries_states.map(({ state_code, geometry }) => ({
    state_code,
    latitude: centerOfMass(geometry).geometry.coordinates[1]!,
  }));
  return latitudes.sort((a, b) => b.latitude - a.latitude).map(({ state_code }) => state_code);
}

function transmissionData(
  { states }: NonNullable<Contents['transmission']>,
  exact_series: Evidence['exact_series'],
  fits: TransmissionFits | null,
): AnnexTransmission {
  const seriesByState = new Map(exact_series.map(({ state_code, series }) => [state_code, series]));
  const stateConversion = (state_code: string) => caseConversion('index', seriesByState.get(state_code)!);
  const projection = fits?.projection;
  const fitByState = new Map(fits?.states.map((state) => [state.state_code, state]));
  const stateRange = (state_code: string) => {
    const range = fitByState.get(state_code)?.reproduction_range;
    return range ? { low: range.low.map(toFourDecimals), high: range.high.map(toFourDecimals) } : null;
  };
  const isLeftOut = (state_code: string, period: Period) =>
    fitByState.get(state_code)?.left_out.includes(period) ?? false;
  const toIndex = (state_code: string, values: readonly (number | null)[]) =>
    values.map((value) => (value === null ? null : stateConversion(state_code)(value)));
  return {
    states: states.map(({ state_code, state, reproduction_number_by_month }) => ({
      state_code,
      state,
      reproduction_number: reproduction_number_by_month,
      reproduction_range: stateRange(state_code),
      series: seriesByState.get(state_code)!.map(({ period, reported, modelled }) => ({
        period,
        reported: stateConversion(state_code)(reported),
        modelled: stateConversion(state_code)(modelled),
        left_out: isLeftOut(state_code, period),
      })),
    })),
    projections: (projection?.years ?? []).map(({ state_code, year, reported, methods }) => ({
      state_code,
      year,
      held_back: !projection!.development_years.includes(year),
      reported: toIndex(state_code, reported),
      model: toIndex(state_code, methods.model!),
      same_month_last_year: toIndex(state_code, methods.same_month_last_year!),
    })),
  };
}

/** A figure for plots, with four decimals. */
const toFourDecimals = (value: number) => Number(value.toFixed(4)) + 0;
