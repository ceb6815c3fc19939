/** What a country calls the areas of each level, as the columns of its tables and their cells say. */
import { LEVELS, type LevelWord } from '../../catalog/level-words.ts';
import { plainName, sharedWords } from '../../lib/likeness.ts';
import { filledCells } from '../columns.ts';
import type { AreaCodes, AreaLevel } from './draft-keys.ts';
import type { TableFile } from './recognise.ts';

/** As in `placeOf`. */
const LEAST_SHARE = 2 / 3;

/** The word of each level that most columns of its areas are called by, or have in most of their names. */
export function levelWords(
  tables: readonly TableFile[],
  { lgas, states }: AreaCodes,
): Record<'upper' | 'lower', LevelWord | null> {
  const columns = tables.flatMap((table) =>
    table.header.flatMap((column) => {
      const names = new Set(filledCells(table, column));
      const words = [plainName(column), ...sharedWords(names)];
      const found = LEVELS.find((level) => words.some((word) => level.words.includes(word)));
      return found ? [{ names, found }] : [];
    }),
  );
  const wordOf = (level: AreaLevel, except: LevelWord | null) => {
    const votes = columns
      .filter(({ names, found }) => found !== except && isOf(names, level))
      .map(({ found }) => found);
    const counted = [...Map.groupBy(votes, (word) => word)].sort(([, a], [, b]) => b.length - a.length);
    return counted[0]?.[0] ?? null;
  };
  const upper = wordOf(states, null);
  return { upper, lower: wordOf(lgas, upper) };
}

function isOf(names: ReadonlySet<string>, { codesOf }: AreaLevel): boolean {
  const codeOf = codesOf(names);
  return names.size > 0 && [...names].filter((name) => codeOf(name) !== undefined).length >= LEAST_SHARE * names.size;
}
