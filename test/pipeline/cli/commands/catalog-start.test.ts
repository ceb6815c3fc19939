import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { temporary } from '../../../support/command-line.ts';
import { runHere } from '../../../support/run-here.ts';
import { type TinyCountry, writeTiny } from '../../../support/tiny-country.ts';

const start = (country: TinyCountry, out: string) =>
  runHere(['catalog', 'start', '--country', country.directory, '--out', out]);
const modelOf = ({ directory }: TinyCountry) => JSON.parse(readFileSync(path.join(directory, 'model.json'), 'utf8'));

test('a search that starts at the last result finds it again; the rest of model.json is unchanged', async () => {
  const country = writeTiny(({ model }) => {
    model.parameters.risk.score = 'spatial';
  });
  const out = temporary();
  const before = modelOf(country);
  const first = await start(country, out);
  expect(first.stdout).toMatch(/^sigma_place +default +0\.\d+$/m);
  const { start: found, ...risk } = modelOf(country).parameters.risk;
  expect(risk).toEqual(before.parameters.risk);
  expect(Object.keys(found)).toContain('rho_2018');
  await start(country, out);
  for (const [name, value] of Object.entries<number>(modelOf(country).parameters.risk.start))
    expect(Math.abs(Math.log(value / found[name]))).toBeLessThan(1e-4);
});

test('invalid starting points, and a score without a search, are refused', async () => {
  const bad = writeTiny(({ model }) => {
    model.parameters.risk.start = { rho_2018: 1.5 };
  });
  expect((await start(bad, temporary())).stderr).toMatch(/start\.rho_2018.* 1\.5, expected a correlation below 1/);
  const unknown = writeTiny(({ model }) => {
    model.parameters.risk.start = { sigma_places: 1 };
  });
  expect((await start(unknown, temporary())).stderr).toMatch(/sigma_places/);
  const baseline = writeTiny();
  expect((await start(baseline, temporary())).stderr).toMatch(/found baseline, expected spatial/);
});
