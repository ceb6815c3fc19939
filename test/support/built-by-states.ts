import { cpSync, existsSync, readdirSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import { STAGES } from '../../pipeline/stages.ts';
import { run, temporary } from './command-line.ts';

/** Stages that split by state, in the table's order. */
export const BY_STATE = STAGES.filter((stage) => stage.by_state).map(({ name }) => name);

export interface SplitPlace {
  country: string;
  rawData?: string;
  /** A build whose joint stages' results may be used: they are found under the hash of what the parts gave, or not. */
  joint?: string;
}

/**
 * Builds a country state by state, as many machines would: each group of states in a process of its own, on a copy of
 * the cache, of which nothing but the part goes back.
 */
export async function buildByStates(
  { country, rawData, joint }: SplitPlace,
  groups: readonly (readonly string[])[],
): Promise<{ out: string; snapshot: string }> {
  const out = temporary();
  if (joint)
    for (const { name } of STAGES.filter((stage) => !stage.by_state))
      cpSync(path.join(joint, 'cache', name), path.join(out, 'cache', name), { recursive: true });
  const malaria = async (command: readonly string[], where: string) => {
    const place = ['--country', country, ...(rawData ? ['--raw-data', rawData] : []), '--out', where];
    const ended = await run([...command, ...place]);
    expect(ended.stderr).not.toContain('malaria-risk:');
    expect(ended.code).toBe(0);
  };
  for (const stage of BY_STATE) {
    await malaria(['part', stage], out);
    for (const states of groups) {
      const machine = temporary();
      cpSync(path.join(out, 'cache'), path.join(machine, 'cache'), { recursive: true });
      await malaria(['part', stage, '--states', states.join(',')], machine);
      for (const file of stepFiles(machine, stage))
        if (/part-/.test(file)) cpSync(path.join(machine, file), path.join(out, file));
    }
    expect(stepFiles(out, stage).filter((file) => /part-/.test(file))).toHaveLength(groups.length);
  }
  await malaria(['build', '--publish'], out);
  return { out, snapshot: realpathSync(path.join(out, 'current')) };
}

/** Files of the steps of a stage, below `out`. */
export function stepFiles(out: string, stage: string): string[] {
  const folder = path.join('cache', stage);
  if (!existsSync(path.join(out, folder))) return [];
  return readdirSync(path.join(out, folder))
    .filter((name) => name.endsWith('.steps'))
    .flatMap((name) => readdirSync(path.join(out, folder, name)).map((file) => path.join(folder, name, file)));
}
