import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { MADAGASCAR_DATA, needsMadagascar } from '../../../support/real-data.ts';
import { catalogOf } from './drafted.ts';

test.skipIf(!existsSync(MADAGASCAR_DATA))(needsMadagascar('Madagascar, drafted from its folder'), async () => {
  const { sources, model, faults, draft } = await catalogOf(MADAGASCAR_DATA, {});
  expect(faults).toEqual([]);
  expect(draft.questions.at(-1)!.guess).toBe('population/wp_2015_1x1.tif');
  expect(draft.leftOut.find(({ file }) => file.includes('FB_HRSL'))!.why).toMatch(/more than 2 in \d+ of 119: /);
  expect([model.name, model.expected, sources.length]).toEqual(['Madagascar', { states: 22, lgas: 119 }, 7]);
});
