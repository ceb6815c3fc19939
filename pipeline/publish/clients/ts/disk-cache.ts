/** Keeps answers in a folder between runs. For Node, Deno and Bun. */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { AnswerCache } from './malaria-risk.ts';

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

/** A cache in `folder`, which is created if need be; a damaged file counts as missing. */
export function diskCache(folder: string): AnswerCache {
  const fileOf = (url: string) => path.join(folder, `${sha256(url).slice(0, 32)}.json`);
  return {
    get(url) {
      try {
        const { etag, body, hash } = JSON.parse(readFileSync(fileOf(url), 'utf8'));
        return hash === sha256(url + etag + body) ? { etag, body } : undefined;
      } catch {
        return undefined;
      }
    },
    set(url, { etag, body }) {
      mkdirSync(folder, { recursive: true });
      const temporary = `${fileOf(url)}.${process.pid}`;
      writeFileSync(temporary, JSON.stringify({ etag, body, hash: sha256(url + etag + body) }));
      renameSync(temporary, fileOf(url));
    },
  };
}
