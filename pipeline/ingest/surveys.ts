import type { Areas, Cluster, StateRound, Surveys } from '../artifacts.ts';
import { BadInput } from '../bad-input.ts';
import type { Source } from '../catalog.ts';
import { isPeriod } from '../contract/months.ts';
import { numberOf, numberOrNull, type Row, readTable, refuseDuplicates, type Table, textOf } from '../readers/table.ts';
import { codeReader, type IngestInput, sourcesOf } from './input.ts';

/**
 * The survey rounds by one diagnostic method (`parameters.survey.method`): methods are never mixed, rows by another are
 * dropped and counted in the report.
 * @throws BadInput for positive > examined, a share outside 0-1, nobody examined, an unknown place, a repeated cluster
 */
export async function ingestSurveys(input: IngestInput, areas: Areas): Promise<Surveys> {
  const { method } = input.model.parameters.survey;
  const clusters: Cluster[] = [];
  for (const source of sourcesOf(input, 'survey_clusters'))
    clusters.push(...(await readClusters(input, areas, source)));
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

async function readClusters(input: IngestInput, areas: Areas, source: Source): Promise<Cluster[]> {
  const table = await readTable(input.rawData, source, ['survey_year', 'period', 'cluster_id', 'method', 'examined']);
  refuseDuplicates(table, ['survey_year', 'cluster_id', 'method']);
  const kept = keepMethod(input, source, table);
  const code = codeReader(areas);
  const [west, south, east, north] = input.model.extent as [number, number, number, number];
  return kept.map((row) => {
    const has = (column: string) => row.values[column] != null;
    const lga = has('lga_pcode') ? code.lga(table, row) : null;
    const state = has('state_pcode') ? code.state(table, row).state_code : lga?.state_code;
    if (!state) throw new BadInput(table.file, `row ${row.line}`, 'no place', 'a state_pcode or an lga_pcode');
    if (lga && lga.state_code !== state)
      throw new BadInput(
        table.file,
        `row ${row.line}`,
        `LGA ${lga.lga_code} with state ${row.values.state_pcode}`,
        'an LGA of that state',
      );
    const examined = numberOf(table, row, 'examined', { least: Number.MIN_VALUE });
    const period = textOf(table, row, 'period');
    if (!isPeriod(period)) throw new BadInput(table.file, `row ${row.line}, period`, period, 'a month YYYY-MM');
    return {
      cluster_id: textOf(table, row, 'cluster_id'),
      survey_year: numberOf(table, row, 'survey_year', { least: 1980, most: 2100, whole: true }),
      period,
      state_code: state,
      lga_code: lga?.lga_code ?? null,
      longitude: has('longitude') ? numberOf(table, row, 'longitude', { least: west, most: east }) : null,
      latitude: has('latitude') ? numberOf(table, row, 'latitude', { least: south, most: north }) : null,
      urban: has('urban') ? readUrban(table, row) : null,
      examined,
      positivity: readPositivity(table, row, examined, source.unit),
      weight: numberOrNull(table, row, 'weight', { least: 0 }) ?? 1,
    };
  });
}

async function readStates(input: IngestInput, areas: Areas, source: Source): Promise<StateRound[]> {
  const table = await readTable(input.rawData, source, ['survey_year', 'state_pcode', 'method', 'positivity']);
  refuseDuplicates(table, ['survey_year', 'state_pcode', 'method']);
  const code = codeReader(areas);
  const rounds = keepMethod(input, source, table).map((row) => ({
    survey_year: numberOf(table, row, 'survey_year', { least: 1980, most: 2100, whole: true }),
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
