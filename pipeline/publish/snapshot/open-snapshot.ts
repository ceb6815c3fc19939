import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Manifest } from '../../contract/manifest.ts';
import { type FileParameters, filePath, OPERATIONS, type OperationId } from '../../contract/operations.ts';
import { DAMAGED_ADVICE } from '../../contract/published.ts';
import { refuseBuildFolder } from '../../lib/build-folder.ts';
import { UsageError } from '../../lib/errors.ts';
import { parseStored } from '../../lib/stored-json.ts';

/** A snapshot whose answers are read one by one on request. */
export interface Snapshot {
  directory: string;
  manifest: Manifest;
  /**
   * Content of one answer.
   * @throws UsageError if the snapshot has none for these values
   */
  answer<T>(id: OperationId, values: FileParameters): T;
  /** Content of a JSON file that is not an answer. */
  json<T>(name: 'model-card.json' | 'findings.json'): T;
}

/** @throws UsageError if there is no snapshot */
export function openSnapshot(directory: string): Snapshot {
  refuseBuildFolder(directory);
  if (!existsSync(directory))
    throw new UsageError(
      `${directory}: found no such folder, expected that of a version, such as build/snapshots/VERSION`,
    );
  if (!existsSync(path.join(directory, 'manifest.json')))
    throw new UsageError(
      `${directory}: found no manifest.json, expected a snapshot; build one with \`malaria-risk build --publish\``,
    );
  const read = <Content>(name: string): Content => {
    const file = path.join(directory, name);
    return parseStored(readFileSync(file), file, DAMAGED_ADVICE);
  };
  const manifest = read<Manifest>('manifest.json');
  return {
    directory,
    manifest,
    answer(id, values) {
      const name = filePath(OPERATIONS.find((operation) => operation.id === id)!, values);
      if (Object.hasOwn(manifest.files, name)) return read(name);
      if (id.startsWith('transmission-') && !manifest.coverage.transmission)
        throw new UsageError(`${manifest.model_version} has no ${name}: it has no transmission model.`);
      throw new UsageError(`${directory}: found no ${name}, expected an area and a month that it covers`);
    },
    json: read,
  };
}
