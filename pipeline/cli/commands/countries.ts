import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { Command } from 'commander';
import { readTable } from '../../ingest/readers/raw-table.ts';
import { withDatabase } from '../../lib/tables/duckdb.ts';
import type { Finding } from '../../publish/snapshot/provenance.ts';
import { snapshotsFolder } from '../../release/build-paths.ts';
import { newestCandidate } from '../../release/candidates.ts';
import { currentVersion } from '../../release/current.ts';
import type { Validation } from '../../validate/validation.ts';
import { printLines } from '../terminal/options.ts';
import { addRowOptions, printRows, type RowOptions } from '../terminal/rows.ts';

const HELP = `
The list is a CSV file with the columns name, catalog, raw_data (may be empty) and out; paths are relative to its
folder. Each row of the table describes a country's newest candidate in its \`out\`, and its latest build if --runs has
one.

  skill: mean log score of the published model on held-out surveys minus the baseline's; higher is better.
  case_error: mean of |ln median - ln observed| of cases forecast one to four months ahead; lower is better.

Example:
  malaria-risk countries countries.csv --runs runs`;

/** A country of the list. */
interface ListedCountry {
  name: string;
  out: string;
}

/** The result of a country's latest build, as the workflow writes it. */
interface RunResult {
  status: string;
  line: string | null;
  seconds: number;
  cpu_seconds: number;
  peak_mb: number;
}

export default function countriesCommand(): Command {
  return addRowOptions(new Command('countries'))
    .description('Show status, findings and skill of many countries in one table')
    .argument('<list>', 'CSV of countries')
    .option('--runs <dir>', "directory of the workflow's results")
    .addHelpText('after', HELP)
    .action(async (listFile: string, options: { runs?: string } & RowOptions) => {
      const rows = await Promise.all((await readList(listFile)).map((country) => countryRow(country, options.runs)));
      if (options.json || options.csv) return printRows(rows, options);
      printRows(
        rows.map(({ line: _, ...row }) => row),
        options,
      );
      for (const { name, line } of rows) if (line !== null) printLines(`${name}: ${line}`);
      printLines(`${rows.filter(({ status }) => status === 'built').length} of ${rows.length} countries are built`);
    });
}

/** @throws BadInput if a column, a name or an `out` is missing, or a name occurs twice */
async function readList(file: string): Promise<ListedCountry[]> {
  const folder = path.dirname(file);
  const columns = { name: 'name', out: 'out' };
  const table = await readTable(folder, { files: [{ path: path.basename(file) }], columns });
  table.refuseDuplicates(['name']);
  return table.rows.map((row) => ({ name: row.text('name'), out: path.resolve(folder, row.text('out')) }));
}

async function countryRow({ name, out }: ListedCountry, runsFolder: string | undefined) {
  const run = runsFolder === undefined ? null : readJsonIfExists<RunResult>(path.join(runsFolder, `${name}.json`));
  const version = newestCandidate(out)?.version ?? null;
  const snapshot = version === null ? null : path.join(snapshotsFolder(out), version);
  const read = <T>(file: string) => (snapshot === null ? null : readJsonIfExists<T>(path.join(snapshot, file)));
  const findings = read<Finding[]>('findings.json');
  const modelCard = read<{ validation?: Validation | null }>('model-card.json');
  return {
    name,
    status: run?.status ?? (runsFolder !== undefined ? 'no result' : version === null ? 'not built' : 'built'),
    version,
    current: version !== null && version === currentVersion(out),
    findings: findings?.length ?? null,
    to_decide: findings?.filter(({ needs_approval }) => needs_approval).length ?? null,
    score: modelCard?.validation?.score ?? null,
    skill: modelCard?.validation ? skillDifference(modelCard.validation) : null,
    case_error: snapshot && (await caseError(path.join(snapshot, 'tables/forecast_skill.parquet'))),
    seconds: run?.seconds ?? null,
    cpu_s: run?.cpu_seconds ?? null,
    peak_mb: run?.peak_mb ?? null,
    line: run?.line ?? null,
  };
}

/** The published model's log score minus the baseline's; 0 if the baseline is published. */
const skillDifference = ({ score, difference }: Validation) =>
  score === 'baseline' ? 0 : Number(difference.log_score.mean.toFixed(3));

async function caseError(file: string): Promise<number | null> {
  if (!existsSync(file)) return null;
  const [row] = await withDatabase((db) =>
    db.rows<{ log_mae: number }>(
      `SELECT log_mae FROM read_parquet($1)
       WHERE method = 'case_model' AND origins = 'all' AND horizon_months IS NULL ORDER BY area_level LIMIT 1`,
      [file],
    ),
  );
  return row ? Number(row.log_mae.toFixed(3)) : null;
}

const readJsonIfExists = <T>(file: string): T | null =>
  existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as T) : null;
