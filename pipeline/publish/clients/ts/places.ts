/** Joins your own rows to the service's codes, by code or by the names of an area and its upper level. */
import type { Places } from './types.ts';

/** A name in lower case without accents, spaces and punctuation: `Saint-Élie` and `saint elie` are the same. */
export const plain = (name: string) =>
  name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '');

/** Description of a row's place: a code, or a name and, since several places may have the same name, its upper level. */
export type Described = { code: string } | { lga: string; state?: string };

/** Words that tables may add to the names of upper-level areas. */
const KINDS = [
  'State',
  'Province',
  'Region',
  'Department',
  'County',
  'District',
  'Division',
  'Governorate',
  'Prefecture',
];

export interface Matched<Row> {
  matched: { row: Row; lga_code: string; state_code: string }[];
  unmatched: { row: Row; why: string }[];
}

/**
 * Finds the area of each row; rows that match none, or several, are returned with the reason.
 * @param places answer of `/v1/places`
 * @param describe returns the description of a row's place; `state` is the name of its upper level or any of its codes
 */
export function match<Row>(rows: readonly Row[], places: Places, describe: (row: Row) => Described): Matched<Row> {
  const codes = new Map(places.lgas.map((place) => [place.lga_code, place]));
  // Snapshots from before contract 1.4 have no aliases.
  const named = new Map<string, Places['lgas']>();
  for (const place of places.lgas)
    for (const name of new Set([place.lga, ...(place.aliases ?? [])].map(plain)))
      named.set(name, [...(named.get(name) ?? []), place]);
  const states = new Map(
    places.states.flatMap(({ state_code, state, aliases, iso_code, pcode }) =>
      [...KINDS.map((kind) => `${state} ${kind}`), ...(aliases ?? []), iso_code, pcode, state_code, state]
        .filter((name) => name !== null)
        .map((name) => [plain(name), state_code] as const),
    ),
  );
  const find = (row: Row): Places['lgas'][number] | string => {
    const place = describe(row);
    if ('code' in place) return codes.get(place.code) ?? `no area has the code '${place.code}'`;
    const found = named.get(plain(place.lga)) ?? [];
    if (place.state === undefined) {
      if (found.length > 1)
        return `'${place.lga}' is the name of areas in ${found.map(({ state_code }) => state_code).join(', ')}: give state too`;
      return found[0] ?? `no area is named '${place.lga}'`;
    }
    const state = states.get(plain(place.state));
    if (state === undefined) return `no upper-level area is named '${place.state}'`;
    const there = found.filter(({ state_code }) => state_code === state);
    return there.length === 1 ? there[0]! : `${there.length || 'no'} areas of ${state} are named '${place.lga}'`;
  };
  const result: Matched<Row> = { matched: [], unmatched: [] };
  for (const row of rows) {
    const place = find(row);
    if (typeof place === 'string') result.unmatched.push({ row, why: place });
    else result.matched.push({ row, lga_code: place.lga_code, state_code: place.state_code });
  }
  return result;
}
