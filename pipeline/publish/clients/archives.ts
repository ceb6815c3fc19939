import { gzipSync } from 'node:zlib';
import { createTar } from 'nanotar';
import { CLIENTS, clientFile } from '../../contract/operations.ts';

/**
 * The clients as archives to unpack or install, each with the README: name in the snapshot -> bytes, which do not
 * depend on time or machine.
 * @param files the clients' files, `python/pyproject.toml` -> text (`clientFiles`)
 */
export function clientArchives(files: Readonly<Record<string, string>>): Record<string, Uint8Array> {
  return Object.fromEntries(
    CLIENTS.map((language) => {
      const languageFiles = Object.entries(files).filter(([name]) => name.startsWith(`${language}/`));
      const tar = createTar(
        [...languageFiles, [`${language}/README.md`, files['README.md']!] as const].map(([name, text]) => ({
          name: `malaria-risk-${name}`,
          data: new TextEncoder().encode(text),
        })),
        { attrs: { mtime: 0, mode: '644', uid: 0, gid: 0 } },
      );
      return [clientFile(language), gzipSync(tar, { level: 9 })];
    }),
  );
}
