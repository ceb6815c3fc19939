import type { Source } from '../catalog/sources.ts';
import { METHODS, type Method } from '../catalog/values.ts';
import { monthIndex, periodOf } from '../contract/months.ts';
import { BadInput, readEach } from '../lib/bad-input.ts';
import type { Areas, Cluster, StateRound, Surveys } from './ingest-tables.ts';
import { codeReader, type IngestInput, nameOf, sourcesOf } from './input.ts';
import type { Locate } from './locate.ts';
import {
  numberOf,
  periodIn,
  type Row,
  readTable,
  refuseDuplicates,
  refuseShort,
  type Table,
  textOf,
} from './readers/raw-table.ts';
import { type SurveyResult, surveyDoubts } from './survey-doubts.ts';

/**
 * Largest displacement of DHS clusters plus tolerance for differing outlines, km; anything farther is another place.
 */
const FARTHEST_KM = 11;

/** Far more children than any survey examines in a cluster: a larger number is a different figure. */
const MOST_EXAMINED = 10_000;

/** Ages are given in years or tenths of years: they may exceed the ages of the score by this many months. */
const AGE_SLACK = 1.5;

/**
 * The survey rounds by the diagnostic methods of `parameters.survey.method`. Each cluster is used once, with the first
 * of them that it was tested by. Rows with other methods or ages are dropped and counted in the report.
 * @throws BadInput for positive > examined, a share outside 0-1, no one examined, an unknown place or method, a
 *   repeated cluster, a round that is not in the catalog, a round of the catalog without a cluster, a month outside its
 *   round
 */
export async function ingestSurveys(input: IngestInput, areas: Areas, locate: Locate): Promise<Surveys> {
  const { method } = input.model.parameters.survey;
  const clusters: Cluster[] = [];
  for (const source of sourcesOf(input, 'survey_clusters'))
    clusters.push(...(await readClusters(input, areas, locate, source)));
  const stateRounds: StateRound[] = [];
  for (const source of sourcesOf(input, 'survey_states')) stateRounds.push(...(await readStates(input, areas, source)));
  const ids = new Set<string>();
  for (const { survey_year, cluster_id } of clusters) {
    const id = `${survey_year} ${cluster_id}`;
    if (ids.has(id))
      throw new BadInput('sources.json', 'survey sources', `the cluster ${id} in two sources`, 'each cluster once');
    ids.add(id);
  }
  const byState = new Set(stateRounds.map((round) => round.survey_year));
  const twice = clusters.find((cluster) => byState.has(cluster.survey_year));
  if (twice)
    throw new BadInput(
      'sources.json',
      'survey sources',
      `round ${twice.survey_year} by cluster and by state`,
      'each round once',
    );
  if (clusters.length === 0)
    throw new BadInput(
      'sources.json',
      'role survey_clusters',
      `no cluster tested by ${[method].flat().join(' or ')}`,
      'at least one',
    );
  clusters.sort((a, b) => a.survey_year - b.survey_year || (a.cluster_id < b.cluster_id ? -1 : 1));
  return { clusters, state_rounds: stateRounds };
}

/** The clusters of one table, restricted to the wanted methods and ages. */
export async function readClusters(
  input: IngestInput,
  areas: Areas,
  locate: Locate,
  source: Source,
): Promise<Cluster[]> {
  const table = await readTable(input.rawData, source);
  refuseDuplicates(table, ['survey_year', 'cluster_id', 'method']);
  const code = codeReader(input, areas);
  const snapped: string[] = [];
  // Rows with other methods are read too: a fault in them is a fault in the file.
  const all = readEach(table.rows, (row) => {
    const counts = source.weighted_counts ? { above: 0, least: 0 } : { least: 1, integer: true };
    const examined = numberOf(table, row, 'examined', { ...counts, most: MOST_EXAMINED });
    return {
      cluster_id: textOf(table, row, 'cluster_id'),
      ...readRound(table, row, source),
      ...readPlace(input, areas, locate, code, table, row, source.displaced === true ? snapped : null),
      displaced: source.displaced === true,
      method: methodOf(source, table, row),
      ...readAges(table, row),
      urban: row.values.urban == null ? null : readUrban(table, row),
      examined,
      positivity: readPositivity(table, row, examined, source),
      weight: table.columns.has('weight') ? numberOf(table, row, 'weight', { above: 0 }) : 1,
    };
  });
  for (const what of snapped) input.report.push({ source: source.id, rule: 'off the coast', what });
  const clusters = ofAges(
    input,
    source,
    keepMethod(input, source, table, all, ({ survey_year, cluster_id }) => `${survey_year} ${cluster_id}`),
  );
  reportDoubts(input, source, all);
  for (const { survey_year } of source.rounds!) {
    if (clusters.some((cluster) => cluster.survey_year === survey_year)) continue;
    const read = all.filter((cluster) => cluster.survey_year === survey_year);
    const found =
      read.length === 0 ? 'no row' : `${read.length} rows, ${describeRows(read)}, none of which can be used`;
    const { ages_months } = input.model.territory;
    const expected = `rows for ages ${ages_months!.join(' to ')} months by ${[input.model.parameters.survey.method].flat().join(' or ')}, because the catalog lists this round`;
    throw new BadInput(table.file, `round ${survey_year}`, found, expected);
  }
  refuseShort(table);
  return clusters;
}

/** The methods of some rows and, if the table gives them, the ages. */
function describeRows(rows: readonly Pick<Cluster, 'method' | 'youngest_months' | 'oldest_months'>[]): string {
  const methods = [...new Set(rows.map(({ method }) => method))].sort().join(' and ');
  const youngest = rows.flatMap(({ youngest_months }) => youngest_months ?? []);
  const oldest = rows.flatMap(({ oldest_months }) => oldest_months ?? []);
  if (youngest.length === 0 && oldest.length === 0) return `by ${methods}`;
  return `by ${methods}, for ages ${Math.min(...youngest)} to ${Math.max(...oldest)} months`;
}

/** The row's round, which must be in the catalog, and its month, which must be within the round's fieldwork. */
function readRound(table: Table, row: Row, { rounds = [] }: Source): Pick<Cluster, 'survey_year' | 'period'> {
  const survey_year = numberOf(table, row, 'survey_year', { integer: true });
  const period = table.columns.has('period')
    ? periodIn(table, row, 'period')
    : periodOf(
        12 * numberOf(table, row, 'year', { least: 1980, most: 2099, integer: true }) +
          numberOf(table, row, 'month', { least: 1, most: 12, integer: true }) -
          1,
      );
  const round = rounds.find((round) => round.survey_year === survey_year);
  if (!round) {
    const years = rounds.map((round) => round.survey_year).join(', ');
    throw new BadInput(
      table.file,
      `row ${row.line}, survey_year`,
      String(survey_year),
      `a round of the catalog: ${years}`,
    );
  }
  if (period < round.first || period > round.last) {
    const expected = `${round.first} to ${round.last}, the fieldwork of round ${survey_year} (sources.json)`;
    throw new BadInput(table.file, `row ${row.line}, period`, period, expected);
  }
  return { survey_year, period };
}

/**
 * The location of a cluster: as given in the row, with the LGA found from the coordinates if the row gives none.
 * @param snapped collects a line for each displaced cluster outside every LGA, which is assigned to the nearest one; if
 *   null, such clusters are refused
 */
function readPlace(
  input: IngestInput,
  areas: Areas,
  locate: Locate,
  code: ReturnType<typeof codeReader>,
  table: Table,
  row: Row,
  snapped: string[] | null,
) {
  const has = (column: string) => row.values[column] != null;
  const [west, south, east, north] = input.model.extent as [number, number, number, number];
  const named = has('state_pcode') ? code.state(table, row).state_code : undefined;
  const longitude = has('longitude') ? numberOf(table, row, 'longitude', { least: west, most: east }) : null;
  const latitude = has('latitude') ? numberOf(table, row, 'latitude', { least: south, most: north }) : null;
  if ((longitude === null) !== (latitude === null))
    throw new BadInput(table.file, `row ${row.line}`, 'only one coordinate', 'longitude and latitude, or neither');
  const found = (x: number, y: number) => {
    const inside = locate(x, y, named);
    if (inside !== null || snapped === null) return inside;
    const near = locate.nearest(x, y, FARTHEST_KM);
    if (near)
      snapped.push(
        `${textOf(table, row, 'cluster_id')}: ${(1000 * near.km).toFixed(0)} m outside every area, assigned to ${nameOf(areas, near.lga_code)}`,
      );
    return near?.lga_code ?? null;
  };
  const stated = has('lga_pcode') ? code.lga(table, row).lga_code : null;
  const lga_code = stated ?? (longitude !== null && latitude !== null ? found(longitude, latitude) : null);
  const state_code = areas.lgas.find((lga) => lga.lga_code === lga_code)?.state_code ?? named;
  if (state_code === undefined)
    throw new BadInput(table.file, `row ${row.line}`, 'no location', 'a state, an LGA, or coordinates inside one');
  if (named !== undefined && named !== state_code)
    throw new BadInput(table.file, `row ${row.line}`, `LGA ${lga_code} with state ${named}`, 'an LGA of that state');
  if (longitude !== null && latitude !== null) {
    const km = locate.kmFrom(longitude, latitude, lga_code!);
    if (km > FARTHEST_KM) {
      const place = stated ?? named ?? lga_code;
      const found = `coordinates ${longitude}, ${latitude}, ${km.toFixed(0)} km from ${place}`;
      throw new BadInput(
        table.file,
        `row ${row.line}`,
        found,
        `at most ${FARTHEST_KM} km, the largest displacement of clusters`,
      );
    }
  }
  return { state_code, lga_code, longitude, latitude };
}

/** The rounds of one table by state, restricted to the wanted methods. */
export async function readStates(input: IngestInput, areas: Areas, source: Source): Promise<StateRound[]> {
  const table = await readTable(input.rawData, source);
  refuseDuplicates(table, ['survey_year', 'state_pcode', 'method']);
  const code = codeReader(input, areas);
  const { first, last } = source.fieldwork!;
  const middle = Math.floor((monthIndex(first) + monthIndex(last)) / 2);
  const [from, to] = [Number(first.slice(0, 4)), Number(last.slice(0, 4))];
  const all = readEach(table.rows, (row) => ({
    survey_year: numberOf(table, row, 'survey_year', { least: from, most: to, integer: true }),
    period: periodOf(middle),
    state_code: code.state(table, row).state_code,
    positivity: readShare(table, row, 'positivity', source.unit),
    method: methodOf(source, table, row),
  }));
  const rounds = keepMethod(input, source, table, all, (row) => `${row.survey_year} ${row.state_code}`);
  // The numbers tested are not known, so all states get the same weight.
  reportDoubts(
    input,
    source,
    all.map((row) => ({ ...row, examined: 1000 })),
  );
  for (const year of new Set(rounds.map((round) => round.survey_year))) {
    const found = rounds.filter((round) => round.survey_year === year).length;
    if (found !== areas.states.length)
      throw new BadInput(table.file, `round ${year}`, `${found} states`, `${areas.states.length}`);
    input.report.push({
      source: source.id,
      rule: 'known by state only',
      what: `round ${year}: positivity without clusters, numbers tested or ranges`,
    });
  }
  refuseShort(table);
  return rounds;
}

/** The row's method. @throws BadInput if the catalog does not name it */
function methodOf(source: Source, table: Table, row: Row): Method {
  const found = textOf(table, row, 'method');
  const method = METHODS.find((name) => (source.methods?.[name] ?? name) === found);
  if (method) return method;
  const known = METHODS.map((name) => source.methods?.[name] ?? name).join(' or ');
  throw new BadInput(table.file, `row ${row.line}, method`, found, `${known} (sources.json, methods)`);
}

/**
 * The rows with the wanted methods, one for each place and round; the others are counted in the report.
 * @param id identifies the place and round of a row
 */
function keepMethod<T extends { method: Method }>(
  input: IngestInput,
  source: Source,
  table: Table,
  read: readonly T[],
  id: (row: T) => string,
): T[] {
  const wanted = [input.model.parameters.survey.method].flat();
  const ranked = Map.groupBy(
    read.filter(({ method }) => wanted.includes(method)),
    id,
  );
  const kept = [...ranked.values()].map((rows) =>
    rows.reduce((best, row) => (wanted.indexOf(row.method) < wanted.indexOf(best.method) ? row : best)),
  );
  const dropped = read.length - kept.length;
  if (dropped > 0)
    input.report.push({
      source: source.id,
      rule: 'one method only',
      what: `${dropped} of ${table.rows.length} rows left out: each sample counts once, by ${wanted.join(', else by ')}`,
    });
  return kept;
}

/** Ages of the youngest and the oldest child tested, in months; null if the table does not give them. */
function readAges(table: Table, row: Row): Pick<Cluster, 'youngest_months' | 'oldest_months'> {
  const months = (column: string) => {
    const years = table.columns.has(column) ? numberOf(table, row, column, { least: 0, most: 120 }) : null;
    return years === null ? null : 12 * years;
  };
  return { youngest_months: months('youngest_years'), oldest_months: months('oldest_years') };
}

/** The clusters within the ages of the score; the others are counted in the report. */
function ofAges(input: IngestInput, source: Source, clusters: Cluster[]): Cluster[] {
  const [youngest, oldest] = input.model.territory.ages_months as [number, number];
  const kept = clusters.filter(
    ({ youngest_months, oldest_months }) =>
      (youngest_months ?? youngest) >= youngest - AGE_SLACK && (oldest_months ?? oldest) <= oldest + AGE_SLACK,
  );
  if (kept.length < clusters.length)
    input.report.push({
      source: source.id,
      rule: 'other ages',
      what: `${clusters.length - kept.length} of ${clusters.length} clusters left out, with ages outside ${youngest} to ${oldest} months`,
    });
  return kept;
}

/** Reports figures, by either method, that are hard to believe. */
function reportDoubts({ report }: IngestInput, source: Source, results: readonly SurveyResult[]): void {
  for (const what of surveyDoubts(results))
    report.push({ source: source.id, rule: 'hard to believe', what, needs_approval: true });
}

function readPositivity(table: Table, row: Row, examined: number, source: Source): number {
  if (!table.columns.has('positive')) return readShare(table, row, 'positivity', source.unit);
  const positive = numberOf(table, row, 'positive', { least: 0, integer: !source.weighted_counts });
  if (positive > examined)
    throw new BadInput(
      table.file,
      `row ${row.line}, positive`,
      `${positive} of ${examined} examined`,
      'no more positive than examined',
    );
  return positive / examined;
}

function readShare(table: Table, row: Row, column: string, unit: string): number {
  return unit === 'percent'
    ? numberOf(table, row, column, { least: 0, most: 100 }) / 100
    : numberOf(table, row, column, { least: 0, most: 1 });
}

function readUrban(table: Table, row: Row): boolean | null {
  const text = textOf(table, row, 'urban').toLowerCase();
  if (['true', '1', 'urban', 'u'].includes(text)) return true;
  if (['false', '0', 'rural', 'r'].includes(text)) return false;
  if (text === 'unknown') return null;
  throw new BadInput(table.file, `row ${row.line}, urban`, text, 'true or false');
}
