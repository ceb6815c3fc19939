import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { FileParameters } from '../../contract/operations.ts';
import type { Reference } from '../../contract/reference.ts';
import type { Territory } from '../../contract/territory.ts';
import { countryWords, fillPlaceholders } from '../../contract/words.ts';
import { clientTypes } from './generate-types.ts';

/** Shipped files. They are listed one by one, so that nothing that an installation leaves here is shipped. */
const SHIPPED_FILES = [
  './README.md',
  './python/examples/alert.py',
  './python/examples/national_map.py',
  './python/malaria_risk/__init__.py',
  './python/malaria_risk/py.typed',
  './python/pyproject.toml',
  './r/DESCRIPTION',
  './r/NAMESPACE',
  './r/R/client.R',
  './r/examples/national_map.R',
  './r/man/malaria_client.Rd',
  './ts/examples/national-map.ts',
  './ts/malaria-risk.ts',
  './ts/package.json',
];

/**
 * The files of `client/` in a snapshot, name -> text: programs as they are, the README in the country's words, and the
 * types generated for TypeScript.
 * @param example the country's values for the examples
 */
export function clientFiles(
  territory: Territory,
  reference: Reference,
  example: FileParameters,
): Record<string, string> {
  const words = { ...countryWords(territory), example };
  const texts = SHIPPED_FILES.map((name) => {
    const text = readFileSync(path.resolve(import.meta.dirname, name), 'utf8');
    return [path.posix.normalize(name), name.endsWith('.md') ? fillPlaceholders(text, words) : text];
  });
  return { ...Object.fromEntries(texts), 'ts/types.ts': clientTypes(reference) };
}
