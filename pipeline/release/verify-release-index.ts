import path from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { ENCODINGS, strongEtag } from '../contract/manifest.ts';
import { RELEASE_OPERATIONS } from '../contract/operations.ts';
import { ReleaseIndex, releaseIndexFile } from '../contract/published.ts';
import { sha256 } from '../lib/hash.ts';
import { compileSchema } from '../lib/json-schema.ts';
import { releaseFilesIn } from './release-files.ts';

/**
 * Faults of the release index beside a snapshot, `OUT/snapshots/VERSION`: checks its files against their hashes and
 * each other, its answers against their schemas, and its versions against those on disk. Empty if there is no index.
 */
export async function releaseIndexFaults(snapshot: string): Promise<string[]> {
  const out = path.resolve(snapshot, '..', '..');
  const files = releaseFilesIn(out);
  const name = releaseIndexFile(path.basename(snapshot));
  const bytes = await files.read(name);
  if (!bytes) return [];
  const faults: string[] = [];
  const index: ReleaseIndex = JSON.parse(bytes.toString());
  const isReleaseIndex = compileSchema(ReleaseIndex);
  if (!isReleaseIndex(index))
    return [`releases/${name}: ${isReleaseIndex.errors![0]!.instancePath} ${isReleaseIndex.errors![0]!.message}`];
  if (index.current !== path.basename(snapshot)) faults.push(`releases/${name}: is the index of ${index.current}`);
  for (const [file, entry] of Object.entries(index.files)) {
    const content = await files.read(file);
    if (!content) faults.push(`releases/${file}: missing`);
    else if (
      sha256(content) !== entry.sha256 ||
      content.length !== entry.bytes ||
      strongEtag(entry.sha256) !== entry.etag
    )
      faults.push(`releases/${file}: differs from its manifest`);
  }
  if (faults.length > 0) return faults;
  const [versions, diff] = RELEASE_OPERATIONS.map(({ response }) => compileSchema(response));
  for (const [address, file] of Object.entries(index.answers)) {
    const text = (await files.read(file))!;
    const isValid = (address.includes('/diff/') ? diff : versions)!;
    const what = !isValid(JSON.parse(text.toString()))
      ? `${isValid.errors![0]!.instancePath} ${isValid.errors![0]!.message}`
      : !gunzipSync((await files.read(file + ENCODINGS.gzip))!).equals(text) ||
          !brotliDecompressSync((await files.read(file + ENCODINGS.br))!).equals(text)
        ? 'a compressed copy has other text'
        : null;
    if (what) faults.push(`releases/${file}: ${what}`);
  }
  for (const { model_version } of index.earlier)
    if (!files.has(model_version)) faults.push(`snapshots/${model_version}: listed as kept, but missing`);
  return faults;
}
