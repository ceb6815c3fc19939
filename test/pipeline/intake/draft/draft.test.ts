import { readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { OPEN_QUESTION } from '../../../../pipeline/catalog/shared-schemas.ts';
import { codePattern } from '../../../../pipeline/intake/draft/draft-areas.ts';
import { completeAnswers, listQuestions } from '../../../../pipeline/intake/draft/questions.ts';
import { listFiles } from '../../../../pipeline/intake/draft/recognise.ts';
import { writeGeotiff } from '../../../../pipeline/synthetic/geotiff-writer.ts';
import { temporary } from '../../../support/command-line.ts';
import { otherCountry } from '../../../support/other-country.ts';
import { CELLS, GRID, tinyCountry } from '../../../support/tiny-country.ts';
import { catalogOf, draftOf, filesOf, NOW, withCasesUpTo } from './drafted.ts';

const GIVEN_NAMES = { name: 'Tiny country', iso_code: 'NG' };

test('GeoJSON, tables and rasters get their roles, and the drafted catalog has no faults', async () => {
  const { sources, model, faults, draft } = await catalogOf(filesOf(tinyCountry().files), {
    name: 'Tiny country',
    iso_code: 'NG',
    upper_one: 'state',
    upper_many: 'states',
  });
  expect(sources.map(({ role, figure, files }) => [figure ?? role, files[0]!.path]).sort()).toEqual([
    ['cases_states', 'cases.csv'],
    ['climate', 'climate.csv'],
    ['elevation', 'height.tif'],
    ['lga_boundaries', 'lgas.geojson'],
    ['population', 'people.tif'],
    ['population_census', 'census.csv'],
    ['state_boundaries', 'states.geojson'],
    ['survey_clusters', 'surveys.csv'],
  ]);
  expect(faults).toEqual([]);
  expect(draft.leftOut.map(({ file, why }) => `${file}: ${why}`)).toEqual([
    'access.csv: by area, but without a column of people, cases, rain or a context figure',
    'nets.csv: by area, but without a column of people, cases, rain or a context figure',
  ]);
  expect(model).toMatchObject({
    country: 'tinycountry',
    first_estimated: '2019-01',
    last_estimated: '2021-12',
    updated_at: NOW,
    expected: { states: 2, lgas: 4 },
    extent: [2.9, 3.9, 7.1, 5.1],
    territory: { state: { one: 'state', code: '^NG[0-9]{3}$' }, lga: { code: '^NG[0-9]{6}$' } },
    parameters: { survey: { method: ['microscopy', 'rdt'] } },
  });
  const survey = sources.find(({ role }) => role === 'survey_clusters')!;
  expect(survey).toMatchObject({
    methods: { microscopy: 'microscopy', rdt: 'rdt' },
    licence: OPEN_QUESTION,
    rounds: [
      { survey_year: 2018, first: '2018-10', last: '2018-10' },
      { survey_year: 2021, first: '2021-10', last: '2021-10' },
    ],
  });
  expect(survey.files[0]).toMatchObject({ rows: 25, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) });
});

test('outlines without codes get them by name from a table, even if some names are spelled differently', async () => {
  const { files } = otherCountry();
  const own = ['communes.topojson', 'codes.csv', 'points.csv', 'people.tif'].map((name) => [name, files[name]!]);
  const spelled: Record<string, string | Buffer> = Object.fromEntries(own);
  spelled['codes.csv'] = String(spelled['codes.csv']).replace('Côte', 'COTE').replace('Bois-Haut', 'Bois Haut');
  const { sources, model, faults, guessed } = await catalogOf(filesOf(spelled), { name: 'Ailleurs', iso_code: 'XX' });
  expect(faults).toEqual([]);
  expect(sources[0]!.recode).toEqual({ lga: { 'Bois-Haut': 'Bois Haut', Côte: 'COTE' } });
  const [outlines, codes] = sources;
  expect([outlines!.role, outlines!.columns, codes!.role]).toEqual([
    'lga_boundaries',
    { lga: 'shapeName' },
    'lga_codes',
  ]);
  const short = { ...spelled, 'codes.csv': String(spelled['codes.csv']).replace(/^COTE.*\n/m, '') };
  await expect(draftOf(filesOf(short))).rejects.toThrow(
    /areas without codes; their fields are shapeName; the closest table is codes\.csv, which has no Côte, expected/,
  );
  expect(model.states).toHaveLength(2);
  expect(guessed.map(({ id }) => id)).not.toContain('name');
});

test('the population raster that agrees best with the population table is chosen, unless another is requested', async () => {
  const { files } = tinyCountry();
  // The same total, with nearly all people in the west.
  const uneven = Float32Array.from(
    { length: CELLS },
    (_, i) => 4 * ((i % GRID.columns < GRID.columns / 4 ? 900 : 30) + (i % 97) / 100),
  );
  const census = String(files['census.csv']).replaceAll(/,1000(\d\d),/g, ',1024$1,');
  const both = filesOf({ ...files, 'census.csv': census, 'people_uneven.tif': writeGeotiff(uneven, GRID) });
  const { draft } = await draftOf(both);
  const entry = ({ entries }: typeof draft) => entries.find(({ entry: own }) => own.role === 'population')!;
  expect(entry(draft).files[0]!.path).toBe('people.tif');
  expect(entry(draft).notes[0]).toMatch(
    /^[\d,]+ people in total \(population table: [\d,]+\); by area 1\.\d\d to 1\.\d\d times/,
  );
  expect(draft.leftOut.find(({ file }) => file === 'people_uneven.tif')!.why).toMatch(
    /^people per cell, by area 0\.\d\d to 3\.\d\d times the population table; off by a factor of more than 2 in 4 of 4: .*; people\.tif is used instead$/,
  );
  expect(draft.questions.at(-1)).toMatchObject({ id: 'population', guess: 'people.tif' });
  const { draft: other } = await draftOf(both, { population: 'people_uneven.tif' });
  expect(entry(other).files[0]!.path).toBe('people_uneven.tif');
});

test.each([
  ['2021-12', '2021-12', /2021-12 at the latest: the case records end there, the surveys with 2018-10/, 96],
  ['2021-07', '2021-07', /2021-07 at the latest: the case records/, 96],
  [null, '2018-12', /2019-10 at the latest: 12 months after the last survey, 2018-10/, 12],
])('with surveys of 2018 and cases up to %s, estimates end in %s', async (cases, last, asks, months) => {
  const { answers, draft, model, faults } = await catalogOf(filesOf(withCasesUpTo(cases)), {
    name: 'Tiny country',
    iso_code: 'NG',
  });
  expect(answers.last_estimated).toBe(last);
  expect(draft.questions.find(({ id }) => id === 'last_estimated')!.asks).toMatch(asks);
  expect(model.parameters.evidence.max_months_after_survey).toBe(months);
  expect(faults).toEqual([]);
});

test('cases that run on longer than ranges were tested do not move the last month beyond that', async () => {
  const files = withCasesUpTo('2021-12');
  // Surveys of 2008 in place of 2018: 96 months later is 2016-10, before the case records begin.
  files['surveys.csv'] = String(files['surveys.csv']).replaceAll('2018', '2008');
  const { draft, answers } = await catalogOf(filesOf(files), { name: 'Tiny country', iso_code: 'NG' });
  expect(answers.last_estimated).toBe('2016-10');
  expect(draft.questions.find(({ id }) => id === 'last_estimated')!.asks).toMatch(/96 months after the last survey/);
});

test('a survey too small for scores limits no months', async () => {
  const { files } = tinyCountry();
  const surveys = String(files['surveys.csv']).replaceAll('2018', '2008').replaceAll('2021', '2009');
  const { answers } = await catalogOf(filesOf({ ...files, 'surveys.csv': surveys }), GIVEN_NAMES);
  expect([answers.first_estimated, answers.last_estimated]).toEqual(['2019-01', '2021-12']);
});

test('the last month is that of the case records that are used, if others are not', async () => {
  const { draft } = await draftOf(filesOf({ ...withCasesUpTo('2020-12'), 'cases_2021.csv': 'a,b\n1\n' }));
  expect(draft.questions.find(({ id }) => id === 'last_estimated')).toMatchObject({
    guess: '2020-12',
    asks: expect.stringMatching(/2020-12 at the latest: the case records that are used end there/),
  });
});

test('an invalid outline does not stop the draft; the check reports it', async () => {
  const { files } = tinyCountry();
  // A bow tie: two corners of the first area swapped.
  const outlines = JSON.parse(String(files['lgas.geojson']));
  const [ring] = outlines.features[0].geometry.coordinates;
  [ring[1], ring[2]] = [ring[2], ring[1]];
  const { draft, faults } = await catalogOf(filesOf({ ...files, 'lgas.geojson': JSON.stringify(outlines) }), {
    name: 'Tiny country',
    iso_code: 'NG',
    upper_one: 'state',
    upper_many: 'states',
  });
  expect(draft.entries.find(({ entry }) => entry.role === 'population')!.files[0]!.path).toBe('people.tif');
  expect(faults.map(({ what }) => what)).toEqual(expect.arrayContaining([expect.stringMatching(/lgas\.geojson/)]));
});

test('a table of codes without one area is left out with the reason; a table of codes may contain population too', async () => {
  const { files } = otherCountry();
  const names = String(files['codes.csv']).trim().split('\n').slice(1);
  const people = ['nom,code,dep,reg,nom_reg,people', ...names.map((line, i) => `${line},${1000 + i}`)].join('\n');
  const own = ['communes.topojson', 'points.csv', 'people.tif'].map((name) => [name, files[name]!]);
  const { draft } = await draftOf(
    filesOf({
      ...Object.fromEntries(own),
      'codes.csv': String(files['codes.csv']).replace(/^Côte.*\n/m, ''),
      'people.csv': `${people}\n`,
    }),
  );
  const roles = draft.entries.map(({ entry, files: of }) => [entry.role, of[0]!.path]);
  expect(roles).toEqual(
    expect.arrayContaining([
      ['lga_codes', 'people.csv'],
      ['population_census', 'people.csv'],
    ]),
  );
  expect(draft.leftOut.flatMap(({ file, why }) => (file === 'codes.csv' ? [why] : []))).toEqual([
    'gives codes for 3 of the 4 names, but has no Côte: complete it, or use the codes of people.csv',
  ]);
});

test('unsupported files are left out with the reason and a conversion command; required files must be present', async () => {
  const { draft } = await draftOf(
    filesOf({
      ...tinyCountry().files,
      'more/book.ods': Buffer.from('PK\x03\x04', 'latin1'),
      'more/notes.txt': 'x',
      'more/.hidden': 'x',
      'more/bad.csv': 'a,b\n1\n',
      'more/round.csv': 'longitude,latitude,year,month,method,tested by us,positive\n3.5,4.5,2018,10,RDT,20,5\n',
      'more/other.csv': 'longitude,latitude,year,month,method,examined\n3.5,4.5,2018,10,RDT,20\n',
    }),
  );
  const why = Object.fromEntries(draft.leftOut.map((one) => [one.file, one.why]));
  const all = draft.leftOut.map((one) => `${one.file}: ${one.why}`);
  expect(why['more/book.ods']).toMatch(/make one with: ogr2ogr -f CSV/);
  expect(why['more/notes.txt']).toMatch(/files ending in \.txt are not read/);
  expect(why['more/bad.csv']).toBe('row 2: found 1 cells, expected 2 as in the header');
  const lacks = (subject: string) =>
    `a survey without a column of the children ${subject}, a column of the cluster (such as clusterid)`;
  expect(all).toContain(`more/round.csv: ${lacks('examined (such as examined)')}`);
  expect(all).toContain(`more/other.csv: ${lacks('positive (such as positive)')}`);
  expect(why['more/.hidden']).toBeUndefined();
  await expect(draftOf(filesOf({ 'a.csv': 'a\n1\n' }))).rejects.toThrow(/found no outlines, expected polygons/);
  const { 'people.tif': _, 'census.csv': __, ...unpeopled } = tinyCountry().files;
  await expect(draftOf(filesOf(unpeopled))).rejects.toThrow(/no population raster/);
  await expect(listFiles([path.join(temporary(), 'nothing')])).rejects.toThrow(/no such file or directory/);
});

test('answers must have the right form, and are required if nothing can be guessed', () => {
  const hints = {
    levels: { upper: null, lower: null },
    codes: ['0701', '0702'],
    country: null,
    folder: '',
    columns: [],
    first: '2015-01',
    last: '2021-12',
    latest: '2022-07',
    latestReason: 'the case records end there',
    ages: [6, 59] as const,
    outlines: [],
    population: ['a.tif', 'b.tif'],
    unnamedNumbers: [],
    caseSums: [],
    tableQuestions: [],
    countFiles: [],
  };
  const questions = listQuestions(hints);
  expect(() => completeAnswers(questions, {})).toThrow(
    'answers, name: found no answer and no guess, expected --answers FILE with {"name":',
  );
  // The code of the country stays open in the draft, unless the name of the folder, or of the country, tells it.
  const { open, answers: drafted } = completeAnswers(questions, { name: 'A' });
  expect([open.map(({ id }) => id), drafted.iso_code]).toEqual([['iso_code'], 'ZZ']);
  const inFolder = (folder: string, columns: string[] = []) =>
    listQuestions({ ...hints, folder, columns })
      .slice(0, 3)
      .map(({ guess }) => guess);
  expect(inFolder('burkina-faso', ['Région', 'Cas confirmés'])).toEqual(['Burkina Faso', 'BF', 'fr']);
  expect(inFolder('moçambique')).toEqual(['Mozambique', 'MZ', 'pt']);
  expect(inFolder('new_trial')).toEqual(['New trial', null, 'en']);
  expect(() => completeAnswers(questions, { name: 'A', iso_code: 'xx' })).toThrow('answers, iso_code: found "xx"');
  expect(() => completeAnswers(questions, { name: 'A', iso_code: 'XX', colour: 'red' })).toThrow('answers, colour');
  expect(() => completeAnswers(questions, { name: 'A', iso_code: 'XX', last_estimated: '2022-12' })).toThrow(
    'answers, last_estimated: found "2022-12", expected 2022-07 at the latest',
  );
  expect(() => completeAnswers(questions, { name: 'A', iso_code: 'XX', population: 'c.tif' })).toThrow(
    'answers, population: found "c.tif", expected an answer to "Population raster: a.tif or b.tif" in the form',
  );
  const { answers, guessed } = completeAnswers(questions, { name: 'A', iso_code: 'XX' });
  expect(answers.population).toBe('a.tif');
  expect([answers.last_estimated, guessed.map(({ id }) => id)]).toEqual([
    '2021-12',
    expect.not.arrayContaining(['name']),
  ]);
  const malagasy = listQuestions({ ...hints, codes: ['MG11101', 'MG12'] });
  expect(malagasy.slice(0, 2).map(({ guess }) => guess)).toEqual(['Madagascar', 'MG']);
  const named = (country: string, code: string) => listQuestions({ ...hints, codes: [code], country }).slice(0, 2);
  const guesses = (country: string, code: string) => named(country, code).map(({ guess }) => guess);
  expect(guesses('Kawandé', 'KW0101')).toEqual(['Kawandé', null]);
  expect(named('Kawandé', 'KW0101')[1]!.asks).toMatch(/ \(the codes of its areas begin with KW, as for Kuwait\)$/);
  expect(guesses('Democratic Republic of the Congo', 'CD01')).toEqual(['Democratic Republic of the Congo', 'CD']);
  expect(guesses('Cote d’Ivoire', 'CI01')).toEqual(['Cote d’Ivoire', 'CI']);
  expect(guesses('Tchad', 'TD01')).toEqual(['Tchad', 'TD']);
});

test.each([
  ['of the outlines', { adm0_name: 'Elsewhere' }, 'Elsewhere'],
  ['that are codes', { adm0_name: 'NGA' }, 'Nigeria'],
])('the name of the country is guessed from fields %s', async (_, properties, guess) => {
  const { files } = tinyCountry();
  const lgas = JSON.parse(String(files['lgas.geojson']));
  for (const feature of lgas.features) Object.assign(feature.properties, properties);
  const { draft } = await draftOf(filesOf({ ...files, 'lgas.geojson': JSON.stringify(lgas) }));
  expect(draft.questions[0]).toMatchObject({ id: 'name', guess });
});

test.each([
  [['MG11', 'MG12'], '^MG[0-9]{2}$'],
  [['MG12110', 'MG11101001A'], '^MG([0-9]{5}|[0-9]{8}[A-Z])$'],
  [['07', '12'], '^[0-9]{2}$'],
])('the pattern of the codes %s', (codes, form) => {
  expect(codePattern(codes)).toBe(form);
  for (const code of codes) expect(code).toMatch(new RegExp(form));
});

const newCountry = async (directory: string, from = directory) => {
  const { default: newCountryCommand } = await import('../../../../pipeline/cli/commands/new-country.ts');
  await newCountryCommand().exitOverride().parseAsync([directory, '--from', from], { from: 'user' });
};

test('a directory that has a catalog is not changed', async () => {
  const directory = filesOf({ 'sources.json': '{}' });
  await expect(newCountry(directory)).rejects.toThrow(/found a sources\.json, expected a directory without a catalog/);
  expect(readFileSync(path.join(directory, 'sources.json'), 'utf8')).toBe('{}');
  rmSync(directory, { recursive: true });
});

test('links are neither read nor written through', async () => {
  const elsewhere = filesOf({ 'secret.csv': 'a,b\n1,2\n' });
  const from = filesOf({ 'more/a.csv': 'a,b\n1,2\n' });
  const link = path.join(from, 'more/b.csv');
  symlinkSync(path.join(elsewhere, 'secret.csv'), link);
  await expect(listFiles([from])).rejects.toThrow(`${link}: found a link, expected the file itself`);

  const directory = temporary();
  symlinkSync(path.join(elsewhere, 'new.json'), path.join(directory, 'model.json'));
  await expect(newCountry(directory, elsewhere)).rejects.toThrow(/found a model\.json, expected a directory without/);
  expect(readdirSync(elsewhere)).toEqual(['secret.csv']);
});
