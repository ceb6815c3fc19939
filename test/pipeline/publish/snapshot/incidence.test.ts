import { expect, test } from 'vitest';
import { periodRange } from '../../../../pipeline/contract/months.ts';
import { accountsWithPeople, incidenceTable } from '../../../../pipeline/publish/snapshot/incidence.ts';

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

test('accounts of cases have the people of a raster, if no table tells them', () => {
  const row = { source: 'cases', fate: 'taken', reason: 'confirmed', year: 2020, people: null };
  const accounts = [row, { ...row, year: 2021 }, { ...row, reason: 'people' }];
  const incidence = [
    { area: 'state', year: 2020, completeness: 1, people: 1000 },
    { area: 'state', year: 2020, completeness: 0.5, people: 500 },
    { area: 'state', year: 2020, completeness: 0, people: 70 },
    { area: 'lga', year: 2020, completeness: 1, people: 900 },
  ];
  const peopleWith = (rows: readonly object[]) =>
    accountsWithPeople(
      rows as Parameters<typeof accountsWithPeople>[0],
      incidence as unknown as Parameters<typeof accountsWithPeople>[1],
    ).map(({ people }) => people);
  expect(peopleWith(accounts)).toEqual([1500, null, null]);
  const ofTable = [{ ...row, people: 1 }, row];
  expect(peopleWith(ofTable)).toEqual([1, null]);
  // Those of two tables may be of other areas each.
  expect(peopleWith([...accounts, { ...row, source: 'other' }])).toEqual([null, null, null, null]);
});
