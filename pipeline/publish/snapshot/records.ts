import type { Source } from '../../catalog/sources.ts';
import type { Manifest } from '../../contract/manifest.ts';
import { keyOf } from '../../engine/cache-key.ts';
import { sha256Json } from '../../engine/hash.ts';

/**
 * Whether a manifest's account of itself holds together: each stage's key is the hash of what is recorded of the stage,
 * stages read what the stages before them handed on, raw files are those of the sources, and the version carries it all.
 */
export function recordFaults(manifest: Manifest): string[] {
  const { stages, lock_file: lock, runtime = '', model_version } = manifest;
  const faults: string[] = [];
  if (stages.length === 0) faults.push('manifest.json: lists no stages');
  const known = new Map<string, string>();
  for (const { path, sha256 } of (manifest.sources as Source[]).flatMap(({ files }) => files))
    known.set(`raw ${path}`, sha256!);
  for (const { stage, key, inputs, code, packages, parameters, outputs } of stages) {
    if (key !== keyOf({ stage, inputs, code, packages, lock, parameters, runtime }))
      faults.push(`manifest.json, ${stage}: its key is not the hash of its inputs, code, packages and parameters`);
    for (const [name, hash] of Object.entries(inputs))
      if (!name.startsWith('catalog ') && known.get(name) !== hash)
        faults.push(`manifest.json, ${stage}: ${name} is not the one that was handed on`);
    for (const [name, hash] of Object.entries(outputs)) known.set(`${stage}/${name}`, hash);
  }
  const keys = Object.fromEntries(stages.map(({ stage, key }) => [stage, key]));
  if (!model_version.endsWith(`-${versionSuffix(keys, manifest)}`))
    faults.push(`manifest.json: ${model_version} is not the version of its stages' keys and updated_at`);
  return faults;
}

/**
 * Last part of a model version: 8 hex digits of all stages' keys, of `updated_at` and of the rest of what the manifest
 * says of itself. (Older snapshots say neither of the last two.)
 */
export function versionSuffix(
  keys: Record<string, string>,
  { updated_at, code_version, unpublishable }: Pick<Manifest, 'updated_at' | 'code_version' | 'unpublishable'>,
): string {
  return sha256Json({ keys, updated_at, code_version, unpublishable }).slice(0, 8);
}
