import { expect, test } from 'vitest';
import { LGAS } from '../../../support/tiny-country.ts';
import { workbook } from '../../../support/workbook.ts';
import { CASES, cases, country, ingested, iso, MONTHS, NAMES } from './drafted-tables.ts';

const codes = LGAS.map((code, lga) => ({ code, lga }));
const YEARS = [2018, 2019, 2020];
const ofYear = (lga: number, year: number) =>
  MONTHS.flatMap((month, i) => (month.year === year ? [cases(lga, i)] : []));

test('a workbook is read sheet by sheet: months of a year in the name of each', async () => {
  const sheets = YEARS.map((year) => {
    const rows = codes.map(({ code, lga }) => [code, ...ofYear(lga, year)]);
    return [
      String(year),
      { rows: [['Malaria cases'], ['code', ...NAMES.map((name) => name.slice(0, 3))], ...rows] },
    ] as const;
  });
  const book = workbook({ Notes: { rows: [['made for a test'], ['by hand']] }, ...Object.fromEntries(sheets) });
  const answers = Object.fromEntries(YEARS.map((year) => [`numbers of hmis.xlsx, sheet ${year}`, 'value = cases']));
  const { cases: found, sources } = await ingested(country({ 'hmis.xlsx': book }), answers);
  expect(found).toHaveLength(CASES.length);
  expect(found).toEqual(expect.arrayContaining(CASES));
  expect(sources.filter(({ role }) => role === 'cases_lgas').map(({ dialect }) => dialect)).toEqual(
    YEARS.map((year) => expect.objectContaining({ sheet: String(year), title_rows: 1, year: 'sheet' })),
  );
});

test('months under merged headings of years, and months as dates, are read', async () => {
  const merged = workbook({
    Data: {
      rows: [
        ['code', ...YEARS.flatMap((year) => [year, ...Array<null>(11).fill(null)])],
        [null, ...YEARS.flatMap(() => NAMES)],
        ...codes.map(({ code, lga }) => [code, ...YEARS.flatMap((year) => ofYear(lga, year))]),
      ],
      merges: ['A1:A2', 'B1:M1', 'N1:Y1', 'Z1:AK1'],
    },
  });
  const answers = { 'numbers of confirmed.xlsx': 'value = cases' };
  expect((await ingested(country({ 'confirmed.xlsx': merged }), answers)).cases).toEqual(CASES);
  const rows = codes.flatMap(({ code, lga }) =>
    MONTHS.map((month, i) => [code, new Date(`${iso(month)}-01`), cases(lga, i)]),
  );
  const dated = workbook({ Data: { rows: [['code', 'Month', 'Confirmed cases'], ...rows] } });
  expect((await ingested(country({ 'x.xlsx': dated }))).cases).toEqual(CASES);
});
