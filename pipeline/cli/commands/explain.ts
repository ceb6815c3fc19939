import { rmSync } from 'node:fs';
import path from 'node:path';
import { Command, Option } from 'commander';
import { NO_CASES, NO_SCORES } from '../../catalog/missing-data.ts';
import { isTable } from '../../catalog/roles.ts';
import type { Source } from '../../catalog/sources.ts';
import { tableFile } from '../../contract/table-list.ts';
import { readTable } from '../../ingest/readers/raw-table.ts';
import { findStoredCopy } from '../../intake/accepted-files.ts';
import { createLinkFolder } from '../../intake/update/file-paths.ts';
import { UsageError } from '../../lib/errors.ts';
import { firstFew } from '../../lib/first-few.ts';
import type { RiskEvidence } from '../../model/risk/risk-tables.ts';
import { openSnapshot, type Snapshot } from '../../publish/snapshot/open-snapshot.ts';
import { outOption, parseMonth, printLines } from '../terminal/options.ts';
import { printRows, type Row } from '../terminal/rows.ts';
import { query } from './query.ts';
import { findAreaCode } from './show.ts';

/**
 * Children tested in each cluster, weighted by the covariance that the fit has between its place and this one: of the
 * field, whose correlation is 0.1 at its range, and of the areas of both levels.
 */
const NEAR_SQL = `WITH sites AS (
    SELECT c.*, coalesce(c.latitude, lga.latitude) AS north, coalesce(c.longitude, lga.longitude) AS east
    FROM ingest.clusters c LEFT JOIN (FROM places WHERE area = 'lga') lga ON lga.code = c.lga_code),
  alike AS (
    SELECT sites.*, sites.state_code = here.state_code AS is_same_state,
      111.2 * sqrt((north - latitude_here) ** 2 + ((east - longitude_here) * cos(radians(latitude_here))) ** 2) AS km,
      examined * ($place ** 2 * pow(0.1, km / $range) + $state ** 2 * is_same_state::INTEGER
        + $area ** 2 * coalesce(lga_code = $lga, false)::INTEGER) AS children
    FROM sites, (SELECT state_code, latitude AS latitude_here, longitude AS longitude_here
      FROM places WHERE area = 'lga' AND code = $lga) here
    WHERE north IS NOT NULL),
  near AS (SELECT *, children / sum(children) OVER () AS share FROM alike)`;

interface Figure {
  /** The table that has the answer, and why a country may not have it. */
  needs: { file: string; why: string };
  /** What it is, and the tables whose months have it. */
  name: string;
  tables: readonly string[];
  /** The steps from the answer back to the files: what each shows, and the SQL of its rows. */
  steps: Record<string, string>;
  /** The roles of the tables that it rests on. */
  roles: readonly string[];
}

const FIGURES: Record<'score' | 'cases', Figure> = {
  score: {
    needs: { file: tableFile('risk_lgas', 'parquet'), why: NO_SCORES },
    name: 'score',
    tables: ['risk_lgas', 'forecasts_lgas'],
    steps: {
      'The answer': `SELECT period, kind, score, score_low, score_high, level, last_survey, months_since_survey
        FROM (SELECT *, 'estimated' AS kind FROM risk_lgas
          UNION ALL BY NAME SELECT *, 'forecast' AS kind FROM forecasts_lgas)
          JOIN (FROM basis WHERE area = 'lga') b USING (period)
        WHERE lga_code = $lga AND b.code = $lga AND period = $period`,
      'Before rounding (stage risk)': 'FROM risk.lgas WHERE lga_code = $lga AND period = $period',
      'Its season (stage season), 1 at the peak': `SELECT month, seasonal_index, is_high, is_peak FROM season.lgas
        WHERE lga_code = $lga AND month = right($period, 2)::INTEGER`,
      'Its ground (stage zonal), mean over its people, and over those of all areas': `
        WITH figures AS (
          SELECT lga_code, population, unnest(['elevation_m', 'urban_share']) AS figure,
            unnest([elevation_m, urban_share]) AS value FROM zonal.cells)
        SELECT figure, sum(value * population) FILTER (lga_code = $lga) / sum(population) FILTER (lga_code = $lga) AS here,
          sum(value * population) / sum(population) AS everywhere FROM figures GROUP BY ALL ORDER BY ALL`,
      'The surveys (stage ingest): shares of all children tested, each weighted by how alike the fit takes the places to be': `
        ${NEAR_SQL}
        SELECT CASE WHEN lga_code = $lga THEN '1 here' WHEN is_same_state THEN '2 else in the state'
          ELSE '3 in other states' END AS "where",
          count(*) AS clusters, sum(examined) AS children, round(sum(share), 3) AS share FROM near GROUP BY ALL ORDER BY ALL`,
      'The clusters with the largest shares': `
        ${NEAR_SQL}
        SELECT survey_year, cluster_id, period, round(km) AS km, examined, round(positivity, 3) AS positivity,
          round(near.share, 3) AS share
        FROM near ORDER BY near.share DESC, survey_year, cluster_id LIMIT 12`,
    },
    roles: ['survey_clusters', 'climate', 'layer'],
  },
  cases: {
    needs: { file: tableFile('forecasts_cases', 'parquet'), why: NO_CASES },
    name: 'forecast of cases',
    tables: ['forecasts_cases'],
    steps: {
      'The forecast': `SELECT period, basis, last_cases, horizon_months, q05, q50, q95 FROM forecasts_cases
        WHERE code = $lga AND period = $period`,
      'The months of the record that it rests on most: the last twelve, and this month of each year': `
        WITH record AS (FROM ingest.cases WHERE lga_code = $lga AND period < $period)
        SELECT period, confirmed, masked FROM record WHERE right(period, 2) = right($period, 2)
          OR period IN (SELECT period FROM record ORDER BY period DESC LIMIT 12) ORDER BY period`,
    },
    roles: ['cases_lgas'],
  },
};

const HELP = `
Goes from the answer over the figures of each stage back to the rows of the raw files, as long as <out> has them in its
cache and in raw/. The shares of surveys show what the fit looks at, not by how much each of them moves the score.

Examples:
  malaria-risk explain Dala 2023-09
  malaria-risk explain NG020007 2024-02 --field cases`;

interface ExplainOptions {
  field: keyof typeof FIGURES;
  out: string;
  snapshot?: string;
  json?: boolean;
}

export default function explainCommand(): Command {
  return new Command('explain')
    .argument('<area>', 'code or name of an area of the lower level')
    .argument('<month>', 'an estimated or forecast month', parseMonth)
    .addOption(new Option('--field <name>', 'the figure').choices(Object.keys(FIGURES)).default('score'))
    .addOption(outOption())
    .option('--snapshot <dir>', 'directory of the snapshot (default: <out>/current)')
    .option('--json', 'as JSON')
    .addHelpText('after', HELP)
    .action(async (area: string, period: string, options: ExplainOptions) => {
      const { field, out, snapshot = path.join(out, 'current'), json } = options;
      const version = openSnapshot(snapshot);
      const { needs, name, tables, steps: figureSteps } = FIGURES[field];
      if (!Object.hasOwn(version.manifest.files, needs.file)) throw new UsageError(needs.why);
      const lga = await findAreaCode(snapshot, 'lga', area);
      const values = { lga, period, ...fittedScales(version) };
      const steps: Record<string, Row[]> = {};
      const read = (sql: string) =>
        query(sql, { out, snapshot, values }).catch((error) => {
          // A table is missing: the country lacks the data, or the cache no longer has it.
          if (error instanceof UsageError) return [];
          throw error;
        });
      for (const [title, sql] of Object.entries(figureSteps)) steps[title] = await read(sql);
      if (Object.values(steps)[0]!.length === 0) {
        const months = tables.map((table) => `SELECT period FROM ${table}`).join(' UNION ALL ');
        const [span] = await read(`SELECT min(period) AS first, max(period) AS last FROM (${months})`);
        throw new UsageError(
          `found no ${name} of ${lga} in ${period}, expected a month of ${snapshot}, ${span!.first} to ${span!.last}`,
        );
      }
      const clusters = await read('SELECT cluster_id FROM ingest.clusters WHERE lga_code = $lga');
      const ids = new Set(clusters.map(({ cluster_id }) => cluster_id));
      steps['Its rows in the files, by line'] = await fileRows(version, out, FIGURES[field], lga, ids);
      if (json) printLines(JSON.stringify(steps, null, 2));
      else
        for (const [title, rows] of Object.entries(steps)) {
          printLines('', `${title}:`);
          if (rows.length > 0) printRows(rows, {});
          else printLines(`not there, or not in the cache (--out ${out})`);
        }
    });
}

/**
 * The field's range in km, and the standard deviations of the field and of areas; without a spatial fit all are alike.
 */
function fittedScales(snapshot: Snapshot) {
  const { risk } = snapshot.json<{ risk?: RiskEvidence }>('model-card.json');
  const logs = new Map(risk?.spatial?.hyperparameters.map(({ name, mean }) => [name, mean]));
  const scale = (name: string) => Math.exp(logs.get(name) ?? 0);
  const [place, state, area] = [scale('sigma_place'), scale('sigma_state'), scale('sigma_lga')];
  return { range: logs.has('range_km') ? scale('range_km') : Number.POSITIVE_INFINITY, place, state, area };
}

/** Lines with rows of the area, or of its clusters, in the copies of the files that builds keep. */
async function fileRows(
  { manifest }: Snapshot,
  out: string,
  { roles }: Figure,
  lga: string,
  clusters: ReadonlySet<unknown>,
): Promise<Row[]> {
  const rows: Row[] = [];
  for (const source of manifest.sources as Source[]) {
    if (!isTable(source) || !roles.includes(source.role)) continue;
    const copies: Record<string, string> = {};
    for (const file of source.files) copies[file.path] = (await findStoredCopy(out, file.sha256!)) ?? '';
    if (Object.values(copies).includes('')) continue;
    const folder = createLinkFolder(copies);
    try {
      const table = await readTable(folder, source);
      const lines = table.rows
        .filter(({ values }) => values.lga_pcode === lga || clusters.has(values.cluster_id))
        .map(({ line }) => String(line));
      const file = Object.keys(copies).join(' ');
      if (lines.length > 0) rows.push({ source: source.id, file, rows: lines.length, lines: firstFew(lines, 12) });
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
  return rows;
}
