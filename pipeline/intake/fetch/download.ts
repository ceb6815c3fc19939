import { lookup } from 'node:dns/promises';
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { open, rename } from 'node:fs/promises';
import ipaddr from 'ipaddr.js';
import { sha256File } from '../../lib/hash.ts';

/** A file of the catalog with a url. */
export interface RemoteFile {
  path: string;
  url: string;
  sha256?: string | undefined;
  bytes?: number | undefined;
}

export interface FetchOptions {
  /** How long a server may be silent before the attempt ends, milliseconds. */
  silence_ms?: number;
  /** Maximum number of attempts in a row that receive nothing. */
  attempts?: number;
  /** Pause before the first retry, doubled each time, milliseconds. */
  pause_ms?: number;
}

const SILENCE_MS = 30_000;
/** No raw file is larger; a server that sends more is not the one that the catalog means. */
const MAX_BYTES = 50e9;
const MAX_REDIRECTS = 5;

/** The content that was sent is wrong, not the connection: another attempt would fail too. */
export class WrongContent extends Error {}

/**
 * Downloads a file to `target`, complete and with the expected hash, or not at all; resolves to its size in bytes.
 * @throws Error that describes what the server did
 */
export async function download(file: RemoteFile, target: string, options: FetchOptions): Promise<number> {
  const part = `${target}.part`;
  const attempts = options.attempts ?? 4;
  for (let attempt = 1; ; attempt++) {
    const bytesBefore = fileBytes(part);
    try {
      await receive(file, part, options);
      break;
    } catch (error) {
      if (error instanceof WrongContent) {
        discardPart(part);
        throw error;
      }
      const hasProgressed = fileBytes(part) > bytesBefore;
      if (hasProgressed) attempt = 0;
      else if (attempt >= attempts) throw error;
      await new Promise((resolve) => setTimeout(resolve, (options.pause_ms ?? 500) * 2 ** Math.max(0, attempt - 1)));
    }
  }
  const bytes = fileBytes(part);
  const hash = await sha256File(part);
  if (file.sha256 !== undefined && hash !== file.sha256) {
    discardPart(part);
    throw new WrongContent(
      `found SHA-256 ${hash} in what was sent, expected the catalog's ${file.sha256}; nothing was kept`,
    );
  }
  if (existsSync(target))
    throw new WrongContent('found that something else has written the file meanwhile, expected only one fetch of it');
  await rename(part, target);
  discardPart(part);
  return bytes;
}

/** Appends the missing bytes to the file `part`, over one connection. Returns when it is complete. */
async function receive(file: RemoteFile, part: string, { silence_ms = SILENCE_MS }: FetchOptions): Promise<void> {
  const tag = readTag(part);
  // Without a tag or a hash to tell versions apart, two of them could end up in one file.
  if (tag === null && file.sha256 === undefined) discardPart(part);
  const receivedBytes = fileBytes(part);
  const controller = new AbortController();
  let silenceTimer = setTimeout(() => controller.abort(), silence_ms);
  const restartTimer = () => {
    clearTimeout(silenceTimer);
    silenceTimer = setTimeout(() => controller.abort(), silence_ms);
  };
  try {
    const rangeHeaders: Record<string, string> = receivedBytes === 0 ? {} : { range: `bytes=${receivedBytes}-` };
    if (receivedBytes > 0 && tag !== null) rangeHeaders['if-range'] = tag;
    const response = await requestFile(file.url, { ...rangeHeaders, 'accept-encoding': 'identity' }, controller.signal);
    restartTimer();
    if (response.status === 416 || (receivedBytes > 0 && file.bytes !== undefined && receivedBytes > file.bytes)) {
      await response.body?.cancel();
      const isComplete = file.sha256 !== undefined && receivedBytes > 0 && (await sha256File(part)) === file.sha256;
      if (isComplete) return;
      discardPart(part);
      throw new Error('the server has nothing beyond the part that was fetched before, which was discarded');
    }
    if (response.status >= 400 && response.status < 500 && ![408, 425, 429].includes(response.status))
      throw new WrongContent(`the server answered ${response.status}, expected the file (${file.url})`);
    if (response.status !== 200 && response.status !== 206)
      throw new Error(`the server answered ${response.status}, expected the file (${file.url})`);
    const encoding = response.headers.get('content-encoding') ?? 'identity';
    if (encoding !== 'identity') throw new WrongContent(`the server sent it in ${encoding}, expected no encoding`);
    const start = response.status === 206 ? rangeStart(response, receivedBytes) : 0;
    if (start !== receivedBytes) discardPart(part);
    const length = response.headers.get('content-length');
    const total = length === null ? file.bytes : start + Number(length);
    if (total !== undefined && file.bytes !== undefined && total !== file.bytes)
      throw new WrongContent(`the server has ${total} bytes, expected the catalog's ${file.bytes}`);
    writeTag(part, response.headers.get('etag') || response.headers.get('last-modified') || null);
    await appendBody(response, part, total ?? MAX_BYTES, restartTimer);
    const receivedTotal = fileBytes(part);
    if (total !== undefined && receivedTotal < total)
      throw new Error(`the connection ended after ${receivedTotal} of ${total} bytes`);
  } catch (error) {
    if (controller.signal.aborted)
      throw new Error(`the server was silent for ${silence_ms / 1000} s after ${fileBytes(part)} bytes`);
    if (error instanceof TypeError)
      throw new Error(`no connection (${(error.cause as Error | undefined)?.message ?? error.message})`);
    throw error;
  } finally {
    clearTimeout(silenceTimer);
    controller.abort();
  }
}

/** GET that follows redirects itself, so that each address is checked. */
async function requestFile(url: string, headers: Record<string, string>, signal: AbortSignal): Promise<Response> {
  let address = httpAddress(url);
  const firstKinds = await addressKinds(address);
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    const response = await fetch(address, { headers, signal, redirect: 'manual' });
    if (![301, 302, 303, 307, 308].includes(response.status)) return response;
    await response.body?.cancel();
    const location = response.headers.get('location');
    if (location === null) throw new WrongContent(`the server answered ${response.status} without a Location header`);
    const nextAddress = httpAddress(new URL(location, address).href);
    if (address.protocol === 'https:' && nextAddress.protocol !== 'https:')
      throw new WrongContent(
        `redirected from https to ${nextAddress.protocol.slice(0, -1)}, expected https throughout`,
      );
    const otherKind = (await addressKinds(nextAddress)).find((kind) => kind !== PUBLIC && !firstKinds.includes(kind));
    if (otherKind !== undefined)
      throw new WrongContent(`redirected to a ${otherKind} address (${nextAddress.host}), expected a public one`);
    address = nextAddress;
  }
  throw new WrongContent(`more than ${MAX_REDIRECTS} redirects`);
}

const PUBLIC = 'unicast';

/** Kinds of the addresses of a host: `unicast` for public ones, else such as `private`, `loopback` or `linkLocal`. */
async function addressKinds({ hostname }: URL): Promise<string[]> {
  // If the name cannot be resolved, neither can it be fetched.
  const addresses = await lookup(hostname.replaceAll(/[[\]]/g, ''), { all: true }).catch(() => []);
  return addresses.map(({ address }) => ipaddr.process(address).range());
}

function httpAddress(url: string): URL {
  const address = URL.parse(url);
  if (!address || (address.protocol !== 'http:' && address.protocol !== 'https:'))
    throw new WrongContent(`found the address ${url}, expected http or https`);
  return address;
}

function rangeStart(response: Response, receivedBytes: number): number {
  const start = /^bytes (\d+)-/.exec(response.headers.get('content-range') ?? '')?.[1];
  if (start === undefined || Number(start) !== receivedBytes)
    throw new WrongContent(
      `the server sent ${response.headers.get('content-range') ?? 'no range'}, expected bytes ${receivedBytes}-`,
    );
  return receivedBytes;
}

async function appendBody(response: Response, part: string, maxBytes: number, restartTimer: () => void): Promise<void> {
  const handle = await open(part, 'a');
  try {
    let size = (await handle.stat()).size;
    for await (const chunk of response.body ?? []) {
      restartTimer();
      size += chunk.length;
      if (size > maxBytes) throw new WrongContent(`the server sent more than ${maxBytes} bytes`);
      await handle.write(chunk);
    }
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** File with the server's tag of the version that is fetched, so that a resumed download continues the same version. */
const tagFile = (part: string) => `${part}.tag`;
const writeTag = (part: string, tag: string | null) => {
  if (tag === null || tag.startsWith('W/')) rmSync(tagFile(part), { force: true });
  else writeFileSync(tagFile(part), tag);
};
const readTag = (part: string) => (existsSync(tagFile(part)) ? readFileSync(tagFile(part), 'utf8') : null);
const fileBytes = (file: string) => (existsSync(file) ? statSync(file).size : 0);
function discardPart(part: string): void {
  rmSync(part, { force: true });
  rmSync(tagFile(part), { force: true });
}
