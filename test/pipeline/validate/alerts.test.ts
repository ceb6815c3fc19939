import { expect, test } from 'vitest';
import { randomStream } from '../../../pipeline/lib/numerics/random.ts';
import { type FollowedArea, scoreAlerts } from '../../../pipeline/validate/alerts/alert-scores.ts';
import { withChanges } from '../../../pipeline/validate/alerts/changes.ts';
import { evaluateAlerts } from '../../../pipeline/validate/alerts/evaluate-alerts.ts';
import { simulated } from '../model/forecast/simulated.ts';

const MONTHS = 54;
const { panel } = simulated(3, MONTHS);

test('changes begin with the onset, in two fifths of the areas, and have their size', () => {
  const onset = MONTHS - 8;
  const { panel: changed, changes } = withChanges(panel, onset, randomStream(1, 'test'));
  expect(changes.filter((change) => change !== null)).toHaveLength(8);
  for (const [a, change] of changes.entries()) {
    const [was, is] = [panel, changed].map(({ areas }) => areas[a]!.cases) as [Float64Array, Float64Array];
    expect(is.slice(0, onset)).toEqual(was.slice(0, onset));
    if (change === null) expect(is).toEqual(was);
    else {
      const factor = is[onset]! / was[onset]!;
      if (change.kind === 'fall') expect(factor).toBeCloseTo(0.3, 1);
      else expect(factor).toBeGreaterThan(1.5);
      expect(is.slice(onset + change.duration_months)).toEqual(was.slice(onset + change.duration_months));
    }
  }
});

test('cases are introduced where there were none', () => {
  const none = { ...panel, areas: panel.areas.map((area) => ({ ...area, cases: area.cases.map(() => 0) })) };
  const { panel: changed, changes } = withChanges(none, MONTHS - 8, randomStream(1, 'test'));
  expect(new Set(changes.map((change) => change?.kind))).toEqual(new Set([undefined, 'introduction']));
  for (const [a, change] of changes.entries())
    expect(changed.areas[a]!.cases.some((value) => value > 0)).toBe(change !== null);
});

const classes = (text: string): FollowedArea['classes'] =>
  [...text].map((letter, i) => ({
    class: letter === 'a' ? 'alert' : letter === 'f' ? 'fall' : 'none',
    isNew: letter !== text[i - 1],
  }));

test('alerts are counted: false ones by area and year, those found in time, those still held', () => {
  const scores = scoreAlerts([
    { kind: null, duration_months: 0, classes: classes('..aa') },
    { kind: null, duration_months: 0, classes: classes('...f') },
    { kind: 'step4', duration_months: 6, classes: classes('aaaa') },
    { kind: 'step2', duration_months: 6, classes: classes('.aa.') },
    { kind: 'growth', duration_months: 3, classes: classes('...a') },
    { kind: 'spike', duration_months: 1, classes: classes('a...') },
    { kind: 'fall', duration_months: 6, classes: classes('.fff') },
  ]);
  expect(scores).toEqual({
    unchanged_months: 8,
    false_alerts_per_area_year: 1.5,
    new_without_change: 0.125,
    alert_without_change: 0.25,
    fall_without_change: 0.125,
    rises: 3,
    found_within_1: 0.3333,
    found_within_2: 0.6667,
    median_delay_months: 2,
    alert_in_month_4: 0.5,
    falls: 1,
    falls_found_within_2: 1,
  });
});

test('a panel is evaluated with its own records; one that is too short is not', () => {
  const shares: number[] = [];
  const made = simulated(3, 42).panel;
  const small = { ...made, level: 'lga' as const, areas: made.areas.slice(0, 8) };
  const scores = evaluateAlerts(small, (share) => shares.push(share))!;
  expect(scores).toMatchObject({ area: 'lga', unchanged_months: 3 * 4 * 8 });
  expect(scores.found_within_2).toBeGreaterThan(0.4);
  expect(scores.new_without_change).toBeLessThan(0.15);
  expect(shares).toEqual(shares.toSorted((a, b) => a - b));
  expect(evaluateAlerts({ ...small, months: 26 }, () => {})).toBeNull();
});
