import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Territory } from '../../contract/territory.ts';
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

/** The codes in the clients' examples, for which a country's own are put. */
const EXAMPLE = { state: 'KN', lga: 'NG020029' };

/** `client/` of a snapshot: name -> text of the clients in each language, and of the types generated for TypeScript. */
export function clientFiles(territory: Territory): Record<string, string> {
  const own = OWN.map((name) => {
    const text = readFileSync(path.resolve(import.meta.dirname, name), 'utf8');
    const lga = text.replaceAll(EXAMPLE.lga, territory.lga.example);
    return [
      path.posix.normalize(name),
      lga.replaceAll(new RegExp(`\\b${EXAMPLE.state}\\b`, 'g'), territory.state.example),
    ];
  });
  return { ...Object.fromEntries(own), 'ts/types.ts': clientTypes(territory) };
}
