import { expect, test } from 'vitest';
import { monthFromIndex } from '../../../../pipeline/contract/months.ts';
import type { TableRow } from '../../../../pipeline/lib/tables/table.ts';
import { run } from '../../../../pipeline/model/forecast/alerts-stage.ts';
import type { AREAS } from '../../../../pipeline/model/forecast/alerts-tables.ts';
import { ioOf, outputRows } from '../../../support/stage-io.ts';
import { madePanel } from './made-panel.ts';

const MONTHS = 32;

/** Records of three LGAs of one state. @param counts of an LGA in a month, from the made ones */
function ioOfMade(counts: (made: number, lga: number, t: number) => number | null, months = MONTHS) {
  const lgas = madePanel(1).areas.slice(0, 3);
  return ioOf(
    {
      'ingest/states': [{ state_code: 'AA', state_pcode: 'NG001', state: 'Aa', zone: 'NW' }],
      'ingest/lgas': lgas.map(({ code }) => ({ lga_code: code, lga: code, state_code: 'AA' })),
      'ingest/census': lgas.map(({ code }) => ({ lga_code: code, people: 100_000, children_0_4: 1 })),
      'ingest/cases': lgas.flatMap(({ code, cases }, lga) =>
        Array.from({ length: months }, (_, t) => ({
          state_code: 'AA',
          lga_code: code,
          period: monthFromIndex(2020 * 12 + t),
          confirmed: Number.isNaN(cases[t]) ? null : counts(Math.round(cases[t]!), lga, t),
          reporting_rate: lga === 2 ? null : 1 - lga / 5,
          masked: false,
        })),
      ),
    },
    { model: { parameters: { season: { masked: [] } } } as never },
  );
}
const rowsOf = async (io: ReturnType<typeof ioOf>) => outputRows<TableRow<typeof AREAS>>((await run(io)).areas);

test('every LGA and state has the state of its last month, with what is usual beside it', async () => {
  const rows = await rowsOf(ioOfMade((made, lga, t) => (lga === 1 && t >= MONTHS - 2 ? 8 * made : made)));
  expect(rows.map(({ area, code, period }) => `${area} ${code} ${period}`)).toEqual([
    'lga A1 2022-08',
    'lga A2 2022-08',
    'lga A3 2022-08',
    'state AA 2022-08',
  ]);
  const [, risen] = rows as [unknown, (typeof rows)[number]];
  expect(risen).toMatchObject({ detection_class: 'alert', detection_since: '2022-07', basis: 'forecast' });
  expect(risen.cases).toBeGreaterThan(risen.usual_high);
  expect(rows.map(({ reporting_rate }) => reporting_rate)).toEqual([1, 0.8, null, 0.9]);
  for (const { usual, usual_low, usual_high, completeness, mean_cases } of rows) {
    expect(usual_low <= usual && usual <= usual_high).toBe(true);
    expect(completeness).toBeGreaterThan(0.8);
    expect(mean_cases).toBeGreaterThan(0);
  }
});

test('a month without a report is no fall: the row says so, and completeness counts it', async () => {
  const rows = await rowsOf(ioOfMade((made, lga, t) => (lga === 0 && t >= MONTHS - 6 ? null : made)));
  expect(rows[0]).toMatchObject({ cases: null, detection_probability: null, basis: 'no_report' });
  expect(rows[0]!.completeness).toBeLessThanOrEqual(0.5);
  expect(rows[3]!.completeness).toBeGreaterThan(rows[0]!.completeness);
});

test('after a year without reports of one LGA, its state has the completeness of all, and means are of the months before', async () => {
  const rows = await rowsOf(ioOfMade((made, lga, t) => (lga === 0 && t >= MONTHS - 12 ? null : made)));
  const completeness = rows.map((row) => row.completeness);
  expect(completeness[0]).toBe(0);
  expect(completeness[3]).toBeCloseTo((completeness[1]! + completeness[2]!) / 3);
  // The usual cases as an index of the mean.
  for (const { usual, mean_cases } of rows) expect(Math.abs(Math.log(usual! / mean_cases))).toBeLessThan(Math.log(3));
});

test('where no case is usual a single one is an alert, which says why', async () => {
  const rows = await rowsOf(ioOfMade((_, lga, t) => (lga === 2 && t === MONTHS - 1 ? 1 : 0)));
  expect(rows[0]).toMatchObject({ detection_class: 'none', basis: 'few_cases', mean_cases: 0 });
  expect(rows[2]).toMatchObject({ detection_class: 'alert', detection_since: '2022-08', basis: 'few_cases' });
});

test('records of two years or less have no alerts', async () => {
  expect(await rowsOf(ioOfMade((made) => made, 24))).toEqual([]);
});
