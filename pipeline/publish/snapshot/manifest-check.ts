import type { Source } from '../../catalog/sources.ts';
import type { Manifest } from '../../contract/manifest.ts';
import { hashCacheKey } from '../../engine/cache-key.ts';
import { sha256Json } from '../../lib/hash.ts';

/**
 * Inconsistencies within a manifest: each stage's key must be the hash of its record, its inputs must be the outputs of
 * earlier stages or raw files of the sources, and the version must match all keys.
 */
export function manifestFaults(manifest: Manifest): string[] {
  const { stages, runtime, model_version } = manifest;
  const faults: string[] = [];
  if (stages.length === 0) faults.push('manifest.json: lists no stages');
  const hashes = new Map<string, string>();
  for (const { path, sha256 } of (manifest.sources as Source[]).flatMap(({ files }) => files))
    hashes.set(`raw ${path}`, sha256!);
  for (const { stage, key, inputs, code, parameters, outputs } of stages) {
    if (key !== hashCacheKey({ stage, inputs, code, parameters, runtime }))
      faults.push(`manifest.json, ${stage}: its key is not the hash of its inputs, code and parameters`);
    for (const [name, hash] of Object.entries(inputs))
      if (!name.startsWith('catalog ') && hashes.get(name) !== hash)
        faults.push(`manifest.json, ${stage}: ${name} differs from the recorded file`);
    for (const [name, hash] of Object.entries(outputs)) hashes.set(`${stage}/${name}`, hash);
  }
  const keys = Object.fromEntries(stages.map(({ stage, key }) => [stage, key]));
  if (!model_version.endsWith(`-${versionSuffix(keys, manifest)}`))
    faults.push(`manifest.json: ${model_version} does not match the stages' keys and updated_at`);
  return faults;
}

/**
 * Last part of a model version: 8 hex digits of the hash of all stages' keys, `updated_at`, `code_version` and
 * `unpublishable`.
 */
export function versionSuffix(
  keys: Record<string, string>,
  { updated_at, code_version, unpublishable }: Pick<Manifest, 'updated_at' | 'code_version' | 'unpublishable'>,
): string {
  return sha256Json({ keys, updated_at, code_version, unpublishable }).slice(0, 8);
}
