/**
 * The tables of a snapshot: the stages' outputs, joined by code and rounded as published. The answers, the report and
 * the checks all use them.
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { roundFields } from '../../contract/decimals.ts';
import { type Level, riskLevel } from '../../contract/levels.ts';
import { type Coverage, forecastPeriods } from '../../contract/operations.ts';
import { hasScores } from '../../contract/products.ts';
import type { AreaGeometry, TransmissionModel } from '../../contract/schemas.ts';
import { TABLE_NAMES, type TableName, tableFile, tableFormats } from '../../contract/table-list.ts';
import type { Territory } from '../../contract/territory.ts';
import type { StageTable } from '../../engine/stage.ts';
import type { CensusRow, PeopleRow } from '../../ingest/ingest-tables.ts';
import * as ingest from '../../ingest/ingest-tables.ts';
import { peopleFinder, rastersBesideTable } from '../../ingest/people-by-year.ts';
import { type Database, sqlIdentifier, sqlLiteral, withDatabase } from '../../lib/tables/duckdb.ts';
import { writeTable } from '../../lib/tables/parquet.ts';
import { rowByCode, type TableRow, toTable } from '../../lib/tables/table.ts';
import type { Outlines } from '../../measure/boundaries/boundaries-tables.ts';
import * as context from '../../measure/context/context-tables.ts';
import type { AREAS } from '../../model/forecast/alerts-tables.ts';
import * as risk from '../../model/risk/risk-tables.ts';
import * as season from '../../model/season/season-tables.ts';
import { basisTable } from './basis.ts';
import type { CaseForecasts } from './case-forecasts.ts';
import { geoMetadata } from './geoparquet.ts';
import { accountsWithPeople, incidenceTable } from './incidence.ts';
import { placesTable } from './places-table.ts';
import type { SnapshotWriter } from './snapshot-writer.ts';
import { countryTables, describeTables, frictionlessSchema, TABLES } from './table-columns.ts';
import { indexBase, totalsTable } from './totals-table.ts';
import { fromWkb, toWkb } from './wkb.ts';

/** Rows by table, in the order in which answers list them. */
export type SnapshotTables = { [Name in TableName]: TableRow<(typeof TABLES)[Name]>[] };

/** Input for the tables in addition to the artifacts that are tables themselves. */
export interface TableInput {
  coverage: Coverage;
  territory: Territory;
  outlines: Outlines;
  /** null if the country has no case records. */
  transmission: TransmissionModel | null;
  /** Whether forecasts of cases were tested. */
  backtested: boolean;
  case_forecasts: CaseForecasts;
  /** Unit of cases in alerts: an index if counts may not be passed on. */
  cases_in: SnapshotTables['alerts'][number]['cases_in'];
  /** Growth of people that the catalog states, share a year. */
  growth: number | null;
}

/** The states with their zones' full names, in SQL. */
function statesWithZonesSql({ zones }: Territory): string {
  const names = Object.entries(zones?.names ?? {}).map(([code, name]) => `${sqlLiteral(code)}: ${sqlLiteral(name)}`);
  const zone = zones ? `MAP {${names}}[zone]` : 'NULL::VARCHAR';
  return `(SELECT * REPLACE (${zone} AS zone) FROM ingest.states)`;
}

/**
 * A list of columns in SQL.
 * @param stageTables the stages' tables that have them
 * @throws Error for a column that none of these tables has
 */
export function columnListSql(stageTables: readonly StageTable[], columns: readonly string[]): string {
  const missing = columns.find((column) => !stageTables.some((table) => Object.hasOwn(table.columns, column)));
  if (missing !== undefined)
    throw new Error(
      `${missing}: found in none of ${stageTables.map(({ name }) => name).join(', ')}, expected one whose stage ` +
        'computes it and whose columns list it, or a value from snapshot-tables.ts',
    );
  return columns.join(', ');
}

/** The columns that a table has from the stages. @param ownColumns those that are added to its rows afterwards */
const stageColumns = (name: TableName, stageTables: readonly StageTable[], ...ownColumns: string[]) =>
  columnListSql(
    stageTables,
    Object.keys(TABLES[name].columns).filter((column) => !ownColumns.includes(column)),
  );
// Here, so that a column which no stage computes is found when the program is loaded.
const RISK_LGA_COLUMNS = stageColumns('risk_lgas', [risk.LGAS, ingest.LGAS, context.LGAS], 'level');
const RISK_STATE_COLUMNS = stageColumns('risk_states', [risk.STATES, ingest.STATES, context.STATES], 'level');
const CONTEXT_STATE_COLUMNS = stageColumns('context_states', [ingest.STATES, context.STATES]);
const CONTEXT_LGA_COLUMNS = stageColumns('context_lgas', [ingest.LGAS, context.LGAS]);
const SEASON_COLUMNS = stageColumns('season', [season.NATIONAL], 'area', 'code');

/**
 * Makes the tables from the artifacts, which `db` has as views. Rules that depend on a number (level, order) use the
 * rounded one.
 * @throws Error if the stages' tables do not have the same areas
 */
export async function makeTables(
  db: Database,
  { coverage, territory, outlines, transmission, backtested, case_forecasts, cases_in, growth }: TableInput,
): Promise<SnapshotTables> {
  await assertSameAreas(db, coverage);
  const states = statesWithZonesSql(territory);
  const { first_estimated, last_estimated } = coverage;
  const futurePeriods = forecastPeriods(coverage);
  const readLgaScores = async (first: string, last: string) =>
    sortWithLevels(
      await db.rows<SnapshotTables['risk_lgas'][number]>(
        `SELECT ${RISK_LGA_COLUMNS}
         FROM risk.lgas JOIN ingest.lgas USING (lga_code) JOIN context.lgas USING (lga_code)
         WHERE period BETWEEN $1 AND $2`,
        [first, last],
      ),
      ({ period, state_code }) => period + state_code,
      ({ lga_code }) => lga_code,
    );
  const readStateScores = async (first: string, last: string) =>
    sortWithLevels(
      await db.rows<SnapshotTables['risk_states'][number]>(
        `SELECT ${RISK_STATE_COLUMNS}
         FROM risk.states JOIN ${states} USING (state_code) JOIN context.states USING (state_code)
         WHERE period BETWEEN $1 AND $2`,
        [first, last],
      ),
      ({ period }) => period,
      ({ state_code }) => state_code,
    );
  const withHorizon = <Row extends { period: string }>(row: Row) => ({
    ...row,
    horizon_months: futurePeriods.indexOf(row.period) + 1,
  });
  const readRounded = async <Name extends TableName>(sql: string) =>
    roundFields(await db.rows(sql)) as SnapshotTables[Name];

  const context_states = await readRounded<'context_states'>(
    `SELECT ${CONTEXT_STATE_COLUMNS} FROM ${states} JOIN context.states USING (state_code) ORDER BY state_code`,
  );
  const context_lgas =
    await readRounded<'context_lgas'>(`SELECT ${CONTEXT_LGA_COLUMNS} FROM ingest.lgas JOIN context.lgas USING (lga_code)
     ORDER BY state_code, lga_code`);
  const forecast_skill = backtested ? await readRounded<'forecast_skill'>('FROM backtest.skill') : [];
  const outlineByState = rowByCode(outlines.states, 'state_code');
  const outlineByLga = rowByCode(outlines.lgas, 'lga_code');
  const boundaries = roundFields({
    boundaries_lgas: context_lgas.map(({ state_code, lga_code, lga }) => ({
      state_code,
      lga_code,
      lga,
      geometry: outlineByLga[lga_code]!.geometry,
    })),
    boundaries_states: context_states.map(({ state_code, state, zone }) => ({
      state_code,
      state,
      zone,
      geometry: outlineByState[state_code]!.geometry,
    })),
  });
  const [census, people] = [
    await db.rows<CensusRow>('FROM ingest.census'),
    await db.rows<PeopleRow>('FROM ingest.people'),
  ];
  const incidence = incidenceTable(
    { context_states, context_lgas },
    await db.rows('FROM ingest.cases ORDER BY state_code, lga_code NULLS FIRST, period'),
    census,
    peopleFinder(people, rastersBesideTable(census, people, await db.rows('FROM zonal.people')), growth),
  );
  return {
    risk_lgas: await readLgaScores(first_estimated, last_estimated),
    risk_states: await readStateScores(first_estimated, last_estimated),
    forecasts_lgas: (await readLgaScores(futurePeriods[0]!, futurePeriods.at(-1)!)).map(withHorizon),
    forecasts_states: (await readStateScores(futurePeriods[0]!, futurePeriods.at(-1)!)).map(withHorizon),
    probabilities: await readRounded<'probabilities'>('FROM risk.probabilities'),
    changes: await readRounded<'changes'>('FROM risk.changes'),
    forecasts_cases: case_forecasts.rows,
    forecasts_totals: totalsTable(case_forecasts, cases_in),
    incidence,
    forecast_skill,
    alerts: publishableAlerts(await db.rows('FROM alerts.areas'), cases_in),
    basis: hasScores(coverage) ? await basisTable(db, coverage, forecast_skill) : [],
    context_states,
    context_lgas,
    season: await readRounded<'season'>(`SELECT area, code, ${SEASON_COLUMNS} FROM (
         SELECT 1 AS position, 'nation' AS area, NULL AS state_code, NULL AS code, * FROM season.national
         UNION ALL SELECT 2, 'state', state_code, * FROM season.states
         UNION ALL SELECT 3, 'lga', state_code, s.* FROM season.lgas s JOIN ingest.lgas USING (lga_code)
       ) ORDER BY position, state_code, code, month`),
    season_windows: await readRounded<'season_windows'>('FROM season.windows'),
    survey_trend: await readRounded<'survey_trend'>('FROM survey.trend'),
    transmission_series: roundFields(
      (transmission?.states ?? []).flatMap(({ state_code, series }) => series.map((row) => ({ state_code, ...row }))),
    ),
    ...boundaries,
    places: placesTable(
      boundaries,
      await db.rows('SELECT state_code, state_pcode FROM ingest.states'),
      territory,
      await db.rows('FROM ingest.other_names'),
    ),
    accounts: accountsWithPeople(await readRounded<'accounts'>('FROM ingest.accounts'), incidence),
  };
}

/** Refuses tables with different areas, since joins by code would silently drop an area that one of them lacks. */
async function assertSameAreas(db: Database, coverage: Coverage): Promise<void> {
  // A country without monthly rain has no season.
  const hasSeason = (await db.rows('FROM season.national LIMIT 1')).length > 0;
  for (const level of ['lga', 'state'])
    for (const stage of ['context', ...(hasScores(coverage) ? ['risk'] : []), ...(hasSeason ? ['season'] : [])]) {
      const [stageCodes, ingestCodes] = [stage, 'ingest'].map(
        (schema) => `SELECT DISTINCT ${level}_code AS code FROM ${schema}.${level}s`,
      );
      const [mismatch] = await db.rows<{ code: string }>(
        `((${stageCodes} EXCEPT ${ingestCodes}) UNION ALL (${ingestCodes} EXCEPT ${stageCodes})) ORDER BY code LIMIT 1`,
      );
      if (mismatch)
        throw new Error(
          `${stage}/${level}s: found areas that differ from ingest/${level}s (${mismatch.code}), expected the same areas`,
        );
    }
}

/** Estimated months, then forecast months. */
export const coveredPeriods = ({
  risk_states,
  forecasts_states,
}: Pick<SnapshotTables, 'risk_states' | 'forecasts_states'>) => [
  ...new Set([...risk_states, ...forecasts_states].map(({ period }) => period)),
];

/** Alerts with counts in a form that may be passed on. */
export function publishableAlerts(
  rows: readonly TableRow<typeof AREAS>[],
  cases_in: TableInput['cases_in'],
): SnapshotTables['alerts'] {
  return rows.map(({ area, code, period, cases, usual, usual_low, usual_high, mean_cases, ...signals }) => {
    const factor = cases_in === 'cases' ? 1 : 100 / indexBase(mean_cases);
    const convert = (value: number) => Math.round(factor * value);
    return roundFields({
      area,
      code,
      period,
      cases_in,
      cases: cases === null ? null : convert(cases),
      usual: convert(usual),
      usual_low: convert(usual_low),
      usual_high: convert(usual_high),
      ...signals,
    });
  });
}

/** Scores rounded and with levels, highest first in each group. */
function sortWithLevels<Row extends { score: number }>(
  rows: readonly Row[],
  groupKey: (row: Row) => string,
  areaCode: (row: Row) => string,
): (Row & { level: Level })[] {
  const compareText = (a: string, b: string) => (a < b ? -1 : +(a > b));
  return rows
    .map((row) => {
      const rounded = roundFields(row);
      return { ...rounded, level: riskLevel(rounded.score) };
    })
    .sort(
      (a, b) => compareText(groupKey(a), groupKey(b)) || b.score - a.score || compareText(areaCode(a), areaCode(b)),
    );
}

/**
 * Writes each table that has rows as Parquet and CSV, a description of the columns, and all LGAs as GeoJSON. The same
 * rows give the same bytes.
 * @param metadata metadata of every Parquet file, which also has a description of its columns (`table_schema`)
 */
export async function writeTables(
  writer: SnapshotWriter,
  tables: SnapshotTables,
  metadata: Record<string, string>,
  territory: Territory,
): Promise<void> {
  const definitions = countryTables(territory);
  const scratchFolder = await mkdtemp(path.join(tmpdir(), 'malaria-tables-'));
  const filledTables = TABLE_NAMES.filter((name) => tables[name].length > 0);
  try {
    await withDatabase(async (db) => {
      for (const name of filledTables) {
        const parquetFile = path.join(scratchFolder, `${name}.parquet`);
        const { schema: form, columns } = toTable(definitions[name], tables[name]);
        const geometries = columns.geometry as AreaGeometry[] | undefined;
        const geoEntry = geometries && { geo: JSON.stringify(geoMetadata(geometries)) };
        const wkbColumn = geometries && { geometry: geometries.map(toWkb) };
        const fileMetadata = { ...metadata, table_schema: JSON.stringify(frictionlessSchema(form)), ...geoEntry };
        await writeTable(db, parquetFile, { schema: form, columns: { ...columns, ...wkbColumn } }, fileMetadata);
        await writer.write(tableFile(name, 'parquet'), await readFile(parquetFile));
        if (tableFormats(name).includes('csv')) {
          const csv = await tableCsv(
            db,
            `read_parquet(${sqlLiteral(parquetFile)})`,
            path.join(scratchFolder, `${name}.csv`),
          );
          await writer.writeEncoded(tableFile(name, 'csv'), csv);
        }
      }
    });
  } finally {
    await rm(scratchFolder, { recursive: true, force: true });
  }
  const counts = Object.fromEntries(filledTables.map((name) => [name, tables[name].length]));
  await writer.write('tables/README.md', describeTables(metadata.model_version!, counts, definitions, territory));
  const features = tables.boundaries_lgas.map(({ geometry, state_code, lga_code, lga }) => ({
    type: 'Feature',
    properties: { state_code, lga_code, lga },
    geometry,
  }));
  await writer.write('tables/boundaries_lgas.geojson', JSON.stringify({ type: 'FeatureCollection', features }));
}

/**
 * A table as CSV with a header line, in the table's order. Text that a spreadsheet would run as a formula is marked
 * with an apostrophe.
 * @param scratchFile path for a temporary file
 */
export async function tableCsv(db: Database, table: string, scratchFile: string): Promise<string> {
  const columns = await db.rows<{ column_name: string; column_type: string }>(`DESCRIBE FROM ${table}`);
  const cells = columns.map(({ column_name, column_type }) => {
    const column = sqlIdentifier(column_name);
    if (column_type !== 'VARCHAR') return column;
    const isFormula = `regexp_matches(${column}, '^[=+\\-@\\t\\r]') AND try_cast(${column} AS DOUBLE) IS NULL`;
    return `CASE WHEN ${isFormula} THEN '''' || ${column} ELSE ${column} END AS ${column}`;
  });
  await db.run(`COPY (SELECT ${cells.join(', ')} FROM ${table}) TO ${sqlLiteral(scratchFile)} (FORMAT csv, HEADER)`);
  return readFile(scratchFile, 'utf8');
}

/** Reads the tables that `writeTables` wrote from the views of a schema. Missing tables have no rows. */
export async function readTables(db: Database, schema: string): Promise<SnapshotTables> {
  const views = await db.rows<{ name: TableName }>(
    'SELECT view_name AS name FROM duckdb_views() WHERE schema_name = $1',
    [schema],
  );
  const tables = Object.fromEntries(TABLE_NAMES.map((name) => [name, [] as object[]]));
  for (const { name } of views) {
    if (!('geometry' in TABLES[name].columns)) tables[name] = await db.rows(`FROM ${schema}.${name}`);
    else {
      const rows = await db.rows<{ geometry: Uint8Array }>(
        `SELECT * REPLACE (ST_AsWKB(geometry) AS geometry) FROM ${schema}.${name}`,
      );
      tables[name] = rows.map((row) => ({ ...row, geometry: fromWkb(row.geometry) }));
    }
  }
  return tables as unknown as SnapshotTables;
}
