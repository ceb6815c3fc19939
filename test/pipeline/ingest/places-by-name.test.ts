import { expect, test } from 'vitest';
import { type Alias, parseAliases } from '../../../pipeline/catalog/aliases.ts';
import type { Source } from '../../../pipeline/catalog/sources.ts';
import type { Areas } from '../../../pipeline/ingest/ingest-tables.ts';
import { matchNames } from '../../../pipeline/ingest/places-by-name.ts';
import { RawTable } from '../../../pipeline/ingest/readers/raw-table.ts';
import { InputLocation } from '../../../pipeline/lib/bad-input.ts';
import { outputRows } from '../../support/stage-io.ts';
import { LGAS, sourceIn, type TinyCountry } from '../../support/tiny-country.ts';
import { edit, read, refuses } from './broken.ts';

/** Two upper-level areas; `Kiru` is in both. */
const NAMES = {
  N: ["N'Zérékoré", 'Nkhata Bay', 'Mwanza', 'Kiru'],
  S: ['Cade', 'Cade City', 'Kemi', 'Kiru'],
};
const AREAS: Areas = {
  states: [],
  lgas: Object.entries(NAMES).flatMap(([state_code, names]) =>
    names.map((lga, i) => ({ lga_code: `${state_code}${i + 1}`, lga, state_code })),
  ),
};
const MODEL = {
  territory: { lga: { one: 'district', many: 'districts' }, state: { one: 'region', many: 'regions' } },
  states: [
    { state_pcode: 'N', state_code: 'N', state: 'North' },
    { state_pcode: 'S', state_code: 'S', state: 'South' },
  ],
};

/** What rows of name, upper-level area and month are matched with. */
function matched(
  rows: [lga: string, state?: string | undefined, period?: string][],
  aliases: Alias[] = [],
  role = 'cases_lgas',
) {
  const values = rows.map(([lga, state = null, period = '2019-01'], i) => ({
    line: i + 2,
    values: { lga, state, period },
  }));
  const table = new RawTable(
    new InputLocation('t.csv'),
    { columns: new Set(['lga', 'state', 'period']), counts: [], ranges: {}, months: undefined },
    values,
  );
  const source = { role, format: 'csv', columns: { lga: 'd', period: 'p', confirmed: 'c' } } as unknown as Source;
  return matchNames(table, source, AREAS, { ...MODEL, aliases } as unknown as Parameters<typeof matchNames>[3]);
}
const codeOf = (name: string, state?: string) => matched([[name, state]])[0]!.area?.code ?? null;

test("names are those of areas whatever their case, accents, punctuation and the country's word for them", () => {
  expect(codeOf('NZEREKORE')).toBe('N1');
  expect(codeOf('Nkhata-Bay')).toBe('N2');
  expect(codeOf('District de Mwanza')).toBeNull();
  expect(codeOf('mwanza district')).toBe('N3');
  expect(codeOf('Distrito Mwanza')).toBe('N3');
  // A word that tells areas apart is not the country's word for them.
  expect(codeOf('Cade')).toBe('S1');
  expect(codeOf('CADE CITY')).toBe('S2');
});

test('a word that most names of a table have is no part of a name; one that tells areas apart is', () => {
  const found = matched(['Mwanza', 'Nkhata-Bay', 'Cade', 'Cade City'].map((name) => [`Sub-council ${name}`]));
  expect(found.map(({ area }) => area?.code)).toEqual(['N3', 'N2', 'S1', 'S2']);
  // Of few names it cannot be told which words they share.
  expect(matched([['Sub-council Mwanza'], ['Sub-council Cade']]).map(({ area }) => area)).toEqual([null, null]);
});

test('a name that two areas have is one of them only within its upper-level area', () => {
  expect(codeOf('Kiru', 'South')).toBe('S4');
  expect(codeOf('Kiru', 'N')).toBe('N4');
  expect(matched([['Kiru']])[0]).toMatchObject({
    area: null,
    proposal: null,
    candidates: [{ similarity: 1 }, { similarity: 1 }],
  });
  expect(codeOf('Mwanza', 'South'), 'in the other one').toBeNull();
});

test('a name that is merely alike has no area: the likest is proposed, with its likeness', () => {
  const [council, slip, none] = matched([['Mwanza City Council'], ['Kemmi', 'South'], ['Zomba']]);
  expect(council).toMatchObject({
    area: null,
    candidates: [{ area: { code: 'N3' } }],
    proposal: { name: 'Mwanza City Council', parent: '', code: 'N3', from: '' },
  });
  // Pairs ke em mm mi, and ke em mi.
  expect(slip!.candidates[0]!.similarity).toBeCloseTo(6 / 7);
  expect(slip!.proposal).toEqual({ name: 'Kemmi', parent: 'South', code: 'S3', from: '' });
  expect(none).toMatchObject({ area: null, candidates: [], proposal: null });
});

test('the only area left over is proposed for the only name that is like none, with how little it is like it', () => {
  const others: Parameters<typeof matched>[0] = ['Cade', 'Cade City', 'Kiru'].map((name) => [name, 'South']);
  const found = matched([...others, ['Zomba', 'South']]).at(-1)!;
  expect(found).toMatchObject({
    area: null,
    isOnlyRemaining: true,
    candidates: [{ area: { code: 'S3' }, similarity: 0 }],
  });
  expect(found.proposal).toEqual({ name: 'Zomba', parent: 'South', code: 'S3', from: '' });
  const withName = [
    ...['Cade', 'Kemi', 'Kiru'].map((name) => [name, 'South'] as [string, string]),
    ['Cidade de Cade', 'South'] as [string, string],
  ];
  expect(matched(withName).at(-1)!.proposal, 'another row has the name in it').toMatchObject({ code: 'S2' });
  // A total is no area; of two names, or of two areas, neither is known.
  expect(matched([...others, ['Total', 'South']]).at(-1)!.proposal).toBeNull();
  expect(matched([...others, ['Zomba', 'South'], ['Xyz', 'South']]).at(-1)!.proposal).toBeNull();
  expect(matched([...others, ['Zomba', 'South'], ['Xyz']]).at(-2)!.proposal).toBeNull();
  expect(matched([...others.slice(1), ['Zomba', 'South']]).at(-1)!.proposal).toBeNull();
});

test('an area that has rows of its own at the same time is not proposed for another name', () => {
  expect(matched([['Kemi'], ['Kemmi']])[1]).toMatchObject({ area: null, proposal: null });
  expect(matched([['Kemi', 'South', '2018-12'], ['Kemmi']])[1]!.proposal).toMatchObject({ code: 'S3' });
});

test('names that contain that of an area without rows are proposed as its parts, from their first month', () => {
  const rows: Parameters<typeof matched>[0] = [
    ['Kemi', undefined, '2018-12'],
    ['Kemi East', undefined, '2019-02'],
    ['Kemi East', undefined, '2019-01'],
    ['Kemi West', undefined, '2019-02'],
  ];
  const proposals = matched(rows).map(({ proposal }) => proposal);
  expect(proposals).toEqual([
    null,
    { name: 'Kemi East', parent: '', code: 'S3', from: '2019-01' },
    { name: 'Kemi West', parent: '', code: 'S3', from: '2019-01' },
  ]);
  expect(matched([...rows, ['Kemi', undefined, '2019-02']]).map(({ proposal }) => proposal)).toEqual([
    null,
    null,
    null,
  ]);
  // Rain cannot be added up.
  expect(matched(rows, [], 'climate').map(({ proposal }) => proposal)).toEqual([null, null, null]);
});

test('an accepted name is used from then on, with its upper-level area if it has one', () => {
  const aliases = parseAliases('a.csv', 'name,parent,code,from\n"Mwanza, the City",,N3,\nThe Hills,north,N4,\n');
  const found = matched([['MWANZA THE CITY'], ['The Hills', 'North'], ['The Hills', 'South']], aliases);
  expect(found.map(({ area }) => area?.code ?? null)).toEqual(['N3', 'N4', null]);
});

test.each([
  ['name,code\nA,N1\n', /^a\.csv, row 1: found name,code, expected name,parent,code,from$/],
  ['name,parent,code,from\nA,N1\n', /^a\.csv, row 2: found A,N1, expected name,parent,code,from$/],
  ['name,parent,code,from\n,,N1,\n', /^a\.csv, row 2: found ,,N1,, expected name/],
  ['name,parent,code,from\nA,,N1,2019\n', /^a\.csv, row 2, from: found 2019, expected the month of a split/],
  ['name,parent,code,from\nA,,N1,\na.,,N2,\n', /^a\.csv, row 3: found a\. again, expected each name once/],
])('aliases.csv of another form is refused', (text, message) => {
  expect(() => parseAliases('a.csv', text)).toThrow(message);
});

/** Makes the census, the nets (by area), their access (by upper-level area) and the clusters go by names. */
function byNames(country: TinyCountry): void {
  const nameOf = (code: string) => `PLACE-${(LGAS as readonly string[]).indexOf(code) + 1} LGA`;
  const named = (text: string) => text.replaceAll(/NG00\d{4}(?=,)/g, nameOf);
  for (const file of ['census.csv', 'nets.csv']) edit(file, named)(country);
  edit('access.csv', (text) => text.replace('NG001', 'ABIA').replace('NG002', 'State of Adamawa'))(country);
  country.files['aliases.csv'] = 'name,parent,code,from\nState of Adamawa,,NG002,\n';
  sourceIn(country, 'population_census').columns = { lga: 'lga', people: 'people', children_0_4: 'under5' };
  sourceIn(country, 'itn_use').columns = { lga: 'lga', itn_use: 'use' };
  sourceIn(country, 'itn_access').columns = { state: 'state', itn_access: 'percent' };
}

test('tables of either level that go by names give what they give by codes, and findings name other spellings', async () => {
  const { tables: coded } = await read();
  const { tables } = await read(byNames);
  for (const name of ['census', 'layers'] as const) expect(outputRows(tables[name])).toEqual(outputRows(coded[name]));
  const rules = tables.report.filter(({ rule }) => rule === 'areas by name').map(({ source }) => source);
  expect(rules).toEqual(['population_census', 'itn_use', 'itn_access']);
});

/** Records by area: the first by two parts in the last year, `change` on its rows. */
const inParts =
  (
    change: (rows: string[]) => string[] = (rows) => rows,
    aliases = 'Place 1 East,,NG001001,2021-01\nPlace 1 West,,NG001001,2021-01\n',
  ) =>
  (country: TinyCountry) => {
    const months = Array.from(
      { length: 48 },
      (_, i) => `${2018 + Math.floor(i / 12)}-${String((i % 12) + 1).padStart(2, '0')}`,
    );
    const rows = months.flatMap((month, i) =>
      month < '2021-01'
        ? [`Place 1,${month},${100 + i}`]
        : [`Place 1 East,${month},${60 + i}`, `Place 1 West,${month},${40 + i}`],
    );
    country.files['cases.csv'] = `${['name,month,cases', ...change(rows)].join('\n')}\n`;
    country.files['aliases.csv'] = `name,parent,code,from\n${aliases}`;
    const source = sourceIn(country, 'cases');
    source.role = 'cases_lgas';
    source.columns = { lga: 'name', period: 'month', confirmed: 'cases' };
    source.files[0].rows = 48;
  };

test('a row without the name of an area is refused, with the declaration that leaves such rows out', async () => {
  const nameless = (country: TinyCountry) => {
    byNames(country);
    edit('census.csv', (text) => `${text},999,99\n`)(country);
  };
  await expect(read(nameless)).rejects.toThrow(
    /census\.csv, row 6, name: found nothing \(a row\), expected the name of an area/,
  );
  const footnote = (country: TinyCountry) => {
    byNames(country);
    edit('census.csv', (text) => `${text},"* with Place 9",\n`)(country);
  };
  await expect(read(footnote)).rejects.toThrow(/name: found nothing \(a row: "\* with Place 9"\)/);
  const declared = await read((country) => {
    nameless(country);
    sourceIn(country, 'population_census').leave_out = [{ where: { lga: null }, reason: 'the total' }];
  });
  expect(JSON.stringify(declared)).toContain('1 of 5 rows with a blank lga: the total; row 6');
});

test('the parts of an area are added up from the month of the split, and the findings say so', async () => {
  const { tables } = await read(inParts());
  const cases = outputRows(tables.cases) as { lga_code: string; period: string; confirmed: number }[];
  expect(cases).toHaveLength(48);
  expect(new Set(cases.map(({ lga_code }) => lga_code))).toEqual(new Set(['NG001001']));
  expect(cases[35]).toMatchObject({ period: '2020-12', confirmed: 135 });
  expect(cases[36]).toMatchObject({ period: '2021-01', confirmed: 100 + 2 * 36 });
  expect(tables.report.find(({ rule }) => rule === 'parts of an area')?.what).toBe(
    'NG001001 Place 1 from 2021-01: Place 1 East + Place 1 West',
  );
});

test('a month with a blank part is unknown', async () => {
  const { tables } = await read(inParts((rows) => rows.map((row) => row.replace('West,2021-03,78', 'West,2021-03,'))));
  expect((outputRows(tables.cases) as { confirmed: number | null }[])[38]!.confirmed).toBeNull();
});

refuses([
  [
    'a name that no area has, with the likest and the row that would accept it',
    (country) => {
      byNames(country);
      edit('census.csv', (text) => text.replace('PLACE-2 LGA', 'Plaice 2'))(country);
    },
    /^census\.csv, row 3, name: found Plaice 2 \(a row\), expected the name of an area in the outlines: Place 2 \(NG001002, 0\.73\), as in a row "Plaice 2,,NG001002," of aliases\.csv$/,
  ],
  [
    'a part without the others',
    inParts((rows) => rows.filter((row) => !row.startsWith('Place 1 West,2021-05'))),
    /^cases\.csv, row 46, 2021-05: found Place 1 East, expected Place 1 East \+ Place 1 West, the parts of NG001001 then/,
  ],
  [
    'a part before the split',
    inParts((rows) => rows.map((row) => row.replace('Place 1,2020-12', 'Place 1 East,2020-12'))),
    /^cases\.csv, row 37, 2020-12: found Place 1 East, expected none, the parts of NG001001 then/,
  ],
  [
    'a part beside the whole',
    inParts((rows) => [...rows, 'Place 1,2021-05,9']),
    /^cases\.csv, row 62: found lga_pcode \+ period NG001001 2021-05, as in row \d+, expected a single row/,
  ],
  [
    'a part twice',
    inParts((rows) => [...rows, 'Place 1 West,2021-05,9']),
    /^cases\.csv, row 46, 2021-05: found Place 1 East \+ Place 1 West \+ Place 1 West, expected Place 1 East \+ Place 1 West/,
  ],
  [
    'a part in a table that cannot be added up',
    (country) => {
      inParts()(country);
      byNames(country);
      inParts()(country);
      edit('nets.csv', (text) => text.replace('PLACE-1 LGA,0.3', 'Place 1 East,0.3\nPlace 1 West,0.4'))(country);
      sourceIn(country, 'itn_access').columns = { state_pcode: 'state', itn_access: 'percent' };
      edit('access.csv', (text) => text.replace('ABIA', 'NG001').replace('State of Adamawa', 'NG002'))(country);
    },
    /^nets\.csv, row 2, lga: found a part of NG001001 \(aliases\.csv\), expected the whole area: only cases and people/,
  ],
  [
    'an accepted name of no area',
    inParts(undefined, 'Place 9,,NG009009,\n'),
    /^aliases\.csv, Place 9: found NG009009, expected the p-code of an area in the outlines, or /,
  ],
]);

test('of two areas of one name, that in the upper-level area of all others is proposed, and a row that names its own is no alias of it', () => {
  const proposal = (...names: string[]) =>
    matched(names.map((name) => [name])).find(({ name }) => name === 'Kiru')!.proposal;
  const alias = { name: 'Kiru', parent: '', code: 'S4', from: '' };
  expect(proposal('Cade', 'Cade City', 'Kemi', 'Kiru')).toEqual(alias);
  expect(proposal('Cade', 'Cade City', 'Mwanza', 'Kiru')).toBeNull();
  expect(proposal('Cade', 'Cade City', 'Kiru')).toBeNull();
  const codes = matched([['Kiru'], ['Kiru', 'North'], ['Kiru', 'South']], [alias]).map(({ area }) => area?.code);
  expect(codes).toEqual(['S4', 'N4', 'S4']);
});
