import { expect, test } from 'vitest';
import { monthFromIndex } from '../../../../pipeline/contract/months.ts';
import type { TableRow } from '../../../../pipeline/lib/tables/table.ts';
import { run } from '../../../../pipeline/model/forecast/forecast-stage.ts';
import type { CASES } from '../../../../pipeline/model/forecast/forecast-tables.ts';
import { run as backtestRun, isSumBetter } from '../../../../pipeline/validate/backtest/backtest-stage.ts';
import type { SKILL, STRETCH } from '../../../../pipeline/validate/backtest/backtest-tables.ts';
import { ioOf, outputRows } from '../../../support/stage-io.ts';
import { madePanel } from './made-panel.ts';

const MONTHS = 32;

/**
 * Artifacts of ingest for a simulated panel: records of three LGAs of one state, rising steeply at the end.
 * @param unreported last months of the first LGA that are unknown
 */
function ioOfMade(months = MONTHS, share = 1, unreported = 0) {
  const lgas = madePanel(1).areas.slice(0, 3);
  const cases = lgas.flatMap(({ code, cases: made }, a) =>
    Array.from({ length: months }, (_, t) => ({
      state_code: 'AA',
      lga_code: code,
      period: monthFromIndex(2020 * 12 + t),
      confirmed:
        Number.isNaN(made[t]) || (a === 0 && t >= months - unreported)
          ? null
          : Math.round(share * made[t]! * (t >= MONTHS - 3 ? 4.5 : 1)),
      masked: false,
    })),
  );
  return ioOf(
    {
      'ingest/states': [{ state_code: 'AA', state_pcode: 'NG001', state: 'Aa', zone: 'NW' }],
      'ingest/lgas': lgas.map(({ code }) => ({ lga_code: code, lga: code, state_code: 'AA' })),
      'ingest/census': lgas.map(({ code }) => ({ lga_code: code, people: 100_000, children_0_4: 1 })),
      'ingest/cases': cases,
    },
    { model: { parameters: { season: { masked: [] } } } as never },
  );
}

test('there are forecasts for every area and horizon after the last month, and they follow the last reported values', async () => {
  const rows = outputRows<TableRow<typeof CASES>>((await run(ioOfMade())).cases);
  expect(rows.map(({ area, code, horizon_months }) => `${area} ${code} ${horizon_months}`)).toEqual(
    [...['A1', 'A2', 'A3'].map((code) => `lga ${code}`), 'state AA', 'state AA'].flatMap((area) =>
      [1, 2, 3, 4].map((h) => `${area} ${h}`),
    ),
  );
  for (const row of rows) {
    expect([row.last_cases, row.period]).toEqual(['2022-08', monthFromIndex(2022 * 12 + 7 + row.horizon_months)]);
    expect(row.q05 < row.q25 && row.q25 < row.q50 && row.q50 < row.q75 && row.q75 < row.q95).toBe(true);
  }
  const before = outputRows<TableRow<typeof CASES>>((await run(ioOfMade(MONTHS - 3))).cases);
  const first = (of: typeof rows) => of.find(({ area, horizon_months }) => area === 'state' && horizon_months === 1)!;
  expect(first(rows).q50).toBeGreaterThan(1.5 * first(before).q50);
});

test('a state whose last month lacks an LGA is forecast from the sum of its LGAs, whose draws are joint', async () => {
  const rows = outputRows<TableRow<typeof CASES>>((await run(ioOfMade(MONTHS, 1, 2))).cases);
  const state = rows.filter(({ area }) => area === 'state');
  expect(new Set(state.map(({ basis, last_cases }) => `${basis} ${last_cases}`))).toEqual(
    new Set(['sum_of_parts 2022-08']),
  );
  const lgas = rows.filter(({ area, horizon_months }) => area === 'lga' && horizon_months === 1);
  // Of an LGA it is the last month that is known.
  expect(lgas.map(({ last_cases, period }) => [last_cases, period])).toEqual(
    ['2022-06', '2022-08', '2022-08'].map((last) => [last, '2022-09']),
  );
  const add = (quantile: 'q05' | 'q50' | 'q95') => lgas.reduce((sum, row) => sum + row[quantile], 0);
  const { q05, q50, q95 } = state[0]!;
  expect(q50 / add('q50')).toBeGreaterThan(0.85);
  expect(q50 / add('q50')).toBeLessThan(1.15);
  // LGAs do not all reach the ends of their ranges at once.
  expect(q05).toBeGreaterThan(add('q05'));
  expect(q95).toBeLessThan(add('q95'));
});

test('states rest on the sums of their LGAs if these score better in months that both have forecast', () => {
  const scored = (method: string, area_code: string, crps_log1p: number) =>
    ({ method, area_code, origin: '2022-01', horizon: 1, crps_log1p }) as Parameters<typeof isSumBetter>[0][number];
  const sums = [scored('sum_of_parts', 'AA', 0.2), scored('persistence', 'AA', 0.9)];
  expect(isSumBetter([...sums, scored('case_model', 'AA', 0.3), scored('case_model', 'BB', 0)])).toBe(true);
  expect(isSumBetter([...sums, scored('case_model', 'AA', 0.1)])).toBe(false);
});

test('the backtest scores every method at every horizon, and gives the factors for wider ranges', async () => {
  const out = await backtestRun(ioOfMade());
  const skill = outputRows<TableRow<typeof SKILL>>(out.skill).filter(({ origins }) => origins === 'all');
  const of = (level: string) => skill.filter(({ area_level }) => area_level === level);
  for (const level of ['lga', 'state']) {
    expect(new Set(of(level).map(({ method }) => method)).size).toBe(level === 'state' ? 9 : 8);
    expect(new Set(of(level).map(({ horizon_months }) => horizon_months))).toEqual(new Set([null, 1, 2, 3, 4]));
  }
  // origins after 25 to 31 months, targets up to the 32nd, three LGAs
  const model = of('lga').find(({ method, horizon_months }) => method === 'case_model' && horizon_months === 1)!;
  expect(model.forecasts).toBe(7 * 3);
  const stretch = outputRows<TableRow<typeof STRETCH>>(out.stretch);
  expect(stretch.map(({ area, horizon_months }) => `${area} ${horizon_months}`)).toEqual(
    ['lga', 'state', 'state'].flatMap((area) => [1, 2, 3, 4].map((h) => `${area} ${h}`)),
  );
  // no method anticipated the rise, so ranges have to be wider
  for (const { outer } of stretch) expect(outer).toBeGreaterThan(1);
});

test.each([
  ['forecast', run, /^(3 lga|1 state)$/],
  ['backtest', backtestRun, /^(lga|state)( 20\d\d-\d\d)?$/],
])('the stage %s shows its progress while it fits', async (_, stage, what) => {
  const seen: { share: number; what: string | undefined }[] = [];
  const io = ioOfMade();
  await stage({ ...io, progress: (share: number, own?: string) => seen.push({ share, what: own }) } as typeof io);
  const shares = seen.map(({ share }) => share);
  expect(shares).toEqual(shares.toSorted((a, b) => a - b));
  // The first fit of the first level of areas is not one long step.
  expect(shares.filter((share) => share > 0 && share < 0.75).length).toBeGreaterThan(4);
  for (const { what: own } of seen) expect(own).toMatch(what);
});

test('a country that reports no case is forecast and tested, and no table holds anything but numbers', async () => {
  const none = ioOfMade(MONTHS, 0);
  const rows = outputRows<TableRow<typeof CASES>>((await run(none)).cases);
  expect(rows).toHaveLength(5 * 4);
  // An introduction is possible, and more likely in one of three LGAs.
  for (const { basis, q05, q75, q95 } of rows) {
    expect([q05, q75]).toEqual([0, 0]);
    if (basis === 'record') expect(q95).toBeLessThanOrEqual(1);
  }
  const out = await backtestRun(none);
  const skill = outputRows<TableRow<typeof SKILL>>(out.skill).find(({ method }) => method === 'case_model')!;
  expect(skill).toMatchObject({ log_mae: 0, coverage_90: 1 });
  expect(skill.crps_log1p).toBeLessThan(0.01);
  expect(outputRows(out.past)).toEqual([]);
});

test('without case records there is no forecast, which is reported; with a record of two years there is no backtest', async () => {
  const none = ioOf(
    { 'ingest/states': [], 'ingest/lgas': [], 'ingest/census': [], 'ingest/cases': [] },
    { model: { parameters: { season: { masked: [] } } } as never },
  );
  const out = await run(none);
  expect(outputRows(out.cases)).toEqual([]);
  expect(out.report).toMatchObject([{ rule: 'no case records' }]);
  expect(outputRows((await backtestRun(none)).skill)).toEqual([]);
  expect(outputRows((await backtestRun(ioOfMade(24))).skill)).toEqual([]);
});
