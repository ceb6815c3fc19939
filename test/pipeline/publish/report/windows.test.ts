import { expect, test } from 'vitest';
import { wordsOf } from '../../../../pipeline/contract/words.ts';
import { windowsPart } from '../../../../pipeline/publish/report/sections/windows.ts';
import type { SnapshotTables } from '../../../../pipeline/publish/snapshot/snapshot-tables.ts';

/** The section for one state with these verdicts on four months. */
const section = (cases: string, rain: string) => {
  const row = (measure: string, months: number, criterion: string) => ({
    code: 'AB',
    measure,
    months,
    first_month: 7,
    last_month: 6 + months,
    share: 0.6,
    rain_share: 0.5,
    share_low: null,
    share_high: null,
    start_probability: null,
    criterion,
    criterion_probability: null,
    record_first_month: null,
  });
  const season_windows = [3, 4, 5].flatMap((months) => [
    row('reported_cases', months, cases),
    row('rain_transmission', months, rain),
  ]);
  const tables = { season_windows, context_states: [{ state_code: 'AB', state: 'Abia' }] } as unknown as SnapshotTables;
  return windowsPart(tables, wordsOf(undefined)).toString();
};

test('the verdict is unknown if the measures differ; the usual reason is given only if it applies', () => {
  const reason = 'mostly because it is reached by rain but not by reported cases';
  expect(section('unlikely', 'reached')).toContain(`<b>unknown</b> in 1, ${reason}.`);
  expect(section('unknown', 'unlikely')).toContain('<b>unknown</b> in 1. In Cairns');
  expect(section('reached', 'reached')).toContain('<b>reached</b> in 1 states');
});
