/** Names of places, as raw files spell them. */
import type { RowOf } from '../table.ts';
import type { OTHER_NAMES } from './tables.ts';

/** A name's letters and digits alone, without case, accents, blanks and marks. */
export const plain = (name: string) =>
  name
    .normalize('NFD')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '');

/** Names that are not the outlines' own. */
export interface OtherNames {
  add(area: 'state' | 'lga', code: string, name: string): void;
  /** In ascending order of area, code and name; of names that differ in case, accents and marks alone the first one read. */
  rows(): RowOf<typeof OTHER_NAMES>[];
}

export function otherNames(): OtherNames {
  const found = new Map<string, RowOf<typeof OTHER_NAMES>>();
  return {
    add(area, code, name) {
      const key = JSON.stringify([area, code, plain(name)]);
      if (!found.has(key)) found.set(key, { area, code, name: name.trim() });
    },
    rows() {
      return [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
    },
  };
}
