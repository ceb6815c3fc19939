import type { Model } from '../../catalog/model.ts';
import { addMonths, monthIndex, type Period, periodRange } from '../../contract/months.ts';
import { FORECAST_MONTHS, forecastPeriods, OPERATIONS, operationFiles } from '../../contract/operations.ts';
import type * as schemas from '../../contract/schemas.ts';
import { type ForecastScore, type ScoredForecast, scoreForecasts } from '../../validation/forecast-score.ts';
import {
  levelsFlipped,
  overThresholds,
  type Pair,
  type Risk,
  round,
  type Tally,
  type Thresholds,
  tallyOf,
} from './diff-tally.ts';
import type { Snapshot } from './read.ts';

/** What a new snapshot does to an old one. */
export interface SnapshotDiff {
  a: string;
  b: string;
  /** Whether either is of a made-up country. */
  synthetic: boolean;
  thresholds: Thresholds | null;
  /** LGAs' scores of the months that both estimate, and of those that both forecast. */
  all: Tally;
  states: (Tally & { state_code: string })[];
  lgas: (Tally & { state_code: string; lga_code: string })[];
  periods: (Tally & { period: Period })[];
  states_by_period: (Tally & { state_code: string; period: Period })[];
  /** States' own scores. */
  state_scores: Tally;
  levels_flipped: { from: string; to: string; count: number }[];
  /** The LGAs whose scores changed most, each in the month in which it did. */
  largest: (Pair & { change: number })[];
  only_in_a: { lgas: string[]; periods: Period[] };
  only_in_b: { lgas: string[]; periods: Period[] };
  /** Answers by operation: same bytes, other bytes, in one only. */
  answers: { operation: string; same: number; changed: number; only_in_a: number; only_in_b: number }[];
  /** A's forecasts of months that B estimates; null where there are none. */
  past_forecasts: {
    periods: Period[];
    all: ForecastScore;
    by_horizon: (ForecastScore & { horizon_months: number })[];
  } | null;
  /** What is over its threshold, in words. */
  over: string[];
}

const LARGEST = 10;

/**
 * Compares two snapshots of a country, LGA by LGA and month by month.
 * @throws Error for snapshots of two countries
 */
export function diffSnapshots(a: Snapshot, b: Snapshot): SnapshotDiff {
  if (a.manifest.country !== b.manifest.country)
    throw new Error(`found ${a.manifest.country} and ${b.manifest.country}, expected two snapshots of one country`);
  const thresholds = b.json<{ parameters: Partial<Model['parameters']> }>('model-card.json')?.parameters.diff ?? null;
  const [scoresA, scoresB] = [readLgas(a), readLgas(b)];
  const pairs: Pair[] = [];
  for (const [id, row] of scoresB) {
    const before = scoresA.get(id);
    if (before && before.kind === row.kind) pairs.push({ ...row.place, a: before.risk, b: row.risk });
  }
  const tally = (some: readonly Pair[]) => tallyOf(some, thresholds);
  const grouped = <K extends 'state_code' | 'lga_code' | 'period'>(key: K) =>
    [...Map.groupBy(pairs, (pair) => pair[key])].sort(([x], [y]) => (x < y ? -1 : 1));
  const states = grouped('state_code').map(([state_code, own]) => ({ state_code, ...tally(own) }));
  const lgas = grouped('lga_code').map(([lga_code, own]) => ({
    state_code: own[0]!.state_code,
    lga_code,
    ...tally(own),
  }));
  const periods = grouped('period').map(([period, own]) => ({ period, ...tally(own) }));
  const states_by_period = grouped('state_code').flatMap(([state_code, own]) =>
    [...Map.groupBy(own, (pair) => pair.period)].map(([period, some]) => ({ state_code, period, ...tally(some) })),
  );
  const all = tally(pairs);
  const onlyIn = (one: Scores, other: Scores) => {
    const lacking = (of: (row: ScoreRow) => string) => {
      const there = new Set([...other.values()].map(of));
      return [...new Set([...one.values()].map(of))].filter((value) => !there.has(value)).sort();
    };
    return { lgas: lacking((row) => row.place.lga_code), periods: lacking((row) => row.place.period) };
  };
  const only_in_a = onlyIn(scoresA, scoresB);
  const byChange = pairs
    .map((pair) => ({ ...pair, change: round(pair.b.score - pair.a.score) }))
    .sort(
      (x, y) => Math.abs(y.change) - Math.abs(x.change) || (x.lga_code + x.period < y.lga_code + y.period ? -1 : 1),
    );
  // Neighbouring months change together: of each LGA, the month that changed most.
  const largest = [...Map.groupBy(byChange, ({ lga_code }) => lga_code).values()].map(([first]) => first!);
  return {
    a: a.manifest.model_version,
    b: b.manifest.model_version,
    synthetic: a.manifest.synthetic || b.manifest.synthetic,
    thresholds,
    all,
    states,
    lgas,
    periods,
    states_by_period,
    state_scores: tally(pairStates(a, b)),
    levels_flipped: levelsFlipped(pairs),
    largest: largest.slice(0, LARGEST).filter(({ change }) => change !== 0),
    only_in_a,
    only_in_b: onlyIn(scoresB, scoresA),
    answers: diffAnswers(a, b),
    past_forecasts: scorePast(a, scoresA, scoresB),
    over: thresholds ? overThresholds(all, thresholds, only_in_a.lgas) : [],
  };
}

interface ScoreRow {
  kind: 'estimated' | 'forecast';
  place: Pick<Pair, 'state_code' | 'lga_code' | 'period'>;
  risk: Risk;
}
type Scores = Map<string, ScoreRow>;

function readLgas(snapshot: Snapshot): Scores {
  const scores: Scores = new Map();
  const { states, first_estimated, last_estimated } = snapshot.manifest.coverage;
  const add = (kind: ScoreRow['kind'], { period, state_code, lgas }: Omit<schemas.RiskLgas, 'kind'>) => {
    for (const { lga_code, score, score_low, score_high, level } of lgas)
      scores.set(`${lga_code} ${period}`, {
        kind,
        place: { state_code, lga_code, period },
        risk: { score, score_low, score_high, level },
      });
  };
  for (const state of states) {
    for (const period of periodRange(first_estimated, last_estimated))
      add('estimated', snapshot.answer<schemas.RiskLgas>('risk-lgas', { state, period }));
    const { forecasts } = snapshot.answer<schemas.ForecastsLgas>('forecasts-lgas', { state, months: FORECAST_MONTHS });
    for (const report of forecasts) add('forecast', report);
  }
  return scores;
}

function pairStates(a: Snapshot, b: Snapshot): Pair[] {
  const [x, y] = [a.manifest.coverage, b.manifest.coverage];
  const later = (p: Period, q: Period) => (monthIndex(p) > monthIndex(q) ? p : q);
  const first = later(x.first_estimated, y.first_estimated);
  const last = x.last_estimated === later(x.last_estimated, y.last_estimated) ? y.last_estimated : x.last_estimated;
  return periodRange(first, last).flatMap((period) => {
    const read = (snapshot: Snapshot) => snapshot.answer<schemas.RiskStates>('risk-states', { period }).states;
    const before = new Map(read(a).map((row) => [row.state_code, row]));
    return read(b).flatMap((row) => {
      const { state_code } = row;
      const own = before.get(state_code);
      return own ? [{ state_code, lga_code: '', period, a: own, b: row }] : [];
    });
  });
}

function diffAnswers(a: Snapshot, b: Snapshot): SnapshotDiff['answers'] {
  return OPERATIONS.map((operation) => {
    const inA = operationFiles(operation, a.manifest.coverage);
    const inB = new Set(operationFiles(operation, b.manifest.coverage));
    const both = inA.filter((file) => inB.has(file));
    const same = both.filter((file) => a.manifest.files[file]?.sha256 === b.manifest.files[file]?.sha256).length;
    return {
      operation: operation.id,
      same,
      changed: both.length - same,
      only_in_a: inA.length - both.length,
      only_in_b: inB.size - both.length,
    };
  });
}

function scorePast(a: Snapshot, scoresA: Scores, scoresB: Scores): SnapshotDiff['past_forecasts'] {
  const { last_estimated } = a.manifest.coverage;
  const rows: ScoredForecast[] = [];
  const scored: Period[] = [];
  for (const [i, period] of forecastPeriods(a.manifest.coverage).entries()) {
    const before = rows.length;
    for (const row of scoresA.values()) {
      const later = scoresB.get(`${row.place.lga_code} ${period}`);
      if (row.place.period !== period || later?.kind !== 'estimated') continue;
      rows.push({
        horizon_months: i + 1,
        forecast: row.risk.score,
        low: row.risk.score_low,
        high: row.risk.score_high,
        estimated: later.risk.score,
        persistence: scoresA.get(`${row.place.lga_code} ${last_estimated}`)!.risk.score,
        same_month_last_year: scoresA.get(`${row.place.lga_code} ${addMonths(period, -12)}`)?.risk.score ?? null,
      });
    }
    if (rows.length > before) scored.push(period);
  }
  const all = scoreForecasts(rows);
  if (!all) return null;
  const by_horizon = [...Map.groupBy(rows, (row) => row.horizon_months)].map(([horizon_months, some]) => ({
    horizon_months,
    ...scoreForecasts(some)!,
  }));
  return { periods: scored, all, by_horizon };
}
