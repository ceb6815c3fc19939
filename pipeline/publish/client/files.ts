import { readFileSync } from 'node:fs';
import path from 'node:path';
import { clientTypes } from './generate-types.ts';

const OWN = ['./shipped/malaria-risk.ts', './shipped/example.ts'];

/** `client/` of a snapshot: name -> text of the generated types, the client and its example. */
export function clientFiles(): Record<string, string> {
  const own = OWN.map((name) => [path.basename(name), readFileSync(path.resolve(import.meta.dirname, name), 'utf8')]);
  return { ...Object.fromEntries(own), 'types.ts': clientTypes() };
}
