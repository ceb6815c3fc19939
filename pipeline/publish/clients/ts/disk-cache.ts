/** Keeps answers in a folder, over runs. For Node, Deno and Bun. */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { AnswerCache } from './malaria-risk.ts';

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

/** A cache in `folder`, which is made; a file that was damaged there counts as missing. */
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
      const aside = `${fileOf(url)}.${process.pid}`;
      writeFileSync(aside, JSON.stringify({ etag, body, hash: sha256(url + etag + body) }));
      renameSync(aside, fileOf(url));
    },
  };
}
