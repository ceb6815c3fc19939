import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { OWNER_FILE, readOwner } from '../../../pipeline/deploy/pack/pack-chap.ts';
import { codeVersion } from '../../../pipeline/lib/code-state.ts';
import { temporary } from '../../support/command-line.ts';

test("a model without its owner's details is not packed: each placeholder is refused by name", () => {
  const owner = JSON.parse(readFileSync(OWNER_FILE, 'utf8'));
  const file = path.join(temporary(), 'owner.json');
  for (const name of Object.keys(owner)) {
    writeFileSync(file, JSON.stringify(owner));
    expect(() => readOwner(file)).toThrow(`${file}, ${name}: found "${owner[name]}", expected the `);
    owner[name] = 'something';
  }
  writeFileSync(file, JSON.stringify(owner));
  expect(readOwner(file)).toEqual(owner);
});

test('MLproject is of this version', () => {
  const project = readFileSync(path.join(path.dirname(OWNER_FILE), 'MLproject'), 'utf8');
  expect(project).toContain(`\nversion: "${codeVersion()}"\n`);
});
