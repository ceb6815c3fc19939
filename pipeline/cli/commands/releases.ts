import path from 'node:path';
import { Command } from 'commander';
import { listReleases, type Releases } from '../../release/list.ts';
import { pruneReleases } from '../../release/prune.ts';
import { OWN_DIRECTORY } from '../../release/release-records.ts';
import { findOrigin, type Origin, reproduce } from '../../release/reproduce.ts';
import { STAGE_NAMES } from '../../stages.ts';
import { EXIT } from '../terminal/exit-codes.ts';
import { jobsOption, outOption, parseAtLeastOne, printLines } from '../terminal/options.ts';
import { withProgress } from '../terminal/progress.ts';
import { formatTable } from '../terminal/text-table.ts';

export default function releasesCommand(): Command {
  return new Command('releases').addCommand(listCommand()).addCommand(pruneCommand()).addCommand(reproduceCommand());
}

function listCommand(): Command {
  return new Command('list')
    .description('List publications, the newest first, and the existing versions')
    .addOption(outOption())
    .option('--json', 'as JSON, with commits, changes and approvals')
    .addHelpText(
      'after',
      `
A star marks the current version. Publications of pruned versions are only counted. A publication that was killed before
it updated \`current\` is listed as abandoned.

Examples:
  malaria-risk releases list
  malaria-risk releases list --json | jq '.releases[] | {model_version, by, reason, commit: .built.code.commit}'`,
    )
    .action(({ out, json }: { out: string; json?: boolean }) => {
      const releases = listReleases(out);
      printLines(json ? JSON.stringify(releases, null, 2) : describeReleases(releases));
    });
}

function pruneCommand(): Command {
  return new Command('prune')
    .description('Remove old versions permanently')
    .requiredOption('--keep <n>', 'how many published versions to keep, the newest first', parseAtLeastOne)
    .addOption(outOption())
    .option('--json', 'as JSON')
    .addHelpText(
      'after',
      `
These are always kept: the current version, here and at every other destination; the newest candidate; versions that
were replaced in the last ten minutes; and versions that no build here recorded. Records are kept too, with the manifest
of each published version, from which \`releases reproduce\` can make it again, given its raw files. <out>/raw keeps the
raw files of the versions that remain, and those accepted after the newest candidate.

Example:
  malaria-risk releases prune --keep 6`,
    )
    .action(async ({ out, keep, json }: { out: string; keep: number; json?: boolean }) => {
      const pruned = await pruneReleases(out, keep);
      if (json) printLines(JSON.stringify(pruned));
      else
        printLines(
          ...pruned.removed.map(({ model_version, bytes }) => `removed ${model_version}, ${megabytes(bytes)} MB`),
          `Removed ${pruned.removed.length} versions; kept ${pruned.kept.length}`,
          ...(pruned.raw.files > 0
            ? [`Removed ${pruned.raw.files} of their raw files, ${megabytes(pruned.raw.bytes)} MB, from ${out}/raw`]
            : []),
        );
    });
}

function reproduceCommand(): Command {
  return new Command('reproduce')
    .description('Build a version again from its raw files and compare every byte')
    .argument('<version>', 'an existing version, or one that was published from here')
    .option(
      '--raw-data <dir>',
      'directory of the raw files, under their own paths or their SHA-256; missing ones are taken from <out>/raw',
    )
    .addOption(outOption())
    .addOption(jobsOption())
    .option('--json', 'as JSON lines')
    .addHelpText(
      'after',
      `
First prints the commit and raw files that the version was made from. It does not check out any code: if code, lock
file, Node or raw files differ from those, it reports which and stops. The catalog is taken from the manifest; the build
runs in a temporary directory (TMPDIR) with an empty cache.

Exits with 0 if every byte is the same, 1 if one is not, 2 if it cannot be tried here.

Examples:
  malaria-risk releases reproduce nigeria-2026.1-64213e44 --raw-data ../shared/raw-data/nigeria
  git worktree add ../then COMMIT && cd ../then && npm ci && npx malaria-risk releases reproduce VERSION --out ../now/build`,
    )
    .action(async (version: string, options: ReproduceOptions) => {
      const origin = findOrigin(options.out, version);
      if (!options.json) printLines(describeOrigin(origin));
      const keptRawData = path.join(options.out, 'raw');
      const rawData = options.rawData === undefined ? [keptRawData] : [options.rawData, keptRawData];
      const reproduction = await withProgress(STAGE_NAMES, options.json ?? false, (onEvent) =>
        reproduce(origin, { rawData, jobs: options.jobs, onEvent }),
      );
      const { code, raw, manifest_sha256 } = origin;
      if (options.json) printLines(JSON.stringify({ ...reproduction, manifest_sha256, code, raw }));
      else if (reproduction.different.length === 0)
        printLines(`${version}: all ${reproduction.files} files came out the same, byte for byte`);
      else
        printLines(
          ...reproduction.different.map((name) => `differs: ${name}`),
          `${version}: ${reproduction.different.length} files differ`,
        );
      if (reproduction.different.length > 0) process.exitCode = EXIT.finding;
    });
}

interface ReproduceOptions {
  out: string;
  rawData?: string;
  jobs: number;
  json?: boolean;
}

const megabytes = (bytes: number) => (bytes / 1e6).toFixed(1);

function describeReleases({ current, releases, versions }: Releases): string {
  if (releases.length + versions.length === 0) return 'Nothing was built or published here.';
  // Only the last completed publication is marked, not earlier ones of the same version.
  const latest = releases.find(({ to, status }) => to === OWN_DIRECTORY && status === 'published');
  const storedVersions = new Set(versions.map((version) => version.model_version));
  // A version published elsewhere may no longer be here; one that was pruned here can neither be served nor restored.
  const listedReleases = releases.filter(
    ({ to, model_version }) => to !== OWN_DIRECTORY || storedVersions.has(model_version),
  );
  const rows = listedReleases.map((release) => ({
    '': release === latest && release.model_version === current ? '*' : '',
    version: release.model_version,
    at: release.at.slice(0, 16).replace('T', ' '),
    by: release.by,
    to: release.to,
    MB: megabytes(release.bytes),
    moved: release.changes?.scores_moved ?? null,
    flipped: release.changes?.levels_flipped ?? null,
    reason: release.reason,
    status: release.status === 'started' ? 'not completed: publish again' : release.status,
  }));
  const candidates = versions.filter((version) => !version.published);
  return [
    ...(rows.length > 0 ? [formatTable(rows)] : ['Nothing was published from here.']),
    ...(rows.length < releases.length
      ? [`${releases.length - rows.length} publications of versions that were pruned: --json lists them`]
      : []),
    ...(current !== null && latest?.model_version !== current
      ? ['', `current points to ${current}, but according to the records here \`publish\` did not do that`]
      : []),
    ...(candidates.length > 0
      ? [
          '',
          'Candidates that were not published:',
          formatTable(
            candidates.map(({ model_version, built_at, bytes, unpublishable }) => ({
              version: model_version,
              built: built_at?.slice(0, 16).replace('T', ' ') ?? null,
              MB: megabytes(bytes),
              'for trial': unpublishable.join('; ') || null,
            })),
          ),
        ]
      : []),
  ].join('\n');
}

function describeOrigin({ model_version, manifest, manifest_sha256, code, raw }: Origin): string {
  return [
    `${model_version}, SHA-256 of manifest.json ${manifest_sha256}`,
    `  code         version ${manifest.code_version}${code?.commit ? `, commit ${code.commit}${code.dirty ? ' with uncommitted changes' : ''}` : ''}`,
    `  run by       ${manifest.runtime}`,
    ...raw.map(({ path: name, sha256 }) => `  ${sha256}  ${name}`),
  ].join('\n');
}
