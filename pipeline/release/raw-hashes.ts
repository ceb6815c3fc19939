import type { Country } from '../catalog/country.ts';
import { refuseCoverageFiles } from '../catalog/covariate-rules.ts';
import { refuseUnpinned } from '../catalog/pins.ts';
import { hashFiles } from '../engine/raw-files.ts';

/**
 * SHA-256 of the country's raw files, by path.
 * @throws BadInput if a file differs from the catalog's pin, unless `unpinned`
 */
export async function hashRawFiles(country: Country, unpinned = false): Promise<Record<string, string>> {
  const files = country.sources.flatMap((source) => source.files.map(({ path }) => path));
  const hashes = await hashFiles(country.rawData, files);
  if (!unpinned) refuseUnpinned(country, hashes);
  refuseCoverageFiles(country.sources, hashes);
  return hashes;
}
