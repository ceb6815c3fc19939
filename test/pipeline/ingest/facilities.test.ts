import { describe, expect, test } from 'vitest';
import { countryWords, wordingInCountry } from '../../../pipeline/contract/words.ts';
import { groupCases } from '../../../pipeline/ingest/case-series.ts';
import type { CasesRow } from '../../../pipeline/ingest/ingest-tables.ts';
import { checkCountry } from '../../../pipeline/intake/check/check-country.ts';
import { stopsBuild } from '../../../pipeline/intake/check/fault.ts';
import { TERRITORY } from '../../../pipeline/synthetic/states.ts';
import { outputRows } from '../../support/stage-io.ts';
import { LGAS, sourceIn, type TinyCountry, writeTiny } from '../../support/tiny-country.ts';
import { read, refuses } from './broken.ts';

const ABOUT = { title: 'made for a test', producer: 'test', citation: 'test', licence: 'CC0-1.0', release: '1' };
const MONTHS = ['2021-01', '2021-02', '2021-03', '2021-04'];

/** Five facilities of one LGA, which have 1, 2, 4, 8 and 16 cases in a month; then one of another LGA. */
const CASES = [
  ['Alpha Clinic', 1, 1, '', 1],
  ['Beta Clinic', 2, 2, 2, 2],
  ['Gamma Clinic', 4, 4, 4, 4],
  ['Delta Clinic', 8, 0, 8, ''],
  ['Epsilon Hospital', 16, 16, 16, ''],
  ['Zeta Post', 7, '', 0, 5],
] as const;
const LIST = [...CASES.map(([name], i) => [name, LGAS[i < 5 ? 0 : 1]] as const), ['Eta Post', LGAS[1]] as const];
const csv = (rows: readonly (readonly (string | number)[])[]) => `${rows.map((row) => row.join(',')).join('\n')}\n`;

interface Change {
  cases?: readonly (readonly (string | number)[])[];
  list?: readonly (readonly (string | number)[])[] | null;
  ofCases?: Record<string, unknown>;
  ofList?: Record<string, string>;
}

/** Adds cases by facility, wide, and the list of facilities. */
const withFacilities =
  ({ cases = [['hf', ...MONTHS], ...CASES], list = [['hf', 'lga'], ...LIST], ofCases = {}, ofList }: Change = {}) =>
  (country: TinyCountry) => {
    country.files['facility-cases.csv'] = csv(cases);
    country.sources.push({
      id: 'facility_cases',
      role: 'cases_lgas',
      ...ABOUT,
      format: 'csv',
      unit: 'cases',
      dialect: { pivot: { months: 'period', values: 'value' } },
      columns: { facility: 'hf', period: 'period', confirmed: 'value' },
      span: { first: MONTHS[0]!, last: MONTHS.at(-1)! },
      files: [{ path: 'facility-cases.csv', rows: 1 }],
      ...ofCases,
    });
    if (!list) return;
    country.files['facilities.csv'] = csv(list);
    country.sources.push({
      id: 'facilities',
      role: 'facilities',
      ...ABOUT,
      format: 'csv',
      unit: 'facilities',
      columns: ofList ?? { facility: 'hf', lga_pcode: 'lga' },
      files: [{ path: 'facilities.csv', rows: 1 }],
    });
  };

async function summed(change?: Change) {
  const { tables } = await read(withFacilities(change));
  const rows = outputRows<CasesRow>(tables.cases);
  const { lgas } = groupCases(rows);
  return {
    rates: rows.filter(({ lga_code }) => lga_code === LGAS[0]).map(({ reporting_rate }) => reporting_rate),
    cases: Object.fromEntries(lgas.map(({ lga_code, confirmed }) => [lga_code, confirmed])),
    report: tables.report
      .filter(({ source }) => source === 'facility_cases')
      .map(({ rule, what }) => `${rule}: ${wordingInCountry(what, countryWords(TERRITORY))}`),
  };
}

describe('cases by facility are summed by area', () => {
  test('a blank is not reported and a 0 is 0; a month is known if at least four of five reported', async () => {
    const { cases, rates } = await summed();
    expect(rates).toEqual([1, 1, 0.8, 0.6]);
    expect(cases).toEqual({ [LGAS[0]]: [31, 23, 30, null], [LGAS[1]]: [7, null, 0, 5] });
  });
  test('a facility is expected until the month in which the list says that it was closed', async () => {
    const closed = (date: string) =>
      summed({
        list: [
          ['hf', 'lga', 'closed'],
          ...LIST.map(([name, lga]) => [name, lga, name.startsWith('Epsilon') ? date : '']),
        ],
        ofList: { facility: 'hf', lga_pcode: 'lga', closed: 'closed' },
      });
    // Without it, three of four reported in the last month; the other one is still expected.
    expect((await closed('2021-03-31T00:00:00.000')).cases[LGAS[0]]).toEqual([31, 23, 30, null]);
    const { cases } = await summed({
      cases: [
        ['hf', ...MONTHS],
        ...CASES.map(([name, ...counts]) => (name.startsWith('Delta') ? [name, 8, 0, 8, 9] : [name, ...counts])),
      ],
      list: [
        ['hf', 'lga', 'closed'],
        ...LIST.map(([name, lga]) => [name, lga, name.startsWith('Epsilon') ? '2021-03-31' : '']),
      ],
      ofList: { facility: 'hf', lga_pcode: 'lga', closed: 'closed' },
    });
    expect(cases[LGAS[0]]).toEqual([31, 23, 30, 16]);
    await expect(closed('soon')).rejects.toThrow('facilities.csv, row 6, closed: found soon, expected a date');
  });
  test('the catalog sets the share, and may make up for missing reports', async () => {
    expect((await summed({ ofCases: { reporting: { least: 0.6 } } })).cases[LGAS[0]]).toEqual([31, 23, 30, 7]);
    expect((await summed({ ofCases: { reporting: { least: 0.81 } } })).cases[LGAS[0]]).toEqual([31, 23, null, null]);
    const scaled = await summed({ ofCases: { reporting: { least: 0.6, scaled: true } } });
    expect(scaled.cases[LGAS[0]]).toEqual([31, 23, Math.round(30 / 0.8), Math.round(7 / 0.6)]);
  });
  test('the findings give rates, months that are unknown, and facilities without a report', async () => {
    expect((await summed()).report).toEqual([
      'reporting: 6 facilities in 2 LGAs; 2 of 8 months are unknown, because fewer than 80% of the facilities that reported in the year up to them did; in other months, missing reports are not made up for',
      'reporting: reports from facilities that reported in the year up to each month: 2021 83%',
      'left out: facilities without a report: Eta Post',
      'blank is unknown: 2 blank months kept as unknown, never as 0: NG001001 Place 1, 2021-04; NG001002 Place 2, 2021-02',
    ]);
  });
  test('a facility is expected from its first report, except in the first year, and until it stops for good', async () => {
    const months = Array.from(
      { length: 30 },
      (_, i) => `${2019 + Math.floor(i / 12)}-${String((i % 12) + 1).padStart(2, '0')}`,
    );
    const cells = (first: number, last: number) => months.map((_, i) => (i >= first && i <= last ? 10 : ''));
    const { cases } = await summed({
      cases: [
        ['hf', ...months],
        ['Alpha Clinic', ...cells(0, 29)],
        // Starts in the first year: expected from the first month on.
        ['Beta Clinic', ...cells(3, 29)],
        // Closes after the first half-year: not missed after it.
        ['Gamma Clinic', ...cells(0, 5)],
        // Opens later: not missed before.
        ['Delta Clinic', ...cells(20, 29)],
        // Its last reports are late: less than a year of silence is no end.
        ['Epsilon Hospital', ...cells(0, 24)],
      ],
      ofCases: { span: { first: months[0], last: months.at(-1) }, reporting: { least: 1 } },
    });
    expect(cases[LGAS[0]]).toEqual(months.map((_, i) => (i < 3 || i > 24 ? null : i <= 5 || i >= 20 ? 40 : 30)));
  });
  test('many facilities that report from one month on are a finding, a few are not', async () => {
    const months = Array.from(
      { length: 24 },
      (_, i) => `${2020 + Math.floor(i / 12)}-${String((i % 12) + 1).padStart(2, '0')}`,
    );
    const names = Array.from({ length: 30 }, (_, i) => `Post ${String.fromCharCode(65 + (i % 26))}${i}`);
    const starts = async (added: number) =>
      (
        await summed({
          cases: [
            ['hf', ...months],
            ...names.map((name, i) => [
              name,
              ...months.map((_, month) => (i < added && month < 14 ? '' : 9 + ((7 * i + month) % 5))),
            ]),
          ],
          list: [['hf', 'lga'], ...names.map((name, i) => [name, LGAS[i % 2]!])],
          ofCases: { span: { first: months[0], last: months.at(-1) } },
        })
      ).report.filter((line) => /report from/.test(line));
    expect(await starts(6)).toEqual([
      expect.stringMatching(
        /^hard to believe: 6 of 30 facilities report from 2021-03 on: Post A0, Post B1, Post C2 and 3 more\. /,
      ),
    ]);
    expect(await starts(2)).toEqual([]);
  });
  test('two facilities with the same cases month by month are a finding', async () => {
    const months = Array.from({ length: 12 }, (_, i) => `2021-${String(i + 1).padStart(2, '0')}`);
    const counts = months.map((_, i) => 100 + ((i * 37) % 50));
    const report = async (other: (string | number)[]) =>
      (
        await summed({
          cases: [
            ['hf', ...months],
            ['Alpha Clinic', ...counts],
            ['Zeta Post', ...other],
          ],
          ofCases: { span: { first: months[0], last: months.at(-1) } },
        })
      ).report;
    const moved = counts.map((count, i) => (i < 6 ? '' : count));
    expect(await report(moved)).toContainEqual(
      expect.stringMatching(
        /^hard to believe: two facilities have the same cases month by month: Alpha Clinic \(NG001001 Place 1\) and Zeta Post \(NG001002 Place 2\), 6 months from 2021-07\. /,
      ),
    );
    const different = counts.map((count, i) => (i === 8 ? count + 1 : count));
    expect((await report([...different.slice(0, 3), '', ...different.slice(4)])).join()).not.toMatch(/same cases/);
  });
  test('an area without enough reports in any month is left out and named', async () => {
    const few = CASES.map((row, i) =>
      i < 2 || i === 5 ? row : [row[0], ...row.slice(1).map((_, k) => (k === i - 2 ? 1 : ''))],
    );
    const { cases, report } = await summed({ cases: [['hf', ...MONTHS], ...few] });
    expect(Object.keys(cases)).toEqual([LGAS[1]]);
    expect(report).toContain('left out: LGAs with too few reports in every month: NG001001 Place 1');
  });
  test('facilities lie where their coordinates are, if the list has these', async () => {
    const at = { [LGAS[0]]: [3.5, 4.5], [LGAS[1]]: [4.995, 5.005] } as Record<string, number[]>;
    const list = [['hf', 'x', 'y'], ...LIST.map(([name, lga]) => [name, ...at[lga!]!])];
    const ofList = { facility: 'hf', longitude: 'x', latitude: 'y' };
    const located = await summed({ list, ofList });
    expect(located.cases).toEqual((await summed()).cases);
  });
  test('facilities in parts of an area that was split lie in it, at any time', async () => {
    const list = [
      ['hf', 'district'],
      ...LIST.map(([name, lga], i) => [name, i < 2 ? 'East' : `Place ${LGAS.indexOf(lga) + 1}`]),
    ];
    const { tables } = await read((country) => {
      withFacilities({ list, ofList: { facility: 'hf', lga: 'district' } })(country);
      country.files['aliases.csv'] = `name,parent,code,from\nEast,,${LGAS[0]},2022-01\n`;
    });
    const { lgas } = groupCases(outputRows(tables.cases));
    expect(lgas.map(({ confirmed }) => confirmed)).toEqual(Object.values((await summed()).cases));
  });
  test('the list goes by names of areas, and a table with areas of its own needs none', async () => {
    const named = LIST.map(([name, lga]) => [name, `place ${LGAS.indexOf(lga as never) + 1}`]);
    const expected = (await summed()).cases;
    const byName = await summed({ list: [['hf', 'district'], ...named], ofList: { facility: 'hf', lga: 'district' } });
    expect(byName.cases).toEqual(expected);
    // All facilities have one name: they are told apart within an area only.
    const cases = [
      ['district', 'hf', ...MONTHS],
      ...CASES.map((row, i) => [named[i]![1]!, i === 5 ? 'Beta Clinic' : row[0], ...row.slice(1)]),
    ];
    const columns = { lga: 'district', facility: 'hf', period: 'period', confirmed: 'value' };
    expect((await summed({ cases, list: null, ofCases: { columns } })).cases).toEqual(expected);
  });
});

describe('refused', () => {
  const renamed = (name: string) => [['hf', ...MONTHS], ...CASES, [name, 1, 1, 1, 1]];
  refuses([
    [
      'a facility that the list lacks, with those like it',
      withFacilities({ cases: renamed('Alpha Klinic') }),
      /facility-cases\.csv, row 8, facility: found Alpha Klinic, expected a facility of facilities\.csv: Alpha Clinic \(0\.\d\d\)/,
    ],
    [
      'a facility twice',
      withFacilities({ cases: renamed('ALPHA CLINIC') }),
      /facility-cases\.csv, row 8: found ALPHA CLINIC in 2021-01 again, expected a single row/,
    ],
    [
      'a facility twice in the list',
      withFacilities({ list: [['hf', 'lga'], ...LIST, ['alpha-clinic', LGAS[0]]] }),
      /facilities\.csv, row 9, facility: found alpha-clinic, as Alpha Clinic in a row before, expected each facility once/,
    ],
    [
      'coordinates outside all areas',
      withFacilities({
        list: [['hf', 'x', 'y'], ...LIST.map(([name]) => [name, 3.5, 5.5])],
        ofList: { facility: 'hf', longitude: 'x', latitude: 'y' },
      }),
      /facilities\.csv, row 2, longitude, latitude: found 3\.5, 5\.5, expected a place inside an outline, or within 1 km/,
    ],
    [
      'a count that is none',
      withFacilities({ cases: renamed('Eta Post').map((row, i) => (i === 7 ? ['Eta Post', -1, 1, 1, 1] : row)) }),
      /facility-cases\.csv, row 8, confirmed: found -1, expected at least 0/,
    ],
    [
      'more cases than people',
      withFacilities({ cases: renamed('Eta Post').map((row, i) => (i === 7 ? ['Eta Post', 200_000, 1, 1, 1] : row)) }),
      /sum of facilities, .*confirmed: found 200007, expected at most the 100001 people of NG001002 Place 2/,
    ],
    [
      'facilities without a list',
      withFacilities({ list: null }),
      /source facility_cases: found facilities without their areas/,
    ],
    [
      'a list that nothing refers to',
      (country) => {
        withFacilities()(country);
        country.sources = country.sources.filter(({ id }) => id !== 'facility_cases');
      },
      /a list of facilities that no cases refer to/,
    ],
    [
      'a share of reports for other tables',
      (country) => {
        sourceIn(country, 'cases').reporting = { least: 0.9 };
      },
      /source cases: found reporting, expected none: only cases by facility or with a reporting rate have one/,
    ],
    [
      'too few reports everywhere',
      withFacilities({
        cases: [
          ['hf', ...MONTHS],
          ['Alpha Clinic', 1, '', 1, ''],
          ['Beta Clinic', '', 1, '', 1],
        ],
      }),
      /too few reports in every month of every area, expected those of 80% of the facilities/,
    ],
  ]);
});

test('catalog check finds the same faults, and no others', async () => {
  const faultsOf = async (change: Change) =>
    (await checkCountry(writeTiny(withFacilities(change)).directory)).filter(stopsBuild).map(({ what }) => what);
  expect(await faultsOf({})).toEqual([]);
  expect(await faultsOf({ cases: [['hf', ...MONTHS], ...CASES, ['Theta Post', 1, 1, 1, 1]] })).toEqual([
    expect.stringMatching(/row 8, facility: found Theta Post, expected a facility of facilities\.csv: (Zeta|Eta) Post/),
  ]);
  const withoutList = await faultsOf({ list: null });
  expect(withoutList.every((what) => /role facilities/.test(what))).toBe(true);
  expect(withoutList).not.toEqual([]);
});
