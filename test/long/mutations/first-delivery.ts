/** Gives corrupted real files as a country's first ones: there is no earlier file to compare them with. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import { tell, wordsOf } from '../../../pipeline/contract/words.ts';
import type { ReportLine } from '../../../pipeline/engine/stage.ts';
import { checkCountry } from '../../../pipeline/intake/check/check-country.ts';
import { measureSource } from '../../../pipeline/intake/update/measure-source.ts';
import { withArtifacts } from '../../../pipeline/release/with-artifacts.ts';
import { stagesBehind } from '../../../pipeline/stages.ts';
import { REAL_DATA } from '../../support/real-data.ts';
import { prepare, sourcesOf } from './against-former.ts';
import type { Mutation } from './mutation.ts';

/** The stages that read the files or summarise them, whose findings are looked at; the models' fits take minutes. */
const OF_THE_DATA = stagesBehind(['boundaries', 'context', 'survey', 'season']).map(({ name }) => name);

interface Stopped {
  /** Whether `catalog check` says it, a build refuses it, or publishing the build needs `--approve`. */
  by: 'check' | 'build' | 'approval';
  what: string;
}

/**
 * Checks a country with the mutated file, pinned as if it had never been another, and if the check finds nothing, runs
 * the stages of a build up to the season. With no mutation, the country is as it is.
 * @param out the output directory, whose cache stages share that do not read the file
 */
export async function asFirst(out: string, mutation?: Mutation): Promise<Stopped[]> {
  const { country, rawData } = prepare();
  try {
    if (mutation) await deliver(country, rawData, mutation);
    const faults = await checkCountry(country, rawData);
    if (faults.length > 0) return faults.map(({ what }) => ({ by: 'check', what }));
    return await withArtifacts(OF_THE_DATA, { country, rawData, out, jobs: 1, onEvent: () => {} }, ({ model }, io) =>
      OF_THE_DATA.flatMap((stage) => io.artifact<ReportLine[]>(`${stage}/report`))
        .filter((line) => line.needs_approval)
        .map(({ what }) => ({ by: 'approval', what: tell(what, wordsOf(model.territory)) })),
    );
  } catch (error) {
    expect((error as Error).name, (error as Error).stack).toBe('BadInput');
    return [{ by: 'build', what: (error as Error).message }];
  }
}

/** Writes the mutated file in the place of the real one, and its bytes, hash, rows, span and rounds to the catalog. */
async function deliver(country: string, rawData: string, { source: id, file = '', change }: Mutation): Promise<void> {
  const sources = sourcesOf(country);
  const source = sources.find((own) => own.id === id)!;
  const { path: rawFile } = source.files.find((own) => own.path.endsWith(file))!;
  const bytes = readFileSync(path.join(REAL_DATA, rawFile));
  const changed = await change(bytes, rawFile);
  expect(changed.equals(bytes)).toBe(false);
  rmSync(path.join(rawData, rawFile));
  writeFileSync(path.join(rawData, rawFile), changed);
  const { states } = JSON.parse(readFileSync(path.join(country, 'model.json'), 'utf8'));
  const measured = (await measureSource(source, rawData, states)).source;
  const proposed = sources.map((own) => (own === source ? measured : own));
  writeFileSync(path.join(country, 'sources.json'), JSON.stringify({ sources: proposed }));
}
