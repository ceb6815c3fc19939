/** Compares two releases of a table, row by row, in SQL. */
import { addMonths, type Period } from '../../contract/months.ts';
import { rankCorrelation } from '../../lib/numerics/rank-correlation.ts';
import { type Database, sqlIdentifier, sqlLiteral, withDatabase } from '../../lib/tables/duckdb.ts';
import { loadTable } from '../../lib/tables/load-table.ts';
import { type ColumnSchema, orNull, real, text } from '../../lib/tables/table.ts';
import { type Distribution, medianOrNull } from './statistics.ts';

/** A row of a table: its key, place and time, and its columns. */
export interface ComparedRow {
  key: string;
  /** P-code of its LGA, or of its state if it names no LGA. */
  place: string;
  state: string;
  /** A survey's round and method, or a year. */
  group: string;
  period: Period | null;
  /** Codes, names and times. */
  words: Record<string, string | null>;
  numbers: Readonly<Record<string, number | null>>;
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
export interface Rewritten {
  of: string;
  rows: number;
  changed: number;
}

export interface RowComparison {
  rows: { was: number; is: number; added: number; removed: number; changed: number };
  /** Keys of some of these rows. */
  examples: { added: string[]; removed: string[]; changed: string[] };
  /** Columns that differ in rows of both releases, and in how many. */
  changed_columns: { column: string; rows: number }[];
  columns: { column: string; was: Distribution; is: Distribution }[];
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
  rewritten: Rewritten[];
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

/** Minimum number of rows of a set that is checked for rewriting: in a smaller one, most may be corrected. */
const LEAST_RECORD = 6;
/** Records of this many last months may still be completed by late reports. */
const LATE_MONTHS = 6;
/** Minimum number of places whose order is compared: fewer have no meaningful order. */
export const LEAST_PLACES = 10;
const EXAMPLES = 5;
/** Numbers whose sums and means over rows say nothing. */
const POSITIONS = ['longitude', 'latitude'];

/** The columns of a loaded row that stand for its place and time; no column of a role has these names. */
const ABOUT = { _key: text(''), _place: text(''), _state: text(''), _group: text(''), _period: text('') };

export const compareRows = (before: readonly ComparedRow[], after: readonly ComparedRow[]): Promise<RowComparison> =>
  withDatabase(async (db) => {
    const columns = await load(db, { was: before, is: after });
    const last = before.reduce((latest, { period }) => (period !== null && period > latest ? period : latest), '');
    const settled = last === '' ? '' : addMonths(last, -LATE_MONTHS);
    const exampleKeys = async (from: string) =>
      (await db.rows<{ key: string }>(`SELECT _key AS key FROM ${from} ORDER BY rowid LIMIT ${EXAMPLES}`)).map(
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
      changed_columns: await db.rows(
        `SELECT "column", count(*) AS rows FROM (SELECT unnest(columns) AS "column" FROM changes)
         GROUP BY ALL ORDER BY rows DESC, "column"`,
      ),
      columns: await distributions(db, columns),
      by_state: await sums(db, 'pairs', '_state'),
      by_group: [...(await sums(db, 'pairs', "'all rows'")), ...(await sums(db, 'pairs', '_group'))],
      by_place: (await sums(db, 'pairs', '_place')).filter(({ was, is }) => was !== is),
      by_month: await sums(db, 'pairs', '_period'),
      rewritten: await rewritten(db, settled),
      corrected: await corrected(db, settled),
      places: await agreements(db, 'pairs', columns),
      added_months: await sums(db, 'usual', "'added months of ' || _state"),
      added_places: await agreements(db, 'usual', columns),
      repeated: await repeated(db),
      exchanged: await exchanged(db),
      highest: await highest(db),
      reporting: await reporting(db),
      rounds: await rounds(db),
    };
  });

/**
 * Loads both releases as the tables `was` and `is`, and makes what the comparisons read:
 * - `changes`: rows in both, with the columns that differ;
 * - `cells`: every number of either release, one a row, with its `side`;
 * - `pairs`: the numbers of rows in both, as `was` and `is`;
 * - `fresh`: numbers of the new release that were not there, or not the same; `added`: those of added rows;
 * - `usual`: the numbers of added months beside the earlier average of their place and month of the year.
 * @returns the columns of numbers
 */
async function load(db: Database, sides: Record<'was' | 'is', readonly ComparedRow[]>): Promise<string[]> {
  const all = [...sides.was, ...sides.is];
  const columnNames = (kind: 'words' | 'numbers') => [...new Set(all.flatMap((row) => Object.keys(row[kind])))];
  const [words, numbers] = [columnNames('words'), columnNames('numbers')];
  const columns: Record<string, ColumnSchema> = { ...ABOUT };
  for (const name of words) columns[name] = orNull(text(''));
  for (const name of numbers) columns[name] = orNull(real(''));
  for (const [side, rows] of Object.entries(sides)) {
    const values: Record<string, unknown[]> = {
      _key: rows.map(({ key }) => key),
      _place: rows.map(({ place }) => place),
      _state: rows.map(({ state }) => state),
      _group: rows.map(({ group }) => group),
      _period: rows.map(({ period }) => period ?? ''),
    };
    for (const name of words) values[name] = rows.map((row) => row.words[name] ?? null);
    for (const name of numbers) values[name] = rows.map((row) => row.numbers[name] ?? null);
    await loadTable(db, side, { schema: { row: 'a row of a release', columns }, columns: values });
  }
  const about = Object.keys(ABOUT).join(', ');
  const differing = [...words, ...numbers].map((name) => {
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
    `CREATE TEMP TABLE cells AS SELECT '' AS side, ${about}, 0 AS nth, '' AS "column", 0::DOUBLE AS value FROM "is" LIMIT 0`,
  );
  for (const side of Object.keys(sides))
    for (const [nth, name] of numbers.entries())
      await db.run(
        `INSERT INTO cells SELECT ${sqlLiteral(side)}, ${about}, ${nth}, ${sqlLiteral(name)}, ${sqlIdentifier(name)}
         FROM ${sqlIdentifier(side)}`,
      );
  await db.run(
    `CREATE TEMP TABLE pairs AS
     SELECT n.* EXCLUDE (side, value), o.value AS was, n.value AS "is"
     FROM cells n JOIN cells o USING (_key, "column") WHERE n.side = 'is' AND o.side = 'was'`,
  );
  await db.run(
    `CREATE TEMP TABLE added AS SELECT * FROM cells ANTI JOIN was USING (_key) WHERE side = 'is' AND value IS NOT NULL`,
  );
  await db.run(
    `CREATE TEMP TABLE fresh AS
     SELECT * EXCLUDE (side) FROM added
     UNION ALL BY NAME SELECT * EXCLUDE (was, "is"), "is" AS value FROM pairs WHERE "is" IS DISTINCT FROM was AND "is" IS NOT NULL`,
  );
  await db.run(
    `CREATE TEMP TABLE usual AS
     SELECT added.* EXCLUDE (side, value), earlier.was, added.value AS "is"
     FROM added JOIN (
       SELECT _place, "column", right(_period, 2) AS month, avg(value) AS was
       FROM cells WHERE side = 'was' AND _period <> '' GROUP BY ALL
     ) earlier ON earlier._place = added._place AND earlier."column" = added."column" AND month = right(_period, 2)`,
  );
  // A figure of fewer digits occurs twice by chance.
  await db.run(`CREATE TEMP MACRO is_telling(value) AS length(trim(replace(abs(value)::VARCHAR, '.', ''), '0')) >= 3`);
  return numbers;
}

const sums = (db: Database, from: 'pairs' | 'usual', of: string) =>
  db.rows<SumChange>(
    `SELECT "column", ${of} AS of, count(was + "is") AS rows, coalesce(sum(was) FILTER ("is" IS NOT NULL), 0) AS was,
       coalesce(sum("is") FILTER (was IS NOT NULL), 0) AS "is"
     FROM ${from} WHERE "column" NOT IN (${POSITIONS.map(sqlLiteral)}) AND ${of} <> '' GROUP BY ALL ORDER BY min(nth), of`,
  );

async function distributions(db: Database, columns: readonly string[]): Promise<RowComparison['columns']> {
  const distributions = await db.rows<Distribution & { side: 'was' | 'is'; column: string }>(
    `SELECT side, "column", count(value) AS n, count(*) - count(value) AS missing, min(value) AS min,
       quantile_cont(value, 0.25) AS q1, median(value) AS median, quantile_cont(value, 0.75) AS q3, max(value) AS max,
       avg(value) AS mean
     FROM cells GROUP BY ALL`,
  );
  const distributionOn = (name: string, wanted: 'was' | 'is'): Distribution => {
    const {
      side: _,
      column: __,
      ...values
    } = distributions.find(({ side, column }) => column === name && side === wanted)!;
    return values;
  };
  return columns.map((column) => ({ column, was: distributionOn(column, 'was'), is: distributionOn(column, 'is') }));
}

/** The sets of rows most of which have changed, those with the most changes first; parts of such a set are left out. */
async function rewritten(db: Database, settled: Period): Promise<Rewritten[]> {
  const sets = await db.rows<Rewritten>(
    `WITH settled AS (FROM changes WHERE _group <> left(_period, 4) OR _period <= ${sqlLiteral(settled)}),
     sets AS (
       SELECT _place AS of, changed FROM changes WHERE _place <> _state
       UNION ALL SELECT _state, changed FROM changes WHERE _state <> ''
       UNION ALL SELECT _place || ' in ' || _group, changed FROM settled WHERE _group <> ''
       UNION ALL SELECT _state || ' in ' || _group, changed FROM settled WHERE _group <> ''
       UNION ALL SELECT _state || ' in ' || _period, changed FROM settled WHERE _period <> ''
     )
     SELECT of, count(*) AS rows, count_if(changed) AS changed FROM sets
     GROUP BY of HAVING rows >= ${LEAST_RECORD} AND changed > rows / 2 ORDER BY changed DESC, of`,
  );
  return sets.filter(({ of }) => !sets.some((whole) => of.startsWith(`${whole.of} in `)));
}

/** @param from the former figures of rows as `was`, the new ones as `is` */
async function agreements(
  db: Database,
  from: 'pairs' | 'usual',
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
    `WITH paired AS (FROM ${from} WHERE was IS NOT NULL AND "is" IS NOT NULL),
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
     FROM ${from} GROUP BY ALL`,
  );
  const correlatePlaces = (compared: readonly Place[]) =>
    rankCorrelation(
      compared.map(({ was }) => was),
      compared.map(({ is }) => is),
    );
  return columns.map((column) => {
    const ofColumn = places.filter((place) => place.column === column);
    const states = [...Map.groupBy(ofColumn, ({ state }) => state)].flatMap(([state, ofState]) => {
      const rank_correlation = ofState.length < LEAST_PLACES ? null : correlatePlaces(ofState);
      if (rank_correlation === null) return [];
      const besides = [1, -1].map((by) =>
        correlatePlaces(ofState.map((place, i) => ({ ...place, is: ofState.at((i + by) % ofState.length)!.is }))),
      );
      return [{ state, rank_correlation, shifted: Math.max(...besides.map((correlation) => correlation ?? -1)) }];
    });
    const { zeroed = 0, blanked = 0 } = counts.find((count) => count.column === column) ?? {};
    return {
      column,
      places: ofColumn.length,
      rank_correlation: correlatePlaces(ofColumn),
      lowest_state: states.toSorted((a, b) => a.rank_correlation - b.rank_correlation)[0] ?? null,
      misaligned: states.filter(({ rank_correlation, shifted }) => shifted > rank_correlation),
      zeroed,
      blanked,
      months_shifted: medianOrNull(ofColumn.flatMap(({ shift }) => shift ?? [])),
    };
  });
}

const repeated = (db: Database) =>
  db.rows<RowComparison['repeated'][number]>(
    `WITH months AS (FROM added WHERE _period <> '' AND value > 0),
     equal AS (
       SELECT months.*, earlier._period AS "as" FROM months JOIN cells earlier USING (_place, "column", value)
       WHERE earlier.side = 'is' AND earlier._period < months._period
     ), sets AS (
       SELECT "column", nth, _period, '' AS state, count(*) AS rows FROM months GROUP BY ALL
       UNION ALL SELECT "column", nth, _period, _state, count(*) FROM months WHERE _state <> '' GROUP BY ALL
     )
     SELECT sets."column", trim(state || ' ' || sets._period) AS of, "as", rows, count(*) AS same
     FROM sets JOIN equal
       ON equal."column" = sets."column" AND equal._period = sets._period AND state IN ('', equal._state)
     WHERE rows >= ${LEAST_PLACES} GROUP BY ALL HAVING same > rows / 2 ORDER BY min(sets.nth), of, "as"`,
  );

const corrected = (db: Database, settled: Period) =>
  db.rows<RowComparison['corrected'][number]>(
    `SELECT "column", _place AS place, _period AS period, was, "is" FROM pairs
     WHERE was > 0 AND was <> "is" AND _period <> '' AND (_period <= ${sqlLiteral(settled)} OR "is" < was)
     ORDER BY nth, greatest(was / "is", "is" / was) DESC, place, period`,
  );

const exchanged = (db: Database) =>
  db.rows<RowComparison['exchanged'][number]>(
    `WITH moved AS (FROM pairs WHERE was <> "is" AND is_telling(was) AND is_telling("is"))
     SELECT a."column", CASE WHEN a._place = b._place THEN a._key ELSE a._place END AS a,
       CASE WHEN a._place = b._place THEN b._key ELSE b._place END AS b, count(*) AS rows
     FROM moved a JOIN moved b
       ON b."column" = a."column" AND b.was = a."is" AND b."is" = a.was AND b._period = a._period
         AND b._group = a._group AND b._key > a._key
     GROUP BY ALL ORDER BY min(a.nth), rows DESC, 2, 3`,
  );

const highest = (db: Database) =>
  db.rows<RowComparison['highest'][number]>(
    `WITH maxima AS (
       SELECT _place, "column", max(value) AS most FROM cells WHERE side = 'was' GROUP BY ALL HAVING count(value) >= 12
     )
     SELECT "column", _place AS place, _period AS period, most, value AS "is"
     FROM fresh JOIN maxima USING (_place, "column") WHERE _period <> '' AND value > most ORDER BY nth, _place, _period`,
  );

const reporting = (db: Database) =>
  db.rows<RowComparison['reporting'][number]>(
    `WITH reported AS (FROM cells WHERE side = 'was' AND value IS NOT NULL AND _period <> ''),
     last AS (
       SELECT _period, count(DISTINCT _place) AS before FROM reported GROUP BY ALL ORDER BY _period DESC LIMIT 1
     )
     SELECT added._period AS period, count(DISTINCT _place) AS places, before
     FROM added JOIN last ON added._period > last._period GROUP BY ALL ORDER BY period`,
  );

/** Rounds are compared with the latest one before. */
const rounds = (db: Database) =>
  db.rows<RowComparison['rounds'][number]>(
    `WITH results AS (
       SELECT side, "column", nth, split_part(_group, ' ', 1) AS year, split_part(_group, ' ', 2) AS method,
         avg(value) AS mean
       FROM cells WHERE split_part(_group, ' ', 2) <> '' AND "column" NOT IN (${POSITIONS.map(sqlLiteral)}) GROUP BY ALL
     ), was AS (
       FROM results WHERE side = 'was' AND year = (SELECT max(year) FROM results WHERE side = 'was')
     ), years AS (
       SELECT DISTINCT year FROM results WHERE year NOT IN (SELECT year FROM results WHERE side = 'was')
     )
     SELECT was."column", years.year || ' ' || was.method AS of, was.mean AS was, n.mean AS "is"
     FROM years CROSS JOIN was LEFT JOIN results n
       ON n.side = 'is' AND n."column" = was."column" AND n.year = years.year AND n.method = was.method
     ORDER BY was.nth, of`,
  );
