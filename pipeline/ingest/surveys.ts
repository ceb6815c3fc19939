import type { LeftOut } from '../catalog/left-out.ts';
import type { Remedy } from '../catalog/remedy.ts';
import type { Source } from '../catalog/sources.ts';
import { METHODS, type Method } from '../catalog/values.ts';
import { monthIndex, periodOf, yearOf } from '../contract/months.ts';
import { readEach, refusalIn } from '../lib/bad-input.ts';
import type { Areas, Cluster, StateRound, SurveyRow, Surveys } from './ingest-tables.ts';
import { codeReader, type IngestInput, nameOf, sourcesOf } from './input.ts';
import type { Locate } from './locate.ts';
import { placesOf, readPlaced } from './places-by-name.ts';
import type { RawRow } from './readers/raw-table.ts';

/**
 * Largest displacement of DHS clusters plus tolerance for differing outlines, km; anything farther is another place.
 */
const FARTHEST_KM = 11;

/** Far more children than any survey examines in a cluster: a larger number is a different figure. */
const MOST_EXAMINED = 10_000;

/** Years of fieldwork, if a table gives them in a column of their own. */
const YEARS = { least: 1980, most: 2099 };

/** Ages are given in years or tenths of years: they may exceed the ages of the score by this many months. */
const AGE_SLACK = 1.5;
/** Above this share of clusters of other ages, the table may be of other people than the score, or its ages misread. */
const MOST_OF_OTHER_AGES = 0.1;
/** Fieldwork that pauses for so many months is hard to believe: months of the next year may stand under this one. */
const LONG_PAUSE_MONTHS = 6;

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
  locate: Locate,
): Promise<Surveys & { rows: SurveyRow[] }> {
  const clusters: Cluster[] = [];
  const stateRounds: StateRound[] = [];
  const rows: SurveyRow[] = [];
  for (const source of sourcesOf(input, 'survey_clusters')) {
    const read = await readClusters(input, areas, locate, source);
    clusters.push(...read.clusters);
    rows.push(...read.rows);
  }
  for (const source of sourcesOf(input, 'survey_states')) {
    const read = await readStates(input, areas, source);
    stateRounds.push(...read.rounds);
    rows.push(...read.rows);
  }
  const refusal = refusalIn('sources.json', 'survey sources');
  const ids = new Set<string>();
  for (const { survey_year, cluster_id } of clusters) {
    const id = `${survey_year} ${cluster_id}`;
    if (ids.has(id)) throw refusal(`the cluster ${id} in two sources`, 'each cluster once');
    ids.add(id);
  }
  const byState = new Set(stateRounds.map((round) => round.survey_year));
  const twice = clusters.find((cluster) => byState.has(cluster.survey_year));
  if (twice) throw refusal(`round ${twice.survey_year} by cluster and by area`, 'each round once');
  if (clusters.length === 0) {
    const found = `no cluster tested by ${wantedMethods(input).join(' or ')}`;
    throw refusalIn('sources.json', 'role survey_clusters')(found, 'at least one');
  }
  clusters.sort((a, b) => a.survey_year - b.survey_year || (a.cluster_id < b.cluster_id ? -1 : 1));
  return { clusters, state_rounds: stateRounds, rows };
}

/** The clusters of one table, restricted to the wanted methods and ages, and all its rows. */
export async function readClusters(
  input: IngestInput,
  areas: Areas,
  locate: Locate,
  source: Source,
): Promise<{ clusters: Cluster[]; rows: SurveyRow[] }> {
  const table = await readPlaced(input, areas, source);
  table.refuseDuplicates(['survey_year', 'cluster_id', 'method']);
  const displaced = source.displaced === true;
  const snapped: string[] = [];
  const readPlace = placeReader(input, areas, locate, displaced ? snapped : null);
  // Rows with other methods are read too: a fault in them is a fault in the file.
  const all = readEach(table.rows, (row): Cluster & { method: Method } => {
    refuseIncomplete(row, source);
    const examined = readExamined(row, source);
    return {
      cluster_id: row.text('cluster_id'),
      ...readRound(row, source),
      ...readPlace(row),
      displaced,
      method: readMethod(row, source),
      youngest_months: readAge(row, 'youngest_years'),
      oldest_months: readAge(row, 'oldest_years'),
      urban: row.has('urban') ? readUrban(row) : null,
      examined,
      positivity: readPositivity(row, examined, source),
      weight: row.hasColumn('weight') ? row.number('weight', { above: 0 }) : 1,
    };
  });
  for (const what of snapped) input.report.push({ source: source.id, rule: 'nearest area', what });
  const ofMethod = keepMethod(input, source, all, ({ survey_year, cluster_id }) => `${survey_year} ${cluster_id}`);
  const clusters = keepAges(input, source, ofMethod);
  doubtPauses(input, source, all);
  doubtStates(input, areas, locate, source, table.rows, all);
  for (const { survey_year } of source.rounds!) {
    if (clusters.some((cluster) => cluster.survey_year === survey_year)) continue;
    const read = all.filter((cluster) => cluster.survey_year === survey_year);
    const found =
      read.length === 0 ? 'no row' : `${read.length} rows, ${describeRows(read)}, none of which can be used`;
    const { ages_months } = input.model.territory;
    const expected = `rows for ages ${ages_months!.join(' to ')} months by ${wantedMethods(input).join(' or ')}, because the catalog lists this round`;
    throw table.refusal.at(`round ${survey_year}`)(found, expected);
  }
  table.refuseShort();
  const rows = all.map(
    ({ survey_year, cluster_id, state_code, longitude, latitude, method, examined, positivity }): SurveyRow => ({
      survey_year,
      sample: cluster_id,
      state_code,
      longitude,
      latitude,
      method,
      examined,
      positivity,
    }),
  );
  return { clusters, rows };
}

/** The rounds of one table by state, restricted to the wanted methods, and all its rows. */
export async function readStates(
  input: IngestInput,
  areas: Areas,
  source: Source,
): Promise<{ rounds: StateRound[]; rows: SurveyRow[] }> {
  const table = await readPlaced(input, areas, source);
  table.refuseDuplicates(['survey_year', 'state_pcode', 'method']);
  const code = codeReader(input, areas);
  const { first, last } = source.fieldwork!;
  const middle = Math.floor((monthIndex(first) + monthIndex(last)) / 2);
  const years = { least: Number(first.slice(0, 4)), most: Number(last.slice(0, 4)), integer: true };
  const all = readEach(table.rows, (row) => ({
    survey_year: row.number('survey_year', years),
    period: periodOf(middle),
    state_code: code.state(row).state_code,
    positivity: readShare(row, source),
    method: readMethod(row, source),
  }));
  const rounds = keepMethod(input, source, all, (row) => `${row.survey_year} ${row.state_code}`);
  for (const year of new Set(rounds.map((round) => round.survey_year))) {
    const found = rounds.filter((round) => round.survey_year === year).length;
    if (found !== areas.states.length)
      throw table.refusal.at(`round ${year}`)(
        `${found} rows`,
        `${areas.states.length}, one for each entry of \`states\` in model.json`,
      );
    input.report.push({
      source: source.id,
      rule: 'no clusters',
      what: `round ${year}: positivity without clusters, numbers tested or ranges`,
    });
  }
  table.refuseShort();
  const rows = all.map(
    ({ survey_year, state_code, method, positivity }): SurveyRow => ({
      survey_year,
      sample: state_code,
      state_code,
      longitude: null,
      latitude: null,
      method,
      examined: null,
      positivity,
    }),
  );
  return { rounds, rows };
}

/** The declaration in the catalog that would leave rows with these values out. */
const leaveOut = (where: LeftOut['where']): Remedy => ({ declare: 'leave_out', where });

/** What programs write for a value that they do not have. */
const NO_VALUE = /^(n\/?a|nan|null|[-.])$/i;

/** The columns of places, of which a cluster needs only some. */
const PLACES = ['longitude', 'latitude', 'lga_pcode', 'state_pcode'];

/**
 * Refuses a cluster that the catalog may leave out: one without a location, whose coordinates many surveys give as 0,
 * or without a weight or result.
 */
function refuseIncomplete(row: RawRow, { columns = {} }: Source): void {
  if (Number(row.values.longitude || Number.NaN) === 0 && Number(row.values.latitude || Number.NaN) === 0)
    throw row.refusal('the coordinates 0, 0', 'a location', leaveOut({ longitude: 0, latitude: 0 }));
  const places = PLACES.filter((column) => row.hasColumn(column));
  if (!places.some((column) => row.has(column))) {
    // A table that goes by names has no codes to be blank.
    const named = places.map((column) => (columns[column] === undefined ? column.replace('_pcode', '') : column));
    const where = Object.fromEntries(named.map((column) => [column, null]));
    throw row.refusal('no location', 'an area of either level, or coordinates inside one', leaveOut(where));
  }
  for (const column of ['weight', 'examined', 'positive', 'positivity']) {
    if (row.hasColumn(column) && !row.has(column))
      throw row.refusal.at(column)('nothing', 'a value', leaveOut({ [column]: null }));
    const text = row.values[column];
    if (text && NO_VALUE.test(text)) throw row.refusal.at(column)(text, 'a value', leaveOut({ [column]: text }));
  }
  if (Number(row.values.examined) === 0)
    throw row.refusal.at('examined')('0', `1 to ${MOST_EXAMINED}`, leaveOut({ examined: 0 }));
}

/** The row's round, which must be in the catalog, and its month, which must be within the round's fieldwork. */
function readRound(row: RawRow, { columns = {}, rounds = [] }: Source): Pick<Cluster, 'survey_year' | 'period'> {
  const period = row.month(YEARS);
  if (!columns.survey_year && !row.has('survey_year')) {
    const spans = rounds.map(({ first, last }) => `${first} to ${last}`).join(' or ');
    throw row.refusal.at('period')(period, `${spans}, the fieldwork of the rounds (sources.json)`);
  }
  const survey_year = row.number('survey_year', { integer: true });
  const round = rounds.find((round) => round.survey_year === survey_year);
  if (!round) {
    const years = rounds.map((round) => round.survey_year).join(', ');
    throw row.refusal.at('survey_year')(String(survey_year), `a round of the catalog: ${years}`);
  }
  if (period < round.first || period > round.last) {
    const expected = `${round.first} to ${round.last}, the fieldwork of round ${survey_year} (sources.json)`;
    throw row.refusal.at('period')(period, expected);
  }
  return { survey_year, period };
}

/**
 * Reads the location of a cluster: as given in the row, with the LGA found from the coordinates if the row gives none.
 * @param snapped collects a line for each displaced cluster outside every LGA, which is assigned to the nearest one; if
 *   null, such clusters are refused
 */
function placeReader(input: IngestInput, areas: Areas, locate: Locate, snapped: string[] | null) {
  const code = codeReader(input, areas);
  const [west, south, east, north] = input.model.extent as [number, number, number, number];
  const stateOf = new Map(areas.lgas.map((lga) => [lga.lga_code, lga.state_code]));

  /** Whether a position is outside the country, and inside it with the two numbers exchanged. */
  const isExchanged = (x: number, y: number) =>
    locate(y, x) !== null && locate(x, y) === null && locate.nearest(x, y, FARTHEST_KM) === null;

  const find = (row: RawRow, longitude: number, latitude: number, state: string | undefined) => {
    const inside = locate(longitude, latitude, state);
    if (inside !== null || snapped === null) return inside;
    const near = locate.nearest(longitude, latitude, FARTHEST_KM);
    if (near)
      snapped.push(
        `round ${row.text('survey_year')}, ${row.text('cluster_id')}: ${(1000 * near.km).toFixed(0)} m outside every area, assigned to ${nameOf(areas, near.lga_code)}`,
      );
    return near?.lga_code ?? null;
  };

  return (row: RawRow): Pick<Cluster, 'state_code' | 'lga_code' | 'longitude' | 'latitude'> => {
    const named = row.has('state_pcode') ? code.state(row).state_code : undefined;
    const [x, y] = [row.numberOrNull('longitude'), row.numberOrNull('latitude')];
    if (x !== null && y !== null && isExchanged(x, y))
      throw row.refusal(
        `longitude ${x} and latitude ${y}, which look exchanged`,
        'a place inside the country, where these lie if exchanged; correct the file, and look at all rows of the same round: others may be exchanged too, and lie inside by chance',
        leaveOut({ longitude: x, latitude: y }),
      );
    const longitude = row.numberOrNull('longitude', { least: west, most: east });
    const latitude = row.numberOrNull('latitude', { least: south, most: north });
    if ((longitude === null) !== (latitude === null))
      throw row.refusal('only one coordinate', 'longitude and latitude, or neither');
    const located = longitude !== null && latitude !== null;
    const stated = row.has('lga_pcode') ? code.lga(row).lga_code : null;
    const lga_code = stated ?? (located ? find(row, longitude, latitude, named) : null);
    const state_code = lga_code === null ? named : (stateOf.get(lga_code) ?? named);
    if (state_code === undefined)
      throw row.refusal('no location', 'an area of either level, or coordinates inside one');
    if (named !== undefined && named !== state_code)
      throw row.refusal(`${lga_code} in ${named}`, 'the area of the upper level that it lies in');
    const km = located ? locate.kmFrom(longitude, latitude, lga_code!) : 0;
    if (km > FARTHEST_KM) {
      const found = `coordinates ${longitude}, ${latitude}, ${km.toFixed(0)} km from ${stated ?? named ?? lga_code}`;
      throw row.refusal(found, `at most ${FARTHEST_KM} km, the largest displacement of clusters`);
    }
    return { state_code, lga_code, longitude, latitude };
  };
}

/** The row's method. @throws BadInput if the catalog does not name it */
function readMethod(row: RawRow, { methods }: Source): Method {
  const names = METHODS.map((method) => methods?.[method] ?? method);
  const found = row.text('method');
  const method = METHODS[names.indexOf(found)];
  if (!method) throw row.refusal.at('method')(found, `${names.join(' or ')} (sources.json, methods)`);
  return method;
}

/** An age in months; null if the table does not give it. */
function readAge(row: RawRow, column: 'youngest_years' | 'oldest_years'): number | null {
  return row.hasColumn(column) ? 12 * row.number(column, { least: 0, most: 120 }) : null;
}

function readUrban(row: RawRow): boolean | null {
  const text = row.text('urban');
  const urban = urbanIn(text);
  if (urban === undefined) throw row.refusal.at('urban')(text, 'true or false, or urban or rural');
  return urban;
}

/** What a cell says of a cluster: whether it is urban, null for unknown, undefined for anything else. */
export function urbanIn(text: string): boolean | null | undefined {
  const word = text.toLowerCase();
  if (['true', '1', 'u', 'urban', 'urbain', 'urbaine', 'urbano', 'urbana'].includes(word)) return true;
  if (['false', '0', 'r', 'rural', 'rurale'].includes(word)) return false;
  return word === 'unknown' ? null : undefined;
}

/** Children examined: a whole number, unless the survey's weights are in it. */
function readExamined(row: RawRow, { weighted_counts }: Source): number {
  return weighted_counts
    ? row.number('examined', { above: 0, least: 0, most: MOST_EXAMINED })
    : row.number('examined', { least: 1, most: MOST_EXAMINED, integer: true });
}

function readPositivity(row: RawRow, examined: number, source: Source): number {
  if (!row.hasColumn('positive')) return readShare(row, source);
  const positive = row.number('positive', { least: 0, integer: !source.weighted_counts });
  if (positive > examined)
    throw row.refusal.at('positive')(`${positive} of ${examined} examined`, 'no more positive than examined');
  return positive / examined;
}

function readShare(row: RawRow, { unit }: Source): number {
  return unit === 'percent'
    ? row.number('positivity', { least: 0, most: 100 }) / 100
    : row.number('positivity', { least: 0, most: 1 });
}

/** The methods whose results are used, the preferred one first. */
const wantedMethods = ({ model }: IngestInput): Method[] => [model.parameters.survey.method].flat();

/**
 * The rows with the wanted methods, one for each place and round; the others are counted in the report.
 * @param id identifies the place and round of a row
 */
function keepMethod<T extends { method: Method }>(
  input: IngestInput,
  source: Source,
  read: readonly T[],
  id: (row: T) => string,
): T[] {
  const wanted = wantedMethods(input);
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
      what: `${dropped} of ${read.length} rows left out: each sample counts once, by ${wanted.join(', else by ')}`,
    });
  return kept;
}

/** Whether children of a cluster are of the ages of the score, in months; null if their ages are not known. */
export const isOfAges = (
  { youngest_months, oldest_months }: Pick<Cluster, 'youngest_months' | 'oldest_months'>,
  [youngest, oldest]: readonly [number, number],
): boolean => (youngest_months ?? youngest) >= youngest - AGE_SLACK && (oldest_months ?? oldest) <= oldest + AGE_SLACK;

/** The clusters within the ages of the score; the others are counted in the report. */
function keepAges(input: IngestInput, source: Source, clusters: Cluster[]): Cluster[] {
  const ages = input.model.territory.ages_months as [number, number];
  const kept = clusters.filter((cluster) => isOfAges(cluster, ages));
  if (kept.length < clusters.length)
    input.report.push({
      source: source.id,
      rule: 'other ages',
      what: `${clusters.length - kept.length} of ${clusters.length} clusters left out, with ages outside ${ages.join(' to ')} months`,
      ...(clusters.length - kept.length > MOST_OF_OTHER_AGES * clusters.length ? { needs_approval: true } : {}),
    });
  return kept;
}

/**
 * The rounds of a survey by the months of its clusters alone: they are half a year or more apart, and each is called by
 * the year in which it began.
 */
export function roundsOfMonths(months: readonly string[]): NonNullable<Source['rounds']> {
  const rounds: NonNullable<Source['rounds']> = [];
  for (const month of [...new Set(months)].sort()) {
    const round = rounds.at(-1);
    // Two rounds of one year cannot have different names.
    if (round && (round.survey_year === yearOf(month) || !isLongPause(round.last, month))) round.last = month;
    else rounds.push({ survey_year: yearOf(month), first: month, last: month });
  }
  return rounds;
}

/** Whether fieldwork that ends and begins in these months is hard to believe to be of one round. */
export const isLongPause = (last: string, next: string): boolean =>
  monthIndex(next) - monthIndex(last) > LONG_PAUSE_MONTHS;

/** Puts rounds in doubt whose months of fieldwork lie half a year apart. */
function doubtPauses(input: IngestInput, source: Source, clusters: readonly Cluster[]): void {
  for (const [survey_year, own] of Map.groupBy(clusters, (cluster) => cluster.survey_year)) {
    const months = [...new Set(own.map(({ period }) => period))].sort();
    months.slice(1).forEach((next, i) => {
      const pause = monthIndex(next) - monthIndex(months[i]!) - 1;
      if (isLongPause(months[i]!, next))
        input.report.push({
          source: source.id,
          rule: 'fieldwork pauses',
          what: `round ${survey_year}: no cluster in the ${pause} months between ${months[i]} and ${next}. Perhaps the round went over the turn of a year and its table gives only one year: give each cluster the year of its month`,
          needs_approval: true,
        });
    });
  }
}

/** How many clusters a doubt names. */
const NAMED = 5;

/** Puts clusters in doubt whose coordinates lie farther from the upper-level area that their row names than displacement. */
function doubtStates(
  input: IngestInput,
  areas: Areas,
  locate: Locate,
  source: Source,
  rows: readonly RawRow[],
  clusters: readonly Cluster[],
): void {
  const { longitude: located, state, state_pcode } = source.columns ?? {};
  // A code is refused if it belongs to another area.
  if (!located || !state || state_pcode) return;
  const names = rows.flatMap(({ values }) => values.state ?? []);
  const { named } = placesOf('state', areas, input.model, names);
  const elsewhere = rows.flatMap((row, i) => {
    const { cluster_id, longitude, latitude, state_code } = clusters[i]!;
    const [stated, ...others] = row.has('state') ? named(row.text('state')) : [];
    if (!stated || others.length > 0 || stated.state_code === state_code) return [];
    if (longitude === null || latitude === null) return [];
    const own = areas.lgas.filter((lga) => lga.state_code === stated.state_code);
    if (own.some(({ lga_code }) => locate.kmFrom(longitude, latitude, lga_code) <= FARTHEST_KM)) return [];
    const lies = areas.states.find((one) => one.state_code === state_code)!.state;
    return `row ${row.line} (${cluster_id}) lies in ${lies}, and its row says ${row.text('state')}`;
  });
  // A cluster has a row for each test.
  const found = [...new Set(elsewhere)];
  if (found.length === 0) return;
  const more = found.length > NAMED ? `; and ${found.length - NAMED} more` : '';
  input.report.push({
    source: source.id,
    rule: 'other area',
    what: `the coordinates of ${found.length === 1 ? 'a cluster' : `${found.length} clusters`} are not where they are said to be: ${found.slice(0, NAMED).join('; ')}${more}. If the coordinates are wrong, correct or leave out these rows`,
    needs_approval: true,
  });
}

/** The methods of some rows and, if the table gives them, the ages. */
function describeRows(rows: readonly Pick<Cluster, 'method' | 'youngest_months' | 'oldest_months'>[]): string {
  const methods = [...new Set(rows.map(({ method }) => method))].sort().join(' and ');
  const youngest = rows.flatMap(({ youngest_months }) => youngest_months ?? []);
  const oldest = rows.flatMap(({ oldest_months }) => oldest_months ?? []);
  if (youngest.length === 0 && oldest.length === 0) return `by ${methods}`;
  return `by ${methods}, for ages ${Math.min(...youngest)} to ${Math.max(...oldest)} months`;
}
