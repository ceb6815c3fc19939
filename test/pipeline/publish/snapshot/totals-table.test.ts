import { expect, test } from 'vitest';
import type { Period } from '../../../../pipeline/contract/months.ts';
import { quantile } from '../../../../pipeline/lib/numerics/quantiles.ts';
import { randomStream } from '../../../../pipeline/lib/numerics/random.ts';
import { scaleDraws } from '../../../../pipeline/model/forecast/recalibration.ts';
import { encodeTotals } from '../../../../pipeline/publish/report/encode-observed.ts';
import { type AreaDraws, type Forecast, totalsTable } from '../../../../pipeline/publish/snapshot/totals-table.ts';

const DRAWS = 200;
/** Draws about 1,000 cases, of which `shared` is the deviation that all areas and months have in common. */
function areaDraws(area: 'state' | 'lga', code: string, shared: number): AreaDraws {
  const common = randomStream(1, 'common');
  const single = randomStream(2, code);
  const deviations = Array.from({ length: DRAWS }, () => common.normal());
  const months = [1, 2, 3].map(() =>
    Float64Array.from(deviations, (one) =>
      Math.round(1000 + 100 * (shared * one + Math.sqrt(1 - shared ** 2) * single.normal())),
    ),
  );
  return { area, code, first: '2024-01' as Period, months, base: 500 };
}
const width = ({ q05, q95 }: { q05: number; q95: number }) => q95 - q05;

test('every span of months of each area and of all states together; what varies together has the wider total', () => {
  const make = (shared: number) =>
    totalsTable(
      {
        rows: [],
        draws: [areaDraws('lga', 'A1', shared), areaDraws('state', 'AA', shared), areaDraws('state', 'BB', shared)],
      },
      'cases',
    );
  const rows = make(0);
  expect(rows.filter(({ code }) => code === null).map(({ period, months }) => `${period} ${months}`)).toEqual([
    '2024-01 1',
    '2024-01 2',
    '2024-01 3',
    '2024-02 1',
    '2024-02 2',
    '2024-03 1',
  ]);
  expect(new Set(rows.map(({ area, code }) => `${area} ${code}`))).toEqual(
    new Set(['nation null', 'lga A1', 'state AA', 'state BB']),
  );
  const whole = (from: typeof rows, code: string | null) => from.find((row) => row.code === code && row.months === 3)!;
  // Six independent draws about 1,000 with sd 100: 6,000 ± 1.645 √6 × 100; six that are one: ± 1.645 × 600.
  expect(whole(rows, null).q50 / 6000).toBeCloseTo(1, 1);
  expect(width(whole(rows, null)) / (2 * 1.645 * Math.sqrt(6) * 100)).toBeCloseTo(1, 0);
  expect(width(whole(make(1), null)) / (2 * 1.645 * 600)).toBeCloseTo(1, 0);
  expect(width(whole(make(1), null))).toBeGreaterThan(2 * width(whole(rows, null)));
});

test('a month by itself is as in the forecasts, whatever rounding makes of its draws', () => {
  const quantiles = { q05: 790, q25: 930, q50: 1003, q75: 1070, q95: 1210 };
  const forecast = { area: 'lga', code: 'A1', period: '2024-02', ...quantiles } as Forecast;
  const rows = totalsTable({ rows: [forecast], draws: [areaDraws('lga', 'A1', 0)] }, 'cases');
  expect(rows.filter(({ months, q50 }) => months === 1 && q50 === 1003)).toEqual([
    expect.objectContaining({ period: '2024-02', ...quantiles }),
  ]);
});

test('as an index, 100 is an average month of the area, and of all states of their sum', () => {
  const areas = [areaDraws('state', 'AA', 0), areaDraws('state', 'BB', 0)];
  const [counts, index] = [
    totalsTable({ rows: [], draws: areas }, 'cases'),
    totalsTable({ rows: [], draws: areas }, 'index'),
  ];
  for (const [i, { code, q50 }] of counts.entries())
    expect(index[i]!.q50).toBe(Math.round((100 * q50) / (code === null ? 1000 : 500)));
  const decode = (rows: typeof counts) => {
    const { spans, states, values, draws } = encodeTotals({ forecasts_totals: rows }, areas);
    expect([spans.length, states]).toEqual([6, ['AA', 'BB']]);
    const numbers = new Uint32Array(new Uint8Array(Buffer.from(values, 'base64')).buffer);
    expect(numbers).toHaveLength(2 * 3 * draws);
    return numbers[3 * draws]!;
  };
  const draw = areas[1]!.months[0]![0]!;
  expect([decode(counts), decode(index)]).toEqual([draw, Math.round(draw / 5)]);
});

test('draws are scaled as their quantiles are and keep their order; those of few cases are left', () => {
  const [draws] = areaDraws('state', 'AA', 0).months;
  const scaled = scaleDraws(draws!, { inner: 2, outer: 2 });
  const log = (values: Float64Array, share: number) => Math.log1p(quantile(values.toSorted(), share));
  for (const share of [0.05, 0.25, 0.75, 0.95])
    expect((log(scaled, share) - log(scaled, 0.5)) / (log(draws!, share) - log(draws!, 0.5))).toBeCloseTo(2, 0);
  const order = (values: Float64Array) =>
    [...values.keys()].sort((i, j) => values[i]! - values[j]! || draws![i]! - draws![j]!);
  expect(order(scaled)).toEqual(order(draws!));
  const few = draws!.map((value) => Math.max(0, Math.round((value - 950) / 20)));
  expect(scaleDraws(few, { inner: 2, outer: 2 })).toEqual(few);
});
