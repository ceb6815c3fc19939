import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { OWNER_FILE, readOwner, writeChapRepository } from '../../../pipeline/deploy/pack/pack-chap.ts';
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

const readModelFile = (name: string) => readFileSync(path.join(path.dirname(OWNER_FILE), name), 'utf8');

test('MLproject is of this version, and names no image, since CHAP refuses a service that does', () => {
  expect(readModelFile('MLproject')).toContain(`\nversion: "${codeVersion()}"\n`);
  expect(readModelFile('MLproject')).not.toContain('docker_env');
});

test("the marketplace's entry has what its schema asks for", () => {
  const directory = path.join(temporary(), 'repository');
  const owner = JSON.parse(readFileSync(OWNER_FILE, 'utf8'));
  writeChapRepository(directory, owner, codeVersion(), '0123456789'.repeat(4));
  const entry = readFileSync(path.join(directory, 'marketplace.yaml'), 'utf8');
  for (const line of [
    /^summary: >\n {4}Monthly counts whose/m,
    /^ {2}runtime_image: ghcr\.io\/dhis2-chap\/chapkit-py$/m,
    /^covariates:\n {2}required: \[\]\n {2}defaults: \[\]\n {2}allow_free_additional: false$/m,
    /^ {2}latest: "\d+\.\d+\.\d+"$/m,
    /^ {4}image_tag: sha-0123456$/m,
    /^ {4}chapkit: "==\d+\.\d+\.\d+"$/m,
    /^ {6}prediction_periods: 3$/m,
  ])
    expect(entry).toMatch(line);
});

test.skipIf(process.platform !== 'linux')('the image has each library that Node.js loads', () => {
  // What Debian's package manager needs itself is in every image.
  const base = /^(linux-vdso|ld-linux|libc|libm|libdl|libpthread|libstdc\+\+|libgcc_s)[-.]/;
  const libraries = execFileSync('ldd', [process.execPath], { encoding: 'utf8' })
    .trim()
    .split('\n')
    .map((line) => path.basename(line.trim().split(' ')[0]!));
  expect(libraries).toContain('libc.so.6');
  const packages = libraries.filter((name) => !base.test(name)).map((name) => name.replace('.so.', ''));
  for (const name of packages)
    expect(readModelFile('Containerfile')).toMatch(new RegExp(`apt-get install .* ${name} `));
});
