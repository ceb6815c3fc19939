import { expect, test } from 'vitest';
import type { CasesRow } from '../../../../pipeline/ingest/ingest-tables.ts';
import { encodeAlerts, encodeCases, encodeTested } from '../../../../pipeline/publish/report/encode-observed.ts';
import type { SnapshotTables } from '../../../../pipeline/publish/snapshot/snapshot-tables.ts';

const tables = (part: object) => part as unknown as SnapshotTables;

test('children tested and those positive are summed by LGA and round; an LGA without any has zeros', () => {
  const areas = tables({ context_lgas: [{ lga_code: 'NG001001' }, { lga_code: 'NG001002' }] });
  const cluster = (lga_code: string | null, survey_year: number, examined: number) => ({
    lga_code,
    survey_year,
    examined,
    positivity: 0.25,
  });
  expect(
    encodeTested(areas, [cluster('NG001001', 2018, 20), cluster('NG001001', 2015, 5.4), cluster('NG001001', 2018, 11)]),
  ).toEqual({
    rounds: [2015, 2018],
    lgas: [
      [
        [5, 1, 1],
        [31, 2, 8],
      ],
      [
        [0, 0, 0],
        [0, 0, 0],
      ],
    ],
  });
  expect(
    encodeTested(areas, [cluster('NG001001', 2018, 20), cluster(null, 2018, 5)]),
    'a cluster somewhere',
  ).toBeNull();
  expect(encodeTested(areas, [])).toBeNull();
});

test('cases are an index of the last year; months without a report stay unknown and zero stays zero', () => {
  const record = (lga_code: string | null, period: string, confirmed: number | null): CasesRow =>
    ({ state_code: 'AB', lga_code, period, confirmed, masked: false }) as CasesRow;
  const year = Array.from({ length: 12 }, (_, i) => `2023-${String(i + 1).padStart(2, '0')}`);
  const ahead = (code: string) => [{ code, period: '2024-01', last_cases: '2023-12', q05: 100, q50: 200, q95: 410 }];
  const records = [
    record(null, '2022-12', 400),
    ...year.map((period, i) => record(null, period, i === 3 ? null : i === 4 ? 0 : 220)),
    // An LGA that reported no case has no index.
    ...year.map((period) => ({ ...record('NG001001', period, 0), state_code: 'EF' })),
  ];
  const cases = encodeCases(tables({ forecasts_cases: [...ahead('AB'), ...ahead('NG001001')] }), records);
  expect(Object.keys(cases)).toEqual(['AB']);
  // A state whose LGAs have records is their sum, unknown where one of them is.
  const { CD } = encodeCases(tables({ forecasts_cases: ahead('CD') }), [
    ...year.map((period) => ({ ...record(null, period, 7), state_code: 'CD' })),
    ...['NG002001', 'NG002002'].flatMap((lga_code) =>
      year.map((period, i) => ({
        ...record(lga_code, period, i === 0 && lga_code === 'NG002001' ? null : 50),
        state_code: 'CD',
      })),
    ),
  ]);
  expect(CD!.reported.slice(12)).toEqual([null, ...Array.from({ length: 11 }, () => 100)]);
  const { last, reported, ahead: next } = cases.AB!;
  expect(last).toBe('2023-12');
  expect(reported).toHaveLength(24);
  expect(reported[11]).toBe(200);
  expect(reported.slice(15, 18)).toEqual([null, 0, 110]);
  expect(next).toEqual([[50, 100, 205]]);
});

test('what the keepers of the records note of an area stands beside its alert, and beside no other', () => {
  const alert = (code: string) => ({ code, period: '2023-12', usual: 5, usual_low: 1, usual_high: 9 });
  const place = (area: string, code: string, name: string) => ({ area, code, name });
  const doubts = encodeAlerts({
    tables: tables({
      alerts: [alert('EK'), alert('NG001001'), alert('NG001002')],
      context_states: [{ state: 'Ekiti' }],
      places: [place('state', 'EK', 'Ekiti'), place('lga', 'NG001001', 'Ekiti'), place('lga', 'NG001002', 'Obi')],
    }),
    sources: [
      { role: 'cases_states', notes: ["Ekiti's counts jump", 'Obioma is missing', 'NG001002 was renamed'] },
      { role: 'layer', notes: ['Ekiti is modelled'] },
    ] as never,
  });
  expect(Object.values(doubts).map((row) => row.doubts)).toEqual([
    ["Ekiti's counts jump"],
    [],
    ['NG001002 was renamed'],
  ]);
});
