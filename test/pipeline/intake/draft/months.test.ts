import { expect, test } from 'vitest';
import { LGAS, tinyCountry } from '../../../support/tiny-country.ts';
import { catalogOf, draftOf, filesOf } from './drafted.ts';
import { CASES, cases, country, ingested, iso, long, MONTHS, NAMES, rows, table, two } from './drafted-tables.ts';

test.each<[string, string]>([
  ['Jan-18', long('code,periodname,confirmed', ({ year, month }) => `${NAMES[month - 1]!.slice(0, 3)}-${year % 100}`)],
  ['January 2018', long('code,periodname,confirmed', ({ year, month }) => `${NAMES[month - 1]} ${year}`)],
  ['2018/01', long('code,any name,confirmed', ({ year, month }) => `${year}/${two(month)}`)],
  ['201801', long('code,pe,confirmed', ({ year, month }) => `${year}${two(month)}`)],
  ['2018M01', long('code,time,confirmed', ({ year, month }) => `${year}M${two(month)}`)],
  ['2018-01-01', long('code,date,confirmed', (month) => `${iso(month)}-01`)],
  ['01/02/2018', long('code,date,confirmed', ({ year, month }) => `01/${two(month)}/${year}`)],
  ['year and month in two columns', long('code,year,month,confirmed', ({ year, month }) => `${year},${month}`)],
  [
    'year and the name of the month',
    long('code,year,month,confirmed', ({ year, month }) => `${year},${NAMES[month - 1]}`),
  ],
  ['semicolons', long('code;period;confirmed', iso, ';')],
  ['tabs', long('code\tperiod\tconfirmed', iso, '\t')],
  ['no line end', long('code,period,confirmed', iso, ',', '')],
  ['titles above the header', `Cases of malaria\nPeriod: 2018-2020\n\n${long('code,period,confirmed', iso)}`],
  ['blanks after codes', long('code,period,confirmed', iso).replaceAll(/^(NG\d+)/gm, '$1 ')],
  [
    'names of areas',
    long('district,period,confirmed', iso).replaceAll(/^NG00(\d)00(\d)/gm, (_, a, b) => `PLACE ${2 * a + +b - 2}`),
  ],
  [
    'quotes, a byte-order mark and CRLF',
    `\ufeff${long('code,period,confirmed', iso)
      .replaceAll(/[^,\n]+/g, '"$&"')
      .replaceAll('\n', '\r\n')}`,
  ],
])('cases are read with %s', async (_, content) => {
  const { cases: found, draft } = await ingested(country({ 'x.csv': content }));
  expect(found).toEqual(CASES);
  expect(draft.leftOut).toEqual([]);
});

test('the month that is misspelt is named, not the first one; a table without rows is said to have none', async () => {
  const named = long('code,period,confirmed', ({ year, month }) => `${NAMES[month - 1]} ${year}`);
  const { draft } = await draftOf(country({ 'x.csv': named.replace('August 2019', 'Agust 2019') }));
  expect(draft.leftOut[0]!.why).toMatch(/"Agust 2019" in "period" is no month that is read/);
  const decimals = long('code,period,confirmed', ({ year, month }) => `${Number(`${year}.${two(month)}`)}`);
  const { draft: shortened } = await draftOf(country({ 'x.csv': decimals }));
  expect(shortened.leftOut[0]!.why).toMatch(/"2018.1" in "period" is no month that is read/);
  const { draft: empty } = await draftOf(country({ 'x_cases.csv': 'code,period,confirmed\n' }));
  expect(empty.leftOut).toMatchObject([{ file: 'x_cases.csv', why: 'no rows below its header', lost: 'cases' }]);
});

test('months as columns are read as cases, or as the answer says; the question says what was guessed', async () => {
  const header = `organisationunitcode,Total,${MONTHS.map(({ year, month }) => `${NAMES[month - 1]} ${year}`).join(',')}`;
  const content = table(
    header,
    LGAS.map((code, lga) => [code, 9, ...MONTHS.map((_, i) => cases(lga, i))].join(',')),
  );
  const { cases: found, draft } = await ingested(country({ 'pivot.csv': content }));
  expect(found).toEqual(CASES);
  expect(draft.questions.at(-1)).toMatchObject({ id: 'numbers of pivot.csv', guess: 'cases' });
  const asRain = await ingested(country({ 'pivot.csv': content }, ['climate.csv']), { 'numbers of pivot.csv': 'rain' });
  expect([asRain.cases.length, asRain.climate[1]!.rain_mm]).toEqual([0, cases(0, 1)]);
  const named = await ingested(country({ 'rainfall.csv': content }, ['climate.csv']));
  expect(named.climate).toEqual(asRain.climate);
  const { draft: decimals } = await draftOf(country({ 'pivot.csv': content.replace(',100,', ',100.5,') }));
  expect(decimals.leftOut.map(({ why }) => why)).toEqual([
    expect.stringMatching(/^by area, but nothing tells what its numbers are: "value" .*answer "numbers of pivot.csv"/),
  ]);
});

test('the sheets of a workbook, one a year, under titles, with merged cells and the year in their names', async () => {
  const sheet = (year: number) =>
    [
      'Ministry of Health,,,,,,,,,,,,,',
      `"Confirmed cases, all ages, ${year}",,,,,,,,,,,,,`,
      '',
      `Province,District,${NAMES.map((name) => name.slice(0, 3)).join(',')}`,
      ...LGAS.map((_, lga) => {
        const months = MONTHS.flatMap((month, i) => (month.year === year ? [cases(lga, i)] : []));
        return [['Abia', '', 'Adamawa', ''][lga], `Place ${lga + 1}`, ...months].join(',');
      }),
      '',
    ].join('\n');
  const sheets = Object.fromEntries([2018, 2019, 2020].map((year) => [`cases ${year}.csv`, sheet(year)]));
  const { cases: found, draft } = await ingested(country(sheets));
  expect(found).toEqual(CASES);
  const [source] = draft.entries.filter(({ entry }) => entry.role === 'cases_lgas');
  expect(source!.files.map(({ path: file }) => file)).toEqual(Object.keys(sheets));
  expect(source!.entry.dialect).toEqual({
    title_rows: 3,
    year: 'name',
    merged: ['Province'],
    pivot: { months: 'month', values: 'value' },
  });
});

test.each<[string, string, RegExp]>([
  [
    'weeks',
    long('code,period,confirmed', ({ year, month }) => `${year}W${two(month)}`),
    /"confirmed" is not used: "2018W01" in "period" is no month that is read/,
  ],
  [
    'days and months alike',
    table(
      'code,date,confirmed',
      rows((lga, { month }, i) => [LGAS[lga]!, `${two((i % 11) + 1)}/${two(month)}/2018`, 5]),
    ),
    /day and month of "01\/01\/2018" in "date" cannot be told apart/,
  ],
  [
    'no months',
    table(
      'code,confirmed',
      LGAS.map((code) => `${code},5`),
    ),
    /"confirmed" is not used: without a column of months/,
  ],
  [
    'several data elements',
    table(
      'code,period,dataname,confirmed',
      ['Tested', 'Confirmed'].flatMap((name) => rows((lga, month, i) => [LGAS[lga]!, iso(month), name, cases(lga, i)])),
    ),
    /2 rows for NG001001 2018-01, which differ in "dataname" \(Tested, Confirmed\)/,
  ],
  [
    'areas as columns',
    table(
      `date,${LGAS.join(',')}`,
      MONTHS.map((month, i) => `${iso(month)},${LGAS.map((_, lga) => cases(lga, i)).join(',')}`),
    ),
    /areas must be rows, not columns/,
  ],
  [
    'other codes',
    long('code,period,confirmed', iso).replaceAll('NG', 'XX'),
    /no column contains the codes or names of areas/,
  ],
  ['a cut row', long('code,period,confirmed', iso).slice(0, -9), /no line end and 2 of 3 cells/],
])('cases with %s are left out with the true reason, and the country lacks cases', async (_, content, why) => {
  const { draft } = await draftOf(country({ 'x_cases.csv': content }));
  expect(draft.leftOut).toEqual([
    { kind: 'left out', file: 'x_cases.csv', why: expect.stringMatching(why), lost: 'cases' },
  ]);
});

test('two reports that came in one month are told as such, not as rows that differ in their number', async () => {
  const dayOf = (month: number) => (month % 4 === 0 ? '28' : '03');
  const received = long('code,received,tested,confirmed', ({ year, month }) => {
    const day = `${year}-${two(month % 4 === 0 ? month : (month % 12) + 1)}-${dayOf(month)}`;
    return `${month === 12 ? day : day.replace(/^(\d+)-01/, (_, y) => `${Number(y) + 1}-01`)},${500 + month}`;
  });
  const { draft } = await draftOf(country({ 'x.csv': received }));
  expect(draft.leftOut[0]!.why).toMatch(/2 rows for NG001001 2018-04, of days .*came in on these days, give each row/);
});

test('a mistyped month does not lengthen the span, and is a fault that nothing can be declared for', async () => {
  const { files } = tinyCountry();
  const cases = String(files['cases.csv']).replace('NG001,2021-06', 'NG001,2106-06');
  const { sources, faults } = await catalogOf(filesOf({ ...files, 'cases.csv': cases }), { iso_code: 'NG' });
  expect(sources.find(({ role }) => role === 'cases_states')!.span).toEqual({ first: '2018-01', last: '2021-12' });
  expect(faults).toMatchObject([{ what: expect.stringMatching(/cases\.csv, row \d+: found 2106-06/) }]);
  expect(faults[0]!.remedy ?? null).toBe(null);
});
