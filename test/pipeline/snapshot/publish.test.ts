import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { publish } from '../../../pipeline/snapshot/publish.ts';

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
const sound = () => {};

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
    /v-1: found a snapshot made of other stages, expected/,
  );
  expect(readlinkSync(path.join(out, 'current'))).toBe('snapshots/v-2');
});

test('what fails its check, or fails while it is written, leaves nothing', async () => {
  await publish(out, 'v-1', keys, write('v-1'), sound);
  const unfit = () => {
    throw new Error('an LGA is missing');
  };
  await expect(publish(out, 'v-2', keys, write('v-2'), unfit)).rejects.toThrow('an LGA is missing');
  await expect(publish(out, 'v-3', keys, () => Promise.reject(new Error('no space left')), sound)).rejects.toThrow(
    'no space left',
  );
  expect(readdirSync(path.join(out, 'snapshots'))).toEqual(['v-1']);
  expect(readlinkSync(path.join(out, 'current'))).toBe('snapshots/v-1');
});

test('what a killed build left aside is cleared; what a running one has aside stays', async () => {
  const snapshots = path.join(out, 'snapshots');
  mkdirSync(path.join(snapshots, '.v-0.4194999'), { recursive: true });
  mkdirSync(path.join(snapshots, '.v-9.1'));
  await publish(out, 'v-1', keys, write('v-1'), sound);
  expect(readdirSync(snapshots).sort()).toEqual(['.v-9.1', 'v-1']);
  expect(JSON.parse(readFileSync(path.join(out, 'current/manifest.json'), 'utf8')).model_version).toBe('v-1');
});
