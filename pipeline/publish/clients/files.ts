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
  './ts/package.json',
];

/**
 * The files of `client/` in a snapshot, name -> text: programs as they are, the README in the country's words, and the
 * TypeScript client as JavaScript with declarations, since Node does not strip types below node_modules.
 * @param example the country's values for the examples
 */
export async function clientFiles(
  territory: Territory,
  reference: Reference,
  example: FileParameters,
): Promise<Record<string, string>> {
  const words = { ...countryWords(territory), example };
  const texts = SHIPPED_FILES.map((name) => {
    const text = readFileSync(path.resolve(import.meta.dirname, name), 'utf8');
    return [path.posix.normalize(name), name.endsWith('.md') ? fillPlaceholders(text, words) : text];
  });
  const { code, declaration } = await compileClient();
  return {
    ...Object.fromEntries(texts),
    'ts/malaria-risk.js': code,
    'ts/malaria-risk.d.ts': declaration,
    'ts/types.d.ts': clientTypes(reference),
  };
}

async function compileClient(): Promise<{ code: string; declaration: string }> {
  const file = path.resolve(import.meta.dirname, './ts/malaria-risk.ts');
  // Imported here because every build would otherwise load it.
  const { transformSync } = await import('rolldown/utils');
  const compiled = transformSync(file, readFileSync(file, 'utf8'), {
    tsconfig: false,
    typescript: { declaration: {} },
  });
  const { code, declaration, errors } = compiled;
  if (errors.length > 0) throw errors[0]!;
  return { code, declaration: declaration! };
}
