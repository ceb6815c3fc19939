/** Names in a query that are nearly those of parameters: ignoring them would answer another question in silence. */
import type { ParameterName } from './operations.ts';

/** Words that people use for a parameter instead of its name. */
const SYNONYMS: Partial<Record<ParameterName, readonly string[]>> = { period: ['month', 'date'] };

/** The most letters of a name that may differ; of a short name less than half of its letters. */
const MAX_WRONG_LETTERS = 2;

/**
 * Whether `name` is `parameter` or a word for it in another case, in the singular or plural, or with at most two
 * letters wrong.
 */
export function isNearMiss(name: string, parameter: ParameterName): boolean {
  const word = singular(name);
  if (SYNONYMS[parameter]?.includes(word)) return true;
  const expectedWord = singular(parameter);
  const maxWrong = Math.min(MAX_WRONG_LETTERS, Math.floor((expectedWord.length - 1) / 2));
  // The difference of lengths is a lower bound, and saves comparing names of thousands of letters.
  return Math.abs(word.length - expectedWord.length) <= maxWrong && editDistance(word, expectedWord) <= maxWrong;
}

const singular = (name: string) => name.toLowerCase().replace(/s$/, '');

/** Levenshtein distance: the fewest letters to insert, remove or replace. */
function editDistance(a: string, b: string): number {
  let previousRow = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (const [row, letter] of [...a].entries()) {
    const currentRow = [row + 1];
    for (const [column, otherLetter] of [...b].entries()) {
      const replaced = previousRow[column]! + (letter === otherLetter ? 0 : 1);
      currentRow.push(Math.min(replaced, previousRow[column + 1]! + 1, currentRow[column]! + 1));
    }
    previousRow = currentRow;
  }
  return previousRow[b.length]!;
}
