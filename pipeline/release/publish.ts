import { userInfo } from 'node:os';
import { DAMAGED_ADVICE } from '../contract/published.ts';
import { lockShared } from '../engine/lock.ts';
import { buildFolderOption } from '../lib/build-folder.ts';
import { codeState } from '../lib/code-state.ts';
import { Stopped, UsageError } from '../lib/errors.ts';
import { firstFew } from '../lib/first-few.ts';
import type { SnapshotDiff } from '../publish/snapshot/diff.ts';
import { verifySnapshot } from '../publish/snapshot/verify.ts';
import { approveOptions, describeApproval, remainingApprovals } from './approvals.ts';
import { hashOfManifest } from './candidate.ts';
import { readCandidates } from './candidates.ts';
import type { Destination } from './destination.ts';
import { findVersion } from './find.ts';
import { publishAlone } from './publish-lock.ts';
import { writeReleaseIndex } from './release-index.ts';
import { completeReleases, endRelease, type Release, startRelease } from './release-records.ts';
import { type Review, reviewSnapshot } from './review.ts';
import { withDestination } from './with-destination.ts';

export interface PublishOptions {
  /** Default: the newest candidate. */
  version?: string | undefined;
  /** Another build's directory or s3://BUCKET/PREFIX. Default: `current` of this directory. */
  to?: string | undefined;
  /** The reason to publish a version that needs one. */
  approve?: string | undefined;
  /** What that reason approves, each `KIND` or `KIND:PLACE`. Default: all that needs one. */
  finding?: readonly string[] | undefined;
  /** The note that key holders see. */
  note?: string | undefined;
  /** For how many days the replaced version is promised to stay available. */
  keepDays?: number | undefined;
  /** Who publishes. Default: the user of this process. */
  by?: string | undefined;
  /** SHA-256 of the manifest that the caller has just verified, if it has. */
  verified?: string | undefined;
}

export interface Publication {
  model_version: string;
  directory: string;
  to: string;
  /** The version that was current before; null if there was none. */
  replaces: string | null;
  /** The record; null if the version was already current. */
  release: Release | null;
}

/** A message names this many of what needs a reason. */
const MOST_APPROVALS = 3;

/**
 * Publishes a version among the snapshots of `out`: verifies it, compares it with the current one at the destination,
 * and then writes the record, the files and `current`, in this order. If the process is killed at any moment, either
 * the old version or the new one is current.
 * @throws Stopped, before anything changes, if it is damaged, must not be published, or needs a reason that is not
 * given
 * @throws TryAgain if another publication is running
 */
export function publishVersion(out: string, options: PublishOptions = {}): Promise<Publication> {
  if (options.approve !== undefined && options.approve.trim() === '')
    throw new UsageError('--approve: found no text, expected the reason to publish this version');
  if (options.finding && options.approve === undefined)
    throw new UsageError('--finding: found no --approve, expected the reason to approve it');
  return publishAlone(out, async () => {
    const lock = lockShared(out);
    try {
      return await withDestination(out, options.to, (destination) => publish(out, destination, options));
    } finally {
      lock.release();
    }
  });
}

async function publish(out: string, destination: Destination, options: PublishOptions): Promise<Publication> {
  const { approve = null, finding = [], note = null, keepDays = null } = options;
  const after = findVersion(out, options.version ?? null);
  const { directory, manifest } = after;
  const { model_version } = manifest;
  const before = await destination.currentSnapshot();
  const replaces = before?.manifest.model_version ?? null;
  for (const history of destination.histories) await completeReleases(history, replaces);
  const manifest_sha256 = hashOfManifest(directory);
  if (options.verified !== manifest_sha256) await refuseFaults(directory);
  if (replaces === model_version) return { model_version, directory, to: destination.name, replaces, release: null };
  const review = await reviewSnapshot(before, after);
  if (review.refused.length > 0) throw new Stopped(`${model_version} ${review.refused.join('; ')}`);
  const remaining = approve === null ? review.approvals : remainingApprovals(review.approvals, finding);
  if (remaining.length > 0)
    throw new Stopped(
      `${model_version} is not published; it needs a reason (${approveOptions(remaining)}): ${firstFew(remaining.map(describeApproval), MOST_APPROVALS, '; ')}; see \`malaria-risk review ${model_version}${buildFolderOption(out)}\``,
    );

  const candidate = readCandidates(out).findLast(({ version }) => version === model_version);
  const record = {
    model_version,
    replaces,
    at: new Date().toISOString(),
    by: options.by ?? (process.env.MALARIA_BY || userInfo().username),
    reason: approve,
    approved: review.approvals.map(describeApproval),
    manifest_sha256,
    bytes: Object.values(manifest.files).reduce((sum, { bytes }) => sum + bytes, 0),
    built: candidate?.code ? { at: candidate.built_at, code: candidate.code } : null,
    published_by_code: codeState(),
    past_forecasts: review.diff?.past_forecasts ?? null,
    changes: review.diff && releaseChanges(review.diff, review),
  };
  const startedRecords: (readonly [string, Release])[] = [];
  for (const { out: folder, to } of destination.histories)
    startedRecords.push([folder, await startRelease(folder, { ...record, to })]);
  await destination.copyVersion(after);
  await writeReleaseIndex(destination.releaseFiles, { before, after, review, releasedAt: record.at, note, keepDays });
  await destination.makeCurrent(model_version);
  for (const [folder, release] of startedRecords) await endRelease(folder, release, 'published');
  return {
    model_version,
    directory,
    to: destination.name,
    replaces,
    release: { ...startedRecords[0]![1], status: 'published' },
  };
}

async function refuseFaults(directory: string): Promise<void> {
  const { faults } = await verifySnapshot(directory);
  if (faults.length > 0)
    throw new Stopped(
      `${directory} must not be published; it has ${faults.length} faults: ${faults.slice(0, 5).join('; ')}; ${DAMAGED_ADVICE}`,
    );
}

function releaseChanges({ all, answers }: SnapshotDiff, { findings }: Review): Release['changes'] {
  return {
    scores_compared: all.compared,
    scores_moved: all.moved,
    levels_flipped: all.flipped,
    ranges_disjoint: all.disjoint,
    largest_change: all.largest_change,
    answers_changed: answers.reduce((sum, { changed }) => sum + changed, 0),
    findings_new: findings.new.length,
  };
}
