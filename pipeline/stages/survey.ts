import type { Areas, Census, Cluster, ContextByLga, StateRound, Surveys, Trend, TrendRow } from '../artifacts.ts';
import type { StageRun } from '../engine/stage.ts';
import { weightedMean } from '../models/context.ts';
import { ratioEstimate } from '../models/survey-trend.ts';

/** Positivity per round, for the country and each state, with design-based ranges where clusters are known. */
export const run: StageRun = async (io) => {
  const areas = io.artifact<Areas>('ingest/areas');
  const { clusters, state_rounds, method } = io.artifact<Surveys>('ingest/surveys');
  const children = childrenByState(areas, io.artifact<Census>('ingest/census'));
  const urban = new Map(io.artifact<ContextByLga>('context/lgas').map((lga) => [lga.lga_code, lga.is_urban]));
  const { small_sample, confidence } = io.model.parameters.survey;

  const row = (year: number, sample: readonly Cluster[]): TrendRow => {
    const { positivity, low, high } = ratioEstimate(sample.map(sampled), confidence);
    const tested = Math.round(sample.reduce((sum, { examined }) => sum + examined, 0));
    return {
      survey_year: year,
      positivity,
      low,
      high,
      clusters: sample.length,
      children_tested: tested,
      small_sample: tested < small_sample,
    };
  };
  const share = (sample: readonly Cluster[]) =>
    sample.length === 0 ? null : ratioEstimate(sample.map(sampled), confidence).positivity;
  const isUrban = (cluster: Cluster) =>
    cluster.urban ?? (cluster.lga_code === null ? null : urban.get(cluster.lga_code)!);

  const byYear = Map.groupBy(clusters, (cluster) => cluster.survey_year);
  const stateYears = Map.groupBy(state_rounds, (round) => round.survey_year);
  const years = [...byYear.keys(), ...stateYears.keys()].sort((a, b) => a - b);
  const trend: Trend = {
    national: [],
    states: Object.fromEntries(areas.states.map((state) => [state.state_code, []])),
  };
  for (const year of years) {
    const sample = byYear.get(year);
    if (sample) {
      const [inTown, outside] = [true, false].map((value) =>
        share(sample.filter((cluster) => isUrban(cluster) === value)),
      );
      trend.national.push({ ...row(year, sample), urban: inTown ?? null, rural: outside ?? null });
      for (const [state, own] of Map.groupBy(sample, (cluster) => cluster.state_code))
        trend.states[state]!.push(row(year, own));
    } else {
      const rounds = stateYears.get(year)!;
      const national = weightedMean(rounds.map((r) => ({ value: r.positivity, weight: children.get(r.state_code)! })))!;
      trend.national.push({ ...unnumbered(year, national), urban: null, rural: null });
      for (const round of rounds) trend.states[round.state_code]!.push(unnumbered(year, round.positivity));
    }
  }
  const small = Object.values(trend.states)
    .flat()
    .filter((r) => r.small_sample).length;
  const what = `rounds ${years.join(', ')} by ${method}; ${small} state figures rest on fewer than ${small_sample} children`;
  return { trend, report: [{ source: 'survey', rule: 'small samples flagged', what }] };
};

const sampled = ({ examined, positivity, weight }: Cluster) => ({ size: examined * weight, positivity });

const unnumbered = (survey_year: number, positivity: StateRound['positivity']): TrendRow => ({
  survey_year,
  positivity,
  low: null,
  high: null,
  clusters: null,
  children_tested: null,
  small_sample: false,
});

function childrenByState(areas: Areas, census: Census): Map<string, number> {
  const children = new Map(areas.states.map((state) => [state.state_code, 0]));
  for (const { lga_code, state_code } of areas.lgas)
    children.set(state_code, children.get(state_code)! + (census[lga_code]?.children_0_4 ?? 0));
  return children;
}
