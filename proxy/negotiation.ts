import { ENCODINGS, type Encoding } from '../pipeline/contract/manifest.ts';
import { remember } from './memory.ts';

export type Coding = Encoding | 'identity';

/** In order of preference where a client likes several equally: smallest first. */
const CODINGS: readonly Coding[] = [...(Object.keys(ENCODINGS) as Encoding[]), 'identity'];

/**
 * The coding to answer in (RFC 9110, 12.5.3): the highest q among those offered, the smaller on a tie. A client that
 * refuses every coding kept gets `identity` all the same, as the RFC lets a server do, rather than an error.
 */
export function chooseCoding(acceptEncoding: string | undefined): Coding {
  return acceptEncoding === undefined ? 'identity' : codingFor(acceptEncoding);
}

const codingFor = remember(1000, (acceptEncoding): Coding => {
  const weights = new Map<string, number>();
  for (const item of acceptEncoding.split(',')) {
    const [name = '', ...parameters] = item.split(';').map((part) => part.trim().toLowerCase());
    const q = parameters.find((parameter) => /^q\s*=/.test(parameter));
    const weight = q === undefined ? 1 : Number(/^q\s*=\s*(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.exec(q)?.[1] ?? 0);
    if (name !== '') weights.set(name === 'x-gzip' ? 'gzip' : name, weight);
  }
  const any = weights.get('*');
  let best: { coding: Coding; weight: number } = { coding: 'identity', weight: 0 };
  for (const coding of CODINGS) {
    // Identity unmentioned is acceptable, but only where nothing named is.
    const weight = weights.get(coding) ?? any ?? (coding === 'identity' ? 0.0001 : 0);
    if (weight > best.weight) best = { coding, weight };
  }
  return best.coding;
});

/** A list of entity tags, empty elements allowed. Anchored, and no part can match what another does: linear. */
const ETAGS = /^[ \t,]*(?:W\/)?"[^"]*"(?:[ \t]*,[ \t,]*(?:W\/)?"[^"]*")*[ \t,]*$/;

/** Whether If-None-Match names `etag` (RFC 9110, 13.1.2: a list or `*`, compared weakly). What is no such list names nothing. */
export function matchesEtag(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch.trim() === '*') return true;
  if (!ETAGS.test(ifNoneMatch)) return false;
  return ifNoneMatch.match(/"[^"]*"/g)!.includes(etag);
}
