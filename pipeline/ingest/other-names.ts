/** Names of places, as raw files spell them. */
import { plainName } from '../lib/name-similarity.ts';
import type { TableRow } from '../lib/tables/table.ts';
import type { OTHER_NAMES } from './ingest-tables.ts';

/** Collects names of places other than those in the outlines. */
export class OtherNames {
  readonly #names = new Map<string, TableRow<typeof OTHER_NAMES>>();

  add(area: 'state' | 'lga', code: string, name: string): void {
    const key = JSON.stringify([area, code, plainName(name)]);
    if (!this.#names.has(key)) this.#names.set(key, { area, code, name: name.trim() });
  }

  /** Sorted by area, code and name; of names that differ only in case, accents or punctuation, the first one read. */
  rows(): TableRow<typeof OTHER_NAMES>[] {
    return [...this.#names].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
  }
}
