import type { StageIo, StageRun } from '../../catalog/country-stage.ts';
import type { Model } from '../../catalog/model.ts';
import { worded } from '../../contract/words.ts';
import type { AreaRound, Cluster } from '../../ingest/ingest-tables.ts';
import * as ingest from '../../ingest/ingest-tables.ts';
import { readSurveys } from '../../ingest/read-areas.ts';
import { ratioEstimate } from '../../lib/numerics/ratio-estimate.ts';
import { rowByCode, toTable } from '../../lib/tables/table.ts';
import * as context from '../../measure/context/context-tables.ts';
import { weightedMean } from '../../measure/context/figures.ts';
import type { TrendRow } from './survey-tables.ts';
import { TREND } from './survey-tables.ts';

/** Positivity by round, for the country and each state, with design-based ranges if clusters are known. */
export const run: StageRun = async (io) => {
  const states = stateTrends(io);
  const national = nationalTrend(io);
  const { small_sample, method } = io.model.parameters.survey;
  const years = national.map((row) => row.survey_year);
  const smallSamples = states.filter((row) => row.small_sample).length;
  const what = worded`rounds ${years.join(', ')} by ${[method].flat().join(', else by ')}; ${smallSamples} {state.one} figures are based on fewer than ${small_sample} children`;
  return {
    trend: toTable(TREND, [...national, ...states]),
    report: smallSamples > 0 ? [{ source: 'survey', rule: 'small samples flagged', what }] : [],
  };
};

function stateTrends(io: StageIo): TrendRow[] {
  const { clusters, area_rounds } = readSurveys(io);
  const children = childrenByArea(io);
  const byState = Map.groupBy(clusters, (cluster) => cluster.state_code);
  return io.table(ingest.STATES).flatMap(({ state_code }) => {
    const byYear = Map.groupBy(byState.get(state_code) ?? [], (cluster) => cluster.survey_year);
    const resultsByYear = Map.groupBy(
      area_rounds.filter((round) => round.state_code === state_code),
      (round) => round.survey_year,
    );
    return [
      ...[...byYear].map(([year, clusterSample]) => ({ ...sampleRow(year, clusterSample, io.model), state_code })),
      ...[...resultsByYear].map(([year, results]) => ({ ...areaRow(year, results, children), state_code })),
    ].sort((a, b) => a.survey_year - b.survey_year);
  });
}

/** Computed from all clusters, because the country's range cannot be derived from the states' figures. */
function nationalTrend(io: StageIo): TrendRow[] {
  const { clusters, area_rounds } = readSurveys(io);
  const children = childrenByArea(io);
  const contextByLga = rowByCode(io.table(context.LGAS), 'lga_code');
  const { confidence } = io.model.parameters.survey;
  const positivityOf = (clusterSample: readonly Cluster[]) =>
    clusterSample.length === 0 ? null : ratioEstimate(clusterSample.map(toSample), confidence).positivity;
  const isUrban = (cluster: Cluster) =>
    cluster.urban ?? (cluster.lga_code === null ? null : contextByLga[cluster.lga_code]!.is_urban);

  const byYear = Map.groupBy(clusters, (cluster) => cluster.survey_year);
  const roundsByYear = Map.groupBy(area_rounds, (round) => round.survey_year);
  const years = [...byYear.keys(), ...roundsByYear.keys()].sort((a, b) => a - b);
  return years.map((year) => {
    const clusterSample = byYear.get(year);
    if (clusterSample) {
      const [urban, rural] = [true, false].map((value) =>
        positivityOf(clusterSample.filter((cluster) => isUrban(cluster) === value)),
      );
      return { ...sampleRow(year, clusterSample, io.model), urban: urban ?? null, rural: rural ?? null };
    }
    return areaRow(year, roundsByYear.get(year)!, children);
  });
}

function sampleRow(year: number, clusterSample: readonly Cluster[], { parameters }: Model): TrendRow {
  const { small_sample, confidence } = parameters.survey;
  const { positivity, low, high } = ratioEstimate(clusterSample.map(toSample), confidence);
  const tested = Math.round(clusterSample.reduce((sum, { examined }) => sum + examined, 0));
  return {
    ...rowWithoutSample(year, positivity),
    low,
    high,
    clusters: clusterSample.length,
    children_tested: tested,
    small_sample: tested < small_sample,
  };
}

const toSample = ({ examined, positivity, weight }: Cluster) => ({ size: examined * weight, positivity });

/** The figure of a round by area, weighted by children aged 0 to 4. */
function areaRow(year: number, results: readonly AreaRound[], children: ReadonlyMap<string, number>): TrendRow {
  const weighted = results.map(({ lga_code, state_code, positivity }) => ({
    value: positivity,
    weight: children.get(lga_code ?? state_code)!,
  }));
  return rowWithoutSample(year, weighted.length === 1 ? weighted[0]!.value : weightedMean(weighted)!);
}

const rowWithoutSample = (survey_year: number, positivity: AreaRound['positivity']): TrendRow => ({
  state_code: null,
  survey_year,
  positivity,
  low: null,
  high: null,
  clusters: null,
  children_tested: null,
  small_sample: false,
  urban: null,
  rural: null,
});

function childrenByArea(io: StageIo): Map<string, number> {
  const census = rowByCode(io.table(ingest.CENSUS), 'lga_code');
  const contextByLga = rowByCode(io.table(context.LGAS), 'lga_code');
  const hasCensus = Object.keys(census).length > 0;
  // A country without a census has the people of its raster; one with a census may leave areas out of it.
  const childrenIn = (code: string) =>
    hasCensus ? (census[code]?.children_0_4 ?? census[code]?.people ?? 0) : contextByLga[code]!.population;
  const children = new Map<string, number>();
  for (const { lga_code, state_code } of io.table(ingest.LGAS)) {
    children.set(lga_code, childrenIn(lga_code));
    children.set(state_code, (children.get(state_code) ?? 0) + childrenIn(lga_code));
  }
  return children;
}
