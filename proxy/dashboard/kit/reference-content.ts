/** What the reference pages show, read from the snapshot that is being served, and cached with it. */
import { hasScores } from '../../../pipeline/contract/products.ts';
import { describeApi, type OpenapiDocument, type Reference } from '../../../pipeline/contract/reference.ts';
import type { Places, Tables } from '../../../pipeline/contract/schemas.ts';
import { readUncompressed, type Snapshot } from '../../snapshot/snapshot.ts';

export interface ReferenceContent extends Reference {
  synthetic: boolean;
  lastEstimated: string;
  showsScores: boolean;
  places: Places;
}

const cache = new WeakMap<Snapshot, Promise<ReferenceContent | null>>();

/** The reference of a snapshot; null if the snapshot is from before snapshots contained a description of the API. */
export function cachedReference(snapshot: Snapshot): Promise<ReferenceContent | null> {
  const reference = cache.get(snapshot) ?? readReference(snapshot);
  cache.set(snapshot, reference);
  reference.catch(() => cache.delete(snapshot));
  return reference;
}

async function readReference(snapshot: Snapshot): Promise<ReferenceContent | null> {
  const openapi = await readAnswer<OpenapiDocument>(snapshot, 'v1/openapi.json');
  const places = await readAnswer<Places>(snapshot, 'v1/places.json');
  if (openapi === null || places === null) return null;
  const tables = (await readAnswer<Tables>(snapshot, 'v1/tables.json'))?.tables ?? [];
  const reference = describeApi(openapi, tables);
  return {
    ...reference,
    synthetic: reference.modelVersion.startsWith('synthetic'),
    lastEstimated: snapshot.coverage.last_estimated,
    showsScores: hasScores(snapshot.coverage),
    places,
  };
}

async function readAnswer<T>({ files }: Snapshot, name: string): Promise<T | null> {
  const bytes = await readUncompressed(files.get(name));
  return bytes && JSON.parse(String(bytes));
}
