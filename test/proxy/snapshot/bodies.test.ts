import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { bodyOf, type Representation, type ServedFile } from '../../../proxy/snapshot/bodies.ts';

const MB = 1 << 20;
const form = (bytes: number, held: Representation['held'] = null): Representation => ({
  bytes,
  etag: '',
  name: '',
  shared: { directory: '', version: '', type: '' },
  lines: null,
  held,
});
/** A file of `bytes` plain bytes whose gzip is held, or not. */
function fileOf(bytes: number, plainBodies: ServedFile['plainBodies'], held = true): ServedFile {
  const gzip = gzipSync(Buffer.alloc(bytes, 'a')).toString('latin1');
  return { identity: form(bytes), gzip: form(gzip.length, held ? gzip : null), br: form(9, 'br'), plainBodies };
}
const none = () => ({ held: new Set<Representation>(), bytes: 0 });

test('packed bodies are as held; plain ones are unpacked, text where small', () => {
  const file = fileOf(100, none());
  expect(bodyOf(file, file.br)).toBe('br');
  expect(bodyOf(file, file.identity)).toBe('a'.repeat(100));
  const large = fileOf(MB / 2, none());
  expect(bodyOf(large, large.identity)).toEqual(Buffer.alloc(MB / 2, 'a'));
});

test('too large, or not held packed: from disk', () => {
  for (const file of [fileOf(MB + 1, none()), fileOf(100, none(), false)]) {
    expect(bodyOf(file, file.identity)).toBeNull();
  }
});

test('plain bodies are held up to 32 MiB together, the oldest forgotten first', () => {
  const plainBodies = none();
  const files = Array.from({ length: 40 }, () => fileOf(MB, plainBodies));
  for (const file of files) bodyOf(file, file.identity);
  expect(files.map(({ identity }) => identity.held !== null)).toEqual(files.map((_, i) => i >= 8));
  expect([plainBodies.bytes, plainBodies.held.size]).toEqual([32 * MB, 32]);
  expect(bodyOf(files[0]!, files[0]!.identity)).toHaveLength(MB);
  expect(files[8]!.identity.held).toBeNull();
});
