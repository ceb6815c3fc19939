import { describe, expect, test } from 'vitest';
import {
  chanceOfFewer,
  chanceOfMore,
  classifyDetection,
  classifyWarning,
  judgeMonths,
} from '../../../../pipeline/model/forecast/alerts.ts';
import { type Panel, panelUpTo } from '../../../../pipeline/model/forecast/panel.ts';
import { simulated } from './simulated.ts';

/** 99 quantiles of a uniform distribution from 0 to `most`. */
const uniform = (most: number) => Float64Array.from({ length: 99 }, (_, i) => Math.round((most * (i + 1)) / 100));

describe('a month', () => {
  const expected = { forecast: uniform(100), usual: uniform(100), hasFewCases: false };
  const classOf = (was: 'none' | 'alert' | 'fall', quiet: number, cases: number, few = false) =>
    classifyDetection(was, quiet, cases, { ...expected, hasFewCases: few }, false).class;

  test('has the probability of so many cases or more, and of so few or fewer, by the 99 quantiles', () => {
    expect([0, 51, 96, 100].map((cases) => chanceOfMore(expected.forecast, cases))).toEqual([
      0.995, 0.495, 0.045, 0.005,
    ]);
    expect([0, 5, 50, 100].map((cases) => chanceOfFewer(expected.forecast, cases))).toEqual([
      0.005, 0.055, 0.505, 0.995,
    ]);
  });

  test('is an alert if so many cases have a probability below .06, watched below .1, a fall if so few have one below .05', () => {
    expect([90, 94, 95, 100].map((cases) => classOf('none', 9, cases))).toEqual(['none', 'watch', 'alert', 'alert']);
    expect([0, 4, 5].map((cases) => classOf('none', 9, cases))).toEqual(['fall', 'fall', 'none']);
  });

  test('is no fall if so few cases are usual, as where an outbreak ends', () => {
    const classIn = (cases: number) =>
      classifyDetection('alert', 4, cases, { forecast: uniform(2000), usual: uniform(100), hasFewCases: false }, false);
    expect([100, 50, 26, 24].map((cases) => classIn(cases).class)).toEqual(['alert', 'none', 'none', 'fall']);
  });

  test('is no alert if it is usual, whatever the month before, and more easily one if a rise is widespread', () => {
    const classIn = (usual: Float64Array, cases: number, isWidespread: boolean) =>
      classifyDetection('none', 9, cases, { forecast: uniform(100), usual, hasFewCases: false }, isWidespread).class;
    expect([uniform(110), uniform(120), uniform(140)].map((usual) => classIn(usual, 98, false))).toEqual([
      'alert',
      'watch',
      'none',
    ]);
    expect([66, 68].map((cases) => classIn(uniform(100), cases, true))).toEqual(['none', 'alert']);
    expect(classIn(uniform(120), 70, true)).toBe('none');
  });

  test('a single case is an alert where hardly any is usual, and nowhere else', () => {
    const none = { forecast: uniform(0), usual: uniform(0) };
    expect(classifyDetection('none', 9, 1, { ...none, hasFewCases: true }, false).class).toBe('alert');
    expect(classifyDetection('none', 9, 1, { ...none, hasFewCases: false }, false).class).toBe('none');
    expect(classifyDetection('none', 9, 2, { ...none, hasFewCases: false }, false).class).toBe('alert');
    expect(classifyDetection('alert', 0, 0, { ...none, hasFewCases: true }, false).class).toBe('none');
  });

  test('an alert is held in the upper quarter of the usual, from the fifth month on only above its limit', () => {
    const classIn = (usual: Float64Array, was: 'none' | 'alert' | 'fall', lasted: number, cases: number) =>
      classifyDetection(was, lasted, cases, { forecast: uniform(200), usual, hasFewCases: false }, false).class;
    const usual = uniform(100);
    expect([75, 76].map((cases) => classIn(usual, 'alert', 3, cases))).toEqual(['none', 'alert']);
    expect([90, 95, 96].map((cases) => classIn(usual, 'alert', 4, cases))).toEqual(['none', 'none', 'alert']);
    expect(classIn(usual, 'none', 0, 96)).toBe('none');
    expect([24, 26].map((cases) => classIn(usual, 'fall', 1, cases))).toEqual(['fall', 'none']);
    // 60 cases are above the upper quarter of 30 to 60, but not well above their median.
    const narrow = uniform(30).map((value) => value + 30);
    expect([60, 75].map((cases) => classIn(narrow, 'alert', 1, cases))).toEqual(['none', 'alert']);
  });

  test('the next month is warned of if it is likely to exceed the upper limit of the usual', () => {
    expect([50, 130, 400].map((most) => classifyWarning(uniform(most), uniform(100)).class)).toEqual([
      'none',
      'watch',
      'alert',
    ]);
    expect(classifyWarning(uniform(200), uniform(100)).probability).toBeCloseTo(0.525, 10);
  });
});

describe('records', () => {
  const MONTHS = 54;
  const { panel } = simulated(3, MONTHS);
  const ONSET = MONTHS - 5;
  const before = judgeMonths(panel);
  /** An area that is usual from before the onset on. */
  const steady = before.findIndex((list) => list.slice(-6).every(({ detection }) => detection.class === 'none'));
  const changed = (factor: (t: number) => number): Panel => ({
    ...panel,
    areas: panel.areas.map((area, a) =>
      a === steady ? { ...area, cases: area.cases.map((value, t) => Math.round(value * factor(t))) } : area,
    ),
  });
  const last = (of: Panel) => judgeMonths(of)[steady]!.slice(-5);

  test('months are judged from two years before their end, and few are in alert without a change', () => {
    const months = before.flat();
    expect(new Set(before.map((list) => list.length))).toEqual(new Set([24]));
    expect(months.filter(({ detection }) => detection.class === 'alert').length / months.length).toBeLessThan(0.15);
    for (const { detection, warning, month } of months)
      for (const { class: name, since } of [detection, warning]) {
        expect(since === null).toBe(name === 'none');
        expect(since ?? 0).toBeLessThanOrEqual(month);
      }
  });

  test('a lasting rise is found at once, held, dated, and followed by a warning; its usual leaves it out', () => {
    const rise = last(changed((t) => (t >= ONSET ? 6 : 1)));
    expect(rise.map(({ detection }) => [detection.class, detection.since])).toEqual(rise.map(() => ['alert', ONSET]));
    expect(rise.at(-1)!.warning.class).not.toBe('none');
    const usual = before[steady]!.at(-1)!.usual;
    expect(rise.at(-1)!.usual.middle / usual.middle).toBeCloseTo(1, 1);
  });

  test('a month of many cases is an alert only while it lasts; a fall is a class of its own', () => {
    const spike = last(changed((t) => (t === ONSET ? 8 : 1))).map(({ detection }) => detection.class);
    expect(spike[0]).toBe('alert');
    expect(spike.at(-1)).toBe('none');
    const fall = last(changed((t) => (t >= ONSET ? 0.1 : 1))).map(({ detection }) => detection.class);
    expect(fall).toEqual(fall.map(() => 'fall'));
  });

  test('an unknown month keeps the class of the month before, without a probability', () => {
    const gap = last(changed((t) => (t === MONTHS - 1 ? Number.NaN : t >= ONSET ? 6 : 1))).at(-1)!;
    expect(gap).toMatchObject({ cases: null, detection: { class: 'alert', probability: null, since: ONSET } });
  });

  test('after three months without a report nothing is held', () => {
    const silence = last(changed((t) => (t >= ONSET + 2 ? Number.NaN : t >= ONSET ? 6 : 1)));
    expect(silence.map(({ detection }) => detection.class)).toEqual(['alert', 'alert', 'alert', 'alert', 'none']);
  });

  test('of records that begin late in all areas, as many months are judged as of those that begin with them', () => {
    const late: Panel = {
      ...panel,
      areas: panel.areas.map((area) => ({ ...area, cases: area.cases.map((k, t) => (t < 27 ? Number.NaN : k)) })),
    };
    expect(judgeMonths(late)[0]).toHaveLength(4);
    expect(
      judgeMonths({
        ...late,
        areas: late.areas.map((area) => ({ ...area, cases: area.cases.fill(Number.NaN, 0, 40) })),
      }).flat(),
    ).toEqual([]);
  });

  test('in a rise of a third of the areas, less is needed for an alert of the others', () => {
    const indices = [steady, ...panel.areas.keys().filter((a) => a !== steady)].slice(0, 6);
    const lastMonth = (othersFactor: number) =>
      judgeMonths({
        ...panel,
        level: 'state',
        areas: indices.map((a) => {
          const area = panel.areas[a]!;
          const factor = a === steady ? 1.9 : othersFactor;
          return { ...area, cases: area.cases.with(MONTHS - 1, Math.round(factor * area.cases.at(-1)!)) };
        }),
      })[0]!.at(-1)!;
    expect(lastMonth(6)).toMatchObject({ isWidespread: true, detection: { class: 'alert' } });
    expect(lastMonth(1)).toMatchObject({ isWidespread: false, detection: { class: 'none' } });
  });

  test('records that are too short give no month', () => {
    expect(judgeMonths(panelUpTo(panel, 25)).flat()).toEqual([]);
    expect(judgeMonths(panelUpTo(panel, 26))[0]).toHaveLength(4);
  });
});
