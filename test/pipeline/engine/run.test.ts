/** The inputs and code of a running stage must stay as they were hashed, or its result is not kept. */
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { hashFiles } from '../../../pipeline/engine/raw-files.ts';
import { runStages } from '../../../pipeline/engine/run-stages.ts';
import type { Stage } from '../../../pipeline/engine/stage.ts';
import { ROOT } from '../../../pipeline/lib/packed.ts';
import { temporary } from '../../support/command-line.ts';

/** A stage whose module does `work` and returns the raw file's text. */
function prepare(work: string) {
  const directory = temporary();
  const raw = path.join(directory, 'raw.csv');
  const module = path.join(directory, 'stage.ts');
  writeFileSync(raw, 'a\n1\n');
  writeFileSync(
    module,
    `import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
    import { two } from './two.ts';
    const [raw, other] = ${JSON.stringify([raw, path.join(directory, 'two.ts')])};
    export const run = async () => { ${work}; return { text: readFileSync(raw, 'utf8') + two, report: [] }; };`,
  );
  writeFileSync(path.join(directory, 'two.ts'), 'export const two = 2;\n');
  const stage: Stage = { name: 'made', module: path.relative(ROOT, module), inputs: [], outputs: ['text'] };
  const cache = path.join(directory, 'cache');
  mkdirSync(cache);
  const run = async () => {
    const files = await hashFiles(directory, ['raw.csv']);
    const inputsFor = () => ({ files, catalog: {}, parameters: {}, view: {} });
    const project = { name: 'made', rawData: directory, inputsFor };
    return runStages([stage], { project, cache, jobs: 1, onEvent: () => {} });
  };
  const kept = () => (existsSync(path.join(cache, 'made')) ? readdirSync(path.join(cache, 'made')) : []);
  return { raw, run, kept };
}

test('the result of an undisturbed stage is kept and found again', async () => {
  const { run, kept } = prepare('');
  const [entry] = await run();
  expect(kept()).toEqual([entry!.key.slice(0, 16)]);
  expect(await run()).toEqual([entry]);
});

test('if a raw file changes meanwhile, nothing is kept under its old hash', async () => {
  const { raw, run, kept } = prepare("appendFileSync(raw, '2\\n')");
  await expect(run()).rejects.toThrow('raw.csv: found a change while made ran, expected the file to stay the same');
  expect(kept()).toEqual([]);
  expect(readFileSync(raw, 'utf8')).toBe('a\n1\n2\n');
});

test('if a raw file is removed meanwhile, nothing is kept', async () => {
  const { run, kept } = prepare("readFileSync(raw); (await import('node:fs')).rmSync(raw); writeFileSync(raw, '')");
  await expect(run()).rejects.toThrow('raw.csv: found a change while made ran');
  expect(kept()).toEqual([]);
});

test('if code changes meanwhile, nothing is kept', async () => {
  const { run, kept } = prepare("writeFileSync(other, 'export const two = 3;')");
  await expect(run()).rejects.toThrow(/two\.ts: found a change while made ran/);
  expect(kept()).toEqual([]);
});

test('a change that keeps size and time is noticed by the next build', async () => {
  const { raw, run } = prepare('');
  const [before] = await run();
  const { atime, mtime } = statSync(raw);
  writeFileSync(raw, 'a\n9\n');
  utimesSync(raw, atime, mtime);
  const [after] = await run();
  expect(after!.key).not.toBe(before!.key);
});
