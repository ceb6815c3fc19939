import { readFileSync } from 'node:fs';
import path from 'node:path';
import { clientTypes } from './generate-types.ts';

/** Shipped as they are. Told one by one, so that nothing that an installation leaves here is shipped. */
const OWN = ['./ts/malaria-risk.ts', './ts/example.ts'];

/** `client/` of a snapshot: name -> text of the clients in each language, and of the types generated for TypeScript. */
export function clientFiles(): Record<string, string> {
  const own = OWN.map((name) => [
    path.posix.normalize(name),
    readFileSync(path.resolve(import.meta.dirname, name), 'utf8'),
  ]);
  return { ...Object.fromEntries(own), 'ts/types.ts': clientTypes() };
}
