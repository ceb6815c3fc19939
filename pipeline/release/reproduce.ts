import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ALERT_EVALUATION_FILE } from '../catalog/alert-evaluation.ts';
import { ALIASES_FILE, type Alias, aliasesCsv } from '../catalog/aliases.ts';
import { HELD_BACK_FILE } from '../catalog/held-back.ts';
import type { Source } from '../catalog/sources.ts';
import type { Manifest } from '../contract/manifest.ts';
import { stageCodeHashes } from '../engine/cache-key.ts';
import { RUNTIME } from '../engine/code-hashes.ts';
import { changedNames } from '../engine/explain-run.ts';
import type { StageEvent } from '../engine/run-stages.ts';
import { buildFolderOption } from '../lib/build-folder.ts';
import { type CodeState, codeVersion } from '../lib/code-state.ts';
import { UsageError } from '../lib/errors.ts';
import { firstFew } from '../lib/first-few.ts';
import { sha256File } from '../lib/hash.ts';
import { openSnapshot } from '../publish/snapshot/open-snapshot.ts';
import { SNAPSHOT, STAGES } from '../stages.ts';
import { build } from './build.ts';
import { releasesFolder, snapshotsFolder } from './build-paths.ts';
import { hashOfManifest } from './candidate.ts';
import { readCandidates } from './candidates.ts';
import { readReleases } from './release-records.ts';

/** The inputs and code of a version. */
export interface Origin {
  model_version: string;
  manifest: Manifest;
  manifest_sha256: string;
  /** Code of the build; null if it was not recorded. */
  code: CodeState | null;
  raw: { path: string; sha256: string }[];
}

export interface Reproduction {
  model_version: string;
  files: number;
  /** Files that differ or are in only one of the two; empty if the version was reproduced exactly. */
  different: string[];
}

/** The origin of an existing version, or of one that was published here and then pruned. */
export function findOrigin(out: string, model_version: string): Origin {
  const folders = [snapshotsFolder(out), releasesFolder(out)].map((root) => path.join(root, model_version));
  const directory = folders.find((folder) => existsSync(path.join(folder, 'manifest.json')));
  if (path.basename(model_version) !== model_version || directory === undefined)
    throw new UsageError(
      `${out}: found no ${model_version}, expected one of its snapshots or releases (see \`malaria-risk releases list${buildFolderOption(out)}\`)`,
    );
  const { manifest } = openSnapshot(directory);
  if (manifest.unpublishable)
    throw new UsageError(
      `${model_version}: found a version that cannot be published (${manifest.unpublishable.join('; ')}), expected one that can`,
    );
  const code =
    readReleases(out).findLast((release) => release.model_version === model_version)?.built?.code ??
    readCandidates(out).find(({ version }) => version === model_version)?.code ??
    null;
  const files = (manifest.sources as Source[]).flatMap((source) => source.files);
  const raw = files.map((file) => ({ path: file.path, sha256: file.sha256! }));
  return { model_version, manifest, manifest_sha256: hashOfManifest(directory), code, raw };
}

/**
 * Builds a version again in a temporary directory, from its raw files and the catalog in its manifest, and compares
 * every file.
 * @param rawData directories that are searched in this order for raw files, by path and by SHA-256
 * @throws UsageError if code, lock file, Node or raw files are not those from which it was built
 */
export async function reproduce(
  origin: Origin,
  { rawData, jobs, onEvent }: { rawData: readonly string[]; jobs: number; onEvent: (event: StageEvent) => void },
): Promise<Reproduction> {
  refuseOtherCode(origin);
  const temporary = mkdtempSync(path.join(tmpdir(), 'reproduce-'));
  try {
    const [country, raw, out] = ['country', 'raw', 'build'].map((name) => path.join(temporary, name)) as [
      string,
      string,
      string,
    ];
    for (const file of origin.raw) await linkRawFile(rawData, file, raw);
    writeCatalog(country, origin.manifest);
    const built = await build({ country, rawData: raw, out, jobs, onEvent });
    const rebuilt: Manifest = JSON.parse(readFileSync(path.join(built.directory, 'manifest.json'), 'utf8'));
    const [originals, copies] = [origin.manifest.files, rebuilt.files];
    const different = [...new Set([...Object.keys(originals), ...Object.keys(copies)])].filter(
      (name) => originals[name]?.sha256 !== copies[name]?.sha256,
    );
    if (built.manifest_sha256 !== origin.manifest_sha256) different.push('manifest.json');
    return { model_version: built.model_version, files: Object.keys(originals).length + 1, different };
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

function refuseOtherCode({ model_version, manifest, code }: Origin): void {
  const advice = code?.commit
    ? `check out commit ${code.commit}, run \`npm ci\` and this command there`
    : 'run this command with that code';
  const refuse = (found: string, expected: string) => {
    throw new UsageError(`${model_version}: found ${found}, expected ${expected}; ${advice}`);
  };
  if (manifest.runtime !== RUNTIME) refuse(RUNTIME, `${manifest.runtime}, which built it`);
  const changed = manifest.stages.flatMap(({ stage, code: files }) => {
    const currentStage = [...STAGES, SNAPSHOT].find(({ name }) => name === stage);
    return currentStage ? changedNames(stageCodeHashes(currentStage), files) : [`stage ${stage}`];
  });
  const names = [...new Set(changed)];
  if (names.length > 0) refuse(`different code: ${firstFew(names, 3)}`, 'the code that built it');
  if (manifest.code_version !== codeVersion())
    refuse(`version ${codeVersion()} of the code`, `${manifest.code_version}, which built it`);
}

async function linkRawFile(
  folders: readonly string[],
  { path: name, sha256 }: Origin['raw'][number],
  target: string,
): Promise<void> {
  for (const file of folders.flatMap((directory) => [path.join(directory, name), path.join(directory, sha256)])) {
    if (!existsSync(file) || (await sha256File(file)) !== sha256) continue;
    const link = path.join(target, name);
    mkdirSync(path.dirname(link), { recursive: true });
    symlinkSync(path.resolve(file), link);
    return;
  }
  const found = folders.some((directory) => existsSync(path.join(directory, name)))
    ? 'a different file'
    : 'no such file';
  throw new UsageError(
    `${name}: found ${found} in ${folders.join(' or ')}, expected SHA-256 ${sha256} (see --raw-data)`,
  );
}

/** Writes the version's catalog: the manifest has its entries, and the stages' records have the parts of model.json. */
function writeCatalog(country: string, { sources, stages }: Manifest): void {
  const model: Record<string, unknown> = {};
  // The snapshot's record comes first, since it has all parameters in the order in which the snapshot writes them.
  for (const { parameters } of stages.toReversed()) merge(model, parameters as Record<string, unknown>);
  const { held_back, alert_evaluation, aliases, ...rest } = model;
  const write = (name: string, value: unknown) => writeFileSync(path.join(country, name), JSON.stringify(value));
  mkdirSync(country, { recursive: true });
  write('sources.json', { sources });
  write('model.json', rest);
  if (held_back !== undefined) write(HELD_BACK_FILE, held_back);
  if (alert_evaluation !== undefined) write(ALERT_EVALUATION_FILE, alert_evaluation);
  if (aliases !== undefined) writeFileSync(path.join(country, ALIASES_FILE), aliasesCsv(aliases as Alias[]));
}

function merge(target: Record<string, unknown>, source: Record<string, unknown>): void {
  for (const [key, value] of Object.entries(source)) {
    const existing = target[key];
    const areObjects = [existing, value].every(
      (side) => side !== null && typeof side === 'object' && !Array.isArray(side),
    );
    if (areObjects) merge(existing as Record<string, unknown>, value as Record<string, unknown>);
    else target[key] = structuredClone(value);
  }
}
