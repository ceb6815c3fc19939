/** The parts of a complaint about an input: which file, where in it, what was found, what was expected. */
export interface Complaint {
  file: string;
  where: string;
  found: string;
  expected: string;
}

/** An invalid input. It is thrown where the input is read, and stops the build before the input is used. */
export class BadInput extends Error implements Complaint {
  override name = 'BadInput';
  file: string;
  readonly where: string;
  readonly found: string;
  readonly expected: string;
  /** What would resolve it, for whoever proposes it (catalog/remedy.ts); null if nothing is known to. */
  readonly remedy: unknown;
  /** Further faults found in the same pass over the input. */
  others: readonly BadInput[] = [];

  constructor(file: string, where: string, found: string, expected: string, remedy: unknown = null) {
    super(`${file}${where ? `, ${where}` : ''}: found ${found}, expected ${expected}`);
    this.file = file;
    this.where = where;
    this.found = found;
    this.expected = expected;
    this.remedy = remedy;
  }
}

/** Maximum number of faults to collect: a longer list would not help. */
const MOST_FAULTS = 1000;

/**
 * Applies `read` to each item, in order.
 * @throws BadInput for the first bad item, with the faults of further items as its `others`
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

/** The parts of a `BadInput`, which can be posted from a thread; null for any other error. */
export function complaintIn(error: unknown): Complaint | null {
  if (!(error instanceof BadInput)) return null;
  const { file, where, found, expected } = error;
  return { file, where, found, expected };
}
