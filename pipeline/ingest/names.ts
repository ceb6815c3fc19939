/** Names of places, as raw files spell them. */
import { plainName } from '../lib/likeness.ts';
import type { TableRow } from '../lib/tables/table.ts';
import type { OTHER_NAMES } from './ingest-tables.ts';

/** Names of places other than those in the outlines. */
export interface OtherNames {
  add(area: 'state' | 'lga', code: string, name: string): void;
  /** Sorted by area, code and name; of names that differ only in case, accents or punctuation, the first one read. */
  rows(): TableRow<typeof OTHER_NAMES>[];
}

export function otherNames(): OtherNames {
  const found = new Map<string, TableRow<typeof OTHER_NAMES>>();
  return {
    add(area, code, name) {
      const key = JSON.stringify([area, code, plainName(name)]);
      if (!found.has(key)) found.set(key, { area, code, name: name.trim() });
    },
    rows() {
      return [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
    },
  };
}
