/**
 * The one form of complaint about an input: which file, where in it, what was found and what was expected.
 * Whoever reads the input throws it, and it stops the build before anything is published.
 */
export class BadInput extends Error {
  constructor(file: string, where: string, found: string, expected: string) {
    super(`${file}${where ? `, ${where}` : ''}: found ${found}, expected ${expected}`);
    this.name = 'BadInput';
  }
}
