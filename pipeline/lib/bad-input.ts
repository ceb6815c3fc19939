/** What is wrong with an input: which file, where in it, what was found, what was expected. */
export interface BadInputDetails {
  file: string;
  where: string;
  found: string;
  expected: string;
}

/** The details as the code that detects the fault gives them. */
interface BadInputOptions extends Omit<BadInputDetails, 'where'> {
  /** Left out if the fault is of the file as a whole. */
  where?: string;
  /** What would resolve it, for commands that propose it: a `Remedy` of the catalog. */
  remedy?: unknown;
}

/** An invalid input. It is thrown where the input is read, and stops the build before the input is used. */
export class BadInput extends Error implements BadInputDetails {
  override name = 'BadInput';
  file: string;
  readonly where: string;
  readonly found: string;
  readonly expected: string;
  /** Null if nobody can propose one. */
  readonly remedy: unknown;
  /** Further faults found in the same pass over the input. */
  further: readonly BadInput[] = [];

  constructor({ file, where = '', found: content, expected, remedy = null }: BadInputOptions) {
    const found = asOneLine(content);
    super(`${file}${where ? `, ${where}` : ''}: found ${found}, expected ${expected}`);
    this.file = file;
    this.where = where;
    this.found = found;
    this.expected = expected;
    this.remedy = remedy;
  }
}

/** Maximum length of a quotation from a file in a message. */
const MAX_CHARACTERS = 1000;

/**
 * Content of a file as part of a one-line message. Despite its type it may not be a text, if a parser made it, and it
 * may be long, or have line ends and characters that control a terminal.
 */
function asOneLine(content: unknown): string {
  const text = String(content);
  const excerpt = text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS)}…` : text;
  return excerpt.replace(/\s*[[\p{Cc}\p{Zl}\p{Zp}]--\t]\s*/gv, ' ');
}

/** A file, or a place in it, and the errors about it: `throw file.at('row 7').error('-3', 'a count')`. */
export class InputLocation {
  readonly file: string;
  readonly where: string;

  constructor(file: string, where = '') {
    this.file = file;
    this.where = where;
  }

  /** A place within this one: `row 7` of a file, then `examined` of that row. */
  at(place: string): InputLocation {
    return new InputLocation(this.file, this.where ? `${this.where}, ${place}` : place);
  }

  /** The error to be thrown. @param remedy what would resolve it, for commands that propose it */
  error(found: string, expected: string, remedy: unknown = null): BadInput {
    return new BadInput({ file: this.file, where: this.where, found, expected, remedy });
  }
}

/** Maximum number of faults to collect: more would not help. */
const MAX_FAULTS = 10_000;

/**
 * Applies `read` to each item, in order.
 * @throws BadInput for the first bad item, with the faults of later items as its `further`
 */
export function readEach<Item, Value>(items: Iterable<Item>, read: (item: Item, index: number) => Value): Value[] {
  const values: Value[] = [];
  const errors: BadInput[] = [];
  let index = 0;
  for (const item of items) {
    try {
      values.push(read(item, index++));
    } catch (error) {
      if (!(error instanceof BadInput)) throw error;
      errors.push(error, ...error.further);
      if (errors.length >= MAX_FAULTS) break;
    }
  }
  const [first, ...further] = errors;
  if (!first) return values;
  first.further = further;
  throw first;
}

/**
 * One line for each cause, in the order of the first message of each: that message, how many more there are, and two of
 * them. Messages of one cause differ only in what was found, in numbers, and in words with capitals: codes and names.
 */
export function groupMessages(messages: readonly string[]): string[] {
  const atLeast = messages.length >= MAX_FAULTS ? 'at least ' : '';
  return [...Map.groupBy(messages, messageCause).values()].map(([first, ...others]) => {
    if (others.length === 0) return first!;
    const examples = others.slice(0, 2).map((message) => MESSAGE_PARTS.exec(message)?.[1] ?? message);
    return `${first}; and ${atLeast}${others.length} more like it: ${examples.join('; ')}${others.length > 2 ? '; …' : ''}`;
  });
}

/** The line of a `BadInput`: text up to what was found, and what was expected. */
const MESSAGE_PARTS = /^((.*?: found ).*)(, expected .*)$/s;

function messageCause(message: string): string {
  const [, , beforeFound, expected] = MESSAGE_PARTS.exec(message) ?? [null, null, message, ''];
  return `${beforeFound}${expected}`.replaceAll(
    /"[^"]*"|[\p{Lu}\d][\p{L}\d._'’-]*( [\p{Lu}\d][\p{L}\d._'’-]*)*/gu,
    '#',
  );
}

const DECLARED =
  '. If the file is right, `malaria-risk catalog repair` declares this in the catalog, once the file is in the raw data';

/** An error's message; that of a bad input mentions further faults of the same pass in the same line. */
export function errorMessage(error: Error): string {
  if (!(error instanceof BadInput)) return error.message;
  const [cause, ...furtherCauses] = groupMessages([error, ...error.further].map(({ message }) => message));
  const further = furtherCauses.length > 0 ? ` (further causes: ${furtherCauses.length}; see \`catalog check\`)` : '';
  const declared = error.remedy === null ? '' : DECLARED;
  return `${cause}${further}${declared}`;
}

/** The parts of a `BadInput`, which can be posted from a thread; null for any other error. */
export function badInputDetails(error: unknown): BadInputDetails | null {
  if (!(error instanceof BadInput)) return null;
  const { file, where, found, expected } = error;
  return { file, where, found, expected };
}
