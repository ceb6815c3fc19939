import { LEVELS } from '../../contract/levels.ts';
import { FALL_PROBABILITY, RISE_PROBABILITY, WARNING_PROBABILITY } from '../../model/forecast/alerts.ts';
import { POPULATION_COVARIATES } from '../../model/risk/covariate-columns.ts';
import type { Contents } from '../snapshot/contents.ts';
import { makeSeasonLookup, surveyTrends } from '../snapshot/contents.ts';
import { coveredPeriods } from '../snapshot/snapshot-tables.ts';
import {
  encodeChanges,
  encodeContrasts,
  encodeDraws,
  encodeLayers,
  encodeObserved,
  encodeScores,
  encodeWindows,
} from './encode-decisions.ts';
import { encodeAlerts, encodeCases, encodeNextSurvey, encodeTested, encodeTotals } from './encode-observed.ts';
import { otherTestsByYear } from './sections/diagnostic-tests.ts';
import type { Evidence } from './shared/evidence.ts';
import { joinInSentence } from './shared/names.ts';
import type { AreaWords, PageData } from './shared/page-data.ts';

/** The data that the page's scripts draw. */
export function pageData(contents: Contents, evidence: Evidence): PageData {
  const { risk, surveys, cases, case_draws, contrasts, joint } = evidence;
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
    nation: joint.nation,
    now: encodeScores(tables, [periods.indexOf(coverage.last_estimated)]),
    history: encodeScores(tables),
    changes: encodeChanges(tables, coverage.last_estimated),
    contrasts: encodeContrasts(tables, contrasts),
    draws: encodeDraws(tables, coverage.last_estimated, joint.lga_draws),
    windows: encodeWindows(tables),
    neighbours: tables.places.map(({ neighbours }) => neighbours),
    aliases: tables.places.map(({ aliases }) => aliases ?? ''),
    tested: encodeTested(tables, surveys.clusters),
    next_survey: encodeNextSurvey(surveys.clusters, risk),
    covariates: risk.spatial
      ? [...POPULATION_COVARIATES, ...(model.parameters.risk.covariates ?? []).map(({ source }) => source)]
      : [],
    cases_in,
    cases: encodeCases(tables, cases, cases_in),
    case_producers: joinInSentence([
      ...new Set(contents.sources.filter(({ role }) => role.startsWith('cases_')).map(({ producer }) => producer)),
    ]),
    alerts: encodeAlerts(contents),
    alert_scores: contents.model.alert_evaluation?.scores ?? [],
    alert_limits: { ...RISE_PROBABILITY, fall: FALL_PROBABILITY },
    warning_limits: WARNING_PROBABILITY,
    totals: encodeTotals(tables, case_draws),
    has_season: tables.season.length > 0,
    layers: encodeLayers(contents),
    observed: encodeObserved(contents, risk.baseline?.rounds ?? []),
    words: { state: oneAndMany(model.territory.state), lga: oneAndMany(model.territory.lga) },
    may_publish: contents.licences.whole.may_publish,
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

const oneAndMany = ({ one, many }: AreaWords): AreaWords => ({ one, many });
