import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { open, rename } from 'node:fs/promises';
import { sha256File } from '../engine/hash.ts';

/** A file of the catalog that can be fetched. */
export interface WantedFile {
  path: string;
  url: string;
  sha256?: string | undefined;
  bytes?: number | undefined;
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

/** Fault of what was sent, not of the connection: trying again would bring the same. */
export class WrongContent extends Error {}

/**
 * Brings a file to `target`, whole and with the hash that is wanted, or not at all; resolves to its bytes.
 * @throws Error that says what the server did
 */
export async function download(file: WantedFile, target: string, options: FetchOptions): Promise<number> {
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
    throw new WrongContent(
      `found SHA-256 ${hash} in what was sent, expected the catalog's ${file.sha256}; nothing kept`,
    );
  }
  if (existsSync(target)) throw new WrongContent('found a file there by now, expected to be the only one to fetch it');
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

/** The server's tag of the version that is being fetched, so that a later part is of the same version. */
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
