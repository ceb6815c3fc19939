import type { Country } from '../../catalog/country.ts';
import type { StageIo } from '../../catalog/country-stage.ts';
import { withArtifacts } from '../../release/with-artifacts.ts';
import { stagesNeededFor } from '../../stages.ts';
import type { StageOptions } from '../terminal/options.ts';
import { withProgress } from '../terminal/progress.ts';

/**
 * Runs the named stages and those behind them as far as they have changed, then a command's work with their
 * artifacts, and shows the progress of both.
 * @param name of the command's work among the stages
 */
export function withStages<T>(
  stages: readonly string[],
  name: string,
  options: StageOptions & { out: string; json?: boolean },
  work: (country: Country, io: StageIo, onProgress: (share: number, what: string) => void) => T | Promise<T>,
): Promise<T> {
  const shownStages = [...stagesNeededFor(stages).map((stage) => stage.name), name];
  return withProgress(shownStages, options.json ?? false, (onEvent) =>
    withArtifacts(stages, { ...options, onEvent }, async (country, io) => {
      const began = performance.now();
      onEvent({ type: 'started', stage: name, causes: ['results of commands are not kept'] });
      const result = await work(country, io, (share, what) => onEvent({ type: 'progress', stage: name, share, what }));
      onEvent({ type: 'finished', stage: name, seconds: (performance.now() - began) / 1000 });
      return result;
    }),
  );
}
