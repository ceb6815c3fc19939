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

test('no file of pipeline/ imports itself, by whatever way round', () => {
  const importsOf = Map.groupBy(imports('pipeline'), ({ from }) => from);
  const done = new Set<string>();
  /** The way from a file back to itself; null where there is none. */
  const circle = (file: string, way: readonly string[]): string[] | null => {
    if (way.includes(file)) return [...way.slice(way.indexOf(file)), file];
    if (done.has(file)) return null;
    for (const { to } of importsOf.get(file) ?? []) {
      const found = circle(to, [...way, file]);
      if (found) return found;
    }
    done.add(file);
    return null;
  };
  expect(importsOf.size).toBeGreaterThan(150);
  expect([...importsOf.keys()].map((file) => circle(file, [])).find((way) => way !== null)).toBeUndefined();
});

test('the report is made of the snapshot, and the snapshot knows nothing of the report or the client', () => {
  const snapshot = imports('pipeline/publish/snapshot');
  expect(snapshot.length).toBeGreaterThan(20);
  expect(snapshot.filter(({ to }) => /^pipeline\/publish\/(report|client)\//.test(to))).toEqual([]);
});
