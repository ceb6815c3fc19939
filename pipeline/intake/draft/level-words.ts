/** What a country calls the areas of each level, as the columns of its tables and their cells say. */
import { AREA_TERMS, type AreaTerm } from '../../catalog/area-terms.ts';
import { plainName, sharedWords } from '../../lib/name-similarity.ts';
import { filledCells } from '../columns.ts';
import type { AreaCodes, AreaLevel } from './draft-keys.ts';
import type { TableFile } from './recognise.ts';

/** As in `bestMatchingColumn`. */
const LEAST_SHARE = 2 / 3;

/** The word of each level that most columns of its areas are called by, or have in most of their names. */
export function levelWords(
  tables: readonly TableFile[],
  { lgas, states }: AreaCodes,
): Record<'upper' | 'lower', AreaTerm | null> {
  const columns = tables.flatMap((table) =>
    table.header.flatMap((column) => {
      const names = new Set(filledCells(table, column));
      const words = [plainName(column), ...sharedWords(names)];
      const term = AREA_TERMS.find((level) => words.some((word) => level.words.includes(word)));
      return term ? [{ names, term }] : [];
    }),
  );
  const commonWord = (level: AreaLevel, excluded: AreaTerm | null) => {
    const votes = columns
      .filter(({ names, term }) => term !== excluded && namesAreas(names, level))
      .map(({ term }) => term);
    const counted = [...Map.groupBy(votes, (word) => word)].sort(([, a], [, b]) => b.length - a.length);
    return counted[0]?.[0] ?? null;
  };
  const upper = commonWord(states, null);
  return { upper, lower: commonWord(lgas, upper) };
}

function namesAreas(names: ReadonlySet<string>, { codeFinder }: AreaLevel): boolean {
  const findCode = codeFinder(names);
  return names.size > 0 && [...names].filter((name) => findCode(name) !== undefined).length >= LEAST_SHARE * names.size;
}
