import path from 'node:path';
import type { CacheKey } from './cache-key.ts';
import { LOCK_FILE } from './code.ts';
import { changedRows } from './raw-files.ts';

/** Where to find details that a hash alone does not show. */
export interface Directories {
  cache: string;
  rawData: string;
}

/** What differs between a cache key and that of the latest build, in words: one cause a line. */
export function explainRun(now: CacheKey, then: CacheKey | null, directories: Directories): string[] {
  if (!then) return ['never run here'];
  const causes = [
    ...differences(now.inputs, then.inputs).flatMap((name) => inputCauses(name, now, then, directories)),
    ...differences(now.code, then.code).map((file) => codeCause(file, change(then.code[file], now.code[file]))),
    ...valueChanges(then.parameters, now.parameters).map((text) => `model.json, ${text}`),
  ];
  if (now.runtime !== then.runtime) causes.push(`runs on ${now.runtime}, ran on ${then.runtime}`);
  return causes.length > 0 ? causes : ['its results are no longer in the cache, or were changed there'];
}

function inputCauses(name: string, now: CacheKey, then: CacheKey, { cache, rawData }: Directories): string[] {
  const [hashNow, hashThen] = [now.inputs[name], then.inputs[name]];
  if (name.startsWith('raw ')) {
    const file = name.slice('raw '.length);
    const rows = hashNow && hashThen ? changedRows(cache, path.join(rawData, file), hashThen) : null;
    return [`${file} ${change(hashThen, hashNow)}${rows ? `: ${rows}` : ''}`];
  }
  if (name.startsWith('catalog ')) {
    const id = name.slice('catalog '.length);
    if (hashNow && hashThen)
      return valueChanges(then.catalog[id], now.catalog[id]).map((text) => `sources.json, ${id}: ${text}`);
    return [`sources.json, ${id} ${change(hashThen, hashNow)}`];
  }
  return [`${name} ${change(hashThen, hashNow)}`];
}

const codeCause = (file: string, what: string) =>
  file === LOCK_FILE ? `the lock file ${what}` : `code ${file} ${what}`;

const change = (then: unknown, now: unknown) =>
  then === undefined ? 'is new' : now === undefined ? 'is no longer read' : 'changed';

/** The names whose values differ. */
export function differences(now: Record<string, string>, then: Record<string, string>): string[] {
  return [...new Set([...Object.keys(now), ...Object.keys(then)])].filter((name) => now[name] !== then[name]).sort();
}

/** Where two JSON values differ, each as `path: was …, is …`; the entire list if its length differs. */
export function valueChanges(then: unknown, now: unknown, place = ''): string[] {
  if (JSON.stringify(then) === JSON.stringify(now)) return [];
  const bothLists = Array.isArray(then) && Array.isArray(now) && then.length === now.length;
  const bothObjects = isObject(then) && isObject(now) && !Array.isArray(then) && !Array.isArray(now);
  if (!bothLists && !bothObjects) {
    const from = commonStart(JSON.stringify(then), JSON.stringify(now));
    return [`${place || 'all of it'} was ${brief(then, from)}, is ${brief(now, from)}`];
  }
  const [a, b] = [then as Record<string, unknown>, now as Record<string, unknown>];
  return [...new Set([...Object.keys(a), ...Object.keys(b)])].flatMap((key) =>
    valueChanges(a[key], b[key], place ? `${place}.${key}` : key),
  );
}

const isObject = (value: unknown): value is object => value !== null && typeof value === 'object';

/** Length of the common start of two texts. */
function commonStart(a = '', b = ''): number {
  let i = 0;
  while (i < a.length && a[i] === b[i]) i++;
  return i;
}

const MOST_CHARACTERS = 80;

/** A value as JSON; a long one is cut to start shortly before `from`, where it begins to differ. */
function brief(value: unknown, from: number): string {
  if (value === undefined) return 'not there';
  const text = JSON.stringify(value);
  if (text.length <= MOST_CHARACTERS) return text;
  const start = from < MOST_CHARACTERS / 2 ? 0 : from - 20;
  const part = text.slice(start, start + MOST_CHARACTERS);
  return `${start > 0 ? '…' : ''}${part}${start + MOST_CHARACTERS < text.length ? '…' : ''}`;
}
