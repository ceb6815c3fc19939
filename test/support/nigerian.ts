import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const NIGERIAN =
  /nigeria|ISO 3166-2:NG|\bNG0\d|North (Central|East|West)|South (East|West|South)|Geopolitical|Nasarawa|\bKano\b/i;

/** Words of Nigeria in the text files of a snapshot, `file: word` the first of each; packed siblings hold the same. */
export function nigerianWords(snapshot: string): string[] {
  return readdirSync(snapshot, { recursive: true, withFileTypes: true }).flatMap((entry) => {
    const file = path.join(entry.parentPath, entry.name);
    if (!entry.isFile() || /\.(br|gz|parquet)$/.test(file)) return [];
    const found = NIGERIAN.exec(readFileSync(file, 'utf8'));
    return found ? [`${path.relative(snapshot, file)}: ${found[0]}`] : [];
  });
}

/** Where the report's own text calls areas LGAs or states, which not every country's are. */
export function wordsOfLevels(snapshot: string): string[] {
  const page = readFileSync(path.join(snapshot, 'report/index.html'), 'utf8');
  const own = page
    .slice(page.indexOf('<body'), page.indexOf('<section id="sources"'))
    .replaceAll(/<code>.*?<\/code>|<[^>]*>/gs, ' ');
  return [...own.matchAll(/.{0,30}(?<![-/])\b(LGAs?|[Ss]tates?)\b.{0,30}/g)].map(([text]) => text);
}
