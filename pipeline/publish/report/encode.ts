import { LEVELS } from '../../contract/levels.ts';
import type { Contents } from '../snapshot/contents.ts';
import { makeSeasonLookup, surveyTrends } from '../snapshot/contents.ts';
import { coveredPeriods, type SnapshotTables } from '../snapshot/snapshot-tables.ts';
import {
  areaIndices,
  encodeCertainty,
  encodeChanges,
  encodeContrasts,
  encodeLayers,
  encodeObserved,
  encodeWindows,
} from './encode-decisions.ts';
import { encodeAlerts, encodeCases, encodeNextSurvey, encodeTested, encodeTotals } from './encode-observed.ts';
import { otherTestsByYear } from './sections/diagnostic-tests.ts';
import type { Evidence } from './shared/evidence.ts';
import type { AreaWords, PageData } from './shared/page-data.ts';

/** The data that the page's scripts draw. */
export function pageData(contents: Contents, { risk, surveys, cases, case_draws, contrasts }: Evidence): PageData {
  const { tables, model, coverage } = contents;
  const { context_states: states, context_lgas: lgas } = tables;
  const periods = coveredPeriods(tables);
  const findSeason = makeSeasonLookup(contents);
  const trends = surveyTrends(tables);
  const cases_in = tables.alerts[0]?.cases_in ?? 'index';
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
    contrasts: encodeContrasts(tables, contrasts),
    windows: encodeWindows(tables),
    neighbours: tables.places.map(({ neighbours }) => neighbours),
    aliases: tables.places.map(({ aliases }) => aliases ?? ''),
    tested: encodeTested(tables, surveys.clusters),
    next_survey: encodeNextSurvey(surveys.clusters, risk),
    cases_in,
    cases: encodeCases(tables, cases, cases_in),
    alerts: encodeAlerts(contents),
    totals: encodeTotals(tables, case_draws),
    has_season: tables.season.length > 0,
    layers: encodeLayers(contents),
    observed: encodeObserved(contents, risk.baseline?.rounds ?? []),
    words: { state: oneAndMany(model.territory.state), lga: oneAndMany(model.territory.lga) },
    citation:
      `${model.name}, malaria risk by ${model.territory.lga.one}, version ${contents.model_version}, updated ` +
      `${model.updated_at.slice(0, 10)}`,
    seasons: {
      national: findSeason(null),
      states: states.map(({ state_code }) => findSeason(state_code)),
      lgas: lgas.map(({ lga_code }) => findSeason(lga_code)),
    },
    trend: { national: trends.national, states: states.map(({ state_code }) => trends.forState(state_code)) },
    rounds: risk.baseline?.rounds ?? [],
    other_tests: otherTestsByYear(model, { surveys }),
  };
}

/** Base64 of score, low and high × 10⁴ as Uint16, by area (states, then LGAs) and month. */
export function encodeScores(
  tables: Pick<
    SnapshotTables,
    'risk_states' | 'risk_lgas' | 'forecasts_states' | 'forecasts_lgas' | 'context_states' | 'context_lgas'
  >,
): string {
  const monthIndices = new Map(coveredPeriods(tables).map((period, i) => [period, i]));
  const indices = areaIndices(tables);
  const numbers = new DataView(new ArrayBuffer(indices.size * monthIndices.size * 3 * 2));
  const writeScores = (
    code: string,
    row: SnapshotTables['risk_lgas'][number] | SnapshotTables['risk_states'][number],
  ) => {
    const offset = (indices.get(code)! * monthIndices.size + monthIndices.get(row.period)!) * 3;
    [row.score, row.score_low, row.score_high].forEach((value, i) => {
      numbers.setUint16(2 * (offset + i), Math.round(value * 10_000), true);
    });
  };
  for (const row of [...tables.risk_states, ...tables.forecasts_states]) writeScores(row.state_code, row);
  for (const row of [...tables.risk_lgas, ...tables.forecasts_lgas]) writeScores(row.lga_code, row);
  return Buffer.from(numbers.buffer).toString('base64');
}

const oneAndMany = ({ one, many }: AreaWords): AreaWords => ({ one, many });
