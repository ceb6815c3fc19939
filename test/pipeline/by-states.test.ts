/** A build split by state and merged gives the same bytes. */
import { cpSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, inject, test } from 'vitest';
import type { ZonalRow } from '../../pipeline/artifacts.ts';
import { pruneEntries } from '../../pipeline/engine/cache.ts';
import { sha256 } from '../../pipeline/engine/hash.ts';
import { doStatePart } from '../../pipeline/state-part.ts';
import { withArtifacts } from '../../pipeline/with-artifacts.ts';
import { BY_STATE, buildByStates, stepFiles } from '../support/built-by-states.ts';
import { withTinyCache } from '../support/built-tiny.ts';
import { hashTree, run, temporary } from '../support/command-line.ts';
import { writeTiny } from '../support/tiny-country.ts';

/** Artifacts alone: an entry also tells how long it took. */
const artifactsOf = (out: string) =>
  Object.entries(hashTree(path.join(out, 'cache'))).filter(([name]) =>
    /^\w+\/[0-9a-f]{16}\/(?!stage\.json)/.test(name),
  );

const onEvent = () => {};

describe('the tiny country', () => {
  const { directory: country } = writeTiny();

  test('each state in a process of its own: the same artifacts, the same snapshot', async () => {
    const whole = { out: inject('builtTiny'), snapshot: realpathSync(path.join(inject('builtTiny'), 'current')) };
    // Not in the states' order: whoever is done first is merged first.
    const split = await buildByStates({ country, joint: whole.out }, [['AD'], ['AB']]);
    expect(artifactsOf(split.out)).toEqual(artifactsOf(whole.out));
    expect(artifactsOf(whole.out).length).toBeGreaterThan(30);
    const tree = hashTree(whole.snapshot);
    expect(hashTree(split.snapshot)).toEqual(tree);
    expect(Object.keys(tree).length).toBeGreaterThan(100);
  });

  const people = (out: string) =>
    withArtifacts(['ingest', 'zonal'], { country, out, jobs: 1, onEvent }, (_, io) =>
      io.table('zonal/lgas').map((row) => row.population),
    );

  test('a part is used and not worked out again; a damaged one, or one for the same state, is ignored', async () => {
    const sound = await people(withTinyCache());
    const out = withTinyCache(['ingest']);
    const [, file] = await doStatePart({ stage: 'zonal', states: ['AB'], country, out, jobs: 1, onEvent });
    const step = JSON.parse(readFileSync(file!, 'utf8'));
    expect(step.states).toEqual(['AB']);
    expect(step.part.lgas.map((lga: ZonalRow) => lga.lga_code)).toEqual(['NG001001', 'NG001002']);
    rmSync(file!);

    // Under the hash of its own bytes it is believed: so the build has its figure from the part.
    step.part.lgas[0].population += 1000;
    const text = JSON.stringify(step);
    const forged = path.join(path.dirname(file!), `part-${sha256(text)}.json`);
    const other = temporary();
    cpSync(out, other, { recursive: true });
    writeFileSync(path.join(other, path.relative(out, forged)), text);
    await doStatePart({ stage: 'zonal', states: ['AD'], country, out: other, jobs: 1, onEvent });
    expect(await people(other)).toEqual(sound.map((n, i) => (i === 0 ? n + 1000 : n)));

    writeFileSync(forged, text.replace('"AB"', '"AD"'));
    expect(await people(out)).toEqual(sound);
  });

  test('a job that runs again replaces a damaged part', async () => {
    const out = withTinyCache(['ingest']);
    const options = { stage: 'zonal', states: ['AB'], country, out, jobs: 1, onEvent };
    const [, file] = await doStatePart(options);
    const sound = readFileSync(file!, 'utf8');
    writeFileSync(file!, sound.slice(0, 100));
    expect(await doStatePart(options)).toContain(file);
    expect(readFileSync(file!, 'utf8')).toBe(sound);
  });

  test('a file with the right hash that holds no step: an error that names it', async () => {
    const out = withTinyCache(['ingest']);
    const [, file] = await doStatePart({ stage: 'zonal', states: ['AB'], country, out, jobs: 1, onEvent });
    for (const text of ['{', 'null', '{"part":1}', '{"states":"AB","part":{}}', '{"states":[],"part":{}}']) {
      const none = path.join(path.dirname(file!), `part-${sha256(text)}.json`);
      writeFileSync(none, text);
      await expect(people(out)).rejects.toThrow(`${none}: found something other than a step of a stage, expected`);
      rmSync(none);
    }
  });

  test('--states may be repeated', async () => {
    const place = ['--country', country, '--out', withTinyCache(['ingest'])];
    const ended = await run(['part', 'zonal', '--states', 'AD', '--states', 'AB', ...place]);
    const part = ended.stdout.split('\n').find((line) => line.includes('part-'));
    expect(JSON.parse(readFileSync(part!, 'utf8')).states).toEqual(['AB', 'AD']);
  });

  test('two different prepared steps: an error', async () => {
    const out = withTinyCache(['ingest']);
    const [prepared] = await doStatePart({ stage: 'zonal', states: [], country, out, jobs: 1, onEvent });
    const text = readFileSync(prepared!, 'utf8').replace(/"people":\d+/, '"people":1');
    writeFileSync(path.join(path.dirname(prepared!), `prepared-${sha256(text)}.json`), text);
    await expect(people(out)).rejects.toThrow('found 2 different prepared steps, expected one');
  });

  test('nothing is left to do once the stage is finished; pruning removes the steps', async () => {
    const out = withTinyCache(['ingest']);
    const options = { states: ['AB'], country, out, jobs: 1, onEvent };
    await doStatePart({ stage: 'zonal', ...options });
    await people(out);
    expect(await doStatePart({ stage: 'zonal', ...options })).toEqual([]);
    expect(stepFiles(out, 'zonal')).toHaveLength(2);
    pruneEntries(path.join(out, 'cache'));
    expect(stepFiles(out, 'zonal')).toEqual([]);
  });

  test('an unknown state, or a stage that does not split, is refused', async () => {
    const place = ['--country', country, '--out', withTinyCache(['ingest'])];
    const joint = await run(['part', 'risk', ...place]);
    expect([joint.code, joint.stderr]).toEqual([
      2,
      `malaria-risk: stage: found risk, expected one that splits by state: ${BY_STATE.join(', ')}\n`,
    ]);
    const nowhere = await run(['part', 'zonal', '--states', 'AB,XX', ...place]);
    expect([nowhere.code, nowhere.stderr]).toEqual([2, 'malaria-risk: --states: found XX, expected some of AB,AD\n']);
  });
});
