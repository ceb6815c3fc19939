import type { Model } from '../../catalog/model.ts';
import type { Period } from '../../contract/months.ts';
import { JSON_OPERATIONS, operationFiles } from '../../contract/operations.ts';
import { hasScores } from '../../contract/products.ts';
import type * as schemas from '../../contract/schemas.ts';
import { countryWords } from '../../contract/words.ts';
import { UsageError } from '../../lib/errors.ts';
import { type Database, withDatabase } from '../../lib/tables/duckdb.ts';
import type { Snapshot } from './open-snapshot.ts';
import { type PastForecasts, scorePastForecasts } from './past-forecasts.ts';
import { TABLES } from './table-columns.ts';
import { diffTables, type TableChange } from './table-diff.ts';
import { createViews } from './views.ts';

/** The smallest change that counts, and the limits of `--gate`: `parameters.diff` of model.json. */
export type Thresholds = Model['parameters']['diff'];

/** Summary of the differences B − A between the scores of a set of areas and months. */
export type Tally = schemas.VersionsDiff['all'];

type PublishedScore = Pick<schemas.LgaRisk, 'score' | 'score_low' | 'score_high' | 'level'>;

/** Differences between an old snapshot, A, and a new one, B. */
export interface SnapshotDiff {
  a: string;
  b: string;
  /** Whether either country is made up. */
  synthetic: boolean;
  thresholds: Thresholds;
  /** LGA scores of months that both estimate or both forecast. */
  all: Tally;
  states: (Tally & { state_code: string })[];
  lgas: (Tally & { state_code: string; lga_code: string })[];
  periods: (Tally & { period: Period })[];
  states_by_period: (Tally & { state_code: string; period: Period })[];
  /** States' own scores. */
  state_scores: Tally;
  levels_flipped: { from: string; to: string; count: number }[];
  /** The LGAs whose scores changed most, each with the month of its largest change. */
  largest: {
    state_code: string;
    lga_code: string;
    period: Period;
    a: PublishedScore;
    b: PublishedScore;
    change: number;
  }[];
  /** The latest month that both estimate: the nation's score, and LGAs with another level; null if there is none. */
  latest: { period: Period; nation: { a: number; b: number }; lgas: number; levels_changed: number } | null;
  only_in_a: { lgas: string[]; periods: Period[] };
  only_in_b: { lgas: string[]; periods: Period[] };
  /** Numbers of answers by operation. */
  answers: { operation: string; same: number; changed: number; only_in_a: number; only_in_b: number }[];
  tables: TableChange[];
  /** How good A's forecasts of cases were in months whose records B has; null if there are none. */
  past_forecasts: PastForecasts | null;
  over: string[];
}

/** SQL for the differences between two rows, `a` and `b`, of the same area and month. */
const CHANGE_COLUMNS = `
  steps(b.score - a.score)::INTEGER AS change, a.level <> b.level AS flipped,
  a.score_high < b.score_low OR b.score_high < a.score_low AS disjoint`;

/**
 * Differences are counted in integer steps of 0.0001, the resolution of published scores, so that their sums are exact
 * in any order. Months that one snapshot estimates and the other forecasts are not compared.
 */
const VIEWS_SQL = `
  CREATE MACRO steps(x) AS round(10000 * x)::BIGINT;
  CREATE VIEW a.scores AS
    SELECT 'estimated' AS kind, * FROM a.risk_lgas UNION ALL BY NAME
    SELECT 'forecast' AS kind, * EXCLUDE horizon_months FROM a.forecasts_lgas;
  CREATE VIEW b.scores AS
    SELECT 'estimated' AS kind, * FROM b.risk_lgas UNION ALL BY NAME
    SELECT 'forecast' AS kind, * EXCLUDE horizon_months FROM b.forecasts_lgas;
  CREATE TABLE pairs AS
    SELECT b.state_code, lga_code, period, a.level AS "from", b.level AS "to", ${CHANGE_COLUMNS}
    FROM a.scores a JOIN b.scores b USING (lga_code, period, kind);
  CREATE VIEW state_pairs AS
    SELECT ${CHANGE_COLUMNS} FROM a.risk_states a JOIN b.risk_states b USING (state_code, period)`;

const tallyColumns = (scoreChange: number) => `
  count(*) AS compared,
  count(*) FILTER (abs(change) / 10000 > ${scoreChange}) AS moved,
  count(*) FILTER (flipped) AS flipped,
  count(*) FILTER (disjoint) AS disjoint,
  coalesce(round(sum(change) / 10000 / count(*), 6), 0) AS mean_change,
  coalesce(round(sum(abs(change)) / 10000 / count(*), 6), 0) AS mean_absolute_change,
  coalesce(CASE WHEN max(change) >= -min(change) THEN max(change) ELSE min(change) END / 10000, 0) AS largest_change`;

/** The compared tables of a snapshot without scores. */
async function createEmptyScores(db: Database, schema: 'a' | 'b'): Promise<void> {
  for (const table of ['risk_lgas', 'risk_states', 'forecasts_lgas'] as const) {
    const columns = Object.entries(TABLES[table].columns).map(([name, { type }]) => `${name} ${type}`);
    await db.run(`CREATE TABLE ${schema}.${table} (${columns})`);
  }
}

const LISTED_CHANGES = 10;

const scoreStruct = (side: 'a' | 'b') =>
  `{score: ${side}.score, score_low: ${side}.score_low, score_high: ${side}.score_high, level: ${side}.level} AS ${side}`;

/**
 * Compares two snapshots of a country by their tables, LGA by LGA and month by month.
 * @throws UsageError for snapshots of different countries
 */
export async function diffSnapshots(a: Snapshot, b: Snapshot): Promise<SnapshotDiff> {
  if (a.manifest.country !== b.manifest.country)
    throw new UsageError(
      `found ${a.manifest.country} and ${b.manifest.country}, expected two snapshots of the same country`,
    );
  const thresholds = b.json<{ parameters: Pick<Model['parameters'], 'diff'> }>('model-card.json').parameters.diff;
  const tallySql = tallyColumns(thresholds.score_change);
  return withDatabase(async (db) => {
    await createViews(db, 'a', a.directory);
    await createViews(db, 'b', b.directory);
    const tables = await diffTables(db);
    if (!hasScores(a.manifest.coverage)) await createEmptyScores(db, 'a');
    if (!hasScores(b.manifest.coverage)) await createEmptyScores(db, 'b');
    await db.run(VIEWS_SQL);
    const compareBy = <T>(...keys: string[]) =>
      db.rows<T & Tally>(`SELECT ${[...keys, tallySql]} FROM pairs GROUP BY ${keys} ORDER BY ${keys}`);
    const countChanges = async (pairs: string) => (await db.rows<Tally>(`SELECT ${tallySql} FROM ${pairs}`))[0]!;
    const readValues = async <T>(sql: string) => (await db.rows<{ value: T }>(sql)).map(({ value }) => value);
    const findOnlyIn = async (side: 'a' | 'b', otherSide: 'a' | 'b') => {
      const onlyHereSql = (name: string) =>
        `SELECT ${name} AS value FROM ${side}.scores EXCEPT SELECT ${name} FROM ${otherSide}.scores ORDER BY ALL`;
      return {
        lgas: await readValues<string>(onlyHereSql('lga_code')),
        periods: await readValues<Period>(onlyHereSql('period')),
      };
    };
    const all = await countChanges('pairs');
    const only_in_a = await findOnlyIn('a', 'b');
    return {
      a: a.manifest.model_version,
      b: b.manifest.model_version,
      synthetic: a.manifest.synthetic || b.manifest.synthetic,
      thresholds,
      all,
      states: await compareBy<{ state_code: string }>('state_code'),
      lgas: await compareBy<{ state_code: string; lga_code: string }>('state_code', 'lga_code'),
      periods: await compareBy<{ period: Period }>('period'),
      states_by_period: await compareBy<{ state_code: string; period: Period }>('state_code', 'period'),
      state_scores: await countChanges('state_pairs'),
      levels_flipped: await db.rows(
        `SELECT "from", "to", count(*) AS count FROM pairs WHERE flipped
         GROUP BY ALL ORDER BY count DESC, "from", "to"`,
      ),
      // Neighbouring months change together, so each LGA appears only with its largest change.
      largest: await db.rows(
        `WITH most AS (
           SELECT lga_code, unnest(arg_min({period: period, change: change}, (-abs(change), period)))
           FROM pairs WHERE change <> 0 GROUP BY lga_code)
         SELECT b.state_code, lga_code, period, ${scoreStruct('a')}, ${scoreStruct('b')}, change / 10000 AS change
         FROM (FROM most ORDER BY abs(change) DESC, lga_code LIMIT ${LISTED_CHANGES})
           JOIN a.scores a USING (lga_code, period) JOIN b.scores b USING (lga_code, period)
         ORDER BY abs(change) DESC, lga_code`,
      ),
      latest: await readLatest(db),
      only_in_a,
      only_in_b: await findOnlyIn('b', 'a'),
      answers: diffAnswers(a, b),
      tables,
      past_forecasts: await scorePastForecasts(a, b),
      over: exceededThresholds(all, thresholds, only_in_a.lgas, countryWords(b.manifest.territory).lga.many),
    };
  });
}

async function readLatest(db: Database): Promise<SnapshotDiff['latest']> {
  const nationSql = (side: 'a' | 'b') =>
    `(SELECT round(sum(score * population) / sum(population), 4) FROM ${side}.risk_states WHERE period = latest)`;
  const [latest] = await db.rows<NonNullable<SnapshotDiff['latest']>>(
    `WITH month AS (SELECT max(period) AS latest FROM a.risk_lgas SEMI JOIN b.risk_lgas USING (period))
     SELECT latest AS period, {a: ${nationSql('a')}, b: ${nationSql('b')}} AS nation, count(*) AS lgas,
       count(*) FILTER (flipped) AS levels_changed
     FROM month JOIN pairs ON period = latest GROUP BY latest`,
  );
  return latest ?? null;
}

function diffAnswers(a: Snapshot, b: Snapshot): SnapshotDiff['answers'] {
  return JSON_OPERATIONS.map((operation) => {
    const filesOfA = operationFiles(operation, a.manifest.coverage, a.manifest.files);
    const filesOfB = new Set(operationFiles(operation, b.manifest.coverage, b.manifest.files));
    const sharedFiles = filesOfA.filter((file) => filesOfB.has(file));
    const same = sharedFiles.filter((file) => a.manifest.files[file]?.sha256 === b.manifest.files[file]?.sha256).length;
    return {
      operation: operation.id,
      same,
      changed: sharedFiles.length - same,
      only_in_a: filesOfA.length - sharedFiles.length,
      only_in_b: filesOfB.size - sharedFiles.length,
    };
  });
}

function exceededThresholds(
  all: Tally,
  thresholds: Thresholds,
  removedLgas: readonly string[],
  lgasWord: string,
): string[] {
  const percent = (share: number) => `${Number((100 * share).toFixed(2))}%`;
  const rules = [
    ['moved', thresholds.max_moved_share, `scores moved by more than ${thresholds.score_change}`],
    ['flipped', thresholds.max_flipped_share, 'levels changed'],
    ['disjoint', thresholds.max_disjoint_share, 'ranges no longer overlap'],
  ] as const;
  const exceeded = rules.flatMap(([field, limit, description]) => {
    const share = all.compared === 0 ? 0 : all[field] / all.compared;
    return share > limit ? [`${percent(share)} of ${description}, at most ${percent(limit)} expected`] : [];
  });
  if (all.compared === 0) exceeded.push('there is no month that both versions estimate or both forecast');
  if (removedLgas.length > 0)
    exceeded.push(`${removedLgas.length} ${lgasWord} are gone: ${removedLgas.slice(0, 5).join(', ')}`);
  return exceeded;
}
