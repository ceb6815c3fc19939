/** Part of a build, for commands that use artifacts and publish nothing. */

import { type Country, readCountry } from '../catalog/country.ts';
import { countryProject, type StageIo, stageView } from '../catalog/country-stage.ts';
import { createStageIo, createStageTask } from '../engine/io.ts';
import { lockShared } from '../engine/lock.ts';
import { artifactHashes, runStages, type StageEvent } from '../engine/run-stages.ts';
import { SNAPSHOT, stagesNeededFor } from '../stages.ts';
import { cacheFolder } from './build-paths.ts';
import { hashRawFiles } from './raw-hashes.ts';

export interface ArtifactOptions {
  country: string;
  rawData?: string | undefined;
  /** Uses raw files even if they differ from the catalog's pins: for trials only. */
  unpinned?: boolean | undefined;
  /** The output directory of a build, whose cache is used and filled. */
  out: string;
  jobs: number;
  onEvent: (event: StageEvent) => void;
}

/**
 * Runs the named stages and those behind them as far as they have changed, as a build does, and calls `work` with their
 * artifacts. Nothing is removed from the cache meanwhile, and plans still compare with the latest build.
 */
export async function withArtifacts<T>(
  names: readonly string[],
  options: ArtifactOptions,
  work: (country: Country, io: StageIo) => T | Promise<T>,
): Promise<T> {
  const { out, jobs, onEvent } = options;
  const country = readCountry(options.country, options.rawData);
  const stages = stagesNeededFor(names);
  const cache = cacheFolder(out);
  const lock = lockShared(out);
  try {
    const rawHashes = await hashRawFiles(country, options.unpinned);
    const entries = await runStages(stages, { project: countryProject(country, rawHashes), cache, jobs, onEvent });
    const byStage = Object.fromEntries(entries.map((entry) => [entry.stage, entry]));
    const inputs = Object.keys(artifactHashes(entries));
    return await work(
      country,
      createStageIo(
        await createStageTask({ ...SNAPSHOT, inputs }, stageView(SNAPSHOT, country), cache, byStage),
        () => {},
      ),
    );
  } finally {
    lock.release();
  }
}
