import type { Gap } from './catalog/sources.ts';

/** The parts of a complaint about an input: which file, where in it, what was found, what was expected. */
export interface Complaint {
  file: string;
  where: string;
  found: string;
  expected: string;
}

/** What the catalog could declare so that a fault is one no more; `catalog repair` proposes it. */
export type Remedy =
  | { declare: 'gap'; gap: Omit<Gap, 'reason'> }
  | { declare: 'recode'; column: string; from: string; to: string }
  | { declare: 'dissolve' };

/** An input that is not as it should be. Thrown where it is read, it stops the build before anything is made of it. */
export class BadInput extends Error implements Complaint {
  override name = 'BadInput';
  file: string;
  readonly where: string;
  readonly found: string;
  readonly expected: string;
  readonly remedy: Remedy | null;
  /** Other faults of the same reading, which went on to find them. */
  others: readonly BadInput[] = [];

  constructor(file: string, where: string, found: string, expected: string, remedy: Remedy | null = null) {
    super(`${file}${where ? `, ${where}` : ''}: found ${found}, expected ${expected}`);
    this.file = file;
    this.where = where;
    this.found = found;
    this.expected = expected;
    this.remedy = remedy;
  }
}

/** More of one kind tell nothing more. */
const MOST_FAULTS = 1000;

/**
 * `read` of each item, in order.
 * @throws BadInput for the first bad one, with the other bad ones as its `others`
 */
export function readEach<Item, Value>(items: Iterable<Item>, read: (item: Item, index: number) => Value): Value[] {
  const values: Value[] = [];
  const bad: BadInput[] = [];
  let index = 0;
  for (const item of items) {
    try {
      values.push(read(item, index++));
    } catch (error) {
      if (!(error instanceof BadInput)) throw error;
      bad.push(error, ...error.others);
      if (bad.length >= MOST_FAULTS) break;
    }
  }
  const [first, ...others] = bad;
  if (!first) return values;
  first.others = others;
  throw first;
}

/** The parts of an error that complains of an input, so that it can leave a thread; null for any other. */
export function complaintIn(error: unknown): Complaint | null {
  if (!(error instanceof BadInput)) return null;
  const { file, where, found, expected } = error;
  return { file, where, found, expected };
}
