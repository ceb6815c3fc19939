import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Areas, Cases, Census, Climate } from '../../pipeline/artifacts.ts';
import type { Model } from '../../pipeline/catalog/model.ts';
import type { Sources } from '../../pipeline/catalog/sources.ts';
import { run as ingest } from '../../pipeline/ingest/stage.ts';
import { REAL_CATALOG, REAL_DATA, REFERENCE } from './real-data.ts';

/** What the season and transmission stages read of the real country: ingest's own artifacts, and the reference's population. */
export async function realArtifacts() {
  const catalog = <T>(file: string) => JSON.parse(readFileSync(path.join(REAL_CATALOG, file), 'utf8')) as T;
  const model = catalog<Model>('model.json');
  const { sources } = catalog<Sources>('sources.json');
  const out = await ingest({
    artifact: () => {
      throw new Error('ingest reads no artifact');
    },
    sources: sources.filter((source) => source.format !== 'geotiff'),
    rawData: REAL_DATA,
    model,
    progress: () => {},
  });
  const [, ...rows] = readFileSync(path.join(REFERENCE, 'zonal_by_lga.csv'), 'utf8').trim().split('\n');
  const populations = Object.fromEntries(rows.map((row) => [row.split(',')[0]!, Number(row.split(',')[1])] as const));
  return {
    areas: out.areas as Areas,
    climate: out.climate as Climate,
    cases: out.cases as Cases,
    census: out.census as Census,
    populations,
    model,
  };
}
