import type { Areas, Cluster, StateRound, Surveys } from '../artifacts.ts';
import { BadInput } from '../bad-input.ts';
import type { Source } from '../catalog.ts';
import { isPeriod, monthIndex, periodOf } from '../contract/months.ts';
import { numberOf, numberOrNull, type Row, readTable, refuseDuplicates, type Table, textOf } from '../readers/table.ts';
import { codeReader, type IngestInput, sourcesOf } from './input.ts';
import type { Locate } from './locate.ts';

/**
 * The survey rounds by one diagnostic method (`parameters.survey.method`): methods are never mixed, rows by another are
 * dropped and counted in the report.
 * @throws BadInput for positive > examined, a share outside 0-1, nobody examined, an unknown place, a repeated cluster
 */
export async function ingestSurveys(input: IngestInput, areas: Areas, locate: Locate): Promise<Surveys> {
  const { method } = input.model.parameters.survey;
  const clusters: Cluster[] = [];
  for (const source of sourcesOf(input, 'survey_clusters'))
    clusters.push(...(await readClusters(input, areas, locate, source)));
  const stateRounds: StateRound[] = [];
  for (const source of sourcesOf(input, 'survey_states')) stateRounds.push(...(await readStates(input, areas, source)));
  const byState = new Set(stateRounds.map((round) => round.survey_year));
  const twice = clusters.find((cluster) => byState.has(cluster.survey_year));
  if (twice)
    throw new BadInput(
      'sources.json',
      'survey sources',
      `round ${twice.survey_year} by cluster and by state`,
      'a round once',
    );
  if (clusters.length === 0)
    throw new BadInput('sources.json', 'role survey_clusters', `no cluster by ${method}`, 'at least one');
  clusters.sort((a, b) => a.survey_year - b.survey_year || (a.cluster_id < b.cluster_id ? -1 : 1));
  return { method, clusters, state_rounds: stateRounds };
}

async function readClusters(input: IngestInput, areas: Areas, locate: Locate, source: Source): Promise<Cluster[]> {
  const table = await readTable(input.rawData, source, ['survey_year', 'period', 'cluster_id', 'method', 'examined']);
  refuseDuplicates(table, ['survey_year', 'cluster_id', 'method']);
  const kept = keepMethod(input, source, table);
  return kept.map((row) => {
    const examined = numberOf(table, row, 'examined', { least: Number.MIN_VALUE });
    const period = textOf(table, row, 'period');
    if (!isPeriod(period)) throw new BadInput(table.file, `row ${row.line}, period`, period, 'a month YYYY-MM');
    return {
      cluster_id: textOf(table, row, 'cluster_id'),
      survey_year: numberOf(table, row, 'survey_year', { least: 1980, most: 2100, whole: true }),
      period,
      ...readPlace(input, areas, locate, table, row),
      displaced: source.displaced === true,
      urban: row.values.urban == null ? null : readUrban(table, row),
      examined,
      positivity: readPositivity(table, row, examined, source.unit),
      weight: numberOrNull(table, row, 'weight', { least: 0 }) ?? 1,
    };
  });
}

/** Where a cluster lies: what the row says, the LGA found from coordinates where it says none. */
function readPlace(input: IngestInput, areas: Areas, locate: Locate, table: Table, row: Row) {
  const has = (column: string) => row.values[column] != null;
  const [west, south, east, north] = input.model.extent as [number, number, number, number];
  const code = codeReader(areas);
  const named = has('state_pcode') ? code.state(table, row).state_code : undefined;
  const longitude = has('longitude') ? numberOf(table, row, 'longitude', { least: west, most: east }) : null;
  const latitude = has('latitude') ? numberOf(table, row, 'latitude', { least: south, most: north }) : null;
  const stated = has('lga_pcode') ? code.lga(table, row).lga_code : null;
  const lga_code = stated ?? (longitude !== null && latitude !== null ? locate(longitude, latitude, named) : null);
  const state_code = areas.lgas.find((lga) => lga.lga_code === lga_code)?.state_code ?? named;
  if (state_code === undefined)
    throw new BadInput(table.file, `row ${row.line}`, 'no place', 'a state, an LGA, or coordinates inside one');
  if (named !== undefined && named !== state_code)
    throw new BadInput(table.file, `row ${row.line}`, `LGA ${lga_code} with state ${named}`, 'an LGA of that state');
  return { state_code, lga_code, longitude, latitude };
}

async function readStates(input: IngestInput, areas: Areas, source: Source): Promise<StateRound[]> {
  const table = await readTable(input.rawData, source, ['survey_year', 'state_pcode', 'method', 'positivity']);
  refuseDuplicates(table, ['survey_year', 'state_pcode', 'method']);
  const code = codeReader(areas);
  if (!source.fieldwork)
    throw new BadInput('sources.json', `source ${source.id}`, 'no fieldwork', 'the first and last month of the round');
  const middle = Math.floor((monthIndex(source.fieldwork.first) + monthIndex(source.fieldwork.last)) / 2);
  const rounds = keepMethod(input, source, table).map((row) => ({
    survey_year: numberOf(table, row, 'survey_year', { least: 1980, most: 2100, whole: true }),
    period: periodOf(middle),
    state_code: code.state(table, row).state_code,
    positivity: readShare(table, row, 'positivity', source.unit),
  }));
  for (const year of new Set(rounds.map((round) => round.survey_year))) {
    const found = rounds.filter((round) => round.survey_year === year).length;
    if (found !== areas.states.length)
      throw new BadInput(table.file, `round ${year}`, `${found} states`, `${areas.states.length}`);
    input.report.push({
      source: source.id,
      rule: 'known by state only',
      what: `round ${year}: positivity without clusters, numbers tested or range`,
    });
  }
  return rounds;
}

function keepMethod(input: IngestInput, source: Source, table: Table): Row[] {
  const { method } = input.model.parameters.survey;
  const kept = table.rows.filter((row) => textOf(table, row, 'method') === method);
  const dropped = table.rows.length - kept.length;
  if (dropped > 0)
    input.report.push({
      source: source.id,
      rule: 'one method only',
      what: `${dropped} of ${table.rows.length} rows by another method than ${method} left out`,
    });
  return kept;
}

function readPositivity(table: Table, row: Row, examined: number, unit: string): number {
  if (!table.columns.has('positive')) return readShare(table, row, 'positivity', unit);
  const positive = numberOf(table, row, 'positive', { least: 0 });
  if (positive > examined)
    throw new BadInput(
      table.file,
      `row ${row.line}, positive`,
      `${positive} of ${examined} examined`,
      'at most as many as examined',
    );
  return positive / examined;
}

function readShare(table: Table, row: Row, column: string, unit: string): number {
  return unit === 'percent'
    ? numberOf(table, row, column, { least: 0, most: 100 }) / 100
    : numberOf(table, row, column, { least: 0, most: 1 });
}

function readUrban(table: Table, row: Row): boolean {
  const text = textOf(table, row, 'urban').toLowerCase();
  if (['true', '1', 'urban', 'u'].includes(text)) return true;
  if (['false', '0', 'rural', 'r'].includes(text)) return false;
  throw new BadInput(table.file, `row ${row.line}, urban`, text, 'true or false');
}
