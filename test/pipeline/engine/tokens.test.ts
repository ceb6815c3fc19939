// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the strings are code
import { readdirSync, readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { tokensOf } from '../../../pipeline/engine/tokens.ts';

const ROOT = path.resolve(import.meta.dirname, '../../..');
const FILES = ['pipeline', 'proxy', 'test'].flatMap((folder) =>
  readdirSync(path.join(ROOT, folder), { recursive: true })
    .map(String)
    .filter((name) => name.endsWith('.ts'))
    .map((name) => path.join(folder, name)),
);
const read = (name: string) => readFileSync(path.join(ROOT, name), 'utf8');

describe('the same tokens', () => {
  test.each([
    ['comments', 'a = 1; // one\n/* two */ b = 2;', 'a = 1;\nb = 2;'],
    ['indentation and lines', 'f(a,\n   b,\n  c);', 'f(a, b, c);'],
    ['a comma that ends a list', 'f(\n  a,\n  b,\n);', 'f(a, b);'],
    ['an operator at the end of a line', 'x =\n  a &&\n  b;', 'x = a && b;'],
    ['a chain', 'a\n  .b()\n  ?.c();', 'a.b()?.c();'],
    ['a choice', 'x = a\n  ? b\n  : c;', 'x = a ? b : c;'],
    ['an arrow', 'f = (a) =>\n  a + 1;', 'f = (a) => a + 1;'],
    ['a comment inside an expression', 'x = a /* the first */ / b;', 'x = a / b;'],
    ['a shebang', '#!/usr/bin/env node\nx;', 'x;'],
    ['a division of what is there', 'x = a[0]! / b /* c */ / d! / e;', 'x = a[0]! / b / d! / e;'],
    ['comments between templates', 'x = `a${b /* c */}d`;', 'x = `a${b}d`;'],
  ])('%s', (_, one, other) => expect(tokensOf(one)).toEqual(tokensOf(other)));
});

describe('other tokens', () => {
  test.each([
    ['return on its own line', 'return\n(x)', 'return (x)'],
    ['a statement that a line break ends', 'a = b\n(c)', 'a = b(c)'],
    ['a break before ++', 'a\n++b', 'a++\nb'],
    ['a number after a break', 'return\n.5', 'return .5'],
    ['two signs', 'x = - -y', 'x = --y'],
    ['blanks in a string', "x = 'a  b'", "x = 'a b'"],
    ['a comment sign in a string', "x = 'a // b'", "x = 'a // c'"],
    ['blanks in a template', 'x = `a  b`', 'x = `a b`'],
    ['what looks like a comment in a template', 'x = `a // ${b} c`', 'x = `a // ${b} d`'],
    ['blanks in a regular expression', 'x = /a  b/', 'x = /a b/'],
    ['a comment sign in a regular expression', 'x = /[/]\\/* a/; b', 'x = /[/]\\/* a/; c'],
    ['after a regular expression with quotes', `x = /'/; y = 1 // '`, `x = /'/; y = 2 // '`],
    ['a regular expression negated', 'x = !/a  b/.test(c)', 'x = !/a b/.test(c)'],
    ['one negated after a condition', 'if (a) !/b  c/.test(d)', 'if (a) !/b c/.test(d)'],
    ['holes in a list', 'x = [,]', 'x = []'],
    ['more holes in a list', 'x = [1,,]', 'x = [1,]'],
    ['another number', 'x = 1.5', 'x = 15'],
  ])('%s', (_, one, other) => {
    expect(tokensOf(one)).not.toBeNull();
    expect(tokensOf(one)).not.toEqual(tokensOf(other));
  });
});

test.each([
  'x = a\n} /b/ c/',
  'a\n!/b  c/.test(d)',
  'if (a) x\n}/b/.test(`/`)',
  'x = <T>/a/.exec(y)',
  "x = 'a",
  'x = (1',
  'x = `a${b',
])('in doubt there is no answer: %j', (text) => expect(tokensOf(text)).toBeNull());

test('every file of this project can be told, but for a few, and its tokens are the code that it was', () => {
  const told = FILES.filter((name) => tokensOf(read(name)) !== null);
  expect(told.length).toBeGreaterThan(0.98 * FILES.length);
  for (const name of told) {
    const tokens = tokensOf(read(name))!;
    // Nothing but layout is lost: what is left is valid, and has the same tokens.
    const text = tokens.map((token) => (';{,'.includes(token) ? `${token}\n` : token)).join(' ');
    expect(() => stripTypeScriptTypes(text), name).not.toThrow();
    const again = tokensOf(text);
    if (again)
      expect(
        again.filter((token) => token !== '\n'),
        name,
      ).toEqual(tokens.filter((token) => token !== '\n'));
  }
});

test('a change of any letter outside comments is a change of tokens', () => {
  const name = 'pipeline/engine/tokens.ts';
  const text = read(name);
  // Comments by another reading than the one under test: this file has none beside those that fill whole lines.
  const lines = text.split('\n').map((line) => !/^\s*(?:\/\/|\/?\*)/.test(line));
  const letters = [...text].flatMap((letter, i) => {
    const line = text.slice(0, i).split('\n').length - 1;
    return lines[line] && /[a-z0-9]/.test(letter) ? [i] : [];
  });
  const tokens = JSON.stringify(tokensOf(text));
  fc.assert(
    fc.property(fc.constantFrom(...letters), (at) => {
      const changed = `${text.slice(0, at)}${text[at] === 'q' ? 'z' : 'q'}${text.slice(at + 1)}`;
      expect(JSON.stringify(tokensOf(changed))).not.toBe(tokens);
    }),
    { numRuns: 200 },
  );
});
