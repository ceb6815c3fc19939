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

test('proxy/ imports nothing from pipeline/ except the contract', () => {
  const all = imports('proxy');
  expect(all.length).toBeGreaterThan(20);
  expect(all.filter(({ to }) => !/^(proxy|pipeline\/(contract|lib))\//.test(to))).toEqual([]);
});

test('pipeline/ imports nothing from proxy/, and contract/ nothing from outside', () => {
  const all = imports('pipeline');
  expect(all.filter(({ to }) => !to.startsWith('pipeline/'))).toEqual([]);
  const contract = all.filter(({ from }) => from.startsWith('pipeline/contract/'));
  expect(contract.length).toBeGreaterThan(3);
  expect(contract.filter(({ to }) => !/^pipeline\/(contract|lib)\//.test(to))).toEqual([]);
});

test('pipeline/ has no circular imports', () => {
  const importsOf = Map.groupBy(imports('pipeline'), ({ from }) => from);
  const done = new Set<string>();
  /** A chain of imports from a file back to itself; null if there is none. */
  const circle = (file: string, chain: readonly string[]): string[] | null => {
    if (chain.includes(file)) return [...chain.slice(chain.indexOf(file)), file];
    if (done.has(file)) return null;
    for (const { to } of importsOf.get(file) ?? []) {
      const found = circle(to, [...chain, file]);
      if (found) return found;
    }
    done.add(file);
    return null;
  };
  expect(importsOf.size).toBeGreaterThan(150);
  expect([...importsOf.keys()].map((file) => circle(file, [])).find((chain) => chain !== null)).toBeUndefined();
});

test('snapshot/ imports nothing from the report or the clients, which are made from it', () => {
  const snapshot = imports('pipeline/publish/snapshot');
  expect(snapshot.length).toBeGreaterThan(20);
  expect(snapshot.filter(({ to }) => /^pipeline\/publish\/(report|clients)\//.test(to))).toEqual([]);
});
