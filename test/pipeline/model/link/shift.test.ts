import { expect, test } from 'vitest';
import { monthIndex, periodOf } from '../../../../pipeline/contract/months.ts';
import { randomStream } from '../../../../pipeline/lib/numerics/random.ts';
import { carryOverOf } from '../../../../pipeline/model/link/carry-over.ts';
import { deviationAt, deviationsOf, persistenceOf } from '../../../../pipeline/model/link/deviations.ts';
import { recordedDeviations, shiftsOf } from '../../../../pipeline/model/link/shift.ts';
import { madeLink } from './made-link.ts';

const usual = (t: number) => 8 + 0.02 * t + 0.5 * Math.cos((2 * Math.PI * t) / 12);
const MONTHS = 96;
const record = (more: (t: number) => number = () => 0) =>
  Float64Array.from({ length: MONTHS }, (_, t) => usual(t) + more(t));

test('a trend of reporting and a season are not deviations; three additional months are', () => {
  const plain = deviationsOf(record(), 0)!;
  for (const value of plain.smooth) expect(value).toBeCloseTo(0, 10);
  const bump = deviationsOf(
    record((t) => (t >= 50 && t < 53 ? 1 : 0)),
    0,
  )!;
  // some of it is absorbed by the trend and the calendar months: about a ninth with eight years
  expect(bump.smooth[51]).toBeGreaterThan(0.8);
  expect(bump.recent[52]).toBeCloseTo(bump.smooth[51]!, 12);
  expect(Math.abs(bump.smooth[40]!)).toBeLessThan(0.2);
});

test('the usual level is undefined for short records and if a month of the year is known only once', () => {
  expect(deviationsOf(record().slice(0, 35), 0)).toBeNull();
  const gaps = record();
  for (let t = 12; t < MONTHS; t += 12) gaps[t] = Number.NaN;
  expect(deviationsOf(gaps, 0)).toBeNull();
});

test('months without a case are deviations far below the usual, not unknown; a state with hardly any has none', () => {
  const { panel } = madeLink(1, 'linked');
  const withCases = (change: (value: number, t: number) => number) =>
    recordedDeviations({
      ...panel,
      areas: panel.areas.map((area, a) => (a === 0 ? { ...area, cases: area.cases.map(change) } : area)),
    }).series.get(panel.areas[0]!.code);
  const ended = withCases((value, t) => (t >= 60 && t < 63 ? 0 : value))!;
  expect(ended.smooth[61]).toBeLessThan(-5);
  expect(withCases((_, t) => (t === 60 ? 100 : 0))).toBeUndefined();
});

test('persistence fades and its uncertainty grows with the months ahead', () => {
  const { panel } = madeLink(1, 'linked');
  const persistence = persistenceOf([...recordedDeviations(panel).series.values()]);
  expect(persistence).toHaveLength(5);
  for (const [h, { slope, sd }] of persistence.entries()) {
    expect(slope).toBeGreaterThan(0);
    if (h > 0) expect(slope).toBeLessThan(persistence[h - 1]!.slope);
    if (h > 0) expect(sd).toBeGreaterThan(persistence[h - 1]!.sd);
  }
});

test('a deviation is the recorded one up to the last month, then extrapolated, then unknown', () => {
  const own = deviationsOf(
    record((t) => (t >= 90 ? 1 : 0)),
    0,
  )!;
  const persistence = Array.from({ length: 5 }, (_, h) => ({ slope: 0.9 - 0.1 * h, sd: 0.1 * h }));
  const end = MONTHS - 1;
  expect(deviationAt(own, persistence, end - 1, end)!.value).toBe(own.smooth[end - 1]);
  expect(deviationAt(own, persistence, end + 4, end)!.value).toBeCloseTo(0.5 * own.recent[end]!, 12);
  expect(deviationAt(own, persistence, end + 5, end)).toBeNull();
});

const rounds = (code: string) => [
  {
    state_code: code,
    round: 2021,
    first: monthIndex('2021-10'),
    last: monthIndex('2021-12'),
    logit: -1,
    variance: 0.1,
  },
];

test('states with a record up to the last estimated month are moved by it; others by the nation, or not at all', () => {
  const { panel, states } = madeLink(2, 'linked');
  const whole = panel.areas[1]!;
  const short = { ...whole, cases: whole.cases.map((value, t) => (t > 100 ? Number.NaN : value)) };
  const recorded = recordedDeviations({ ...panel, areas: [panel.areas[0]!, short, ...panel.areas.slice(2, 11)] });
  const span = {
    states: states.map(({ state_code }) => state_code),
    rounds: states.flatMap(({ state_code }) => rounds(state_code)),
    last_estimated: monthIndex('2023-12'),
    last_forecast: monthIndex('2024-04'),
  };
  const of = (code: string, carried: Parameters<typeof shiftsOf>[1]) =>
    shiftsOf(recorded, carried, span).filter(({ state_code }) => state_code === code);
  const [own, ended, none] = [0, 1, 11].map((s) => states[s]!.state_code);
  const first = of(own!, null);
  expect(first.map(({ month }) => periodOf(month))).toEqual(
    Array.from({ length: 28 }, (_, i) => periodOf(monthIndex('2022-01') + i)),
  );
  expect(new Set(first.map(({ basis }) => basis))).toEqual(new Set(['cases']));
  expect(first[0]!.at_survey).not.toBe(0);
  for (const code of [ended!, none!]) {
    expect(of(code, null)).toEqual([]);
    const nation = of(code, { slope: 0.8, sd: 0.3 });
    expect(nation).toHaveLength(28);
    for (const { basis, deviation, at_survey } of nation) {
      expect([basis, at_survey]).toEqual(['nation', 0]);
      expect(deviation.sd).toBeGreaterThan(0.3);
    }
  }
});

test('other states predict a state if they move together, and otherwise do not', () => {
  const random = randomStream(5, 'carry over');
  const own = () => Float64Array.from({ length: 60 }, () => random.normal());
  const nation = own();
  const together = Array.from({ length: 8 }, () => own().map((value, t) => 0.5 * value + nation[t]!));
  const { used, explained } = carryOverOf(together);
  expect(used!.slope).toBeGreaterThan(0.7);
  expect(explained).toBeGreaterThan(0.6);
  expect(carryOverOf(Array.from({ length: 8 }, own)).used).toBeNull();
  expect(carryOverOf(together.slice(0, 3)).used).toBeNull();
});
