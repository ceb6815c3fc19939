import { cpSync, linkSync, mkdirSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { inject } from 'vitest';
import { type Manifest, strongEtag } from '../../pipeline/contract/manifest.ts';
import type { StageEvent } from '../../pipeline/engine/run-stages.ts';
import { sha256 } from '../../pipeline/lib/hash.ts';
import { withDatabase } from '../../pipeline/lib/tables/duckdb.ts';
import { build } from '../../pipeline/release/build.ts';
import { temporary } from './command-line.ts';

/** An output directory whose cache contains the tiny country's results of these stages, or of all. */
export function withTinyCache(stages: readonly string[] = ['']): string {
  const out = temporary();
  const cache = path.join(inject('builtTiny'), 'cache');
  for (const stage of stages) cpSync(path.join(cache, stage), path.join(out, 'cache', stage), { recursive: true });
  return out;
}

/**
 * Builds a country in this process. For a changed tiny country, only the stages that the change affects run.
 * @returns the result, with `ran`: the stages that ran, in the order in which they finished
 */
export async function buildHere(
  country: string,
  out = withTinyCache(),
  { updatedAt, unpinned }: { updatedAt?: string; unpinned?: boolean } = {},
) {
  const events: StageEvent[] = [];
  const result = await build({ country, out, updatedAt, unpinned, jobs: 2, onEvent: (event) => events.push(event) });
  const ran = events.flatMap((event) => (event.type === 'finished' ? [event.stage] : []));
  const causes = Object.fromEntries(
    events.flatMap((event) => (event.type === 'started' ? [[event.stage, event.causes]] : [])),
  );
  return { ...result, out, ran, causes, snapshot: realpathSync(result.directory) };
}

/** The tiny country's snapshot, which all tests of a run share: `copySnapshot` gives one that a test may damage. */
export const tinySnapshot = () => realpathSync(path.join(inject('builtTiny'), 'current'));

/** A build directory in which the tiny country is published, with its cache, history and candidates. */
export const publishedTiny = (): string => copyBuild(inject('builtTiny'));

/** A copy of a build's directory. */
export function copyBuild(from: string): string {
  const out = path.join(temporary(), 'build');
  cpSync(from, out, { recursive: true, verbatimSymlinks: true });
  return out;
}

/**
 * A copy of a snapshot that a test may damage, but only with `overwrite` or by removing files: the files are hard
 * links.
 */
export function copySnapshot(snapshot: string): string {
  const copy = path.join(temporary(), path.basename(snapshot));
  for (const entry of readdirSync(snapshot, { recursive: true, withFileTypes: true })) {
    const from = path.join(entry.parentPath, entry.name);
    const to = path.join(copy, path.relative(snapshot, from));
    mkdirSync(entry.isDirectory() ? to : path.dirname(to), { recursive: true });
    if (!entry.isDirectory()) linkSync(from, to);
  }
  return copy;
}

/** Replaces a file's bytes and leaves the manifest unchanged. */
export function overwrite(snapshot: string, name: string, data: string | Uint8Array): void {
  const file = path.join(snapshot, name);
  rmSync(file, { force: true });
  writeFileSync(file, data);
}

export const readJson = (snapshot: string, name: string) => JSON.parse(readFileSync(path.join(snapshot, name), 'utf8'));

/** Changes an answer, its compressed copies and the manifest, so that only the content itself is wrong. */
export function rewrite(snapshot: string, name: string, change: (value: any) => void): void {
  const value = readJson(snapshot, name);
  change(value);
  const plain = Buffer.from(JSON.stringify(value));
  const manifest: Manifest = readJson(snapshot, 'manifest.json');
  for (const [file, bytes] of [
    [name, plain],
    [`${name}.gz`, gzipSync(plain)],
    [`${name}.br`, brotliCompressSync(plain)],
  ] as const) {
    overwrite(snapshot, file, bytes);
    const hash = sha256(bytes);
    manifest.files[file] = { bytes: bytes.length, sha256: hash, etag: strongEtag(hash) };
  }
  overwrite(snapshot, 'manifest.json', JSON.stringify(manifest));
}

/** Changes a table by SQL statements, and the manifest accordingly. */
export async function rewriteTable(snapshot: string, table: string, ...statements: string[]): Promise<void> {
  const name = `tables/${table}.parquet`;
  const file = path.join(snapshot, name);
  await withDatabase(async (db) => {
    await db.run(`CREATE TABLE ${table} AS FROM read_parquet('${file}')`);
    for (const statement of statements) await db.run(statement);
    rmSync(file);
    await db.run(`COPY ${table} TO '${file}' (FORMAT parquet)`);
  });
  const bytes = readFileSync(file);
  const hash = sha256(bytes);
  rewriteManifest(snapshot, ({ files }) => {
    files[name] = { bytes: bytes.length, sha256: hash, etag: strongEtag(hash) };
  });
}

/** Changes only the manifest. */
export function rewriteManifest(snapshot: string, change: (manifest: any) => void): void {
  const manifest = readJson(snapshot, 'manifest.json');
  change(manifest);
  overwrite(snapshot, 'manifest.json', JSON.stringify(manifest));
}
