import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const ROOT = path.join(import.meta.dirname, '..');
const PAGES = globSync(['*.md', '{pipeline,proxy,raw-data,test}/**/*.md'], {
  cwd: ROOT,
  exclude: ['raw-data/synthetic/**'],
});
const read = (page: string) => readFileSync(path.join(ROOT, page), 'utf8');

test.each(PAGES)('every link in %s to a file of the repository works', (page) => {
  const links = [...read(page).matchAll(/\]\(([^)\s]+)\)/g)].map(([, to]) => to!.replace(/#.*/, ''));
  const files = links.filter((to) => to !== '' && !/^https?:/.test(to));
  expect(files.filter((to) => !existsSync(path.join(ROOT, path.dirname(page), to)))).toEqual([]);
});

/** The anchors of a page's headings, as GitHub makes them. */
function anchorsOf(page: string): string[] {
  const headings = [
    ...read(page)
      .replace(/```.*?```/gs, '')
      .matchAll(/^#+ (.*)$/gm),
  ].map(([, heading]) => heading!);
  return headings.map((heading) =>
    heading
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-'),
  );
}

test.each(PAGES)('every link in %s to a heading leads to one', (page) => {
  const links = [...read(page).matchAll(/\]\(([^)\s#]*)#([^)\s]+)\)/g)].filter(([, to]) => !/^https?:/.test(to!));
  const lost = links.filter(([, to, anchor]) => {
    const other = to === '' ? page : path.join(path.dirname(page), to!);
    return other.endsWith('.md') && !anchorsOf(other).includes(anchor!);
  });
  expect(lost.map(([link]) => link)).toEqual([]);
});

test.each(PAGES)('a link in %s whose text is the name of a source file leads to that file', (page) => {
  const links = [...read(page).matchAll(/\[`?([\w./-]+\.ts)`?\]\(([^)\s]+)\)/g)];
  expect(links.filter(([, text, to]) => path.basename(text!) !== path.basename(to!)).map(([link]) => link)).toEqual([]);
});

test('every file that CONTRIBUTING names exists', () => {
  const named = [...read('CONTRIBUTING.md').matchAll(/`((?:pipeline|proxy|test|raw-data)\/[^`\s]*)`/g)].map(
    ([, name]) => name!,
  );
  expect(named.length).toBeGreaterThan(30);
  expect(named.filter((name) => globSync(name.replace(/<[a-z]+>/g, '*'), { cwd: ROOT }).length === 0)).toEqual([]);
});

test('README has at most 110 lines', () => {
  expect(read('README.md').split('\n').length).toBeLessThanOrEqual(110);
});
