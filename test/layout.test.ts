import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..');

/** Every relative import of the TypeScript files under `folder`, both ends as paths from the root. */
function imports(folder: string): { from: string; to: string }[] {
  return readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .flatMap((entry) => {
      const file = join(entry.parentPath, entry.name);
      const text = readFileSync(file, 'utf8');
      return [...text.matchAll(/(?:from|import|import\()\s*['"](\.[^'"]+)['"]/g)].map((match) => ({
        from: relative(ROOT, file),
        to: relative(ROOT, resolve(dirname(file), match[1]!)),
      }));
    });
}

test('proxy/ imports of pipeline/ its contract and nothing else', () => {
  const all = imports('proxy');
  expect(all.length).toBeGreaterThan(20);
  expect(all.filter(({ to }) => !to.startsWith('proxy/') && !to.startsWith('pipeline/contract/'))).toEqual([]);
});

test('pipeline/ imports nothing of proxy/, and contract/ nothing outside itself', () => {
  const all = imports('pipeline');
  expect(all.filter(({ to }) => !to.startsWith('pipeline/'))).toEqual([]);
  const contract = all.filter(({ from }) => from.startsWith('pipeline/contract/'));
  expect(contract.length).toBeGreaterThan(3);
  expect(contract.filter(({ to }) => !to.startsWith('pipeline/contract/'))).toEqual([]);
});
