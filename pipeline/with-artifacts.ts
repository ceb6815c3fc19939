/** Part of a build, for what looks at artifacts and publishes nothing. */
import { readArtifact } from './engine/cache.ts';
import { type Country, readCountry } from './engine/country.ts';
import { enter } from './engine/lock.ts';
import { hashRawFiles } from './engine/raw.ts';
import { runStages, type StageEvent } from './engine/run.ts';
import { cacheOf } from './publish/release/places.ts';
import { STAGES } from './stages.ts';

export interface PartOptions {
  country: string;
  rawData?: string | undefined;
  /** Takes raw files as they are, whether or not the catalog pins them so: for trial, never to be published. */
  unpinned?: boolean | undefined;
  /** A build's directory, whose cache is used and filled. */
  out: string;
  jobs: number;
  onEvent: (event: StageEvent) => void;
}

/**
 * Runs those of the named stages that changed, as a build does, and does `work` with their artifacts; nothing is removed
 * from the cache meanwhile. What the latest build used stays what a plan compares with.
 */
export async function withArtifacts<T>(
  names: readonly string[],
  options: PartOptions,
  work: (country: Country, artifact: <A>(stage: string, name: string) => A) => T | Promise<T>,
): Promise<T> {
  const { out, jobs, onEvent } = options;
  const country = readCountry(options.country, options.rawData);
  const stages = STAGES.filter(({ name }) => names.includes(name));
  const cache = cacheOf(out);
  const place = enter(out);
  try {
    const raw = await hashRawFiles(country, options.unpinned);
    const entries = await runStages(stages, { country, raw, cache, jobs, onEvent });
    return await work(country, <A>(stage: string, name: string) =>
      readArtifact<A>(cache, entries.find((entry) => entry.stage === stage)!, name),
    );
  } finally {
    place.leave();
  }
}
