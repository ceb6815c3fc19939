import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { FileParameters } from '../../contract/operations.ts';
import type { Territory } from '../../contract/territory.ts';
import { fill, wordsOf } from '../../contract/words.ts';
import { clientTypes } from './generate-types.ts';

/** Shipped files. They are listed one by one, so that nothing that an installation leaves here is shipped. */
const OWN = [
  './python/README.md',
  './python/examples/alert.py',
  './python/examples/join.py',
  './python/examples/national_map.py',
  './python/malaria_risk/__init__.py',
  './python/malaria_risk/client.py',
  './python/malaria_risk/errors.py',
  './python/malaria_risk/places.py',
  './python/malaria_risk/py.typed',
  './python/malaria_risk/transport.py',
  './python/pyproject.toml',
  './r/DESCRIPTION',
  './r/NAMESPACE',
  './r/R/places.R',
  './r/R/read.R',
  './r/R/transport.R',
  './r/README.md',
  './r/examples/alert.R',
  './r/examples/join.R',
  './r/examples/national_map.R',
  './r/man/malaria_client.Rd',
  './r/man/match_places.Rd',
  './ts/README.md',
  './ts/disk-cache.ts',
  './ts/examples/alert.ts',
  './ts/examples/join.ts',
  './ts/examples/national-map.ts',
  './ts/malaria-risk.ts',
  './ts/package.json',
  './ts/places.ts',
];

/** Values for the READMEs' examples if there is no snapshot to take them from. */
const EXAMPLE: FileParameters = { state: 'KN', lga: 'NG020029', period: '2023-09' };

/**
 * The files of `client/` in a snapshot, name -> text: programs as they are, READMEs in the country's words, and the
 * types generated for TypeScript.
 * @param example the country's values for the examples
 */
export function clientFiles(territory: Territory, example: FileParameters = EXAMPLE): Record<string, string> {
  const words = { ...wordsOf(territory), example };
  const own = OWN.map((name) => {
    const text = readFileSync(path.resolve(import.meta.dirname, name), 'utf8');
    return [path.posix.normalize(name), name.endsWith('.md') ? fill(text, words) : text];
  });
  return { ...Object.fromEntries(own), 'ts/types.ts': clientTypes(territory) };
}
