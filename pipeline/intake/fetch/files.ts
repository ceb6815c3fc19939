import { existsSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import path from 'node:path';
import type { Source } from '../../catalog/sources.ts';
import { UsageError } from '../../lib/errors.ts';
import { sha256File } from '../../lib/hash.ts';
import { makeDirectory } from '../../lib/make-directory.ts';
import { download, type FetchOptions, type RemoteFile, WrongContent } from './download.ts';

export interface FetchOutcome {
  path: string;
  status: 'there already' | 'fetched' | 'failed';
  /** More about it: bytes, or what went wrong. */
  what: string;
  /** After a failure: whether a later try may succeed. */
  try_again?: boolean;
}

/** The catalog's files with a url, and a line for each source that must be obtained in another way. */
export function filesToFetch(sources: readonly Source[], only?: string) {
  if (only !== undefined && !sources.some(({ id }) => id === only))
    throw new UsageError(
      `--only ${only}: found no such source, expected one of ${sources.map(({ id }) => id).join(', ')}`,
    );
  const fetchable: RemoteFile[] = [];
  const unavailable: string[] = [];
  for (const source of sources.filter(({ id }) => only === undefined || id === only)) {
    for (const { path: file, url, sha256, bytes } of source.files)
      if (url !== undefined) fetchable.push({ path: file, url, sha256, bytes });
    if (source.files.every(({ url }) => url === undefined))
      unavailable.push(`${source.id}: no url in the catalog; ${source.access ?? `ask ${source.producer}`}`);
  }
  return { fetchable, unavailable };
}

/**
 * Downloads one file to its path below `rawData`: complete and with the catalog's SHA-256, or not at all. If the
 * connection is lost, the part received so far is kept beside it, and a later attempt or run continues from there.
 */
export async function fetchFile(file: RemoteFile, rawData: string, options: FetchOptions = {}): Promise<FetchOutcome> {
  try {
    const target = await chooseTarget(file, rawData);
    if (existsSync(target)) {
      if (file.sha256 === undefined || (await sha256File(target)) === file.sha256)
        return {
          path: file.path,
          status: 'there already',
          what: file.sha256 ? 'as catalogued' : 'its SHA-256 is not in the catalog',
        };
      return failure(file, "found a file that differs from the catalog's; move it away to fetch the catalog's");
    }
    const bytes = await download(file, target, options);
    return { path: file.path, status: 'fetched', what: `${bytes} bytes` };
  } catch (error) {
    return { ...failure(file, (error as Error).message), try_again: !(error instanceof WrongContent) };
  }
}

const failure = ({ path: name }: RemoteFile, what: string): FetchOutcome => ({
  path: name,
  status: 'failed',
  what,
});

/** The file's path, in a folder that exists. @throws WrongContent if it leaves `rawData`, also through a link */
async function chooseTarget(file: RemoteFile, rawData: string): Promise<string> {
  makeDirectory(rawData);
  const root = await realpath(rawData);
  const target = path.resolve(root, file.path);
  const folder = path.dirname(target);
  const isInside = (name: string) => name === root || name.startsWith(root + path.sep);
  let existingFolder = folder;
  while (!existsSync(existingFolder)) existingFolder = path.dirname(existingFolder);
  if (!isInside(target) || target === root || !isInside(await realpath(existingFolder)))
    throw new WrongContent(`found a path that leaves ${rawData}, expected one inside it`);
  makeDirectory(folder);
  return target;
}
