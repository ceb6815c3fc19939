import { readdirSync } from 'node:fs';
import path from 'node:path';
import { Command, Option } from 'commander';
import type { Source } from '../../../catalog/sources.ts';
import { monthIndex, type Period } from '../../../contract/months.ts';
import { hasScores } from '../../../contract/products.ts';
import { type TableName, tableFile } from '../../../contract/table-list.ts';
import type { CasesRow } from '../../../ingest/ingest-tables.ts';
import { writeAtomic } from '../../../lib/atomic-write.ts';
import { UsageError } from '../../../lib/errors.ts';
import { alertRows } from '../../../publish/dhis2/alerts.ts';
import { allowedCaseUnit, CASE_UNITS, type CaseUnit, caseFigures, caseRows } from '../../../publish/dhis2/cases.ts';
import { chartOfForecasts, mapsOfAlerts, mapsOfClasses } from '../../../publish/dhis2/dashboard.ts';
import { type AreaMonth, FORMATS, type Format } from '../../../publish/dhis2/data-values.ts';
import { dhis2Files, MAX_VALUES_PER_FILE } from '../../../publish/dhis2/files.ts';
import {
  ALERT_FIGURES,
  type Figure,
  PROBABILITY_FIGURES,
  riskClass,
  SCORE_FIGURES,
} from '../../../publish/dhis2/metadata.ts';
import { type Place, readUnits } from '../../../publish/dhis2/units.ts';
import type { SnapshotTables } from '../../../publish/snapshot/snapshot-tables.ts';
import { currentVersion } from '../../../release/current.ts';
import { findVersion } from '../../../release/find.ts';
import { outOption, parseMonthSpan, printLines } from '../../terminal/options.ts';
import { query } from '../query.ts';

interface Dhis2Options {
  out: string;
  map: string;
  to: string;
  periods?: { first: Period; last: Period };
  cases?: CaseUnit;
  format: Format;
}

const columnList = (figures: readonly Figure[]) => figures.map(({ column }) => column).join(', ');
/** Areas and months with their scores. */
const SCORES_SQL = (['state', 'lga'] as const)
  .flatMap((level) => ['risk', 'forecasts'].map((table) => ({ level, table: `${table}_${level}s` })))
  .map(
    ({ level, table }) =>
      `SELECT '${level}' AS area, ${level}_code AS code, period, score, score_low, score_high FROM ${table}`,
  )
  .join(' UNION ALL ');
const PROBABILITIES_SQL = `SELECT area, code, period, ${columnList(PROBABILITY_FIGURES)} FROM probabilities`;
const ORDER_SQL = 'ORDER BY area DESC, code, period';

export function dhis2Command(): Command {
  return new Command('dhis2')
    .description('Write scores, probabilities and forecasts of cases as files that DHIS2 imports')
    .argument('[version]', 'an existing version (default: the current one)')
    .requiredOption('--map <file>', "CSV with the columns id and code, or DHIS2's organisationUnits.json")
    .requiredOption('--to <dir>', 'a new or empty directory for the files')
    .option('--periods <months>', 'only these months: 2023-12, or 2023-01..2023-12', parseMonthSpan)
    .addOption(
      new Option(
        '--cases <form>',
        'forecasts of cases: as counts, as an index, or none (default: counts if sources.json says of each case record `"pass_on": "yes"`, otherwise index)',
      ).choices(CASE_UNITS),
    )
    .addOption(new Option('--format <format>', 'of the values').choices(Object.keys(FORMATS)).default('json'))
    .addOption(outOption())
    .addHelpText(
      'after',
      `
Writes metadata.json (data elements, legends, maps, a chart, a dashboard, the data set), data-values-001.json and so on
(at most ${MAX_VALUES_PER_FILE} values each), metadata-delete-1.json to -3.json, which take the metadata back, and three
lists: units-unmatched.csv (areas without an organisation unit, which get no values), units-proposed.csv (the map with
the units that have an area's name below the unit of its state: a proposal, for a person to check and to give as --map)
and values-left-out.csv (months in which a unit was not open). A code in the map is the code of an area here, its code
in the raw files, or its ISO code.

Ids of data elements are derived from fixed codes, so that the next version updates the same ones. The counts of case
records can be derived from forecasts of counts: choose --cases counts for the DHIS2 that the records come from, or if
their producers allow it. pipeline/publish/dhis2/README.md says what a DHIS2 administrator does, and how to take it
back.

Examples:
  malaria-risk export dhis2 --map organisationUnits.json --to dhis2
  malaria-risk export dhis2 nigeria-2026.1-9511384d --map units.csv --to dhis2 --periods 2023-01..2023-12 --cases counts`,
    )
    .action(exportDhis2);
}

async function exportDhis2(version: string | undefined, options: Dhis2Options): Promise<void> {
  const { out, map, to, periods, format } = options;
  const name = version ?? currentVersion(out);
  if (name === null) throw new UsageError(`${out}: found nothing published, expected the name of a version to export`);
  const { directory: snapshot, manifest } = findVersion(out, name);
  if (manifest.unpublishable)
    throw new UsageError(
      `${manifest.model_version}: found a trial (${manifest.unpublishable.join(', ')}), expected a version that can be published`,
    );
  refuseFilledDirectory(to);
  const select = async <Row>(sql: string) => (await query(sql, { out, snapshot })) as Row[];
  const units = await readUnits(map, await select<Place>('FROM places ORDER BY area DESC, code'));
  const hasTable = (table: TableName) => Object.hasOwn(manifest.files, tableFile(table, 'parquet'));
  const caseForm = !hasTable('forecasts_cases')
    ? 'none'
    : (options.cases ?? allowedCaseUnit(manifest.sources as Source[]));
  const forecasts = caseForm === 'none' ? [] : await select<Forecast>(`FROM forecasts_cases ${ORDER_SQL}`);
  const records = caseForm === 'index' ? await readRecords(select, out) : [];
  const { last_estimated } = manifest.coverage;
  const isInPeriods = ({ period }: AreaMonth) => !periods || (period >= periods.first && period <= periods.last);
  const withMonthsAhead = (row: AreaMonth) => ({
    ...row,
    monthsAhead: monthIndex(row.period) - monthIndex(last_estimated),
  });
  const selectScores = async (sql: string) =>
    (await select<AreaMonth>(`FROM (${sql}) ${ORDER_SQL}`)).map(withMonthsAhead);
  const withClass = (row: AreaMonth) => ({ ...row, class: riskClass(Number(row.score)) });
  const alerts = hasTable('alerts')
    ? alertRows(await select<SnapshotTables['alerts'][number]>(`FROM alerts ${ORDER_SQL}`))
    : [];
  const scores = hasScores(manifest.coverage)
    ? { figures: SCORE_FIGURES, rows: (await selectScores(SCORES_SQL)).map(withClass) }
    : { figures: [], rows: [] };
  const cases = { figures: caseFigures(caseForm), rows: caseRows(caseForm, forecasts, records) };
  const probabilities = {
    figures: hasTable('probabilities') ? PROBABILITY_FIGURES : [],
    rows: hasTable('probabilities') ? await selectScores(PROBABILITIES_SQL) : [],
  };
  const valueSets = [
    scores,
    probabilities,
    cases,
    { figures: hasTable('alerts') ? ALERT_FIGURES : [], rows: alerts },
  ].map(({ figures, rows }) => ({ figures, rows: rows.filter(isInPeriods) }));
  if (valueSets.every(({ figures }) => figures.length === 0))
    throw new UsageError(`${manifest.model_version}: found neither scores nor case records, expected one to export`);
  const totals = { files: 0, values: 0, bytes: 0 };
  const pictures = {
    maps: [...(hasScores(manifest.coverage) ? mapsOfClasses(last_estimated) : []), ...mapsOfAlerts(alerts)],
    chart: chartOfForecasts(cases, units) ?? chartOfForecasts(scores, units),
  };
  for (const { name, content, values } of dhis2Files(manifest, units, valueSets, pictures, format)) {
    await writeAtomic(path.join(to, name), content);
    if (process.stderr.isTTY) process.stderr.write(`\r${name}`);
    if (values === 0) continue;
    totals.files++;
    totals.values += values;
    totals.bytes += Buffer.byteLength(content);
  }
  if (process.stderr.isTTY) process.stderr.write('\n');
  const { ids, unmatched, matches, unrelated: unrelatedRows } = units;
  const proposed = matches.filter(({ matched_by }) => matched_by === 'name').length;
  printLines(
    `${manifest.model_version}${manifest.synthetic ? ' (made up)' : ''}: ${totals.values} values in ${totals.files} files of ${to}, ${totals.bytes} bytes; forecasts of cases: ${caseForm}`,
    `${ids.size} areas have an organisation unit, ${unmatched.length} have none (${path.join(to, 'units-unmatched.csv')}); ${unrelatedRows} rows of the map are no area`,
    ...(proposed === 0
      ? []
      : [
          `${proposed} more have a unit of the same name: look through ${path.join(to, 'units-proposed.csv')}, delete what is wrong, and run again with --map and that file`,
        ]),
  );
}

type Forecast = SnapshotTables['forecasts_cases'][number];

/** @throws UsageError if the version's case records, which no snapshot has, are no longer in the cache */
async function readRecords(select: <Row>(sql: string) => Promise<Row[]>, out: string): Promise<CasesRow[]> {
  const [table] = await select("FROM information_schema.tables WHERE table_schema = 'ingest' AND table_name = 'cases'");
  if (table) return select<CasesRow>('FROM ingest.cases');
  throw new UsageError(
    `--cases index: found no case records of the version in the cache of ${out}, which the index refers to; build it again, or choose --cases none`,
  );
}

function refuseFilledDirectory(directory: string): void {
  let names: string[];
  try {
    names = readdirSync(directory);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw error;
  }
  if (names.length > 0) throw new UsageError(`--to: found files in ${directory}, expected a new or empty directory`);
}
