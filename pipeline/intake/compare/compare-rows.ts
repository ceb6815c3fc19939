/** Compares two releases of a table, row by row, in SQL. */
import { addMonths, type Period } from '../../contract/months.ts';
import { median } from '../../lib/numerics/averages.ts';
import { rankCorrelation } from '../../lib/numerics/rank-correlation.ts';
import { type Database, sqlIdentifier, sqlLiteral, withDatabase } from '../../lib/tables/duckdb.ts';
import { loadTable } from '../../lib/tables/load-table.ts';
import { type ColumnSchema, orNull, real, text } from '../../lib/tables/table.ts';

/** A row of a table: its key, place and time, and its columns. */
export interface ComparedRow {
  key: string;
  /** P-code of its LGA, or of its state if it names no LGA. */
  place: string;
  state: string;
  /** A survey's round and method, or a year. */
  group: string;
  period: Period | null;
  /** Codes, names and times, by column. */
  texts: Record<string, string | null>;
  numbers: Readonly<Record<string, number | null>>;
}

/** A column's numbers, or a raster's cells; null if there are none. */
export interface Distribution {
  n: number;
  missing: number;
  min: number | null;
  q1: number | null;
  median: number | null;
  q3: number | null;
  max: number | null;
  mean: number | null;
}

/** The sums over a set of rows in both releases. */
export interface SumChange {
  column: string;
  of: string;
  rows: number;
  was: number;
  is: number;
}

export interface StateAgreement {
  state: string;
  rank_correlation: number;
  /** The same with the place before or after each, in the order of codes; the higher of the two. */
  shifted: number;
}

export interface PlaceAgreement {
  column: string;
  places: number;
  /** Between the places' means then and now. */
  rank_correlation: number | null;
  /** The lowest within a state, over states with at least `LEAST_PLACES`. */
  lowest_state: StateAgreement | null;
  /** States whose places agree better with the place before or after them. */
  misaligned: StateAgreement[];
  /** Values that were missing and are now 0. */
  zeroed: number;
  /** Values that were given and are now missing. */
  blanked: number;
  /** Shift of the seasonal cycle in months, median over places; null without monthly data. */
  months_shifted: number | null;
}

/** A set of rows in both releases, and how many of them have changed. */
export interface RewrittenSet {
  of: string;
  rows: number;
  changed: number;
}

export interface RowComparison {
  rows: { was: number; is: number; added: number; removed: number; changed: number };
  /** Keys of some of these rows. */
  examples: { added: string[]; removed: string[]; changed: string[] };
  /** All numbers that differ in rows of both releases, in the order of the rows. */
  figures: { key: string; column: string; was: number | null; is: number | null }[];
  /** Columns that differ in rows of both releases, and in how many. */
  changed_columns: { column: string; rows: number }[];
  columns: { column: string; was: Distribution; is: Distribution }[];
  /** Sums of counts over all rows of a year or round; null in a release without it. */
  by_year: { year: string; column: string; rows_was: number; rows_is: number; was: number | null; is: number | null }[];
  by_state: SumChange[];
  by_group: SumChange[];
  /** Places whose sums have changed. */
  by_place: SumChange[];
  /** Sums by month, over rows in both. */
  by_month: SumChange[];
  /**
   * Places and states, in all rows, in a year or round, or in a month, most of whose rows have changed. The last
   * `LATE_MONTHS` count only with all rows of a place.
   */
  rewritten: RewrittenSet[];
  places: PlaceAgreement[];
  /** Added months compared with the earlier averages of the same places and months of the year. */
  added_months: SumChange[];
  added_places: PlaceAgreement[];
  /** Added months, of all places or of a state, most of whose figures above 0 are those of an earlier month. */
  repeated: { column: string; of: string; as: Period; rows: number; same: number }[];
  /** Figures of settled months, and lower ones of any month, that have changed: see `LATE_MONTHS`. */
  corrected: { column: string; place: string; period: Period; was: number; is: number }[];
  /** Rows, of one time, that have exchanged their values. */
  exchanged: { column: string; a: string; b: string; rows: number }[];
  /** Added or changed figures above the previous maximum of their place, if it had at least a year of figures. */
  highest: { column: string; place: string; period: Period; most: number; is: number }[];
  /** Number of places that report, by added month, and in the last month before. */
  reporting: { period: Period; places: number; before: number }[];
  /** Means of added rounds, by method, compared with those of all earlier rounds; a method without rows has null. */
  rounds: { column: string; of: string; was: number; is: number | null }[];
}

/** Minimum number of rows of a set that counts as rewritten if most have changed. */
const LEAST_SET_ROWS = 6;
/** Records of this many last months may still be completed by late reports. */
const LATE_MONTHS = 6;
/** Minimum number of places whose order is compared: fewer have no meaningful order. */
export const LEAST_PLACES = 10;
const MAX_EXAMPLES = 5;
/** Columns whose sums and means are meaningless. */
const COORDINATES = ['longitude', 'latitude'];

/** The columns that count people. */
const COUNTS = 'confirmed|examined|positive|people.*|children_0_4';

/** Columns for the key, place and time of a loaded row; no column of a role has these names. */
const ROW_COLUMNS = { _key: text(''), _place: text(''), _state: text(''), _group: text(''), _period: text('') };

export const compareRows = (before: readonly ComparedRow[], after: readonly ComparedRow[]): Promise<RowComparison> =>
  withDatabase(async (db) => {
    const columns = await loadReleases(db, { was: before, is: after });
    const lastMonth = before.reduce((latest, { period }) => (period !== null && period > latest ? period : latest), '');
    const settledUntil = lastMonth === '' ? '' : addMonths(lastMonth, -LATE_MONTHS);
    const exampleKeys = async (table: string) =>
      (await db.rows<{ key: string }>(`SELECT _key AS key FROM ${table} ORDER BY rowid LIMIT ${MAX_EXAMPLES}`)).map(
        ({ key }) => key,
      );
    const [counts] = await db.rows<RowComparison['rows']>(
      `SELECT (SELECT count(*) FROM was) AS was, (SELECT count(*) FROM "is") AS "is",
         (SELECT count(*) FROM "is" ANTI JOIN was USING (_key)) AS added,
         (SELECT count(*) FROM was ANTI JOIN "is" USING (_key)) AS removed,
         (SELECT count(*) FROM changes WHERE changed) AS changed`,
    );
    return {
      rows: counts!,
      examples: {
        added: await exampleKeys('"is" ANTI JOIN was USING (_key)'),
        removed: await exampleKeys('was ANTI JOIN "is" USING (_key)'),
        changed: await exampleKeys('changes WHERE changed'),
      },
      figures: await db.rows(
        `SELECT _key AS key, "column", was, "is" FROM pairs WHERE was IS DISTINCT FROM "is" ORDER BY _key, nth`,
      ),
      changed_columns: await db.rows(
        `SELECT "column", count(*) AS rows FROM (SELECT unnest(columns) AS "column" FROM changes)
         GROUP BY ALL ORDER BY rows DESC, "column"`,
      ),
      columns: await columnDistributions(db, columns),
      by_year: await yearlyCounts(db),
      by_state: await sumChanges(db, 'pairs', '_state'),
      by_group: [...(await sumChanges(db, 'pairs', "'all rows'")), ...(await sumChanges(db, 'pairs', '_group'))],
      by_place: (await sumChanges(db, 'pairs', '_place')).filter(({ was, is }) => was !== is),
      by_month: await sumChanges(db, 'pairs', '_period'),
      rewritten: await rewrittenSets(db, settledUntil),
      corrected: await correctedFigures(db, settledUntil),
      places: await placeAgreements(db, 'pairs', columns),
      added_months: await sumChanges(db, 'added_pairs', "'added months of ' || _state"),
      added_places: await placeAgreements(db, 'added_pairs', columns),
      repeated: await repeatedMonths(db),
      exchanged: await exchangedValues(db),
      highest: await newMaxima(db),
      reporting: await reportingPlaces(db),
      rounds: await roundMeans(db),
    };
  });

/**
 * Loads both releases as the tables `was` and `is`, and makes what the comparisons read:
 * - `changes`: rows in both, with the columns that differ;
 * - `cells`: every number of both releases, one in each row, with its release;
 * - `pairs`: the numbers of rows in both releases, as `was` and `is`;
 * - `added`: the numbers of added rows; `new_values`: these, and numbers that have changed;
 * - `added_pairs`: as `is` the numbers of added months, as `was` the earlier mean of their place and month of the year.
 * @returns the columns of numbers
 */
async function loadReleases(db: Database, releases: Record<'was' | 'is', readonly ComparedRow[]>): Promise<string[]> {
  const all = [...releases.was, ...releases.is];
  const columnNames = (kind: 'texts' | 'numbers') => [...new Set(all.flatMap((row) => Object.keys(row[kind])))];
  const [textColumns, numericColumns] = [columnNames('texts'), columnNames('numbers')];
  const columns: Record<string, ColumnSchema> = { ...ROW_COLUMNS };
  for (const name of textColumns) columns[name] = orNull(text(''));
  for (const name of numericColumns) columns[name] = orNull(real(''));
  for (const [release, rows] of Object.entries(releases)) {
    const values: Record<string, unknown[]> = {
      _key: rows.map(({ key }) => key),
      _place: rows.map(({ place }) => place),
      _state: rows.map(({ state }) => state),
      _group: rows.map(({ group }) => group),
      _period: rows.map(({ period }) => period ?? ''),
    };
    for (const name of textColumns) values[name] = rows.map((row) => row.texts[name] ?? null);
    for (const name of numericColumns) values[name] = rows.map((row) => row.numbers[name] ?? null);
    await loadTable(db, release, { schema: { row: 'a row of a release', columns }, columns: values });
  }
  const rowColumns = Object.keys(ROW_COLUMNS).join(', ');
  const differing = [...textColumns, ...numericColumns].map((name) => {
    const column = sqlIdentifier(name);
    return `CASE WHEN was.${column} IS DISTINCT FROM "is".${column} THEN ${sqlLiteral(name)} END`;
  });
  await db.run(
    `CREATE TEMP TABLE changes AS
     SELECT "is"._key, "is"._place, "is"._state, "is"._group, "is"._period,
       list_filter([${differing}, NULL], lambda name: name IS NOT NULL) AS columns, len(columns) > 0 AS changed
     FROM "is" JOIN was USING (_key) ORDER BY "is".rowid`,
  );
  await db.run(
    `CREATE TEMP TABLE cells AS SELECT '' AS release, ${rowColumns}, 0 AS nth, '' AS "column", 0::DOUBLE AS value FROM "is" LIMIT 0`,
  );
  for (const release of Object.keys(releases))
    for (const [nth, name] of numericColumns.entries())
      await db.run(
        `INSERT INTO cells SELECT ${sqlLiteral(release)}, ${rowColumns}, ${nth}, ${sqlLiteral(name)}, ${sqlIdentifier(name)}
         FROM ${sqlIdentifier(release)}`,
      );
  await db.run(
    `CREATE TEMP TABLE pairs AS
     SELECT later.* EXCLUDE (release, value), earlier.value AS was, later.value AS "is"
     FROM cells later JOIN cells earlier USING (_key, "column") WHERE later.release = 'is' AND earlier.release = 'was'`,
  );
  await db.run(
    `CREATE TEMP TABLE added AS SELECT * FROM cells ANTI JOIN was USING (_key) WHERE release = 'is' AND value IS NOT NULL`,
  );
  await db.run(
    `CREATE TEMP TABLE new_values AS
     SELECT * EXCLUDE (release) FROM added
     UNION ALL BY NAME SELECT * EXCLUDE (was, "is"), "is" AS value FROM pairs WHERE "is" IS DISTINCT FROM was AND "is" IS NOT NULL`,
  );
  await db.run(
    `CREATE TEMP TABLE added_pairs AS
     SELECT added.* EXCLUDE (release, value), earlier.was, added.value AS "is"
     FROM added JOIN (
       SELECT _place, "column", right(_period, 2) AS month, avg(value) AS was
       FROM cells WHERE release = 'was' AND _period <> '' GROUP BY ALL
     ) earlier ON earlier._place = added._place AND earlier."column" = added."column" AND month = right(_period, 2)`,
  );
  // A figure of fewer digits occurs twice by chance.
  await db.run(`CREATE TEMP MACRO is_telling(value) AS length(trim(replace(abs(value)::VARCHAR, '.', ''), '0')) >= 3`);
  return numericColumns;
}

const sumChanges = (db: Database, table: 'pairs' | 'added_pairs', groupBy: string) =>
  db.rows<SumChange>(
    `SELECT "column", ${groupBy} AS of, count(was + "is") AS rows, coalesce(sum(was) FILTER ("is" IS NOT NULL), 0) AS was,
       coalesce(sum("is") FILTER (was IS NOT NULL), 0) AS "is"
     FROM ${table} WHERE "column" NOT IN (${COORDINATES.map(sqlLiteral)}) AND ${groupBy} <> '' GROUP BY ALL ORDER BY min(nth), of`,
  );

const yearlyCounts = (db: Database) =>
  db.rows<RowComparison['by_year'][number]>(
    `SELECT split_part(_group, ' ', 1) AS year, "column", count_if(release = 'was') AS rows_was,
       count_if(release = 'is') AS rows_is, sum(value) FILTER (release = 'was') AS was,
       sum(value) FILTER (release = 'is') AS "is"
     FROM cells WHERE regexp_full_match("column", ${sqlLiteral(COUNTS)}) GROUP BY ALL ORDER BY min(nth), year`,
  );

async function columnDistributions(db: Database, columns: readonly string[]): Promise<RowComparison['columns']> {
  const distributions = await db.rows<Distribution & { release: 'was' | 'is'; column: string }>(
    `SELECT release, "column", count(value) AS n, count(*) - count(value) AS missing, min(value) AS min,
       quantile_cont(value, 0.25) AS q1, median(value) AS median, quantile_cont(value, 0.75) AS q3, max(value) AS max,
       avg(value) AS mean
     FROM cells GROUP BY ALL`,
  );
  const distributionIn = (name: string, release: 'was' | 'is'): Distribution => {
    const row = distributions.find(({ column, release: of }) => column === name && of === release)!;
    const { column: _, release: __, ...distribution } = row;
    return distribution;
  };
  return columns.map((column) => ({ column, was: distributionIn(column, 'was'), is: distributionIn(column, 'is') }));
}

/** The sets of rows most of which have changed, those with the most changes first; parts of such a set are left out. */
async function rewrittenSets(db: Database, settledUntil: Period): Promise<RewrittenSet[]> {
  const sets = await db.rows<RewrittenSet>(
    `WITH settled AS (FROM changes WHERE _group <> left(_period, 4) OR _period <= ${sqlLiteral(settledUntil)}),
     sets AS (
       SELECT _place AS of, changed FROM changes WHERE _place <> _state
       UNION ALL SELECT _state, changed FROM changes WHERE _state <> ''
       UNION ALL SELECT _place || ' in ' || _group, changed FROM settled WHERE _group <> ''
       UNION ALL SELECT _state || ' in ' || _group, changed FROM settled WHERE _group <> ''
       UNION ALL SELECT _state || ' in ' || _period, changed FROM settled WHERE _period <> ''
     )
     SELECT of, count(*) AS rows, count_if(changed) AS changed FROM sets
     GROUP BY of HAVING rows >= ${LEAST_SET_ROWS} AND changed > rows / 2 ORDER BY changed DESC, of`,
  );
  return sets.filter(({ of }) => !sets.some((larger) => of.startsWith(`${larger.of} in `)));
}

/** @param table the former figures of rows as `was`, the new ones as `is` */
async function placeAgreements(
  db: Database,
  table: 'pairs' | 'added_pairs',
  columns: readonly string[],
): Promise<PlaceAgreement[]> {
  interface Place {
    column: string;
    state: string;
    was: number;
    is: number;
    shift: number | null;
  }
  // The shift is the angle between the first harmonics of the place's two yearly cycles, if both are clear.
  const places = await db.rows<Place>(
    `WITH paired AS (FROM ${table} WHERE was IS NOT NULL AND "is" IS NOT NULL),
     months AS (
       SELECT "column", _place, pi() / 6 * right(_period, 2)::INT AS angle, avg(was) AS was, avg("is") AS "is"
       FROM paired WHERE _period <> '' GROUP BY ALL
     ), cycles AS (
       SELECT "column", _place, count(*) AS months,
         sum(was * cos(angle)) AS x, sum(was * sin(angle)) AS y, sum(abs(was)) AS was,
         sum("is" * cos(angle)) AS u, sum("is" * sin(angle)) AS v, sum(abs("is")) AS "is"
       FROM months GROUP BY ALL
     ), shifts AS (
       SELECT "column", _place, 6 / pi() * atan2(x * v - y * u, x * u + y * v) AS shift
       FROM cycles WHERE months = 12 AND sqrt(x * x + y * y) > 0.05 * was AND sqrt(u * u + v * v) > 0.05 * "is"
     )
     SELECT "column", min(_state) AS state, avg(was) AS was, avg("is") AS "is", min(shift) AS shift
     FROM paired LEFT JOIN shifts USING ("column", _place) GROUP BY "column", _place ORDER BY "column", _place`,
  );
  const counts = await db.rows<{ column: string; zeroed: number; blanked: number }>(
    `SELECT "column", count_if(was IS NULL AND "is" = 0) AS zeroed, count_if(was IS NOT NULL AND "is" IS NULL) AS blanked
     FROM ${table} GROUP BY ALL`,
  );
  const correlatePlaces = (comparedPlaces: readonly Place[]) =>
    rankCorrelation(
      comparedPlaces.map(({ was }) => was),
      comparedPlaces.map(({ is }) => is),
    );
  return columns.map((column) => {
    const columnPlaces = places.filter((place) => place.column === column);
    const states = [...Map.groupBy(columnPlaces, ({ state }) => state)].flatMap(([state, statePlaces]) => {
      const rank_correlation = statePlaces.length < LEAST_PLACES ? null : correlatePlaces(statePlaces);
      if (rank_correlation === null) return [];
      const shiftedCorrelations = [1, -1].map((offset) =>
        correlatePlaces(
          statePlaces.map((place, i) => ({ ...place, is: statePlaces.at((i + offset) % statePlaces.length)!.is })),
        ),
      );
      return [
        { state, rank_correlation, shifted: Math.max(...shiftedCorrelations.map((correlation) => correlation ?? -1)) },
      ];
    });
    const shifts = columnPlaces.flatMap(({ shift }) => shift ?? []);
    const { zeroed = 0, blanked = 0 } = counts.find((count) => count.column === column) ?? {};
    return {
      column,
      places: columnPlaces.length,
      rank_correlation: correlatePlaces(columnPlaces),
      lowest_state: states.toSorted((a, b) => a.rank_correlation - b.rank_correlation)[0] ?? null,
      misaligned: states.filter(({ rank_correlation, shifted }) => shifted > rank_correlation),
      zeroed,
      blanked,
      months_shifted: shifts.length > 0 ? median(shifts) : null,
    };
  });
}

const repeatedMonths = (db: Database) =>
  db.rows<RowComparison['repeated'][number]>(
    `WITH months AS (FROM added WHERE _period <> '' AND value > 0),
     equal AS (
       SELECT months.*, earlier._period AS "as" FROM months JOIN cells earlier USING (_place, "column", value)
       WHERE earlier.release = 'is' AND earlier._period < months._period
     ), sets AS (
       SELECT "column", nth, _period, '' AS state, count(*) AS rows FROM months GROUP BY ALL
       UNION ALL SELECT "column", nth, _period, _state, count(*) FROM months WHERE _state <> '' GROUP BY ALL
     )
     SELECT sets."column", trim(state || ' ' || sets._period) AS of, "as", rows, count(*) AS same
     FROM sets JOIN equal
       ON equal."column" = sets."column" AND equal._period = sets._period AND state IN ('', equal._state)
     WHERE rows >= ${LEAST_PLACES} GROUP BY ALL HAVING same > rows / 2 ORDER BY min(sets.nth), of, "as"`,
  );

const correctedFigures = (db: Database, settledUntil: Period) =>
  db.rows<RowComparison['corrected'][number]>(
    `SELECT "column", _place AS place, _period AS period, was, "is" FROM pairs
     WHERE was > 0 AND was <> "is" AND _period <> '' AND (_period <= ${sqlLiteral(settledUntil)} OR "is" < was)
     ORDER BY nth, greatest(was / "is", "is" / was) DESC, place, period`,
  );

const exchangedValues = (db: Database) =>
  db.rows<RowComparison['exchanged'][number]>(
    `WITH moved AS (FROM pairs WHERE was <> "is" AND is_telling(was) AND is_telling("is"))
     SELECT a."column", CASE WHEN a._place = b._place THEN a._key ELSE a._place END AS a,
       CASE WHEN a._place = b._place THEN b._key ELSE b._place END AS b, count(*) AS rows
     FROM moved a JOIN moved b
       ON b."column" = a."column" AND b.was = a."is" AND b."is" = a.was AND b._period = a._period
         AND b._group = a._group AND b._key > a._key
     GROUP BY ALL ORDER BY min(a.nth), rows DESC, 2, 3`,
  );

const newMaxima = (db: Database) =>
  db.rows<RowComparison['highest'][number]>(
    `WITH maxima AS (
       SELECT _place, "column", max(value) AS most FROM cells WHERE release = 'was' GROUP BY ALL HAVING count(value) >= 12
     )
     SELECT "column", _place AS place, _period AS period, most, value AS "is"
     FROM new_values JOIN maxima USING (_place, "column") WHERE _period <> '' AND value > most ORDER BY nth, _place, _period`,
  );

const reportingPlaces = (db: Database) =>
  db.rows<RowComparison['reporting'][number]>(
    `WITH reported AS (FROM cells WHERE release = 'was' AND value IS NOT NULL AND _period <> ''),
     last AS (
       SELECT _period, count(DISTINCT _place) AS before FROM reported GROUP BY ALL ORDER BY _period DESC LIMIT 1
     )
     SELECT added._period AS period, count(DISTINCT _place) AS places, before
     FROM added JOIN last ON added._period > last._period GROUP BY ALL ORDER BY period`,
  );

/** Rounds are compared with the latest one before. */
const roundMeans = (db: Database) =>
  db.rows<RowComparison['rounds'][number]>(
    `WITH results AS (
       SELECT release, "column", nth, split_part(_group, ' ', 1) AS year, split_part(_group, ' ', 2) AS method,
         avg(value) AS mean
       FROM cells WHERE split_part(_group, ' ', 2) <> '' AND "column" NOT IN (${COORDINATES.map(sqlLiteral)}) GROUP BY ALL
     ), was AS (
       FROM results WHERE release = 'was' AND year = (SELECT max(year) FROM results WHERE release = 'was')
     ), years AS (
       SELECT DISTINCT year FROM results WHERE year NOT IN (SELECT year FROM results WHERE release = 'was')
     )
     SELECT was."column", years.year || ' ' || was.method AS of, was.mean AS was, later.mean AS "is"
     FROM years CROSS JOIN was LEFT JOIN results later
       ON later.release = 'is' AND later."column" = was."column" AND later.year = years.year
         AND later.method = was.method
     ORDER BY was.nth, of`,
  );
