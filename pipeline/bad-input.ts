/** The parts of a complaint about an input: which file, where in it, what was found, what was expected. */
export interface Complaint {
  file: string;
  where: string;
  found: string;
  expected: string;
}

/** An input that is not as it should be. Thrown where it is read, it stops the build before anything is made of it. */
export class BadInput extends Error implements Complaint {
  override name = 'BadInput';
  file: string;
  readonly where: string;
  readonly found: string;
  readonly expected: string;

  constructor(file: string, where: string, found: string, expected: string) {
    super(`${file}${where ? `, ${where}` : ''}: found ${found}, expected ${expected}`);
    this.file = file;
    this.where = where;
    this.found = found;
    this.expected = expected;
  }
}

/** The parts of an error that complains of an input, so that it can leave a thread; null for any other. */
export function complaintIn(error: unknown): Complaint | null {
  if (!(error instanceof BadInput)) return null;
  const { file, where, found, expected } = error;
  return { file, where, found, expected };
}
