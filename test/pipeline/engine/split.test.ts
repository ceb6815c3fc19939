import path from 'node:path';
import { expect, test } from 'vitest';
import { ARTIFACT_TABLES } from '../../../pipeline/artifacts.ts';
import { ROOT } from '../../../pipeline/engine/code.ts';
import { chooseParts, ofStates } from '../../../pipeline/engine/split.ts';
import type { StageIo } from '../../../pipeline/engine/stage.ts';
import { SNAPSHOT, STAGES } from '../../../pipeline/stages.ts';
import { withArtifacts } from '../../../pipeline/with-artifacts.ts';
import { countTouched } from '../../../pipeline/zonal/touched-cells.ts';
import { withTinyCache } from '../../support/built-tiny.ts';
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
    if (stage.by_state) expect(stage.inputs).toContain('ingest/lgas');
  }
});

test("of all that it reads, a state's part sees what is the state's and nothing of another's areas", async () => {
  const { directory } = writeTiny();
  const places = (value: unknown) => JSON.stringify(value).match(/NG00\d\d{3}/g) ?? [];
  const read = [...new Set(STAGES.flatMap(({ by_state, inputs }) => (by_state ? inputs : [])))];
  const options = { country: directory, out: withTinyCache(), jobs: 1, onEvent: () => {} };
  await withArtifacts(['ingest', 'boundaries', 'zonal', 'context'], options, (_, io) => {
    const all = (from: StageIo, name: string) =>
      places(name in ARTIFACT_TABLES ? from.columns(name as keyof typeof ARTIFACT_TABLES) : from.artifact(name));
    for (const name of read) {
      const [one, two] = [['AB'], ['AD']].map((states) => all(ofStates(io, states), name));
      expect(one!.filter((code) => !code.startsWith('NG001'))).toEqual([]);
      expect(two!.filter((code) => !code.startsWith('NG002'))).toEqual([]);
      // Neighbours across the border are nobody's.
      if (name !== 'ingest/polygons') expect([...one!, ...two!].sort(), name).toEqual(all(io, name).sort());
    }
    expect(ofStates(io, ['AB']).table('ingest/states')).toMatchObject([{ state_code: 'AB' }]);
    expect(ofStates(io, ['AB']).table('ingest/cases').length).toBeGreaterThan(0);
    expect(ofStates(io, ['AD']).table('ingest/cases')).toEqual([]);
    const cells = io.table('zonal/cells').filter(({ lga_code }) => lga_code.startsWith('NG002'));
    expect(ofStates(io, ['AD']).table('zonal/cells')).toEqual(cells);
    expect(() => ofStates(io, ['AD']).artifact('boundaries/outlines')).toThrow('not known to fall apart by state');
  });
});
