import type { Areas, Cluster, StateRound, Surveys } from '../artifacts.ts';
import { BadInput, readEach } from '../bad-input.ts';
import type { Source } from '../catalog/sources.ts';
import { METHODS, type Method } from '../catalog/values.ts';
import { monthIndex, periodOf } from '../contract/months.ts';
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
} from './readers/table.ts';
import { surveyDoubts } from './survey-doubts.ts';

/** The farthest that DHS displaces a cluster, km, and as far as outlines may differ: farther off is another place. */
const FARTHEST_KM = 11;

/** Far more children than any survey examines in one place: what is above is another figure. */
const MOST_EXAMINED = 10_000;

/** Ages are told in whole years or tenths of them: so far may they lie outside the ages that the score is of, months. */
const AGE_SLACK = 1.5;

/**
 * The survey rounds by the diagnostic method that counts (`parameters.survey.method`); of several, each cluster is used once,
 * by the first that it was tested by. Rows by another are dropped and counted in the report, and so are rows of other ages.
 * @throws BadInput for positive > examined, a share outside 0-1, no one examined, an unknown place or method, a repeated
 *   cluster, a round that the catalog does not have or one of its rounds without a cluster, a month outside its round
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
      throw new BadInput('sources.json', 'survey sources', `the cluster ${id} in two of them`, 'it once');
    ids.add(id);
  }
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
    throw new BadInput(
      'sources.json',
      'role survey_clusters',
      `no cluster by ${[method].flat().join(' or ')}`,
      'at least one',
    );
  clusters.sort((a, b) => a.survey_year - b.survey_year || (a.cluster_id < b.cluster_id ? -1 : 1));
  return { clusters, state_rounds: stateRounds };
}

/** The clusters of one table by the method that counts. */
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
  // Rows by another method are read too: a fault among them is a fault of the file.
  const all = readEach(table.rows, (row) => {
    const counts = source.weighted_counts ? { above: 0, least: 0 } : { least: 1, whole: true };
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
  tellDoubts(input, source, all);
  for (const { survey_year } of source.rounds!) {
    if (clusters.some((cluster) => cluster.survey_year === survey_year)) continue;
    const read = all.filter((cluster) => cluster.survey_year === survey_year);
    const found = read.length === 0 ? 'no row' : `${read.length} rows, ${ofRows(read)}, and so none that counts`;
    const { ages_months } = input.model.territory;
    const expected = `some of ages ${ages_months!.join(' to ')} months by ${[input.model.parameters.survey.method].flat().join(' or ')}, as the catalog has this round`;
    throw new BadInput(table.file, `round ${survey_year}`, found, expected);
  }
  refuseShort(table);
  return clusters;
}

/** What rows of a round are of: methods, and ages where the table tells them. */
function ofRows(rows: readonly Pick<Cluster, 'method' | 'youngest_months' | 'oldest_months'>[]): string {
  const methods = [...new Set(rows.map(({ method }) => method))].sort().join(' and ');
  const youngest = rows.flatMap(({ youngest_months }) => youngest_months ?? []);
  const oldest = rows.flatMap(({ oldest_months }) => oldest_months ?? []);
  if (youngest.length === 0 && oldest.length === 0) return `by ${methods}`;
  return `by ${methods}, of ages ${Math.min(...youngest)} to ${Math.max(...oldest)} months`;
}

/** The row's round, which must be one of the catalog's, and its month, which must lie in that round's fieldwork. */
function readRound(table: Table, row: Row, { rounds = [] }: Source): Pick<Cluster, 'survey_year' | 'period'> {
  const survey_year = numberOf(table, row, 'survey_year', { whole: true });
  const period = table.columns.has('period')
    ? periodIn(table, row, 'period')
    : periodOf(
        12 * numberOf(table, row, 'year', { least: 1980, most: 2099, whole: true }) +
          numberOf(table, row, 'month', { least: 1, most: 12, whole: true }) -
          1,
      );
  const round = rounds.find((one) => one.survey_year === survey_year);
  if (!round) {
    const years = rounds.map((one) => one.survey_year).join(', ');
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
 * Where a cluster lies: what the row says, the LGA found from coordinates where it says none.
 * @param snapped takes what is said of a displaced cluster outside every LGA, which goes to the nearest; null: it is refused
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
    throw new BadInput(table.file, `row ${row.line}`, 'one coordinate alone', 'longitude and latitude, or neither');
  const found = (x: number, y: number) => {
    const inside = locate(x, y, named);
    if (inside !== null || snapped === null) return inside;
    const near = locate.nearest(x, y, FARTHEST_KM);
    if (near)
      snapped.push(
        `${textOf(table, row, 'cluster_id')}: ${(1000 * near.km).toFixed(0)} m outside every area, taken to be in ${nameOf(areas, near.lga_code)}`,
      );
    return near?.lga_code ?? null;
  };
  const stated = has('lga_pcode') ? code.lga(table, row).lga_code : null;
  const lga_code = stated ?? (longitude !== null && latitude !== null ? found(longitude, latitude) : null);
  const state_code = areas.lgas.find((lga) => lga.lga_code === lga_code)?.state_code ?? named;
  if (state_code === undefined)
    throw new BadInput(table.file, `row ${row.line}`, 'no place', 'a state, an LGA, or coordinates inside one');
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
        `at most ${FARTHEST_KM} km, as far as clusters are displaced`,
      );
    }
  }
  return { state_code, lga_code, longitude, latitude };
}

/** The rounds of one table by state, by the method that counts. */
export async function readStates(input: IngestInput, areas: Areas, source: Source): Promise<StateRound[]> {
  const table = await readTable(input.rawData, source);
  refuseDuplicates(table, ['survey_year', 'state_pcode', 'method']);
  const code = codeReader(input, areas);
  const { first, last } = source.fieldwork!;
  const middle = Math.floor((monthIndex(first) + monthIndex(last)) / 2);
  const [from, to] = [Number(first.slice(0, 4)), Number(last.slice(0, 4))];
  const all = readEach(table.rows, (row) => ({
    survey_year: numberOf(table, row, 'survey_year', { least: from, most: to, whole: true }),
    period: periodOf(middle),
    state_code: code.state(table, row).state_code,
    positivity: readShare(table, row, 'positivity', source.unit),
    method: methodOf(source, table, row),
  }));
  const rounds = keepMethod(input, source, table, all, (row) => `${row.survey_year} ${row.state_code}`);
  // The numbers tested are not known, so all states count alike.
  tellDoubts(
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
      what: `round ${year}: positivity without clusters, numbers tested or range`,
    });
  }
  refuseShort(table);
  return rounds;
}

/** The row's method by the project's name. @throws BadInput for one that the catalog does not name */
function methodOf(source: Source, table: Table, row: Row): Method {
  const found = textOf(table, row, 'method');
  const method = METHODS.find((name) => (source.methods?.[name] ?? name) === found);
  if (method) return method;
  const known = METHODS.map((name) => source.methods?.[name] ?? name).join(' or ');
  throw new BadInput(table.file, `row ${row.line}, method`, found, `${known} (sources.json, methods)`);
}

/**
 * The rows by the diagnostic method that counts; the others are counted in the report.
 * @param id what rows by different methods have in common if they are of one place and round
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
      what: `${dropped} of ${table.rows.length} rows by another method than ${wanted.join(', else ')} left out`,
    });
  return kept;
}

/** Ages of the youngest and the oldest child tested, in months, where the table tells them in years. */
function readAges(table: Table, row: Row): Pick<Cluster, 'youngest_months' | 'oldest_months'> {
  const months = (column: string) => {
    const years = table.columns.has(column) ? numberOf(table, row, column, { least: 0, most: 120 }) : null;
    return years === null ? null : 12 * years;
  };
  return { youngest_months: months('youngest_years'), oldest_months: months('oldest_years') };
}

/** The clusters whose children are of the ages that the score is of; the others are counted in the report. */
function ofAges(input: IngestInput, source: Source, clusters: Cluster[]): Cluster[] {
  const [youngest, oldest] = input.model.territory.ages_months as [number, number];
  const kept = clusters.filter(
    (one) =>
      (one.youngest_months ?? youngest) >= youngest - AGE_SLACK && (one.oldest_months ?? oldest) <= oldest + AGE_SLACK,
  );
  if (kept.length < clusters.length)
    input.report.push({
      source: source.id,
      rule: 'other ages',
      what: `${clusters.length - kept.length} of ${clusters.length} clusters of other ages than ${youngest} to ${oldest} months left out`,
    });
  return kept;
}

/** Reports what is hard to believe about the figures of both methods; `read` is of the table's rows, in their order. */
function tellDoubts(
  { report }: IngestInput,
  source: Source,
  read: readonly { survey_year: number; examined: number; positivity: number; method: Method }[],
): void {
  for (const what of surveyDoubts(read))
    report.push({ source: source.id, rule: 'hard to believe', what, needs_approval: true });
}

function readPositivity(table: Table, row: Row, examined: number, source: Source): number {
  if (!table.columns.has('positive')) return readShare(table, row, 'positivity', source.unit);
  const positive = numberOf(table, row, 'positive', { least: 0, whole: !source.weighted_counts });
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

function readUrban(table: Table, row: Row): boolean | null {
  const text = textOf(table, row, 'urban').toLowerCase();
  if (['true', '1', 'urban', 'u'].includes(text)) return true;
  if (['false', '0', 'rural', 'r'].includes(text)) return false;
  if (text === 'unknown') return null;
  throw new BadInput(table.file, `row ${row.line}, urban`, text, 'true or false');
}
