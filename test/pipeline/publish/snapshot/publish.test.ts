import { existsSync, mkdirSync, mkdtempSync, readdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  checkCurrent,
  clearUnpublished,
  publish as publishVersion,
} from '../../../../pipeline/publish/snapshot/publish.ts';

let out = '';
beforeEach(() => {
  out = mkdtempSync(path.join(tmpdir(), 'publish-'));
});
afterEach(() => rmSync(out, { recursive: true, force: true }));

const keys = { ingest: 'a'.repeat(64) };
const write =
  (version: string, own = keys) =>
  async (directory: string) => {
    mkdirSync(path.join(directory, 'v1'));
    writeFileSync(path.join(directory, 'v1/periods.json'), '{}');
    const stages = Object.entries(own).map(([stage, key]) => ({ stage, key }));
    writeFileSync(path.join(directory, 'manifest.json'), JSON.stringify({ model_version: version, stages }));
  };
const sound = async () => {};
const publish = (
  out: string,
  version: string,
  own: Record<string, string>,
  write: (directory: string) => Promise<void>,
  check: (directory: string) => Promise<void>,
) => publishVersion(out, { version, keys: own, write, check });

test('a version appears whole and current points to it', async () => {
  const { directory, already } = await publish(out, 'v-1', keys, write('v-1'), sound);
  expect(already).toBe(false);
  expect(directory).toBe(path.join(out, 'snapshots/v-1'));
  expect(readlinkSync(path.join(out, 'current'))).toBe('snapshots/v-1');
  expect(existsSync(path.join(out, 'current/v1/periods.json'))).toBe(true);
  expect(readdirSync(path.join(out, 'snapshots'))).toEqual(['v-1']);
});

test('a published version is never written again, and current can go back to it', async () => {
  await publish(out, 'v-1', keys, write('v-1'), sound);
  await publish(out, 'v-2', keys, write('v-2'), sound);
  const again = await publish(out, 'v-1', keys, () => Promise.reject(new Error('must not write')), sound);
  expect(again.already).toBe(true);
  expect(readlinkSync(path.join(out, 'current'))).toBe('snapshots/v-1');
});

test('the same version out of other stages is refused and nothing moves', async () => {
  await publish(out, 'v-1', keys, write('v-1'), sound);
  await publish(out, 'v-2', keys, write('v-2'), sound);
  await expect(publish(out, 'v-1', { ingest: 'b'.repeat(64) }, write('v-1'), sound)).rejects.toThrow(
    /v-1: found other content than v-1 has by its inputs and code/,
  );
  expect(readlinkSync(path.join(out, 'current'))).toBe('snapshots/v-2');
});

test('what fails its check, or fails while it is written, leaves nothing', async () => {
  await publish(out, 'v-1', keys, write('v-1'), sound);
  const unfit = async () => {
    throw new Error('an LGA is missing');
  };
  await expect(publish(out, 'v-2', keys, write('v-2'), unfit)).rejects.toThrow('an LGA is missing');
  await expect(publish(out, 'v-3', keys, () => Promise.reject(new Error('no space left')), sound)).rejects.toThrow(
    'no space left',
  );
  expect(readdirSync(path.join(out, 'snapshots'))).toEqual(['v-1']);
  expect(readlinkSync(path.join(out, 'current'))).toBe('snapshots/v-1');
});

test('of two builds that publish the same at once, one version stays; with other content the second is refused', async () => {
  const meanwhile = (content: string) => async (directory: string) => {
    await publish(out, 'v-1', keys, write('v-1'), sound);
    await write('v-1')(directory);
    if (content) writeFileSync(path.join(directory, 'manifest.json'), content);
  };
  const { directory } = await publish(out, 'v-1', keys, meanwhile(''), sound);
  expect(readdirSync(path.join(out, 'snapshots'))).toEqual(['v-1']);
  rmSync(directory, { recursive: true });
  await expect(publish(out, 'v-1', keys, meanwhile('{"other":1}'), sound)).rejects.toThrow(/found other content/);
  expect(readdirSync(path.join(out, 'snapshots'))).toEqual(['v-1']);
});

test('current does not go back to a version that is no longer fit', async () => {
  await publish(out, 'v-1', keys, write('v-1'), sound);
  await publish(out, 'v-2', keys, write('v-2'), sound);
  const unfit = () => Promise.reject(new Error('a byte was flipped'));
  await expect(publish(out, 'v-1', keys, write('v-1'), unfit)).rejects.toThrow('a byte was flipped');
  expect(readlinkSync(path.join(out, 'current'))).toBe('snapshots/v-2');
});

test('a directory in place of current is told of, and left as it is', async () => {
  mkdirSync(path.join(out, 'current'));
  expect(() => checkCurrent(out)).toThrow(/current: found a directory, expected a link to the published snapshot/);
  rmSync(path.join(out, 'current'), { recursive: true });
  expect(() => checkCurrent(out)).not.toThrow();
  await publish(out, 'v-1', keys, write('v-1'), sound);
  expect(() => checkCurrent(out)).not.toThrow();
});

test('what a killed build left aside is cleared', async () => {
  await publish(out, 'v-1', keys, write('v-1'), sound);
  mkdirSync(path.join(out, 'snapshots/.v-0.4194999-x-1.tmp'), { recursive: true });
  writeFileSync(path.join(out, 'current.4194999-x-2.tmp'), '');
  // Somebody's own, where `out` is a directory with other things in it.
  writeFileSync(path.join(out, 'draft.tmp'), '');
  clearUnpublished(out);
  expect(readdirSync(path.join(out, 'snapshots'))).toEqual(['v-1']);
  expect(readdirSync(out).sort()).toEqual(['current', 'draft.tmp', 'snapshots']);
});
