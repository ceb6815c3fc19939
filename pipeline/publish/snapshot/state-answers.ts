import { OPERATIONS } from '../../contract/operations.ts';
import { sha256 } from '../../engine/hash.ts';
import type { Document } from './documents.ts';
import { type Encoded, encode } from './tree.ts';

/** Answers about single states, compressed, by their path in the snapshot: bytes as base64, so that it is plain JSON. */
export type StateAnswers = Record<string, { sha256: string; gzip: string; brotli: string }>;

/** Which operations are asked for one state at a time. */
const BY_STATE = new Set<string>(
  OPERATIONS.filter(({ parameters }) => parameters.includes('state' as never)).map(({ id }) => id),
);

/** Compresses, of a country's or some states' documents, those that are about single states. */
export async function encodeStateAnswers(documents: Iterable<Document>): Promise<StateAnswers> {
  const answers: StateAnswers = {};
  for (const { operation, path, value } of documents) {
    if (!BY_STATE.has(operation)) continue;
    const text = JSON.stringify(value);
    const { gzip, brotli } = await encode(text);
    answers[path] = { sha256: sha256(text), gzip: base64(gzip), brotli: base64(brotli) };
  }
  return answers;
}

/**
 * The compressed forms of an answer if they were made apart.
 * @throws Error where they were made of another text: a state's answers would rest on more than the state
 */
export function encodedApart(answers: StateAnswers, path: string, text: string): Encoded | undefined {
  const answer = answers[path];
  if (!answer) return undefined;
  if (answer.sha256 !== sha256(text)) throw new Error(`${path}: found another text made apart, expected the same`);
  return { gzip: Buffer.from(answer.gzip, 'base64'), brotli: Buffer.from(answer.brotli, 'base64') };
}

const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');
