import path from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { ENCODINGS, etagOf } from '../../contract/manifest.ts';
import { RELEASE_OPERATIONS } from '../../contract/operations.ts';
import { FEED, Told, toldOf } from '../../contract/published.ts';
import { sha256 } from '../../engine/hash.ts';
import { validatorOf } from '../../json-schema.ts';
import { toldIn } from './told-in.ts';

/**
 * What is wrong with what is told of versions beside a snapshot, `OUT/snapshots/VERSION`: its files against their hashes
 * and each other, its answers against their schemas, the versions against what is there. Nothing where nothing is told.
 */
export async function toldFaults(snapshot: string): Promise<string[]> {
  const out = path.resolve(snapshot, '..', '..');
  const place = toldIn(out);
  const name = toldOf(path.basename(snapshot));
  const bytes = await place.read(name);
  if (!bytes) return [];
  const faults: string[] = [];
  const told: Told = JSON.parse(bytes.toString());
  const isTold = validatorOf(Told);
  if (!isTold(told)) return [`releases/${name}: ${isTold.errors![0]!.instancePath} ${isTold.errors![0]!.message}`];
  if (told.current !== path.basename(snapshot)) faults.push(`releases/${name}: told of ${told.current}`);
  for (const [file, entry] of Object.entries(told.files)) {
    const found = await place.read(file);
    if (!found) faults.push(`releases/${file}: missing`);
    else if (sha256(found) !== entry.sha256 || found.length !== entry.bytes || etagOf(entry.sha256) !== entry.etag)
      faults.push(`releases/${file}: not what its manifest says`);
  }
  if (faults.length > 0) return faults;
  const [versions, diff] = RELEASE_OPERATIONS.map(({ response }) => validatorOf(response));
  for (const [address, file] of Object.entries(told.answers)) {
    const text = (await place.read(file))!;
    if (address === FEED) continue;
    const isValid = (address.includes('/diff/') ? diff : versions)!;
    const what = !isValid(JSON.parse(text.toString()))
      ? `${isValid.errors![0]!.instancePath} ${isValid.errors![0]!.message}`
      : !gunzipSync((await place.read(file + ENCODINGS.gzip))!).equals(text) ||
          !brotliDecompressSync((await place.read(file + ENCODINGS.br))!).equals(text)
        ? 'a compressed copy holds other text'
        : null;
    if (what) faults.push(`releases/${file}: ${what}`);
  }
  for (const { model_version } of told.earlier)
    if (!place.has(model_version)) faults.push(`snapshots/${model_version}: told of as kept, and not there`);
  return faults;
}
