import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { readCountry } from '../../../../pipeline/catalog/country.ts';
import { designHash, enterLook, heldBackStanding } from '../../../../pipeline/model/transmission/held-back-design.ts';
import { probeRecord } from '../../../../pipeline/model/transmission/projection-probe.ts';
import { developProjections } from '../../../../pipeline/model/transmission/projection-test.ts';
import { REAL_CATALOG } from '../../../support/real-data.ts';
import { runHere } from '../../../support/run-here.ts';
import { type TinyCountry, writeTiny } from '../../../support/tiny-country.ts';

const SETTINGS = {
  durations: { infectious_months: 2, immune_months: 3 },
  development_first: 2018,
  held_back_year: 2021,
  starts: 4,
  seed: 1,
};
const A = 'a'.repeat(64);
const B = 'b'.repeat(64);
const asked = (design: string, held_back_year = 2021) => ({ held_back_year, design, level_months: 6 });
const RESULT = { months: 12, mean_absolute_error: { model: 1 }, seasonal_shape_correlation: 0.5 };

test('a design is identified by its settings, its level and its projections: reproducible, and different after each change', () => {
  const design = designHash(6, SETTINGS);
  expect(design).toMatch(/^[0-9a-f]{64}$/);
  expect(designHash(6, SETTINGS)).toBe(design);
  const others = [
    designHash(3, SETTINGS),
    designHash(6, { ...SETTINGS, starts: 5 }),
    designHash(6, { ...SETTINGS, durations: { infectious_months: 2, immune_months: 3.01 } }),
  ];
  expect(new Set([design, ...others]).size).toBe(4);
});

test("the probe's projections change with the model and with the treatment of gaps and masks", () => {
  const probe = probeRecord(SETTINGS);
  expect(probe.per_1000).toHaveLength(72);
  expect(probe.per_1000.filter((value) => value === null)).toHaveLength(1);
  expect(probe.masked.size).toBe(3);
  const { years, development } = developProjections([probe], SETTINGS);
  expect(years.map(({ year }) => year)).toEqual([2018, 2019, 2020]);
  expect(development.months).toBe(36);
});

test('the first evaluation is entered without a reason, before there is a result', () => {
  const { register, entry } = enterLook({ looks: [] }, asked(A), undefined);
  expect(entry).toBe(0);
  expect(register.looks).toEqual([{ ...asked(A), reason: 'first look', result: null }]);
  expect(heldBackStanding(register, 2021, A)).toEqual({ registered: false, looks: 1 });
});

test('an evaluation of another design needs a reason, and the first stays on record', () => {
  const first = { looks: [{ ...asked(A), reason: 'first look', result: RESULT }] };
  expect(() => enterLook(first, asked(B), undefined)).toThrow(
    /found an evaluation of another design, aaaaaaaa.*--again REASON/,
  );
  const { register } = enterLook(first, asked(B), 'a fault in the gaps was found');
  expect(register.looks.map(({ reason }) => reason)).toEqual(['first look', 'a fault in the gaps was found']);
  expect(register.looks[0]).toBe(first.looks[0]);
  expect(heldBackStanding(first, 2021, A)).toEqual({ registered: true, looks: 1 });
  expect(heldBackStanding(first, 2021, B)).toEqual({ registered: false, looks: 1 });
  expect(heldBackStanding(undefined, 2021, A)).toEqual({ registered: false, looks: 0 });
});

test('the same design is not entered twice, except for another year', () => {
  const first = { looks: [{ ...asked(A), reason: 'first look', result: RESULT }] };
  expect(enterLook(first, asked(A), 'again')).toEqual({ register: first, entry: 0 });
  expect(enterLook(first, asked(B, 2022), undefined).register.looks[1]!.reason).toBe('first look');
});

test('the command enters and evaluates a design once, and rejects another design without a reason', async () => {
  const country = writeTiny();
  const file = path.join(country.directory, 'held-back.json');
  const build = path.join(country.directory, 'out');
  const run = (...again: string[]) =>
    runHere(['evaluate', 'held-back', '--country', country.directory, '--build', build, '--json', ...again]);
  const look = async (...again: string[]) => JSON.parse((await run(...again)).stdout);
  const usual: number = country.model.parameters.transmission.starts;
  const setStarts = (starts: number) => {
    const model = { ...country.model } as TinyCountry['model'];
    model.parameters.transmission.starts = starts;
    writeFileSync(path.join(country.directory, 'model.json'), JSON.stringify(model));
  };

  expect(existsSync(file)).toBe(false);
  const taken = await look();
  expect(taken).toMatchObject({ already: false, looks: 1 });
  expect(taken.look.result!.months).toBe(12);
  const written = readFileSync(file, 'utf8');
  expect(written).not.toMatch(/\d{4}-\d{2}/);
  expect(readCountry(country.directory).model.held_back!.looks).toHaveLength(1);
  expect(await look()).toMatchObject({ already: true, looks: 1 });
  expect(readFileSync(file, 'utf8')).toBe(written);

  setStarts(usual + 1);
  expect(await run()).toMatchObject({ code: 2, stderr: expect.stringContaining('--again REASON') });
  expect(readFileSync(file, 'utf8')).toBe(written);
  expect(await look('--again', 'more starts')).toMatchObject({
    already: false,
    looks: 2,
    look: { reason: 'more starts' },
  });
  setStarts(usual);
  expect(await look()).toMatchObject({ already: true, looks: 2 });

  writeFileSync(file, '{"looks": [{"held_back_year": 2021}]}');
  expect(() => readCountry(country.directory)).toThrow(/held-back.json/);
});

test("in Nigeria's register every evaluation has a result, and later ones have a reason", () => {
  const { looks } = JSON.parse(readFileSync(path.join(REAL_CATALOG, 'held-back.json'), 'utf8'));
  expect(looks.length).toBeGreaterThan(0);
  for (const { result, reason } of looks) {
    expect(result.months).toBe(36);
    expect(reason.length).toBeGreaterThan(5);
  }
});
