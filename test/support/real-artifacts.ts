import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Model } from '../../pipeline/catalog/model.ts';
import type { Sources } from '../../pipeline/catalog/sources.ts';
import { groupCases } from '../../pipeline/ingest/case-series.ts';
import { run as runIngest } from '../../pipeline/ingest/ingest-stage.ts';
import * as ingest from '../../pipeline/ingest/ingest-tables.ts';
import { readAreas } from '../../pipeline/ingest/read-areas.ts';
import { rowByCode } from '../../pipeline/lib/tables/table.ts';
import { REAL_CATALOG, REAL_DATA, REFERENCE } from './real-data.ts';
import { ioOf } from './stage-io.ts';

/**
 * Inputs of the season and transmission stages for the real country: ingest's artifacts, and the reference population.
 */
export async function realArtifacts() {
  const catalog = <T>(file: string) => JSON.parse(readFileSync(path.join(REAL_CATALOG, file), 'utf8')) as T;
  const model = catalog<Model>('model.json');
  const { sources } = catalog<Sources>('sources.json');
  const tables = sources.filter((source) => source.format !== 'geotiff');
  const out = await runIngest(ioOf({}, { sources: tables, rawData: REAL_DATA, model }));
  const io = ioOf(Object.fromEntries(Object.entries(out).map(([name, value]) => [`ingest/${name}`, value])));
  const [, ...rows] = readFileSync(path.join(REFERENCE, 'zonal_by_lga.csv'), 'utf8').trim().split('\n');
  const populations = Object.fromEntries(rows.map((row) => [row.split(',')[0]!, Number(row.split(',')[1])] as const));
  return {
    areas: readAreas(io),
    climate: io.table(ingest.CLIMATE),
    cases: groupCases(io.table(ingest.CASES)),
    census: rowByCode(io.table(ingest.CENSUS), 'lga_code'),
    populations,
    model,
  };
}
