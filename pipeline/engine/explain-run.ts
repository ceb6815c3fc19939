import path from 'node:path';
import type { CacheKey } from './cache-key.ts';
import { LOCK_FILE } from './code-hashes.ts';
import { changedRows } from './raw-files.ts';

/** Where to find details that a hash alone does not show. */
export interface Directories {
  cache: string;
  rawData: string;
}

/** What differs between a cache key and that of the latest build, in words: one cause a line. */
export function explainRun(current: CacheKey, previous: CacheKey | null, directories: Directories): string[] {
  if (!previous) return ['never run here'];
  const causes = [
    ...changedNames(current.inputs, previous.inputs).flatMap((name) =>
      inputCauses(name, current, previous, directories),
    ),
    ...changedNames(current.code, previous.code).map((file) =>
      describeCodeChange(file, describeChange(previous.code[file], current.code[file])),
    ),
    ...describeValueChanges(previous.parameters, current.parameters).map((text) => `model.json, ${text}`),
  ];
  if (current.runtime !== previous.runtime) causes.push(`runs on ${current.runtime}, ran on ${previous.runtime}`);
  return causes.length > 0 ? causes : ['its results are no longer in the cache, or were changed there'];
}

function inputCauses(name: string, current: CacheKey, previous: CacheKey, { cache, rawData }: Directories): string[] {
  const [currentHash, previousHash] = [current.inputs[name], previous.inputs[name]];
  if (name.startsWith('raw ')) {
    const file = name.slice('raw '.length);
    const rows = currentHash && previousHash ? changedRows(cache, path.join(rawData, file), previousHash) : null;
    return [`${file} ${describeChange(previousHash, currentHash)}${rows ? `: ${rows}` : ''}`];
  }
  if (name.startsWith('catalog ')) {
    const id = name.slice('catalog '.length);
    if (currentHash && previousHash)
      return describeValueChanges(previous.catalog[id], current.catalog[id]).map(
        (text) => `sources.json, ${id}: ${text}`,
      );
    return [`sources.json, ${id} ${describeChange(previousHash, currentHash)}`];
  }
  return [`${name} ${describeChange(previousHash, currentHash)}`];
}

const describeCodeChange = (file: string, change: string) =>
  file === LOCK_FILE ? `the lock file ${change}` : `code ${file} ${change}`;

const describeChange = (previous: unknown, current: unknown) =>
  previous === undefined ? 'is new' : current === undefined ? 'is no longer read' : 'changed';

/** The names whose values differ. */
export function changedNames(current: Record<string, string>, previous: Record<string, string>): string[] {
  return [...new Set([...Object.keys(current), ...Object.keys(previous)])]
    .filter((name) => current[name] !== previous[name])
    .sort();
}

/** Where two JSON values differ, each as `path: was …, is …`; the entire list if its length differs. */
export function describeValueChanges(previous: unknown, current: unknown, jsonPath = ''): string[] {
  if (JSON.stringify(previous) === JSON.stringify(current)) return [];
  const areEqualLists = Array.isArray(previous) && Array.isArray(current) && previous.length === current.length;
  const areObjects = isObject(previous) && isObject(current) && !Array.isArray(previous) && !Array.isArray(current);
  if (!areEqualLists && !areObjects) {
    const firstDifference = commonPrefixLength(JSON.stringify(previous), JSON.stringify(current));
    return [
      `${jsonPath || 'all of it'} was ${shortenJson(previous, firstDifference)}, is ${shortenJson(current, firstDifference)}`,
    ];
  }
  const [previousParts, currentParts] = [previous as Record<string, unknown>, current as Record<string, unknown>];
  return [...new Set([...Object.keys(previousParts), ...Object.keys(currentParts)])].flatMap((key) =>
    describeValueChanges(previousParts[key], currentParts[key], jsonPath ? `${jsonPath}.${key}` : key),
  );
}

const isObject = (value: unknown): value is object => value !== null && typeof value === 'object';

/** Length of the common start of two texts. */
function commonPrefixLength(a = '', b = ''): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length++;
  return length;
}

const MAX_CHARACTERS = 80;

/** A value as JSON; a long one is cut to start shortly before `firstDifference`. */
function shortenJson(value: unknown, firstDifference: number): string {
  if (value === undefined) return 'not there';
  const text = JSON.stringify(value);
  if (text.length <= MAX_CHARACTERS) return text;
  const start = firstDifference < MAX_CHARACTERS / 2 ? 0 : firstDifference - 20;
  const excerpt = text.slice(start, start + MAX_CHARACTERS);
  return `${start > 0 ? '…' : ''}${excerpt}${start + MAX_CHARACTERS < text.length ? '…' : ''}`;
}
