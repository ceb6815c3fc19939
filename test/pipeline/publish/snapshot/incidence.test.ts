import { expect, test } from 'vitest';
import { periodRange } from '../../../../pipeline/contract/months.ts';
import { incidenceTable } from '../../../../pipeline/publish/snapshot/incidence.ts';

test('an unknown year of one LGA lowers the completeness of its state, and hides nothing of the others', () => {
  const context = {
    context_states: [{ state_code: 'AA' }],
    context_lgas: ['A1', 'A2'].map((lga_code) => ({ state_code: 'AA', lga_code, population: 1000 })),
  } as unknown as Parameters<typeof incidenceTable>[0];
  const records = (lga_code: string, first: string, confirmed: number | null) =>
    periodRange(first, '2020-12').map((period) => {
      const isUnknown = period.startsWith('2020') && confirmed === null;
      return {
        state_code: 'AA',
        lga_code,
        period,
        confirmed: isUnknown ? null : 5,
        reporting_rate: null,
        masked: false,
      };
    });
  const stateRows = (first: string, confirmed: number | null) =>
    incidenceTable(context, [...records('A1', '2019-01', 5), ...records('A2', first, confirmed)], [], () => null)
      .filter(({ area }) => area === 'state')
      .map(({ year, cases_per_1000, completeness, people }) => [year, cases_per_1000, completeness, people]);
  expect(stateRows('2019-01', null)).toEqual([
    [2019, 60, 1, 2000],
    [2020, 30, 0.5, 2000],
  ]);
  const ofLga = incidenceTable(context, records('A2', '2019-01', null), [], () => null).filter(
    ({ area }) => area === 'lga',
  );
  expect(ofLga.map(({ cases_per_1000, completeness }) => [cases_per_1000, completeness])).toEqual([
    [60, 1],
    [null, 0],
  ]);
  // A record that begins later is unknown before.
  expect(stateRows('2020-01', 5)).toEqual([
    [2019, 30, 0.5, 2000],
    [2020, 60, 1, 2000],
  ]);
});
