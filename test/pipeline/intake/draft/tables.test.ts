import path from 'node:path';
import { expect, test } from 'vitest';
import { ingestAreas } from '../../../../pipeline/ingest/areas.ts';
import { ingestCases } from '../../../../pipeline/ingest/cases.ts';
import { ingestClimate } from '../../../../pipeline/ingest/climate.ts';
import { ingestCensus } from '../../../../pipeline/ingest/layers.ts';
import { locator } from '../../../../pipeline/ingest/locate.ts';
import { temporary } from '../../../support/command-line.ts';
import { runHere } from '../../../support/run-here.ts';
import { LGAS, tinyCountry } from '../../../support/tiny-country.ts';
import { catalogOf, draftOf, filesOf } from './drafted.ts';

const GIVEN = { name: 'Tiny country', iso_code: 'NG', upper_one: 'state', upper_many: 'states' };
const MONTHS = Array.from({ length: 36 }, (_, i) => ({ year: 2018 + Math.floor(i / 12), month: (i % 12) + 1 }));
const two = (number: number) => String(number).padStart(2, '0');
const iso = ({ year, month }: (typeof MONTHS)[number]) => `${year}-${two(month)}`;
const cases = (lga: number, i: number) => 100 + 10 * lga + ((7 * i) % 40);
const rain = (lga: number, i: number) => (20 + lga + ((13 * i) % 90) / 2).toFixed(1);
const people = (lga: number, year: number) => 100_000 + 1000 * lga + (year - 2018);

/** A row for each area and month. */
const rows = (
  cells: (lga: number, month: (typeof MONTHS)[number], i: number) => (string | number)[],
  separator = ',',
) => LGAS.flatMap((_, lga) => MONTHS.map((month, i) => cells(lga, month, i).join(separator)));
const table = (header: string, lines: readonly string[], end = '\n') => `${[header, ...lines].join('\n')}${end}`;

/** The tiny country's files with others in place of its cases. */
function country(files: Record<string, string | Buffer>, without: readonly string[] = []) {
  const { 'cases.csv': _, 'nets.csv': _nets, 'access.csv': _access, ...own } = tinyCountry().files;
  return filesOf({ ...Object.fromEntries(Object.entries(own).filter(([name]) => !without.includes(name))), ...files });
}

/** What a build reads by the drafted catalog. */
async function ingested(directory: string, given: Record<string, string> = {}) {
  const { sources, model, root, draft, faults } = await catalogOf(directory, { ...GIVEN, ...given });
  expect(faults).toEqual([]);
  const input = { rawData: root, sources, model, report: [] };
  const { areas, polygons } = await ingestAreas(input);
  const census = await ingestCensus(input, areas);
  const counted = Object.fromEntries(census.map((row) => [row.lga_code, row]));
  return {
    draft,
    input,
    census,
    sources,
    cases: await ingestCases(input, areas, counted, locator(areas, polygons)),
    climate: await ingestClimate(input, areas, polygons),
  };
}

const CASES = LGAS.flatMap((lga_code, lga) =>
  MONTHS.map((month, i) => expect.objectContaining({ lga_code, period: iso(month), confirmed: cases(lga, i) })),
);

test('a table by the names of its areas is drafted so, and a build finds their codes', async () => {
  const lines = rows((lga, month, i) => [`PLACE ${lga + 1}`, iso(month), cases(lga, i)]);
  const found = await ingested(country({ 'cases.csv': table('District,period,confirmed', lines) }));
  expect(found.cases).toEqual(CASES);
  const source = found.sources.find(({ role }) => role === 'cases_lgas')!;
  expect(source.columns).toEqual({ lga: 'District', period: 'period', confirmed: 'confirmed' });
  expect(source).not.toHaveProperty('recode');
});

test('words that most names of a table or of the outlines have are no part of the names, in the draft as in a build', async () => {
  const named = (word: (name: string) => string) => ['Alo', 'Bré', 'Cadé', 'Dun'].map(word);
  const outlines = String(tinyCountry().files['lgas.geojson']);
  const inOutlines = named((name) => `DS ${name}`);
  const inTable = named((name) => `${name.toUpperCase()} District Sanitaire`);
  const bare = named((name) => name);
  // Thousands apart, as office programs write them.
  const grouped = (number: number) => String(number).replace(/(\d{3})$/, '\u00a0$1');
  const files = {
    'lgas.geojson': outlines.replaceAll(/Place (\d)/g, (_, i) => inOutlines[i - 1]!),
    'cases.csv': table(
      'District,period,PALU_Cas confirmés',
      rows((lga, month, i) => [inTable[lga]!, iso(month), cases(lga, i)]),
    ),
    'climate.csv': table(
      'district,mois,pluie_mm',
      rows((lga, month, i) => [bare[lga]!, iso(month), rain(lga, i)]),
    ),
    'population.csv': table(
      'District;2018;2019;2020',
      bare.map((name, lga) => [name, ...[2018, 2019, 2020].map((year) => grouped(people(lga, year)))].join(';')),
    ),
  };
  const found = await ingested(country(files, ['census.csv']));
  expect(found.cases).toEqual(CASES);
  expect(found.climate).toHaveLength(LGAS.length * MONTHS.length);
  // The years of a table of people are its columns; the last one counts.
  expect(found.census.map((row) => row.people)).toEqual(LGAS.map((_, lga) => people(lga, 2020)));
  expect(found.sources.find(({ role }) => role === 'population_census')!.columns).toMatchObject({ people: '2020' });
});

test('a table in windows-1252 is drafted with that encoding', async () => {
  const lines = rows((lga, month, i) => [LGAS[lga]!, iso(month), cases(lga, i), 'vérifié'], ';');
  const csv = Buffer.from(table('District;Mois;confirmed;état', lines), 'latin1');
  const found = await ingested(country({ 'cases.csv': csv }));
  expect(found.cases).toEqual(CASES);
  const { dialect, notes } = found.sources.find(({ role }) => role === 'cases_lgas')!;
  expect([dialect, notes!.at(-1)]).toEqual([
    { separator: ';', encoding: 'windows-1252' },
    'Columns recognised by their names, text in windows-1252',
  ]);
});

test('a table of people, cases and climate by month has three roles; people are of the latest month, not summed', async () => {
  const lines = rows((lga, month, i) => [
    iso(month),
    rain(lga, i),
    25,
    cases(lga, i),
    // As of a projection.
    people(lga, month.year) + 0.4,
    LGAS[lga]!,
  ]);
  const chap = table('time_period,rainfall,mean_temperature,disease_cases,population,location', lines);
  const found = await ingested(country({ 'chap.csv': chap }, ['climate.csv', 'census.csv']));
  expect(found.cases).toEqual(CASES);
  expect(found.climate).toHaveLength(4 * 36);
  expect(found.climate[1]).toEqual({
    lga_code: LGAS[0],
    period: '2018-02',
    rain_mm: Number(rain(0, 1)),
    temperature_c: 25,
  });
  expect(found.census.map((row) => row.people)).toEqual(LGAS.map((_, lga) => people(lga, 2020)));
  const census = found.sources.find(({ role }) => role === 'population_census')!;
  expect([census.where, census.notes!.at(-1)]).toEqual([
    { time_period: '2020-12' },
    expect.stringMatching(/only 2020-12, the latest/),
  ]);
});

const NAMES = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];
const long = (header: string, form: (month: (typeof MONTHS)[number]) => string, separator = ',', end = '\n') =>
  table(
    header,
    rows((lga, month, i) => [LGAS[lga]!, form(month), cases(lga, i)], separator),
    end,
  );

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
    'by area, but neither its name nor its columns tell what its numbers are (answer "numbers of pivot.csv")',
    'columns that are not used: Total, value',
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

test('health districts, whatever their column is called, are summed into the areas that they are in', async () => {
  const content = table(
    'district,DS,period,confirmed',
    LGAS.flatMap((_, lga) =>
      MONTHS.flatMap((month, i) =>
        [1, 2].map((part) =>
          [`Place ${lga + 1}`, `DS ${lga}-${part}`, iso(month), part === 1 ? 40 : cases(lga, i) - 40].join(','),
        ),
      ),
    ),
  );
  const { cases: found, sources } = await ingested(country({ 'x.csv': content }));
  expect(found).toEqual(CASES);
  expect(sources.find(({ role }) => role === 'cases_lgas')!.columns).toMatchObject({ lga: 'district', facility: 'DS' });
});

test('counts of malaria none of which is known to be of confirmed cases are asked about', async () => {
  const content = table(
    'district,period,Malaria line A,Malaria line B',
    rows((lga, month, i) => [`Place ${lga + 1}`, iso(month), cases(lga, i), 3]),
  );
  const { draft } = await draftOf(country({ 'x.csv': content }));
  expect(draft.questions.at(-1)).toMatchObject({ id: 'cases of x.csv', guess: 'none' });
  expect(draft.leftOut.map(({ why }) => why)).toContainEqual(
    expect.stringMatching(
      /^no columns are known to count each confirmed case once, of "Malaria line A", "Malaria line B"/,
    ),
  );
  const { cases: found } = await ingested(country({ 'x.csv': content }), { 'cases of x.csv': 'Malaria line A' });
  expect(found).toEqual(CASES);
});

test('areas are called as the columns of their names are, or as most of these names say', async () => {
  const content = table(
    'Région,name,period,confirmed',
    rows((lga, month, i) => [lga < 2 ? 'Abia' : 'Adamawa', `Province Place ${lga + 1}`, iso(month), cases(lga, i)]),
  );
  const { draft } = await draftOf(country({ 'x.csv': content }));
  const guessed = Object.fromEntries(draft.questions.map(({ id, guess }) => [id, guess]));
  expect(guessed).toMatchObject({ upper_many: 'regions', lower_one: 'province', lower_many: 'provinces' });
});

test('a name among other words is proposed for its area, not taken', async () => {
  const codes = ['aa', 'aa', 'ab', 'ab'];
  const content = long('unit,period,confirmed', iso).replaceAll(/^NG00(\d)00(\d)/gm, (_, a, b) => {
    const nth = 2 * a + +b - 3;
    return `${codes[nth]} Place ${nth + 1} DHO${nth}`;
  });
  const { draft, faults } = await catalogOf(country({ 'x.csv': content }), GIVEN);
  expect(draft.leftOut).toEqual([]);
  const [source] = draft.entries.filter(({ entry }) => entry.role === 'cases_lgas');
  expect(source!.entry.columns).toMatchObject({ lga: 'unit' });
  expect(faults.map((fault) => JSON.stringify(fault))).toEqual(
    LGAS.map((code, i) => expect.stringMatching(`${codes[i]} Place ${i + 1} DHO${i}.*Place ${i + 1} \\(${code}`)),
  );
});

/** The cases of three facilities of an area, which add up to its own; the last of the first area lacks a report. */
const FACILITIES = LGAS.flatMap((_, lga) =>
  [0, 1, 2].map((nth) => ({ lga, nth, id: `HF${lga}${nth}`, name: `Post ${nth}` })),
);
const reports = ({ lga, nth }: (typeof FACILITIES)[number], i: number) =>
  lga === 0 && nth === 2 && i === 5 ? '' : nth === 0 ? cases(lga, i) - 30 : 10 * nth;
const SUMS = CASES.map((row, i) => (i === 5 ? expect.objectContaining({ lga_code: LGAS[0], confirmed: null }) : row));
const wide = table(
  `Health facility ID,${MONTHS.map(({ year, month }) => `${NAMES[month - 1]!.slice(0, 3)}-${year % 100}`).join(',')}`,
  FACILITIES.map((facility) => [facility.id, ...MONTHS.map((_, i) => reports(facility, i))].join(',')),
);
const longBy = (header: string, place: (facility: (typeof FACILITIES)[number]) => string) =>
  table(
    header,
    FACILITIES.flatMap((facility) =>
      MONTHS.map((month, i) => [place(facility), iso(month), reports(facility, i)].join(',')),
    ),
  );
const listOf = (header: string, place: (lga: number) => string) =>
  table(
    header,
    FACILITIES.map(({ id, lga, nth }) => `${id},Post ${lga}-${nth},${place(lga)}`),
  );

test.each<[string, Record<string, string>, Record<string, string> | null]>([
  [
    'months as columns, and a list with names of areas',
    { 'hf.csv': wide, 'list.csv': listOf('facility_id,facility,district', (lga) => `Place ${lga + 1}`) },
    { facility: 'facility_id', lga: 'district' },
  ],
  [
    'a row for each month, and a list with coordinates',
    {
      'hf.csv': longBy('facility,period,confirmed', ({ id }) => id),
      'list.csv': listOf('orgunit,facilityname,longitude,latitude', (lga) => `${3.5 + lga},4.5`),
    },
    { facility: 'orgunit', longitude: 'longitude', latitude: 'latitude' },
  ],
  [
    'areas of their own, without a list',
    { 'hf.csv': longBy('district,facility,period,confirmed', ({ lga, name }) => `${LGAS[lga]},${name}`) },
    null,
  ],
])('cases by facility are recognised with %s', async (_, files, list) => {
  const { cases: found, sources, draft } = await ingested(country(files));
  expect(found).toEqual(SUMS);
  expect(sources.find(({ role }) => role === 'facilities')?.columns ?? null).toEqual(list);
  const { columns, notes } = sources.find(({ role }) => role === 'cases_lgas')!;
  expect(columns).toHaveProperty('facility');
  expect(notes!.at(-1)).toMatch(/facilities are summed into/);
  expect(draft.leftOut.filter(({ lost }) => lost !== null)).toEqual([]);
});

/** Rows of positives by rapid test and by microscopy, whose sums are `cases`, and the number tested. */
const byTest = (header: string) =>
  longBy(header, ({ id, lga, nth }) => `Place ${lga + 1},${id},${nth}`).replaceAll(/,(\d*)$/gm, (_, n) =>
    n === '' ? ',999,,' : `,999,${Math.floor(Number(n) / 3)},${Number(n) - Math.floor(Number(n) / 3)}`,
  );

test.each([
  ['PALU_TDR positifs', 'PALU_GE positives'],
  ['RDT positive', 'Slides positive'],
  ['TDR positivos', 'Gota espessa positivos'],
  ['conf_rdt', 'conf_mic'],
])('cases are drafted as the sum of "%s" and "%s"', async (rdt, microscopy) => {
  const header = `district,facility,nth,periodid,Cas testés (TDR+GE),${rdt},${microscopy}`;
  const { cases: found, sources, draft } = await ingested(country({ 'hf.csv': byTest(header) }));
  expect(found).toEqual(SUMS);
  const { columns, sums, notes } = sources.find(({ role }) => role === 'cases_lgas')!;
  expect(columns).toEqual({ lga: 'district', facility: 'facility', period: 'periodid' });
  expect(sums).toEqual({ confirmed: [rdt, microscopy] });
  expect(notes!.at(-1)).toContain(`confirmed: the sum of "${rdt}" and "${microscopy}"`);
  expect(draft.doubts).toEqual([]);
});

test('columns of positives that leave a test out are no cases until somebody says which to add up', async () => {
  const file = (more: string) => byTest(`district,facility,nth,periodid,${more}`);
  const unknown = country({ 'hf.csv': file('Consultations,RDT positive <5,RDT positive 5+') });
  const { draft } = await draftOf(unknown);
  expect(draft.leftOut[0]).toMatchObject({
    why: 'no columns are known to count each confirmed case once, of "RDT positive <5", "RDT positive 5+" (answer "cases of hf.csv" with those to add up)',
    lost: 'cases',
  });
  expect(draft.questions.at(-1)).toMatchObject({ id: 'cases of hf.csv', guess: 'none' });
  const answered = await draftOf(unknown, { 'cases of hf.csv': 'RDT positive <5; RDT positive 5+' });
  const { entry } = answered.draft.entries.find((one) => one.entry.role === 'cases_lgas')!;
  expect(entry.sums).toEqual({ confirmed: ['RDT positive <5', 'RDT positive 5+'] });
});

/** Indicators by age group, whose confirmed ones add up to `cases`. */
const INDICATORS: readonly [string, (cases: number) => number][] = [
  ['Suspected malaria cases <5', (own) => 5 * own],
  ['Confirmed malaria cases <5', (own) => own - 60],
  ['Confirmed malaria cases 5+', () => 60],
  ['Confirmed malaria in-patients 5+', () => 8],
];

test.each<[string, string]>([
  [
    'indicators by age as rows, months as columns',
    table(
      `Région,District,Données,${MONTHS.map(({ year, month }) => `${NAMES[month - 1]!.slice(0, 3)}-${year}`).join(',')}`,
      LGAS.flatMap((_, lga) =>
        INDICATORS.map(([name, of]) =>
          [
            lga < 2 ? 'Abia' : 'Adamawa',
            `Place ${lga + 1}`,
            name,
            ...MONTHS.map((_month, i) => of(cases(lga, i))),
          ].join(),
        ),
      ),
    ),
  ],
  [
    'indicators and ages as rows in two columns, months as columns',
    table(
      `District,Data element,Category,${MONTHS.map((month) => iso(month)).join(',')}`,
      LGAS.flatMap((_, lga) =>
        INDICATORS.map(([name, of]) => {
          const [, indicator, ages] = /^(.*) (\S+)$/.exec(name)!;
          return [`Place ${lga + 1}`, indicator, ages, ...MONTHS.map((_month, i) => of(cases(lga, i)))].join();
        }),
      ),
    ),
  ],
  [
    'months as rows, indicators by age as columns',
    table(
      `District,period,${INDICATORS.map(([name]) => name).join(',')}`,
      rows((lga, month, i) => [`Place ${lga + 1}`, iso(month), ...INDICATORS.map(([, of]) => of(cases(lga, i)))]),
    ),
  ],
  [
    'a row for each figure',
    table(
      'District,period,Indicator,value',
      INDICATORS.flatMap(([name, of]) =>
        rows((lga, month, i) => [`Place ${lga + 1}`, iso(month), name, of(cases(lga, i))]),
      ),
    ),
  ],
])('the age groups of confirmed cases are added up, and what is left out is named: %s', async (_, content) => {
  const { cases: found, draft } = await ingested(country({ 'pivot.csv': content }));
  expect(found).toEqual(CASES);
  const question = draft.questions.at(-1)!;
  expect([question.id, question.guess]).toEqual([
    'cases of pivot.csv',
    'Confirmed malaria cases <5; Confirmed malaria cases 5+',
  ]);
  expect(question.asks).toMatch(/; left out: Suspected malaria cases <5; Confirmed malaria in-patients 5\+$/);
});

test('ages as rows without an indicator are cases if the name of the file says so, beside a total of each row', async () => {
  const content = table(
    `No.,District ,Age group,${MONTHS.map((month) => iso(month)).join(',')},Total`,
    LGAS.flatMap((_, lga) =>
      ['<5', '5 and above'].map((ages, nth) => {
        const own = MONTHS.map((_month, i) => (nth === 0 ? cases(lga, i) - 60 : 60));
        return [2 * lga + nth, `Place ${lga + 1}`, ages, ...own, own.reduce((a, b) => a + b)].join();
      }),
    ),
  );
  expect((await ingested(country({ 'confirmed malaria.csv': content }))).cases).toEqual(CASES);
  expect((await draftOf(country({ 'x.csv': content }))).draft.leftOut[0]!.why).toMatch(
    /^by area, but without a column/,
  );
});

test('rows in which a part of the cases is blank are a doubt', async () => {
  const lines = rows((lga, month, i) => [LGAS[lga]!, iso(month), cases(lga, i), i === 3 && lga === 1 ? '' : 5]);
  const { draft } = await draftOf(country({ 'x.csv': table('code,period,conf <5,conf 5+', lines) }));
  expect(draft.doubts).toEqual([
    `x.csv: cases are a sum of which some columns are blank, and are not counted, in 1 of 144 rows (first: row ${2 + MONTHS.length + 3})`,
  ]);
});

test.each([
  ['Tested', [500]],
  ['Tested under 5,Tested 5 and above', [200, 300]],
])('more positive than tested is a doubt that names the first row: %s', async (tested, numbers) => {
  const lines = rows((lga, month, i) => [
    LGAS[lga]!,
    iso(month),
    ...numbers,
    cases(lga, i) - 40,
    i === 4 && lga === 1 ? 1050 : 40,
  ]);
  const files = { 'x.csv': table(`code,period,${tested},RDT positive,BS positive`, lines) };
  const { draft } = await draftOf(country(files));
  const row = 2 + MONTHS.length + 4;
  expect(draft.doubts).toEqual([
    `x.csv: a row has more positive than tested (first: row ${row}, ${cases(1, 4) - 40 + 1050} of 500); a digit too many may be among them`,
  ]);
});

test('cases by facility without its list are named as lost', async () => {
  const { draft } = await draftOf(country({ 'hf.csv': wide }));
  expect(draft.leftOut).toContainEqual(
    expect.objectContaining({
      why: expect.stringMatching(/by facility, and no list of facilities/),
      lost: 'monthly records',
    }),
  );
});

test('decimal commas are declared and read', async () => {
  const lines = rows((lga, month, i) => [LGAS[lga]!, iso(month), rain(lga, i).replace('.', ',')], ';');
  const { climate, sources } = await ingested(country({ 'x.csv': table('code;period;rain', lines) }, ['climate.csv']));
  expect(climate[1]!.rain_mm).toBe(Number(rain(0, 1)));
  expect(sources.find(({ role }) => role === 'climate')!.dialect).toEqual({ separator: ';', decimal_comma: true });
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
    /no column contains the area codes or names/,
  ],
  ['a cut row', long('code,period,confirmed', iso).slice(0, -9), /no line end and 2 of 3 cells/],
])('cases with %s are left out with the true reason, and the country lacks cases', async (_, content, why) => {
  const { draft } = await draftOf(country({ 'x_cases.csv': content }));
  expect(draft.leftOut.filter(({ why: own }) => !own.startsWith('columns that are not used'))).toEqual([
    { kind: 'left out', file: 'x_cases.csv', why: expect.stringMatching(why), lost: 'cases' },
  ]);
});

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
  expect(draft.leftOut.map(({ file, why }) => [file, why])).toEqual(
    ['a.csv', 'm.csv', 'z.csv'].map((file) => [file, 'columns that are not used: suspected_cases']),
  );
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

test('a later delivery of cases by facility takes the place of the months that both have', async () => {
  const all = longBy('district,facility,period,confirmed', ({ lga, name }) => `${LGAS[lga]},${name}`);
  const keep = (is: (period: string) => boolean) =>
    table(
      all.split('\n')[0]!,
      all
        .trim()
        .split('\n')
        .filter((line) => is(line.split(',')[2]!) && !line.startsWith('district')),
    );
  // Before late forms came in, one facility of each area had no report.
  const early = keep((period) => period <= '2019-06').replaceAll(/^(.*,Post 1,2019-0[456]),.*$/gm, '$1,');
  const late = keep((period) => period >= '2019-04');
  const { cases: found } = await ingested(country({ 'early.csv': early, 'late.csv': late }));
  expect(found).toEqual(SUMS);
});

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

test('codes and parents of areas may be ids and names of features', async () => {
  const { files } = tinyCountry();
  const outlines = JSON.parse(String(files['lgas.geojson']));
  for (const feature of outlines.features) {
    const { name, state, pcode } = feature.properties;
    feature.id = `id-${pcode}`;
    feature.properties = { name, code: pcode, parent: state === 'NG001' ? 'Région Est' : 'Ouest' };
  }
  const lines = rows((lga, month, i) => [`id-${LGAS[lga]}`, iso(month), cases(lga, i)]);
  const { 'census.csv': _, 'climate.csv': _c, 'states.geojson': _s, 'surveys.csv': surveys, ...others } = files;
  const directory = filesOf({
    ...others,
    'lgas.geojson': JSON.stringify(outlines),
    'surveys.csv': String(surveys).replaceAll(/,NG00\d,(NG\d{6}),/g, ',,id-$1,'),
    'x.csv': table(
      'location,period,population,rain,confirmed',
      rows((lga, month, i) => [`id-${LGAS[lga]}`, iso(month), people(lga, 2018), rain(lga, i), cases(lga, i)]),
    ),
    'y.csv': table('location,period,other', lines),
  });
  const { cases: found, input } = await ingested(directory);
  expect(found.map(({ lga_code, confirmed }) => [lga_code?.slice(3), confirmed])).toEqual(
    LGAS.flatMap((code, lga) => MONTHS.map((_, i) => [code, cases(lga, i)])),
  );
  expect(input.model.states.map(({ state_pcode, state }) => [state_pcode, state])).toEqual([
    ['Ouest', 'Ouest'],
    ['Region-Est', 'Région Est'],
  ]);
});

test('new-country shows the faults of tables that a fault of the outlines hides', async () => {
  const { files } = tinyCountry();
  // The first area runs into the second, which can be declared; only then are tables read.
  const lgas = JSON.parse(String(files['lgas.geojson']));
  const [ring] = lgas.features[0].geometry.coordinates;
  ring[1][0] = 4.005;
  ring[2][0] = 4.005;
  const census = String(files['census.csv']).replace(/^NG002002.*\n/m, '');
  const directory = country({ 'lgas.geojson': JSON.stringify(lgas), 'census.csv': census });
  const { code, stdout } = await runHere(['new-country', path.join(temporary(), 'nc'), '--from', directory]);
  expect(code).toBe(1);
  const [checked, hidden] = stdout.split('Hidden by these until they are declared:');
  expect(checked).toMatch(/NG001001 and NG001002: found an overlap of/);
  expect(checked).not.toMatch(/found no row/);
  expect(hidden).toMatch(/^\n {2}census\.csv, NG002002 Place 4: found no row, expected a row, or a gap declared/);
});

test('new-country exits with 1 if it left out a table that matters, and says so in its last line', async () => {
  const weeks = long('code,period,confirmed', ({ year, month }) => `${year}W${two(month)}`);
  const draft = async (directory: string) => {
    const answers = path.join(filesOf({ 'answers.json': JSON.stringify(GIVEN) }), 'answers.json');
    const { code, stdout, stderr } = await runHere([
      'new-country',
      path.join(temporary(), 'nc'),
      '--from',
      directory,
      '--answers',
      answers,
    ]);
    return { code, stdout, stderr, last: stdout.trim().split('\n').at(-1) };
  };
  expect(await draft(country({ 'x_cases.csv': weeks, 'book.xlsx': 'PK\x03\x04' }))).toMatchObject({
    code: 1,
    last: 'Not used, for the reasons above: book.xlsx (a table that cannot be read), x_cases.csv (cases). Mend them, or list the other files after --from.',
  });
  const good = await draft(
    country({
      'x_cases.csv': long('code,period,confirmed', iso, ',', ''),
      'x_cases.xlsx': 'PK\x03\x04',
      'covariates.csv': 'rain,height\n0.5,-0.3\n',
    }),
  );
  expect(good.code).toBe(0);
  expect(good.stdout).toMatch(/Doubts:\n {2}x_cases\.csv: no line end after the last row/);
  const stopped = await draft(country({ 'x_cases.csv': weeks }, ['people.tif', 'census.csv']));
  expect([stopped.code, stopped.stderr]).toEqual([2, expect.stringMatching(/no population raster/)]);
  expect(stopped.stdout).toMatch(/x_cases\.csv +table +144 rows; columns code, period, confirmed/);
});

/** The tiny country's outlines with other fields: one made of each area's position, and the name of its parent. */
function outlinesWith(fields: (i: number, parent: string) => Record<string, string | number>) {
  const outlines = JSON.parse(String(tinyCountry().files['lgas.geojson']));
  for (const [i, feature] of outlines.features.entries()) {
    const parent = feature.properties.state === 'NG001' ? 'Haut Pays' : 'Côte';
    feature.properties = { ADM2_NAME: `Place ${i + 1}`, ADM1_NAME: parent, ...fields(i, parent) };
  }
  return JSON.stringify(outlines);
}
const UIDS = ['DtQPfQp2Yrv', 'fs7Jj0PAKxL', 'RqrNMre022D', 'bwKXzKaHMuu'];

test.each<[string, Record<string, string>]>([
  ['an id', { 'lgas.geojson': outlinesWith((i) => ({ OBJECTID: i + 1, ADM2_ID: UIDS[i]! })) }],
  ['a field of any name', { 'lgas.geojson': outlinesWith((i) => ({ OBJECTID: i + 1, pyramide: UIDS[i]! })) }],
  [
    'an id in a table by name',
    {
      'lgas.geojson': outlinesWith(() => ({})),
      'ids.csv': table(
        'ADM2_NAME,ADM2_ID',
        UIDS.map((uid, i) => `PLACE ${i + 1},${uid}`),
      ),
    },
  ],
])('codes of areas may be %s, and their parents be given by names alone', async (_, files) => {
  const without = ['states.geojson', 'lgas.geojson', 'census.csv', 'climate.csv', 'surveys.csv'];
  const { draft, faults } = await catalogOf(
    country(
      {
        ...files,
        'points.csv': table('year,period,cluster,longitude,latitude,examined,positive,test', [
          '2018,2018-10,1,3.4,4.5,20,3,RDT',
        ]),
      },
      without,
    ),
    GIVEN,
  );
  expect(faults).toEqual([]);
  expect(draft.areas.lgas.map(({ code }) => code)).toEqual(UIDS);
  expect(draft.areas.upper).toEqual([
    { code: 'Cote', name: 'Côte' },
    { code: 'Haut-Pays', name: 'Haut Pays' },
  ]);
});

test('outlines without codes are refused with their fields', async () => {
  const files = { 'lgas.geojson': outlinesWith((i) => ({ OBJECTID: i + 1 })) };
  await expect(draftOf(country(files, ['lgas.geojson']))).rejects.toThrow(
    /areas without codes; their fields are ADM2_NAME, ADM1_NAME, OBJECTID, expected a field with a code for each area/,
  );
});

test('columns of surveys and nets are recognised with filler words in any place', async () => {
  const survey = (header: string) =>
    table(header, ['2018,2018-10,1,3.4,4.5,20,3,RDT', '2018,2018-10,2,3.5,4.5,10,0,RDT']);
  const drafted = async (header: string) => {
    const { draft } = await draftOf(
      country(
        {
          'x.csv': survey(header),
          'nets.csv': table(
            'code;Accès Aux MILDA (%);Utilisation Des MILDA (%);MILDA Distribuées',
            LGAS.map((code) => `${code};57,8;43,7;9`),
          ),
        },
        ['surveys.csv'],
      ),
    );
    return draft;
  };
  for (const [examined, positive] of [
    ['number_examined', 'number_positive'],
    ['examined_n', 'positive_n'],
    ['num_tested', 'num_positive'],
    ['Nombre examinés', 'Nombre de positifs'],
  ]) {
    const { entries } = await drafted(`year,period,cluster_number,longitude,latitude,${examined},${positive},test`);
    const columns = (role: string) => entries.find(({ entry }) => (entry.figure ?? entry.role) === role)?.entry.columns;
    expect(columns('survey_clusters')).toMatchObject({ examined, positive, cluster_id: 'cluster_number' });
    expect(columns('itn_access')).toMatchObject({ itn_access: 'Accès Aux MILDA (%)' });
    expect(columns('itn_use')).toMatchObject({ itn_use: 'Utilisation Des MILDA (%)' });
  }
  const { leftOut } = await drafted('year,period,site,longitude,latitude,a,b,test');
  expect(leftOut.find(({ file }) => file === 'x.csv')!.why).toBe(
    'a survey without a column of the children examined (such as examined), a column of the children positive (such as positive), a column of the cluster (such as clusterid)',
  );
});

test('of figures by area and survey, those of the latest survey in its name are used', async () => {
  const nets = table(
    'Survey,state,Children under 5 who slept under an ITN last night (%)',
    ['MIS 2014-15', 'MIS 2018-19', 'DHS 2016'].flatMap((name, i) => [`${name},Abia,4${i}.5`, `${name},Adamawa,6${i}`]),
  );
  const { draft } = await draftOf(country({ 'nets.csv': nets }));
  const [source] = draft.entries.filter(({ entry }) => entry.figure === 'itn_use');
  expect(source!.entry).toMatchObject({ columns: { state: 'state' }, where: { Survey: 'MIS 2018-19' } });
});

test.each([
  ['survey_year', 'survey_month', 'cluster_id'],
  ['Année enquête', 'Mois enquête', 'cluster'],
  ['interview_year', 'interview_month', 'siteid'],
  ['hv007', 'hv006', 'hv001'],
  ['YY', 'MM', 'DHSCLUST'],
])("a survey's year and month may be columns of their own: %s, %s", async (year, month, cluster) => {
  const { draft } = await draftOf(
    country(
      {
        'x.csv': table(`${year},${month},${cluster},longitude,latitude,examined,positive,test`, [
          '2018,10,1,3.4,4.5,20,3,RDT',
          '2018,9,2,3.5,4.5,10,0,RDT',
        ]),
      },
      ['surveys.csv'],
    ),
  );
  const { entry } = draft.entries.find(({ entry: { role } }) => role === 'survey_clusters')!;
  expect(entry.columns).toMatchObject({ survey_year: year, year, month, cluster_id: cluster });
  expect(entry.rounds).toEqual([{ survey_year: 2018, first: '2018-09', last: '2018-10' }]);
});

test('the year of an interview, not the year that names the survey, goes with the month of the interview', async () => {
  const { draft } = await draftOf(
    country(
      {
        'x.csv': table('survey_year,interview_year,interview_month,cluster,longitude,latitude,examined,positive,test', [
          '2018,2018,12,1,3.4,4.5,20,3,RDT',
          '2018,2019,1,2,3.5,4.5,10,0,RDT',
        ]),
      },
      ['surveys.csv'],
    ),
  );
  const { entry } = draft.entries.find(({ entry: { role } }) => role === 'survey_clusters')!;
  expect(entry.rounds).toEqual([{ survey_year: 2018, first: '2018-12', last: '2019-01' }]);
});

test('a workbook is not listed once its CSV is read; a table of people that is not used is one line', async () => {
  const monthly = table(
    'code,period,confirmed,people',
    rows((lga, month, i) => [LGAS[lga]!, iso(month), cases(lga, i), people(lga, 2018)]),
  );
  const { draft } = await draftOf(
    country({ 'x.csv': monthly, 'book.xlsx': 'PK\x03\x04', 'book_tables/2022.csv': 'code,share\nNG001001,5\n' }),
  );
  expect(draft.leftOut.map(({ file, why }) => `${file}: ${why}`)).toEqual([
    'book_tables/2022.csv: by area, but without a column of people, cases, rain or a context figure',
    'book_tables/2022.csv: columns that are not used: share',
    'x.csv: has the figures of census.csv (population_census)',
  ]);
});

test('clusters of which only the area of the upper level is known are a survey; its column MM is no rain', async () => {
  const header = 'YY,MM,cluster.number,Region,METHOD,Ex,Pf,LoAge,UpAge';
  const rows = ['2018,10,1,NG001,RDT,20,3,0.5,5', '2018,9,2,NG002,RDT,10,0,2,10'];
  const { draft } = await draftOf(country({ 'x.csv': table(header, rows) }, ['surveys.csv', 'climate.csv']));
  const entries = draft.entries.map(({ entry }) => entry);
  expect(entries.map(({ role }) => role)).not.toContain('climate');
  expect(entries.find(({ role }) => role === 'survey_clusters')?.columns).toMatchObject({
    month: 'MM',
    state_pcode: 'Region',
    examined: 'Ex',
    positive: 'Pf',
    cluster_id: 'cluster.number',
    youngest_years: 'LoAge',
    oldest_years: 'UpAge',
  });
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

test('codes with dots, as of GADM, are recoded', async () => {
  const outlines = JSON.parse(String(tinyCountry().files['lgas.geojson']));
  for (const [i, feature] of outlines.features.entries()) {
    const upper = i < 2 ? 1 : 2;
    feature.properties = {
      GID_1: `TIN.${upper}_1`,
      NAME_1: ['North', 'South'][upper - 1],
      GID_2: `TIN.${upper}.${1 + (i % 2)}_1`,
      NAME_2: `Place ${i + 1}`,
    };
  }
  const byName = rows((lga, month, i) => [`Place ${lga + 1}`, iso(month), cases(lga, i)]);
  const surveys = LGAS.map((_, i) => `2019,10,c${i},4.5,${3.5 + i},RDT,20,${3 + i}`);
  const files = {
    'lgas.geojson': JSON.stringify(outlines),
    'cases.csv': table('District,period,confirmed', byName),
    'surveys.csv': table('year,month,cluster,Latitude,Longitude,method,examined,positive', surveys),
  };
  const found = await ingested(country(files, ['states.geojson', 'census.csv', 'climate.csv']));
  expect([...new Set(found.cases.map(({ lga_code }) => lga_code))]).toEqual([
    'TIN-1-1-1',
    'TIN-1-2-1',
    'TIN-2-1-1',
    'TIN-2-2-1',
  ]);
  expect(found.sources.find(({ role }) => role === 'lga_boundaries')!.recode).toMatchObject({
    lga_pcode: { 'TIN.1.1_1': 'TIN-1-1-1' },
  });
});

test('a round of other ages than the others is left out with its method, so that a build takes the draft', async () => {
  const header = 'year,month,cluster,Latitude,Longitude,method,examined,positive,lower_age,upper_age';
  const round = (year: number, method: string, ages: string) =>
    LGAS.map((_, i) => `${year},10,${year}-${i},4.5,${3.5 + i},${method},20,${3 + i},${ages}`);
  const surveys = table(header, [
    ...round(2018, 'Microscopy', '2.0,10'),
    ...round(2019, 'RDT', '0.5,5'),
    ...round(2020, 'RDT', '0.5,5'),
  ]);
  const drafted = async (given: Record<string, string> = {}) => {
    const { sources, model, faults } = await catalogOf(country({ 'surveys.csv': surveys }), { ...GIVEN, ...given });
    const { rounds, methods, leave_out } = sources.find(({ role }) => role === 'survey_clusters')!;
    return { faults, years: rounds!.map((own) => own.survey_year), methods, leave_out, model };
  };
  const young = await drafted();
  expect(young).toMatchObject({ faults: [], years: [2019, 2020], methods: { rdt: 'RDT' } });
  expect(young.model.parameters.survey.method).toBe('rdt');
  expect(young.leave_out).toMatchObject([{ where: { survey_year: 2018 }, reason: expect.stringMatching(/ages/) }]);
  const old = await drafted({ ages_months: '24-120' });
  expect(old).toMatchObject({ faults: [], years: [2018], methods: { microscopy: 'Microscopy' } });
});
