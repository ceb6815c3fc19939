import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { FileParameters } from '../../contract/operations.ts';
import { codeInWords, type Territory } from '../../contract/territory.ts';
import { clientTypes } from './generate-types.ts';

/** Shipped as they are. Told one by one, so that nothing that an installation leaves here is shipped. */
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

/** What the clients' examples ask for, in whose place a country's own is put. */
const EXAMPLE = { state: 'KN', lga: 'NG020029', period: '2023-09' } as const;

/**
 * `client/` of a snapshot: name -> text of the clients in each language, in the country's words, and of the types
 * generated for TypeScript.
 * @param values what its examples ask for
 */
export function clientFiles(territory: Territory, values: FileParameters = EXAMPLE): Record<string, string> {
  const own = OWN.map((name) => {
    const text = readFileSync(path.resolve(import.meta.dirname, name), 'utf8');
    const asked = (Object.keys(EXAMPLE) as (keyof typeof EXAMPLE)[]).reduce(
      (told, key) => told.replaceAll(new RegExp(`\\b${EXAMPLE[key]}\\b`, 'g'), String(values[key])),
      text,
    );
    return [path.posix.normalize(name), codeInWords(asked, territory)];
  });
  return { ...Object.fromEntries(own), 'ts/types.ts': clientTypes(territory) };
}
