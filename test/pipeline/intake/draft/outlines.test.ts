import { expect, test } from 'vitest';
import { LGAS, tinyCountry } from '../../../support/tiny-country.ts';
import { catalogOf, draftOf, filesOf } from './drafted.ts';
import { cases, country, GIVEN, ingested, iso, MONTHS, people, rain, rows, table } from './drafted-tables.ts';

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
  expect(draft.areas.states).toEqual([
    { code: 'Cote', name: 'Côte' },
    { code: 'Haut-Pays', name: 'Haut Pays' },
  ]);
});

test('outlines without codes get those of their names, or are refused with their fields if names repeat', async () => {
  const { draft } = await draftOf(
    country({ 'lgas.geojson': outlinesWith((i) => ({ OBJECTID: i + 1 })) }, ['lgas.geojson']),
  );
  expect(draft.areas.lgas.map(({ code }) => code)).toEqual(['Place-1', 'Place-2', 'Place-3', 'Place-4']);
  expect(draft.areas.doubts).toEqual([expect.stringMatching(/codes are made of the names, such as Place-1/)]);
  const files = { 'lgas.geojson': outlinesWith((i) => ({ OBJECTID: i + 1, ...(i > 1 ? { ADM2_NAME: 'Same' } : {}) })) };
  await expect(draftOf(country(files, ['lgas.geojson']))).rejects.toThrow(
    /areas without codes; their fields are ADM2_NAME, ADM1_NAME, OBJECTID, expected a field with a code for each area/,
  );
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

/** The tiny country's outlines and, in other spellings, those before its last two areas were divided. */
function outlinesOfTwoYears(areasInTables: readonly string[]) {
  const { files } = tinyCountry();
  const newer = JSON.parse(String(files['lgas.geojson']));
  const [kept, divided] = newer.features.slice(-2);
  const older = structuredClone(newer);
  older.features.pop();
  older.features.at(-1).geometry = {
    type: 'MultiPolygon',
    coordinates: [kept.geometry.coordinates, divided.geometry.coordinates],
  };
  for (const { properties } of older.features) properties.name = `District of ${properties.pcode}`;
  const lines = areasInTables.flatMap((code, lga) =>
    MONTHS.map((month, i) => [code, iso(month), cases(lga, i)].join()),
  );
  const own = { 'cases.csv': table('code,month,confirmed', lines), 'older.geojson': JSON.stringify(older) };
  return filesOf({ 'lgas.geojson': files['lgas.geojson']!, 'people.tif': files['people.tif']!, ...own });
}

test.each([
  ['the older ones if tables have no others', LGAS.slice(0, 3), {}, 'older.geojson'],
  ['the newer ones if tables have them', LGAS, {}, 'lgas.geojson'],
  ['those that are answered', LGAS, { outlines: 'older.geojson' }, 'older.geojson'],
])('of two files that draw one level, %s are used, the others are no upper level', async (_, codes, answers, used) => {
  const { draft } = await draftOf(outlinesOfTwoYears(codes), answers);
  const outlines = draft.entries.filter(({ entry }) => /_boundaries$/.test(entry.role));
  expect(outlines.map(({ entry, files }) => [entry.role, files[0]!.path])).toEqual([['lga_boundaries', used]]);
  const other = used === 'older.geojson' ? 'lgas.geojson' : 'older.geojson';
  const question = draft.questions.find(({ id }) => id === 'outlines')!;
  expect([question.guess, question.asks]).toEqual([used, expect.stringContaining(`${used} or ${other}`)]);
  expect(draft.leftOut.find(({ file }) => file === other)!.why).toMatch(
    /^\d outlines that draw the lower level differently \(answer "outlines"/,
  );
});

test('a copy of the outlines is left out without a question; of two with other codes, those that tables have are used', async () => {
  const { files } = tinyCountry();
  const drafted = async (prefix: string) => {
    const copy = String(files['lgas.geojson']).replaceAll('"pcode": "NG', `"pcode": "${prefix}`);
    return (await draftOf(filesOf({ ...files, 'copy.geojson': copy }))).draft;
  };
  const [copied, recoded] = [await drafted('NG'), await drafted('XX')];
  for (const { entries } of [copied, recoded])
    expect(
      entries.filter(({ entry }) => entry.role === 'state_boundaries').map(({ files: [file] }) => file!.path),
    ).toEqual(['states.geojson']);
  expect(copied.questions.map(({ id }) => id)).not.toContain('outlines');
  expect(recoded.questions.find(({ id }) => id === 'outlines')!.guess).toBe('lgas.geojson');
});

test('codes that are not used, because two outlines have the same, are told', async () => {
  const { files } = tinyCountry();
  const outlines = JSON.parse(String(files['lgas.geojson']));
  outlines.features[1].properties.pcode = LGAS[0];
  const codes = LGAS.map((code, i) => `${code},Place ${i + 1},${code.slice(0, 5)}\n`).join('');
  const { draft } = await draftOf(
    filesOf({
      ...files,
      'lgas.geojson': JSON.stringify(outlines),
      'codes.csv': `pcode,name,state_pcode\n${codes}`,
    }),
  );
  expect(draft.areas.codes?.table.file).toBe('codes.csv');
  expect(draft.doubts).toContain(
    `lgas.geojson: the codes in "pcode" are not used, because two outlines have ${LGAS[0]}; outlines get the codes of their names`,
  );
});
