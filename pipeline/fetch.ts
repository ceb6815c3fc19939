import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { mkdir, open, realpath, rename } from 'node:fs/promises';
import path from 'node:path';
import type { Source } from './catalog.ts';
import { sha256File } from './engine/hash.ts';

/** A file of the catalog that can be fetched. */
export interface WantedFile {
  path: string;
  url: string;
  sha256?: string | undefined;
  bytes?: number | undefined;
}

export interface FetchOutcome {
  path: string;
  status: 'there already' | 'fetched' | 'failed';
  /** More about it: bytes, or what went wrong. */
  what: string;
}

export interface FetchOptions {
  /** Longest silence of a server before it is given up, milliseconds. */
  silence_ms: number;
  /** How often to begin again after a connection is lost. */
  attempts?: number;
  /** First pause before that, doubled each time, milliseconds. */
  pause_ms?: number;
}

/** Nothing of a country is larger; a server that sends more is not what the catalog means. */
const MOST_BYTES = 50e9;
const MOST_REDIRECTS = 5;

/** The catalog's files with a url, and a line for each source that has to be had in another way. */
export function filesToFetch(sources: readonly Source[], only?: string): { wanted: WantedFile[]; without: string[] } {
  if (only !== undefined && !sources.some(({ id }) => id === only))
    throw new Error(`--only ${only}: found no such source, expected one of ${sources.map(({ id }) => id).join(', ')}`);
  const wanted: WantedFile[] = [];
  const without: string[] = [];
  for (const source of sources.filter(({ id }) => only === undefined || id === only)) {
    source.files.forEach((file, i) => {
      const url = file.url ?? (i === 0 ? source.url : undefined);
      if (url !== undefined) wanted.push({ path: file.path, url, sha256: file.sha256, bytes: file.bytes });
    });
    if (source.url === undefined && source.files.every(({ url }) => url === undefined))
      without.push(`${source.id}: no url in the catalog; ${source.access ?? `ask ${source.producer}`}`);
  }
  return { wanted, without };
}

/**
 * Brings one file to its place below `rawData`: whole and with the catalog's SHA-256, or not at all. What was fetched
 * before a connection was lost is kept beside it and continued, also by a later run.
 */
export async function fetchFile(file: WantedFile, rawData: string, options: FetchOptions): Promise<FetchOutcome> {
  try {
    const target = await placeOf(file, rawData);
    if (existsSync(target)) {
      if (file.sha256 === undefined || (await sha256File(target)) === file.sha256)
        return {
          path: file.path,
          status: 'there already',
          what: file.sha256 ? 'as catalogued' : 'its SHA-256 is not in the catalog',
        };
      return failed(file, 'another file is there than the catalog knows; move it away to fetch the catalogued one');
    }
    const bytes = await download(file, target, options);
    return { path: file.path, status: 'fetched', what: `${bytes} bytes` };
  } catch (error) {
    return failed(file, (error as Error).message);
  }
}

const failed = ({ path: name }: WantedFile, what: string): FetchOutcome => ({ path: name, status: 'failed', what });

/** The file's place, its folder made. @throws Error where it would lie outside `rawData`, through a link too */
async function placeOf(file: WantedFile, rawData: string): Promise<string> {
  await mkdir(rawData, { recursive: true });
  const root = await realpath(rawData);
  const target = path.resolve(root, file.path);
  const folder = path.dirname(target);
  const inside = (place: string) => place === root || place.startsWith(root + path.sep);
  let known = folder;
  while (!existsSync(known)) known = path.dirname(known);
  if (!inside(target) || target === root || !inside(await realpath(known)))
    throw new Error(`found a path that leaves ${rawData}, expected one inside it`);
  await mkdir(folder, { recursive: true });
  return target;
}

/** Fault of what was sent, not of the connection: trying again would bring the same. */
class WrongContent extends Error {}

async function download(file: WantedFile, target: string, options: FetchOptions): Promise<number> {
  const part = `${target}.part`;
  const attempts = options.attempts ?? 4;
  for (let attempt = 1; ; attempt++) {
    const before = sizeOf(part);
    try {
      await receive(file, part, options);
      break;
    } catch (error) {
      if (error instanceof WrongContent) {
        discard(part);
        throw error;
      }
      const progressed = sizeOf(part) > before;
      if (progressed) attempt = 0;
      else if (attempt >= attempts) throw error;
      await new Promise((resolve) => setTimeout(resolve, (options.pause_ms ?? 500) * 2 ** Math.max(0, attempt - 1)));
    }
  }
  const bytes = sizeOf(part);
  const hash = await sha256File(part);
  if (file.sha256 !== undefined && hash !== file.sha256) {
    discard(part);
    throw new Error(`found SHA-256 ${hash} in what was sent, expected the catalog's ${file.sha256}; nothing kept`);
  }
  if (existsSync(target)) throw new Error('found a file there by now, expected to be the only one to fetch it');
  await rename(part, target);
  discard(part);
  return bytes;
}

/** One connection: appends to `part` what it lacks. Returns when it is whole. */
async function receive(file: WantedFile, part: string, { silence_ms }: FetchOptions): Promise<void> {
  const tag = readTag(part);
  // Without a name for the version or a hash to check by, two versions could end up in one file.
  if (tag === null && file.sha256 === undefined) discard(part);
  const have = sizeOf(part);
  const controller = new AbortController();
  let silence = setTimeout(() => controller.abort(), silence_ms);
  const heard = () => {
    clearTimeout(silence);
    silence = setTimeout(() => controller.abort(), silence_ms);
  };
  try {
    const resume: Record<string, string> = have === 0 ? {} : { range: `bytes=${have}-` };
    if (have > 0 && tag !== null) resume['if-range'] = tag;
    const response = await request(file.url, { ...resume, 'accept-encoding': 'identity' }, controller.signal);
    heard();
    if (response.status === 416 || (have > 0 && file.bytes !== undefined && have > file.bytes)) {
      await response.body?.cancel();
      const whole = file.sha256 !== undefined && have > 0 && (await sha256File(part)) === file.sha256;
      if (whole) return;
      discard(part);
      throw new Error('the server has nothing after what was fetched before; that was thrown away');
    }
    if (response.status >= 400 && response.status < 500 && ![408, 425, 429].includes(response.status))
      throw new WrongContent(`the server answered ${response.status}, expected the file (${file.url})`);
    if (response.status !== 200 && response.status !== 206)
      throw new Error(`the server answered ${response.status}, expected the file (${file.url})`);
    const encoding = response.headers.get('content-encoding') ?? 'identity';
    if (encoding !== 'identity') throw new WrongContent(`the server sent it in ${encoding}, expected it as it is`);
    const start = response.status === 206 ? rangeStart(response, have) : 0;
    if (start !== have) discard(part);
    const length = response.headers.get('content-length');
    const whole = length === null ? file.bytes : start + Number(length);
    if (whole !== undefined && file.bytes !== undefined && whole !== file.bytes) {
      throw new WrongContent(`the server has ${whole} bytes, expected the catalog's ${file.bytes}`);
    }
    keepTag(part, response.headers.get('etag') || response.headers.get('last-modified') || null);
    await append(response, part, whole ?? MOST_BYTES, heard);
    const got = sizeOf(part);
    if (whole !== undefined && got < whole) throw new Error(`the connection ended after ${got} of ${whole} bytes`);
  } catch (error) {
    if (controller.signal.aborted)
      throw new Error(`the server was silent for ${silence_ms / 1000} s after ${sizeOf(part)} bytes`);
    if (error instanceof TypeError)
      throw new Error(`no connection (${(error.cause as Error | undefined)?.message ?? error.message})`);
    throw error;
  } finally {
    clearTimeout(silence);
    controller.abort();
  }
}

/** GET that follows redirects itself, so that each address is looked at. */
async function request(url: string, headers: Record<string, string>, signal: AbortSignal): Promise<Response> {
  let address = httpAddress(url);
  for (let hop = 0; hop <= MOST_REDIRECTS; hop++) {
    const response = await fetch(address, { headers, signal, redirect: 'manual' });
    if (![301, 302, 303, 307, 308].includes(response.status)) return response;
    await response.body?.cancel();
    const next = response.headers.get('location');
    if (next === null) throw new WrongContent(`the server answered ${response.status} without saying where to go`);
    const to = httpAddress(new URL(next, address).href);
    if (address.protocol === 'https:' && to.protocol !== 'https:')
      throw new WrongContent(`redirected from https to ${to.protocol.slice(0, -1)}, expected https to stay`);
    address = to;
  }
  throw new WrongContent(`more than ${MOST_REDIRECTS} redirects`);
}

function httpAddress(url: string): URL {
  const address = URL.parse(url);
  if (!address || (address.protocol !== 'http:' && address.protocol !== 'https:'))
    throw new WrongContent(`found the address ${url}, expected http or https`);
  return address;
}

function rangeStart(response: Response, have: number): number {
  const start = /^bytes (\d+)-/.exec(response.headers.get('content-range') ?? '')?.[1];
  if (start === undefined || Number(start) !== have)
    throw new WrongContent(
      `the server sent ${response.headers.get('content-range') ?? 'no range'}, expected bytes ${have}-`,
    );
  return have;
}

async function append(response: Response, part: string, most: number, heard: () => void): Promise<void> {
  const handle = await open(part, 'a');
  try {
    let size = (await handle.stat()).size;
    for await (const chunk of response.body ?? []) {
      heard();
      size += chunk.length;
      if (size > most) throw new WrongContent(`the server sent more than ${most} bytes`);
      await handle.write(chunk);
    }
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** What the server called the version that is being fetched, so that a later part is of the same. */
const tagOf = (part: string) => `${part}.tag`;
const keepTag = (part: string, tag: string | null) => {
  if (tag === null || tag.startsWith('W/')) rmSync(tagOf(part), { force: true });
  else writeFileSync(tagOf(part), tag);
};
const readTag = (part: string) => (existsSync(tagOf(part)) ? readFileSync(tagOf(part), 'utf8') : null);
const sizeOf = (file: string) => (existsSync(file) ? statSync(file).size : 0);
function discard(part: string): void {
  rmSync(part, { force: true });
  rmSync(tagOf(part), { force: true });
}
