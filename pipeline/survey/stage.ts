import type { Areas, Census, Cluster, ContextByLga, StateRound, Surveys, Trend, TrendRow } from '../artifacts.ts';
import type { Model } from '../catalog/model.ts';
import { weightedMean } from '../context/figures.ts';
import { runSplit, type Split } from '../engine/split.ts';
import type { StageIo, StageRun } from '../engine/stage.ts';
import { ratioEstimate } from './trend.ts';

/** Positivity per round, for the country and each state, with design-based ranges where clusters are known. */
export const split: Split<null, Trend['states']> = {
  prepare: async () => null,
  async part(io) {
    const areas = io.artifact<Areas>('ingest/areas');
    const { clusters, state_rounds } = io.artifact<Surveys>('ingest/surveys');
    const byState = Map.groupBy(clusters, (cluster) => cluster.state_code);
    const trendOf = (state_code: string): TrendRow[] => {
      const byYear = Map.groupBy(byState.get(state_code) ?? [], (cluster) => cluster.survey_year);
      const rounds = state_rounds.filter((round) => round.state_code === state_code);
      return [
        ...[...byYear].map(([year, sample]) => sampleRow(year, sample, io.model)),
        ...rounds.map((round) => unnumbered(round.survey_year, round.positivity)),
      ].sort((a, b) => a.survey_year - b.survey_year);
    };
    return Object.fromEntries(areas.states.map(({ state_code }) => [state_code, trendOf(state_code)]));
  },
  async merge(io, _, parts) {
    const areas = io.artifact<Areas>('ingest/areas');
    const found: Trend['states'] = Object.assign({}, ...parts);
    const states = Object.fromEntries(areas.states.map(({ state_code }) => [state_code, found[state_code]!]));
    const national = nationalTrend(io, areas);
    const { small_sample } = io.model.parameters.survey;
    const years = national.map((row) => row.survey_year);
    const small = Object.values(states)
      .flat()
      .filter((r) => r.small_sample).length;
    const what = `rounds ${years.join(', ')} by ${io.artifact<Surveys>('ingest/surveys').method}; ${small} state figures rest on fewer than ${small_sample} children`;
    const trend: Trend = { national, states };
    return { trend, report: [{ source: 'survey', rule: 'small samples flagged', what }] };
  },
};

export const run: StageRun = (io) => runSplit(split, io);

/** The country's figures come from all clusters together: states' figures do not add up to its range. */
function nationalTrend(io: StageIo, areas: Areas): Trend['national'] {
  const { clusters, state_rounds } = io.artifact<Surveys>('ingest/surveys');
  const children = childrenByState(areas, io.artifact<Census>('ingest/census'));
  const urban = new Map(io.artifact<ContextByLga>('context/lgas').map((lga) => [lga.lga_code, lga.is_urban]));
  const { confidence } = io.model.parameters.survey;
  const share = (sample: readonly Cluster[]) =>
    sample.length === 0 ? null : ratioEstimate(sample.map(sampled), confidence).positivity;
  const isUrban = (cluster: Cluster) =>
    cluster.urban ?? (cluster.lga_code === null ? null : urban.get(cluster.lga_code)!);

  const byYear = Map.groupBy(clusters, (cluster) => cluster.survey_year);
  const stateYears = Map.groupBy(state_rounds, (round) => round.survey_year);
  const years = [...byYear.keys(), ...stateYears.keys()].sort((a, b) => a - b);
  return years.map((year) => {
    const sample = byYear.get(year);
    if (sample) {
      const [inTown, outside] = [true, false].map((value) =>
        share(sample.filter((cluster) => isUrban(cluster) === value)),
      );
      return { ...sampleRow(year, sample, io.model), urban: inTown ?? null, rural: outside ?? null };
    }
    const rounds = stateYears.get(year)!;
    const national = weightedMean(rounds.map((r) => ({ value: r.positivity, weight: children.get(r.state_code)! })))!;
    return { ...unnumbered(year, national), urban: null, rural: null };
  });
}

function sampleRow(year: number, sample: readonly Cluster[], { parameters }: Model): TrendRow {
  const { small_sample, confidence } = parameters.survey;
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
}

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
