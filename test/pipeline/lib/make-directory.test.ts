import { existsSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { makeDirectory } from '../../../pipeline/lib/make-directory.ts';

test('directories are made with those above them; a file in their place, or a place without any, is told', () => {
  const directory = mkdtempSync(path.join(tmpdir(), 'malaria-directory-'));
  const inner = path.join(directory, 'a', 'b');
  makeDirectory(inner);
  makeDirectory(inner);
  expect(existsSync(inner)).toBe(true);
  writeFileSync(path.join(directory, 'file'), '');
  expect(() => makeDirectory(path.join(directory, 'file', 'c'))).toThrow(/file: found a file, expected a directory/);
  expect(() => makeDirectory('/proc/nope/cache')).toThrow(/nope: found a place where this system creates no directory/);
});
