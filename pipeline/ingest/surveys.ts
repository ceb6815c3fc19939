import type { Method } from '../catalog/shared-schemas.ts';
import type { Source } from '../catalog/sources.ts';
import { InputLocation, readEach } from '../lib/bad-input.ts';
import { checkControls } from './controls.ts';
import type { AreaRound, Areas, Cluster, SurveyRow, Surveys } from './ingest-tables.ts';
import { createAreaLookup, type IngestInput, sourcesInRole } from './input.ts';
import type { Locator } from './locator.ts';
import { readTableWithCodes } from './places-by-name.ts';
import { doubtPauses, doubtPlaces } from './survey-doubts.ts';
import {
  createPlaceReader,
  findPositivesUnit,
  readAge,
  readEffectiveNumber,
  readExamined,
  readFieldwork,
  readMethod,
  readPositivity,
  readRound,
  readShare,
  readUrban,
  refuseIncomplete,
} from './survey-rows.ts';

/** Ages are given in years or tenths of years: they may exceed the ages of the score by this many months. */
const AGE_TOLERANCE_MONTHS = 1.5;
/** Above this share of clusters of other ages, the table may be of other people than the score, or its ages misread. */
const MOST_OTHER_AGES_SHARE = 0.1;

/**
 * The survey rounds by the diagnostic methods of `parameters.survey.method`. Each cluster is used once, with the first
 * of them that it was tested by. Rows with other methods or ages are dropped, counted in the report and kept as `rows`.
 * @throws BadInput for positive > examined, a share outside 0-1, no one examined, an unknown place or method, a
 *   repeated cluster, a round that is not in the catalog, a round of the catalog without a cluster, a month outside its
 *   round
 */
export async function ingestSurveys(
  input: IngestInput,
  areas: Areas,
  locator: Locator,
): Promise<Surveys & { rows: SurveyRow[] }> {
  const clusters: Cluster[] = [];
  const areaRounds: AreaRound[] = [];
  const rows: SurveyRow[] = [];
  const location = new InputLocation('sources.json', 'survey sources');
  for (const source of sourcesInRole(input, 'survey_clusters')) {
    const clusterTable = await readClusters(input, areas, locator, source);
    clusters.push(...clusterTable.clusters);
    rows.push(...clusterTable.rows);
  }
  for (const source of sourcesInRole(input, 'survey_states')) {
    const areaTable = await readAreaRounds(input, areas, source);
    const second = areaTable.rounds.find(({ survey_year }) =>
      areaRounds.some((round) => round.survey_year === survey_year),
    );
    if (second) throw location.error(`round ${second.survey_year} by area in two sources`, 'each round once');
    areaRounds.push(...areaTable.rounds);
    rows.push(...areaTable.rows);
  }
  const ids = new Set<string>();
  for (const { survey_year, cluster_id } of clusters) {
    const id = `${survey_year} ${cluster_id}`;
    if (ids.has(id)) throw location.error(`the cluster ${id} in two sources`, 'each cluster once');
    ids.add(id);
  }
  const areaRoundYears = new Set(areaRounds.map((round) => round.survey_year));
  const repeated = clusters.find((cluster) => areaRoundYears.has(cluster.survey_year));
  if (repeated) throw location.error(`round ${repeated.survey_year} by cluster and by area`, 'each round once');
  if (clusters.length === 0 && sourcesInRole(input, 'survey_clusters').length > 0) {
    const found = `no cluster tested by ${usedMethods(input).join(' or ')}`;
    throw new InputLocation('sources.json', 'role survey_clusters').error(found, 'at least one');
  }
  clusters.sort((a, b) => a.survey_year - b.survey_year || (a.cluster_id < b.cluster_id ? -1 : 1));
  return { clusters, area_rounds: areaRounds, rows };
}

/** The clusters of one table, restricted to the wanted methods and ages, and all its rows. */
export async function readClusters(
  input: IngestInput,
  areas: Areas,
  locator: Locator,
  source: Source,
): Promise<{ clusters: Cluster[]; rows: SurveyRow[] }> {
  const table = await readTableWithCodes(input, areas, source);
  table.refuseDuplicates(['survey_year', 'cluster_id', 'method']);
  const isDisplaced = source.displaced === true;
  const snapMessages: string[] = [];
  const readPlace = createPlaceReader(input, areas, locator, isDisplaced ? snapMessages : null);
  const positivesUnit = findPositivesUnit(
    table.rows.map(({ values: { examined = null, positive = null } }) => ({ examined, positive })),
  );
  if (positivesUnit)
    throw table
      .at('column positive')
      .error(`the ${positivesUnit} of those examined`, `counts, or the column as \`positivity\` in ${positivesUnit}`);
  // Rows with other methods are read too: a fault in them is a fault in the file.
  const allClusters = readEach(table.rows, (row): Cluster & { method: Method } => {
    refuseIncomplete(row, source);
    const examined = readExamined(row, source);
    return {
      cluster_id: row.text('cluster_id'),
      ...readRound(row, source),
      ...readPlace(row),
      displaced: isDisplaced,
      method: readMethod(row, source),
      youngest_months: readAge(row, 'youngest_years'),
      oldest_months: readAge(row, 'oldest_years'),
      urban: row.hasValue('urban') ? readUrban(row) : null,
      examined,
      positivity: readPositivity(row, examined, source),
      weight: row.hasColumn('weight') ? row.number('weight', { above: 0 }) : 1,
    };
  });
  for (const what of snapMessages) input.report.push({ source: source.id, rule: 'nearest area', what });
  const pcodes = new Map(areas.states.map(({ state_code, state_pcode }) => [state_code, state_pcode]));
  const amounts = allClusters.map(({ survey_year, state_code, lga_code, examined }) => ({
    period: String(survey_year),
    codes: [pcodes.get(state_code)!, lga_code ?? ''],
    value: examined,
  }));
  checkControls(source, amounts, input.report);
  const methodClusters = keepMethod(
    input,
    source,
    allClusters,
    ({ survey_year, cluster_id }) => `${survey_year} ${cluster_id}`,
  );
  const clusters = keepAges(input, source, methodClusters);
  const [methodClusterSet, usedClusters] = [new Set<Cluster>(methodClusters), new Set(clusters)];
  for (const [i, cluster] of allClusters.entries())
    if (!usedClusters.has(cluster))
      table.rows[i]!.recordLeftOut(methodClusterSet.has(cluster) ? 'other ages' : 'one method only');
  doubtPauses(input, source, allClusters);
  doubtPlaces(input, areas, locator, source, table.rows, allClusters);
  for (const { survey_year } of source.rounds!) {
    if (clusters.some((cluster) => cluster.survey_year === survey_year)) continue;
    const roundClusters = allClusters.filter((cluster) => cluster.survey_year === survey_year);
    const found =
      roundClusters.length === 0
        ? 'no row'
        : `${roundClusters.length} rows, ${describeRows(roundClusters)}, none of which can be used`;
    const { ages_months } = input.model.territory;
    const expected = `rows for ages ${ages_months!.join(' to ')} months by ${usedMethods(input).join(' or ')}, because the catalog lists this round`;
    throw table.at(`round ${survey_year}`).error(found, expected);
  }
  table.refuseTooFewRows();
  const rows = allClusters.map((cluster) => toSurveyRow(cluster, cluster.cluster_id, cluster));
  return { clusters, rows };
}

/** @param place null for the results of an area, of which only the middle month is known */
const toSurveyRow = (
  { survey_year, state_code, lga_code, period, method, examined, positivity }: AreaRound & { method: Method },
  sample: string,
  place: Pick<Cluster, 'longitude' | 'latitude'> | null,
): SurveyRow => ({
  survey_year,
  sample,
  state_code,
  lga_code,
  period: place && period,
  longitude: place?.longitude ?? null,
  latitude: place?.latitude ?? null,
  method,
  examined: place && examined,
  positivity,
});

/** The rounds of one table by area, restricted to the wanted methods, and all its rows. */
export async function readAreaRounds(
  input: IngestInput,
  areas: Areas,
  source: Source,
): Promise<{ rounds: AreaRound[]; rows: SurveyRow[] }> {
  const table = await readTableWithCodes(input, areas, source);
  const codeColumn = table.columns.has('lga_pcode') ? 'lga_pcode' : 'state_pcode';
  table.refuseDuplicates(['survey_year', codeColumn, 'method']);
  const lookup = createAreaLookup(input, areas);
  const stateByLga = new Map(areas.lgas.map(({ lga_code, state_code }) => [lga_code, state_code]));
  const allRows = readEach(table.rows, (row) => {
    const code = lookup.code(row, codeColumn);
    const positivity = readShare(row, source);
    return {
      ...readFieldwork(row, source),
      state_code: stateByLga.get(code) ?? code,
      lga_code: stateByLga.has(code) ? code : null,
      positivity,
      method: readMethod(row, source),
      examined: readEffectiveNumber(row, positivity, source),
    };
  });
  const rounds = keepMethod(input, source, allRows, (row) => `${row.survey_year} ${row.lga_code ?? row.state_code}`);
  for (const [i, row] of allRows.entries()) if (!rounds.includes(row)) table.rows[i]!.recordLeftOut('one method only');
  for (const [year, results] of Map.groupBy(rounds, (round) => round.survey_year)) {
    if (codeColumn === 'state_pcode' && results.length !== areas.states.length)
      throw table
        .at(`round ${year}`)
        .error(`${results.length} rows`, `${areas.states.length}, one for each entry of \`states\` in model.json`);
    const children = results.reduce((sum, { examined }) => sum + (examined ?? 0), 0);
    const what =
      children > 0
        ? `positivity of ${results.length} areas without clusters; their intervals or standard errors are those of ${Math.round(children)} children`
        : 'positivity without clusters, numbers tested or ranges';
    input.report.push({ source: source.id, rule: 'no clusters', what: `round ${year}: ${what}` });
  }
  table.refuseTooFewRows();
  const rows = allRows.map((row) => toSurveyRow(row, row.lga_code ?? row.state_code, null));
  return { rounds, rows };
}

/** The methods whose results are used, the preferred one first. */
const usedMethods = ({ model }: IngestInput): Method[] => [model.parameters.survey.method].flat();

/**
 * The rows with the wanted methods, one for each place and round; the others are counted in the report.
 * @param sampleKey identifies the place and round of a row
 */
function keepMethod<T extends { method: Method }>(
  input: IngestInput,
  source: Source,
  rows: readonly T[],
  sampleKey: (row: T) => string,
): T[] {
  const methods = usedMethods(input);
  const rowsBySample = Map.groupBy(
    rows.filter(({ method }) => methods.includes(method)),
    sampleKey,
  );
  const keptRows = [...rowsBySample.values()].map((sampleRows) =>
    sampleRows.reduce((best, row) => (methods.indexOf(row.method) < methods.indexOf(best.method) ? row : best)),
  );
  const droppedCount = rows.length - keptRows.length;
  if (droppedCount > 0)
    input.report.push({
      source: source.id,
      rule: 'one method only',
      what: `${droppedCount} of ${rows.length} rows left out: each sample counts once, by ${methods.join(', else by ')}`,
    });
  return keptRows;
}

/** Whether children of a cluster are of the ages of the score, in months; null if their ages are not known. */
export const hasScoreAges = (
  { youngest_months, oldest_months }: Pick<Cluster, 'youngest_months' | 'oldest_months'>,
  [youngest, oldest]: readonly [number, number],
): boolean =>
  (youngest_months ?? youngest) >= youngest - AGE_TOLERANCE_MONTHS &&
  (oldest_months ?? oldest) <= oldest + AGE_TOLERANCE_MONTHS;

/** The clusters within the ages of the score; the others are counted in the report. */
function keepAges(input: IngestInput, source: Source, clusters: Cluster[]): Cluster[] {
  const ages = input.model.territory.ages_months as [number, number];
  const keptClusters = clusters.filter((cluster) => hasScoreAges(cluster, ages));
  if (keptClusters.length < clusters.length)
    input.report.push({
      source: source.id,
      rule: 'other ages',
      what: `${clusters.length - keptClusters.length} of ${clusters.length} clusters left out, with ages outside ${ages.join(' to ')} months`,
      ...(clusters.length - keptClusters.length > MOST_OTHER_AGES_SHARE * clusters.length
        ? { needs_approval: true }
        : {}),
    });
  return keptClusters;
}

/** The methods of some rows and, if the table gives them, the ages. */
function describeRows(rows: readonly Pick<Cluster, 'method' | 'youngest_months' | 'oldest_months'>[]): string {
  const methods = [...new Set(rows.map(({ method }) => method))].sort().join(' and ');
  const youngest = rows.flatMap(({ youngest_months }) => youngest_months ?? []);
  const oldest = rows.flatMap(({ oldest_months }) => oldest_months ?? []);
  if (youngest.length === 0 && oldest.length === 0) return `by ${methods}`;
  return `by ${methods}, for ages ${Math.min(...youngest)} to ${Math.max(...oldest)} months`;
}
