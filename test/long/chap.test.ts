import path from 'node:path';
import { expect, test } from 'vitest';
import { mean } from '../../pipeline/lib/numerics/averages.ts';
import { selectQuantiles } from '../../pipeline/lib/numerics/selection.ts';
import { type ChapForecast, type ChapRow, chapRows, evalAsChap } from '../support/chap.ts';
import { temporary } from '../support/command-line.ts';

const MODEL = path.resolve(import.meta.dirname, '../../pipeline/model/chap');
const WINDOWS = { periods: 3, splits: 4, stride: 1 };
const many = chapRows({ places: Array.from({ length: 8 }, (_, i) => `Place ${i}`), months: 48, usual: 2 });
const one = chapRows({ places: ['1'], months: 48 });
const change = (rows: readonly ChapRow[], to: (row: ChapRow, i: number) => ChapRow['disease_cases']) =>
  rows.map((row, i) => ({ ...row, disease_cases: to(row, i) }));

const evaluate = (rows: readonly ChapRow[], polygons?: string) =>
  evalAsChap(MODEL, rows, WINDOWS, path.join(temporary(), 'run'), polygons);
const median = ({ samples }: ChapForecast) => selectQuantiles(Float64Array.from(samples), [0.5])[0]!;
const ofPlace = (forecasts: readonly ChapForecast[], place: string) =>
  forecasts.filter(({ location }) => location === place);

/** Share of forecasts whose 90% range holds what was observed. */
function coverage(forecasts: readonly ChapForecast[], rows: readonly ChapRow[]): number {
  const observed = new Map(rows.map((row) => [`${row.location} ${row.time_period}`, Number(row.disease_cases)]));
  return mean(
    forecasts.map(({ location, period, samples }) => {
      const value = observed.get(`${location} ${period}`)!;
      const [low, high] = selectQuantiles(Float64Array.from(samples), [0.05, 0.95]);
      return Number(low! <= value && value <= high!);
    }),
  );
}

test('many places, with a file of polygons: a forecast for each window, place and month, whose ranges hold', async () => {
  const forecasts = await evaluate(many, '{"type": "FeatureCollection", "features": []}');
  expect(forecasts).toHaveLength(4 * 8 * 3);
  expect(coverage(forecasts, many)).toBeGreaterThan(0.8);
  // A window's forecasts use the records up to it.
  const targets = Map.groupBy(ofPlace(forecasts, 'Place 7'), ({ period }) => period).values();
  expect([...targets].filter((own) => new Set(own.map(median)).size > 1).length).toBeGreaterThan(0);
});

test('one place', async () => {
  const forecasts = await evaluate(one);
  expect(forecasts.map(({ location }) => location)).toEqual(new Array(12).fill('1'));
  expect(coverage(forecasts, one)).toBeGreaterThan(0.7);
});

test('a place without a case is forecast to have none, and one without records has the widest ranges', async () => {
  const rows = change(many, ({ location, disease_cases }) =>
    location === 'Place 2' ? 0 : location === 'Place 5' ? null : disease_cases,
  );
  const forecasts = await evaluate(rows);
  for (const own of ofPlace(forecasts, 'Place 2'))
    expect(selectQuantiles(Float64Array.from(own.samples), [0.95])[0]).toBeLessThanOrEqual(1);
  const width = (place: string) =>
    mean(
      ofPlace(forecasts, place).map(({ samples }) => {
        const [low, high] = selectQuantiles(Float64Array.from(samples, Math.log1p), [0.05, 0.95]);
        return high! - low!;
      }),
    );
  for (const place of ['Place 1', 'Place 4', 'Place 6']) expect(width('Place 5')).toBeGreaterThan(1.5 * width(place));
});

test('gaps, and the last months unknown: the forecast is for the months after the file, not after the last count', async () => {
  const rows = change(many, ({ disease_cases, time_period }, i) =>
    i % 7 === 0 || (time_period >= '2018-06' && time_period < '2018-09') ? null : disease_cases,
  );
  const forecasts = await evaluate(rows);
  expect(forecasts).toHaveLength(4 * 8 * 3);
  expect(coverage(forecasts, many)).toBeGreaterThan(0.8);
});

test('no case anywhere', async () => {
  const forecasts = await evaluate(change(one, () => 0));
  for (const own of forecasts) expect(median(own)).toBe(0);
});

test('weekly records are refused with the row, so that CHAP reports it', async () => {
  const weekly = one.map((row, i) => ({ ...row, time_period: `2015-W${String((i % 52) + 1).padStart(2, '0')}` }));
  await expect(evaluate(weekly)).rejects.toThrow(/row 2, time_period: found "2015-W01", expected a month YYYY-MM/);
});
