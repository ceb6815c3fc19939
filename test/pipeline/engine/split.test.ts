import path from 'node:path';
import { expect, test } from 'vitest';
import type { PredictionCells } from '../../../pipeline/artifacts.ts';
import { ROOT } from '../../../pipeline/engine/code.ts';
import { chooseParts, ofStates } from '../../../pipeline/engine/split.ts';
import type { StageIo } from '../../../pipeline/engine/stage.ts';
import { SNAPSHOT, STAGES } from '../../../pipeline/stages.ts';
import { countTouched } from '../../../pipeline/zonal/touched-cells.ts';
import { buildHere, readJson } from '../../support/built-tiny.ts';
import { writeTiny } from '../../support/tiny-country.ts';

test('parts that share no state are taken, in their order; what is left is in none of them', () => {
  const part = (...states: string[]) => ({ states, part: states.join('+') });
  const states = ['AA', 'BB', 'CC', 'DD'];
  const chosen = (...parts: ReturnType<typeof part>[]) => {
    const { taken, left } = chooseParts(parts, states);
    return [taken.map((one) => one.part), left];
  };
  expect(chosen()).toEqual([[], states]);
  expect(chosen(part('CC'), part('AA', 'BB'))).toEqual([['CC', 'AA+BB'], ['DD']]);
  expect(chosen(part('AA', 'BB'), part('BB', 'CC'), part('CC'))).toEqual([['AA+BB', 'CC'], ['DD']]);
  expect(chosen(part('AA', 'XX'))).toEqual([[], states]);
});

test('a cell that two parts meet counts once', () => {
  expect(countTouched([])).toBe(0);
  expect(countTouched([{ 5: [0, 3, 7, 9] }])).toBe(5);
  expect(countTouched([{ 5: [0, 3, 7, 9] }, { 5: [2, 8], 6: [0, 1] }, { 5: [4, 5] }])).toBe(10);
});

test('the table says which stages split by state', async () => {
  for (const stage of [...STAGES, SNAPSHOT]) {
    const module = await import(path.join(ROOT, stage.module));
    expect('split' in module, stage.name).toBe(stage.by_state ?? false);
    if (stage.by_state) expect(stage.inputs).toContain('ingest/areas');
  }
});

test("of every artifact, a state's part holds all that is the state's and nothing of another's areas", async () => {
  const { directory } = writeTiny();
  const { out, snapshot } = await buildHere(directory);
  const { stages } = readJson(snapshot, 'manifest.json') as { stages: { stage: string; key: string }[] };
  const artifact = <T>(name: string): T => {
    const [stage, own] = name.split('/') as [string, string];
    const { key } = stages.find((one) => one.stage === stage)!;
    return readJson(out, `cache/${stage}/${key.slice(0, 16)}/${own}.json`);
  };
  const io = { artifact } as unknown as StageIo;
  const places = (value: unknown) => JSON.stringify(value).match(/NG00\d\d{3}/g) ?? [];
  for (const name of SNAPSHOT.inputs) {
    if (name.endsWith('/report')) continue;
    const all = places(artifact(name));
    const [one, two] = [['AB'], ['AD']].map((states) => places(ofStates(io, states).artifact(name)));
    expect(
      one!.every((code) => code.startsWith('NG001')),
      name,
    ).toBe(true);
    expect(
      two!.every((code) => code.startsWith('NG002')),
      name,
    ).toBe(true);
    // Neighbours across the border are nobody's.
    if (name !== 'ingest/polygons') expect([...one!, ...two!].sort(), name).toEqual([...all].sort());
  }
  expect(ofStates(io, ['AB']).artifact('ingest/areas')).toMatchObject({ states: [{ state_code: 'AB' }] });
  const cells = artifact<PredictionCells>('zonal/cells');
  const own = ofStates(io, ['AD']).artifact<PredictionCells>('zonal/cells');
  expect(own.population).toEqual(cells.population.filter((_, i) => cells.lga_code[i]!.startsWith('NG002')));
});
