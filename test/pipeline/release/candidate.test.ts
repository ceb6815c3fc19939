import { existsSync, mkdirSync, readdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { clearUnfinished, makeCandidate } from '../../../pipeline/release/candidate.ts';
import { newestCandidate, noteCandidate, readCandidates } from '../../../pipeline/release/candidates.ts';
import { currentVersion, pointCurrent, refuseCurrentDirectory } from '../../../pipeline/release/current.ts';
import { temporary } from '../../support/command-line.ts';

let out = '';
beforeEach(() => {
  out = temporary();
});

const keys = { ingest: 'a'.repeat(64) };
const write =
  (version: string, own = keys) =>
  async (directory: string) => {
    mkdirSync(path.join(directory, 'v1'));
    writeFileSync(path.join(directory, 'v1/periods.json'), '{}');
    const stages = Object.entries(own).map(([stage, key]) => ({ stage, key }));
    writeFileSync(path.join(directory, 'manifest.json'), JSON.stringify({ model_version: version, stages }));
  };
const valid = async () => {};
const make = (version: string, own: Record<string, string> = keys, how = write(version), check = valid) =>
  makeCandidate(out, { version, keys: own, write: how, check });

test('makeCandidate adds a complete version, and nothing is current', async () => {
  const { directory, already } = await make('v-1');
  expect(already).toBe(false);
  expect(directory).toBe(path.join(out, 'snapshots/v-1'));
  expect(existsSync(path.join(directory, 'v1/periods.json'))).toBe(true);
  expect(readdirSync(path.join(out, 'snapshots'))).toEqual(['v-1']);
  expect(currentVersion(out)).toBeNull();
});

test('a version is never written again', async () => {
  await make('v-1');
  expect((await make('v-1', keys, () => Promise.reject(new Error('must not write')))).already).toBe(true);
});

test('the same version made by other stages is refused', async () => {
  await make('v-1');
  await expect(make('v-1', { ingest: 'b'.repeat(64) })).rejects.toThrow(
    /v-1: found content other than the inputs and code of v-1 give/,
  );
});

test('a version that fails its check or its writing leaves nothing behind', async () => {
  await make('v-1');
  const unfit = () => Promise.reject(new Error('an LGA is missing'));
  await expect(make('v-2', keys, write('v-2'), unfit)).rejects.toThrow('an LGA is missing');
  await expect(make('v-3', keys, () => Promise.reject(new Error('no space left')))).rejects.toThrow('no space left');
  expect(readdirSync(path.join(out, 'snapshots'))).toEqual(['v-1']);
});

test('of two concurrent builds of the same version one stays; if contents differ, the second is refused', async () => {
  const meanwhile = (content: string) => async (directory: string) => {
    await make('v-1');
    await write('v-1')(directory);
    if (content) writeFileSync(path.join(directory, 'manifest.json'), content);
  };
  const { directory } = await make('v-1', keys, meanwhile(''));
  expect(readdirSync(path.join(out, 'snapshots'))).toEqual(['v-1']);
  rmSync(directory, { recursive: true });
  await expect(make('v-1', keys, meanwhile('{"other":1}'))).rejects.toThrow(/found content other than/);
  expect(readdirSync(path.join(out, 'snapshots'))).toEqual(['v-1']);
});

test('current moves from one version to another in one step', async () => {
  await pointCurrent(out, 'v-1');
  expect(readlinkSync(path.join(out, 'current'))).toBe('snapshots/v-1');
  await pointCurrent(out, 'v-2');
  expect(currentVersion(out)).toBe('v-2');
  expect(readdirSync(out)).toEqual(['current']);
});

test('a directory in place of current is reported and left unchanged', async () => {
  mkdirSync(path.join(out, 'current'));
  expect(() => refuseCurrentDirectory(out)).toThrow(
    /current: found a directory, expected a link to the published snapshot/,
  );
  rmSync(path.join(out, 'current'), { recursive: true });
  expect(() => refuseCurrentDirectory(out)).not.toThrow();
  await pointCurrent(out, 'v-1');
  expect(() => refuseCurrentDirectory(out)).not.toThrow();
});

test('temporary files of a killed build are cleared', async () => {
  await make('v-1');
  mkdirSync(path.join(out, 'snapshots/.v-0.4194999-x-1.tmp'), { recursive: true });
  writeFileSync(path.join(out, 'current.4194999-x-2.tmp'), '');
  // A file of the user's own, if `out` has other things in it.
  writeFileSync(path.join(out, 'draft.tmp'), '');
  clearUnfinished(out);
  expect(readdirSync(path.join(out, 'snapshots'))).toEqual(['v-1']);
  expect(readdirSync(out).sort()).toEqual(['draft.tmp', 'snapshots']);
});

test("the newest candidate is the latest build's version, even if it existed before", async () => {
  expect(newestCandidate(out)).toBeNull();
  const code = { version: '1.0.0', commit: null, dirty: null, node: '26.0.0' };
  const note = (version: string, minute: number) =>
    noteCandidate(out, { version, built_at: `2026-11-22T00:0${minute}:00.000Z`, command: 'build', code });
  for (const version of ['v-1', 'v-2']) await make(version);
  await note('v-1', 1);
  await note('v-2', 2);
  expect(newestCandidate(out)?.version).toBe('v-2');
  await note('v-1', 3);
  // The next line was cut short by a full disk; the line after it counts.
  writeFileSync(path.join(out, 'releases/candidates.jsonl'), '\n{"version":"v-', { flag: 'a' });
  expect(newestCandidate(out)).toEqual({
    version: 'v-1',
    built_at: '2026-11-22T00:03:00.000Z',
    command: 'build',
    code,
  });
  await note('v-2', 4);
  expect(readCandidates(out).map(({ version }) => version)).toEqual(['v-1', 'v-2', 'v-1', 'v-2']);
  rmSync(path.join(out, 'snapshots/v-2'), { recursive: true });
  expect(newestCandidate(out)?.version).toBe('v-1');
});
