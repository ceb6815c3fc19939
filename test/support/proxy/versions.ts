/** Publishes releases of the fixture in the directory of a build, with their release index. */
import { join } from 'node:path';
import { openSnapshot } from '../../../pipeline/publish/snapshot/open-snapshot.ts';
import { releaseFilesIn } from '../../../pipeline/release/release-files.ts';
import { writeReleaseIndex } from '../../../pipeline/release/release-index.ts';
import { type FixtureOptions, publish, versionOf, writeSnapshot } from './fixture.ts';

const NONE = { compared: 42, moved: 7, flipped: 1, disjoint: 0, mean_change: 0.01, mean_absolute_change: 0.02 };
const ALL = { ...NONE, largest_change: -0.1 };

/** Publishes `release`, which replaces `before`, with its own time of publication. */
export async function publishRelease(
  build: string,
  release: string,
  before: string | null,
  options: FixtureOptions & { keepDays?: number; note?: string } = {},
): Promise<void> {
  const { keepDays = null, note = null, ...fixture } = options;
  const target = join('snapshots', versionOf(release));
  writeSnapshot(join(build, target), { ...fixture, release });
  const snapshotOf = (which: string) => openSnapshot(join(build, 'snapshots', versionOf(which)));
  const [a, b] = [before && versionOf(before), versionOf(release)];
  const only = { lgas: [], periods: [] };
  const diff = a && {
    a,
    b,
    synthetic: true,
    thresholds: { score_change: 0.02, max_moved_share: 1, max_flipped_share: 1, max_disjoint_share: 1 },
    all: ALL,
    state_scores: ALL,
    states: [],
    lgas: [],
    periods: [],
    states_by_period: [],
    levels_flipped: [],
    largest: [],
    only_in_a: only,
    only_in_b: only,
    answers: [],
    tables: [],
    past_forecasts: null,
    latest: null,
    over: [],
  };
  await writeReleaseIndex(releaseFilesIn(build), {
    before: before === null ? null : snapshotOf(before),
    after: snapshotOf(release),
    review: {
      model_version: b,
      replaces: a,
      synthetic: true,
      refused: [],
      approvals: [],
      read: [],
      diff: diff || null,
      findings: { new: [], known: [], gone: [] },
      sources: [],
      evidence: [],
      making: { model: [], code: [] },
    },
    releasedAt: `2026-0${Number(release)}-01T00:00:00.000Z`,
    note,
    keepDays,
  });
  publish(build, target);
}
