import { expect, test } from 'vitest';
import { mean } from '../../../../pipeline/lib/numerics/averages.ts';
import { randomStream } from '../../../../pipeline/lib/numerics/random.ts';
import { type StateRecord, seasonsFromCases } from '../../../../pipeline/model/season/case-hierarchy.ts';
import type { LogSeason } from '../../../../pipeline/model/season/case-season.ts';

/** A yearly wave that peaks in month `peak` (0-11). */
const wave = (size: number, peak = 8) =>
  Array.from({ length: 12 }, (_, month) => size * Math.cos((2 * Math.PI * (month - peak)) / 12));
const add = (...all: number[][]) => all[0]!.map((_, i) => all.reduce((sum, values) => sum + values[i]!, 0));
const record = (logs: number[], variance: number): LogSeason => ({ logs, variance });
const logsOf = (season: readonly number[]) => {
  const logs = season.map(Math.log);
  return logs.map((log) => log - mean(logs));
};
const state = (code: string, own: LogSeason | null, lgas: (LogSeason | null)[] = []): StateRecord => ({
  state_code: code,
  people: 1,
  record: own,
  lgas: lgas.map((one, i) => ({ lga_code: `${code}${i}`, people: 1, record: one })),
});

test('without a usable record there is no season; places without one have that of the level above', () => {
  expect(seasonsFromCases([state('A', null, [null, null])], 0.5)).toBeNull();
  const found = seasonsFromCases([state('A', record(wave(1), 0.1), [null]), state('B', null, [null])], 0.5)!;
  expect(found.check).toEqual([]);
  for (const season of [found.national, found.states.A!, found.states.B!, found.lgas.A0!, found.lgas.B0!])
    expect(season).toEqual(found.national);
  expect(logsOf(found.national)).toEqual(wave(1).map((value) => expect.closeTo(value, 12)));
});

test('a record keeps the share of the variance between places: by hand for two records of equal noise', () => {
  // About their mean 1, waves of sizes 1.4 and 0.6 have squares .16 / 2 each; freedom 1, noise .06: between = .16 -
  // .06.
  const found = seasonsFromCases([state('A', record(wave(1.4), 0.06)), state('B', record(wave(0.6), 0.06))], 0.5)!;
  const size = (season: readonly number[]) => logsOf(season)[8]!;
  expect(size(found.national)).toBeCloseTo(1, 12);
  expect(size(found.states.A!)).toBeCloseTo(1 + (0.4 * 0.1) / 0.16, 12);
  expect(size(found.states.B!)).toBeCloseTo(1 - (0.4 * 0.1) / 0.16, 12);
  expect(found.check.map(({ state_code }) => state_code)).toEqual(['A', 'B']);
  expect(found.check[0]!.expected).toEqual(found.check[1]!.recorded);
});

test('records of one year alone, whose noise is unknown, follow the level above', () => {
  const unsure = record(wave(2), Number.POSITIVE_INFINITY);
  const found = seasonsFromCases(
    [state('A', record(wave(1), 0.01), [unsure, record(wave(1.3), 0.01), record(wave(0.7), 0.01)])],
    0.5,
  )!;
  expect(found.lgas.A0).toEqual(found.states.A);
  expect(found.lgas.A1).not.toEqual(found.states.A);
});

test('known truth: noisy records drawn together are closer to it than the records, and than the level above', () => {
  const random = randomStream(7, 'case hierarchy');
  const noise = (sd: number) => Array.from({ length: 12 }, () => sd * random.normal());
  const truths: Record<string, number[]> = {};
  const records: Record<string, number[]> = {};
  const states = Array.from({ length: 10 }, (_, s) => {
    const own = add(wave(0.6), wave(0.2 * random.normal(), 11), wave(0.2 * random.normal()));
    const code = String.fromCharCode(65 + s);
    const lgas = Array.from({ length: 12 }, (_, i) => {
      truths[code + i] = add(own, wave(0.15 * random.normal(), 11), wave(0.15 * random.normal()));
      records[code + i] = add(truths[code + i]!, noise(0.3));
      return record(records[code + i]!, 0.09);
    });
    return state(code, record(add(own, noise(0.1)), 0.01), lgas);
  });
  const found = seasonsFromCases(states, 0.5)!;
  const error = (estimate: (code: string) => readonly number[]) =>
    Math.sqrt(
      mean(
        Object.keys(truths).map((code) => {
          const logs = logsOf(estimate(code).map(Math.exp));
          return mean(logs.map((log, month) => (log - truths[code]![month]!) ** 2));
        }),
      ),
    );
  const drawn = error((code) => found.lgas[code]!.map(Math.log));
  expect(drawn).toBeLessThan(0.8 * error((code) => records[code]!));
  expect(drawn).toBeLessThan(0.9 * error((code) => found.states[code[0]!]!.map(Math.log)));
  const { check } = found;
  expect(check).toHaveLength(10);
  for (const { lgas, index_error } of check) {
    expect(lgas).toHaveLength(12);
    expect(index_error).toBeLessThan(0.4);
  }
});
