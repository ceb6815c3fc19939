import { centerOfMass } from '@turf/turf';
import type { RiskEvidence, Surveys, Validation } from '../../artifacts.ts';
import { roundAs, roundFields } from '../../contract/decimals.ts';
import type { Period } from '../../contract/months.ts';
import { LEVELS, type Season, ZONES } from '../../contract/schemas.ts';
import type { SeasonCheckRow } from '../../season/check.ts';
import type { TransmissionFits } from '../../transmission/stage.ts';
import type { KnownTruth } from '../../validation/known-truth.ts';
import type { SnapshotParts } from '../snapshot/documents.ts';
import type { PageData, PageTransmission } from './page-data.ts';
import { isReported } from './sections/words.ts';

/** What the report tells beyond the answers. */
export interface Evidence {
  risk: RiskEvidence;
  /** null where the country has too few cells to leave any out. */
  validation: Validation | null;
  known_truth: KnownTruth;
  season_check: readonly SeasonCheckRow[];
  fits: TransmissionFits | null;
  surveys: Surveys;
}

/** Everything that the page's scripts draw, in the answers' own rounding. */
export function pageData(parts: SnapshotParts, { risk, validation, season_check, fits }: Evidence): PageData {
  const { areas, context, season, trend, coverage } = parts;
  const { periods } = parts.scores.lgas;
  const names = new Map(areas.states.map(({ state_code, state }) => [state_code, state]));
  const stateFigures = new Map(context.states.map((row) => [row.state_code, row]));
  const lgaFigures = new Map(context.lgas.map((row) => [row.lga_code, row]));
  return {
    country: parts.model.name,
    model_version: parts.model_version,
    synthetic: parts.model.synthetic,
    periods,
    estimated: periods.filter((period) => period <= coverage.last_estimated).length,
    levels: LEVELS.map(({ level, below }) => ({ level, below: Number.isFinite(below) ? below : null })),
    states: areas.states.map(({ state_code, state, zone }) =>
      roundFields({ ...stateFigures.get(state_code)!, state_code, state, zone: ZONES[zone] }),
    ),
    lgas: areas.lgas.map(({ lga_code, lga, state_code }) =>
      roundFields({ ...lgaFigures.get(lga_code)!, lga_code, lga, state_code }),
    ),
    scores: encodeScores(parts),
    seasons: roundFields({
      national: season.national,
      states: areas.states.map(({ state_code }): Season => season.states[state_code]!),
      lgas: areas.lgas.map(({ lga_code }): Season => season.lgas[lga_code]!),
    }),
    north_to_south: northToSouth(parts),
    trend: roundFields({
      national: trend.national,
      states: areas.states.map(({ state_code }) => trend.states[state_code]!),
    }),
    rounds: risk.baseline?.rounds ?? [],
    season_check: season_check.map(({ state_code, expected, recorded, correlation }) => ({
      state: names.get(state_code)!,
      expected: expected.map(short),
      recorded: recorded.map(short),
      correlation: short(correlation),
    })),
    transmission: parts.transmission && transmissionData(parts.transmission, fits),
    validation,
  };
}

/** Base64 of score, low and high × 10⁴ as Uint16, by area (states, then LGAs) and month. */
export function encodeScores({ areas, scores }: Pick<SnapshotParts, 'areas' | 'scores'>): string {
  const rows = [
    ...areas.states.map(({ state_code }) => scores.states.areas[state_code]!),
    ...areas.lgas.map(({ lga_code }) => scores.lgas.areas[lga_code]!),
  ];
  const months = scores.lgas.periods.length;
  const bytes = Buffer.alloc(rows.length * months * 3 * 2);
  let at = 0;
  for (const row of rows)
    for (let month = 0; month < months; month++)
      for (const field of ['score', 'score_low', 'score_high'] as const)
        at = bytes.writeUInt16LE(Math.round(roundAs(field, row[field][month]!) * 10_000), at);
  return bytes.toString('base64');
}

function northToSouth({ outlines }: SnapshotParts): number[] {
  const latitudes = outlines.states.map(({ geometry }) => centerOfMass(geometry).geometry.coordinates[1]!);
  return latitudes.map((_, i) => i).sort((a, b) => latitudes[b]! - latitudes[a]! || a - b);
}

function transmissionData(
  { states }: NonNullable<SnapshotParts['transmission']>,
  fits: TransmissionFits | null,
): PageTransmission {
  const projection = fits?.projection;
  const figures = new Map(fits?.states.map((state) => [state.state_code, state]));
  const rangeOf = (state_code: string) => {
    const range = figures.get(state_code)?.reproduction_range;
    return range ? { low: range.low.map(short), high: range.high.map(short) } : null;
  };
  const isLeftOut = (state_code: string, period: Period) => figures.get(state_code)?.left_out.includes(period) ?? false;
  const own = (values: readonly (number | null)[]) => values.map((value) => (value === null ? null : short(value)));
  return {
    states: states.map(({ state_code, state, reproduction_number_by_month, series }) => ({
      state_code,
      state,
      reproduction_number: reproduction_number_by_month,
      reproduction_range: rangeOf(state_code),
      series: series.map((row) => ({ ...row, left_out: isLeftOut(state_code, row.period) })),
    })),
    projections: (projection?.years ?? []).map(({ state_code, year, reported, methods }) => ({
      state_code,
      year,
      held_back: !projection!.development_years.includes(year),
      reported: own(reported),
      model: own(methods.model!),
      same_month_last_year: own(methods.same_month_last_year!),
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

/** Figures for plots: four decimals. */
const short = (value: number) => Number(value.toFixed(4)) + 0;
