import { expect, test } from 'vitest';
import { LGAS } from '../../../support/tiny-country.ts';
import { draftOf } from './drafted.ts';
import { CASES, cases, country, ingested, iso, long, MONTHS, NAMES, rows, table } from './drafted-tables.ts';

/** The monthly cases of a range of months as a table. */
const casesBetween = (first: string, last: string, header = 'code,period,suspected_cases,confirmed', late = 0) =>
  table(
    header,
    rows((lga, month, i) => [LGAS[lga]!, iso(month), 9, cases(lga, i) + late]).filter((line) => {
      const period = line.split(',')[1]!;
      return first <= period && period <= last;
    }),
  );

test('deliveries of one table are one source, the latest last, whatever their names', async () => {
  const files = {
    'z.csv': casesBetween('2018-01', '2018-12'),
    'm.csv': casesBetween('2018-10', '2019-12'),
    'a.csv': casesBetween('2020-01', '2020-12'),
  };
  const { cases: found, sources, draft } = await ingested(country(files));
  expect(found).toEqual(CASES);
  const [source, ...others] = sources.filter(({ role }) => role === 'cases_lgas');
  expect(others).toEqual([]);
  expect(source!.files.map(({ path: file, rows: count }) => [file, count])).toEqual([
    ['z.csv', 12 * LGAS.length],
    ['m.csv', 15 * LGAS.length],
    ['a.csv', 12 * LGAS.length],
  ]);
  expect(source!.span).toEqual({ first: '2018-01', last: '2020-12' });
  expect(source!.notes!.at(-1)).toMatch(/files by their last months: a later one replaces the months of earlier ones$/);
  expect(draft.leftOut).toEqual([]);
});

test('years with months as columns are deliveries of one table', async () => {
  const ofYear = (year: number) => {
    const months = MONTHS.flatMap((month, i) => (month.year === year ? [{ month, i }] : []));
    const names = months.map(({ month }) => `${NAMES[month.month - 1]!.slice(0, 3)}-${year % 100}`);
    return table(
      `code,${names}`,
      LGAS.map((code, lga) => `${code},${months.map(({ i }) => cases(lga, i))}`),
    );
  };
  const files = Object.fromEntries([2018, 2019, 2020].map((year) => [`cases_${year}.csv`, ofYear(year)]));
  expect((await ingested(country(files))).cases).toEqual(CASES);
});

test.each(['FY 2018-19', 'FY 2018/2019', '2018\u201319'])(
  'months as columns of two years are left out with the reason: %s',
  async (title) => {
    const names = NAMES.map((name) => name.slice(0, 3));
    const text = `${title}\n${table(
      `code,${names}`,
      LGAS.map((code, lga) => `${code},${names.map((_, i) => cases(lga, i))}`),
    )}`;
    const { draft } = await draftOf(country({ 'cases.csv': text }));
    expect(draft.leftOut).toContainEqual(
      expect.objectContaining({ file: 'cases.csv', why: expect.stringMatching(/^columns are months, but no year/) }),
    );
  },
);

test('of two tables of cases with months in common and other headers, one is left out with what is lost', async () => {
  const other = casesBetween('2018-10', '2020-12', 'code,period,suspected,confirmed');
  const { draft } = await draftOf(country({ 'a.csv': casesBetween('2018-01', '2018-12'), 'b.csv': other }));
  expect(draft.entries.filter(({ entry }) => entry.role === 'cases_lgas')).toHaveLength(1);
  expect(draft.leftOut).toContainEqual({
    kind: 'left out',
    file: 'a.csv',
    why: expect.stringMatching(
      /^months 2018-01 to 2018-12 of the areas of b\.csv, which has 20.* to 2020-12; they are read as/,
    ),
    lost: 'cases',
  });
});

test('of two tables with the same columns, the longer one is used', async () => {
  const all = long('code,period,confirmed', iso);
  const { draft } = await draftOf(country({ 'a.csv': all.replaceAll(/^.*,2018-.*\n/gm, ''), 'b.csv': all }));
  expect(draft.leftOut.map(({ file, why, lost }) => [file, why, lost])).toEqual([
    ['a.csv', 'has the figures of b.csv (cases_lgas)', null],
  ]);
});

test('records of the same areas in files of two forms are two sources if they have no month in common', async () => {
  const split = 20;
  const first = rows((lga, month, i) => [LGAS[lga]!, iso(month), cases(lga, i)]).filter(
    (_, n) => n % MONTHS.length < split,
  );
  const second = rows((lga, month, i) => [cases(lga, i), month.year, month.month, LGAS[lga]!], ';').filter(
    (_, n) => n % MONTHS.length >= split,
  );
  const files = {
    'first.csv': table('District,period,confirmed', first),
    'second.csv': table('confirmed;year;month;District', second),
  };
  const found = await ingested(country(files));
  expect(found.cases).toEqual(CASES);
  expect(found.draft.leftOut.filter(({ file }) => files[file as keyof typeof files])).toEqual([]);
});
