/**
 * A catalog pins each raw file by its SHA-256: a build uses the files that were accepted, or states that it does not.
 */
import { BadInput } from '../lib/bad-input.ts';
import { quoteForShell } from '../lib/shell.ts';
import type { Country } from './country.ts';
import type { Source } from './sources.ts';

/** A raw file that is not the one its catalog entry pins. */
export interface UnpinnedFile {
  source: string;
  path: string;
  found: string;
  /** The catalog's hash; undefined if it has none. */
  pinned: string | undefined;
}

/** The raw files that differ from their pins or have none, in the catalog's order. */
export function unpinnedFiles(sources: readonly Source[], rawHashes: Readonly<Record<string, string>>): UnpinnedFile[] {
  return sources.flatMap(({ id, files }) =>
    files
      .filter(({ path, sha256 }) => rawHashes[path] !== sha256)
      .map(({ path, sha256 }) => ({ source: id, path, found: rawHashes[path]!, pinned: sha256 })),
  );
}

/** @throws BadInput naming the first file that was not accepted, and the command that accepts it */
export function refuseUnpinned(country: Country, rawHashes: Readonly<Record<string, string>>): void {
  const [first, ...others] = unpinnedFiles(country.sources, rawHashes);
  if (!first) return;
  const othersCount = others.length > 0 ? ` (and ${others.length} more)` : '';
  const found = first.pinned
    ? `a file that differs from its SHA-256 in sources.json${othersCount}`
    : `a file without a SHA-256 in sources.json${othersCount}`;
  throw new BadInput({
    file: first.path,
    found,
    expected: `the file that was accepted (if this is a copy that broke off, copy it again); to accept this one: ${acceptCommand(country, first.source)}`,
  });
}

/** The command that shows and accepts a changed file. */
export function acceptCommand({ directory, rawData }: Pick<Country, 'directory' | 'rawData'>, source: string): string {
  const rawDataOption = rawData === directory ? '' : ` --raw-data ${quoteForShell(rawData)}`;
  return `malaria-risk catalog update ${source} --country ${quoteForShell(directory)}${rawDataOption} --accept REASON`;
}
