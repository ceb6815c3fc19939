import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const NIGERIAN =
  /nigeria|ISO 3166-2:NG|\bNG0\d|North (Central|East|West)|South (East|West|South)|Geopolitical|Nasarawa|\bKano\b|\bIle-If|\bLGAs?\b|local government/i;

/** The first Nigerian term in `text`, except `lga` and `lgas`, which are field names of the API in every country. */
export const nigerianIn = (text: string): string | undefined => NIGERIAN.exec(text.replaceAll(/\blgas?\b/g, ''))?.[0];

/**
 * Nigerian terms in the text files of a snapshot: the first of each file, as `file: term`. Compressed files are
 * skipped.
 */
export function nigerianWords(snapshot: string): string[] {
  return readdirSync(snapshot, { recursive: true, withFileTypes: true }).flatMap((entry) => {
    const file = path.join(entry.parentPath, entry.name);
    if (!entry.isFile() || /\.(br|gz|tgz|parquet)$/.test(file)) return [];
    const text = readFileSync(file, 'utf8');
    // Comments in the report's scripts are the same for every country.
    const found = nigerianIn(file.endsWith('.html') ? withoutComments(text) : text);
    return found ? [`${path.relative(snapshot, file)}: ${found}`] : [];
  });
}

const withoutComments = (page: string) => page.replaceAll(/\/\*.*?\*\/|^\s*\/\/.*?$/gms, '');

/** Nigeria's names of levels, and placeholders, in a text of another country; `code` is the same in all countries. */
export const foreignWords = (text: string): string[] =>
  text
    .replaceAll(/`[^`]*`/g, '')
    .match(/(?<![-/_."'])\b(?:LGAs?|local government|[Ss]tates?)\b(?![":=]|[-/_.]\w)|\{\w+(?:\.\w+)*\}/g) ?? [];

/** Keys of JSON documents whose texts others wrote, or which are paths and codes. */
const NOT_PROSE = new Set(['example', 'examples', 'sources', 'url', 'operationId', '$ref', 'enum', 'pattern']);

/** The texts of a JSON value: strings with spaces. */
export function proseOf(value: unknown): string[] {
  if (typeof value === 'string') return value.includes(' ') ? [value] : [];
  if (Array.isArray(value)) return value.flatMap(proseOf);
  if (value === null || typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([key, item]) => (NOT_PROSE.has(key) ? [] : proseOf(item)));
}

/** Passages that `foreignWords` finds in the descriptions of a snapshot, `file: text`. */
export function foreignDescriptions(snapshot: string): string[] {
  const json = ['openapi.json', 'model-card.json', 'findings.json', 'tables/datapackage.json', 'v1/tables.json'];
  const pages = ['tables/README.md', 'client/README.md'];
  const read = (name: string) => readFileSync(path.join(snapshot, name), 'utf8');
  return [
    ...json.flatMap((name) => proseOf(JSON.parse(read(name))).map((text) => ({ name, text }))),
    ...pages.flatMap((name) =>
      read(name)
        .split('\n')
        .map((text) => ({ name, text })),
    ),
  ].flatMap(({ name, text }) => (foreignWords(text).length > 0 ? [`${name}: ${text}`] : []));
}

/** Passages in a snapshot's pages that call areas LGAs or states. */
export const wordsOfLevels = (snapshot: string): string[] =>
  ['report/index.html', 'report/api.html'].flatMap((name) => levelsIn(readFileSync(path.join(snapshot, name), 'utf8')));

/** The same for one page without its sources, whose text is quoted. Values in quotation marks are the API's. */
export function levelsIn(page: string): string[] {
  const own = page.slice(page.indexOf('<body')).replace(/<div class="sources">.*?<\/div>/s, ' ');
  const text = own.replaceAll(/<(code|pre|script)\b.*?<\/\1>|<[^>]*>/gs, ' ');
  return [...text.matchAll(/.{0,30}(?<![-/]|&quot;)\b(LGAs?|[Ss]tates?)\b.{0,30}/g)].map(([found]) => found);
}
