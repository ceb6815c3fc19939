/** What a country calls the areas of each level, as the columns of its tables and their cells say. */
import { AREA_TERMS, type AreaTerm } from '../../catalog/area-terms.ts';
import { plainName, sharedWords } from '../../lib/name-similarity.ts';
import { filledCells } from '../columns.ts';
import type { AreaCodes, AreaLevel } from './draft-keys.ts';
import type { TableFile } from './recognise.ts';

/** As in `bestMatchingColumn`. */
const LEAST_SHARE = 2 / 3;

/** The word of each level that columns of its areas are called by, or have in most of their names. */
export function levelWords(
  tables: readonly TableFile[],
  { lgas, states }: AreaCodes,
): Record<'upper' | 'lower', AreaTerm | null> {
  const columns = tables.flatMap((table) =>
    table.header.map((column) => {
      const names = new Set(filledCells(table, column));
      return { names, words: [plainName(column), ...sharedWords(names)] };
    }),
  );
  const findTerm = (level: AreaLevel, terms: readonly (typeof AREA_TERMS)[number][]) =>
    terms.find((term) =>
      columns.some(({ names, words }) => words.some((word) => term.words.includes(word)) && namesAreas(names, level)),
    ) ?? null;
  const upper = findTerm(states, AREA_TERMS);
  return {
    upper,
    lower: findTerm(
      lgas,
      AREA_TERMS.filter((term) => term !== upper),
    ),
  };
}

function namesAreas(names: ReadonlySet<string>, { codeFinder }: AreaLevel): boolean {
  const findCode = codeFinder(names);
  return names.size > 0 && [...names].filter((name) => findCode(name) !== undefined).length >= LEAST_SHARE * names.size;
}
