import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { checkCountry } from '../../../pipeline/catalog/check/country.ts';
import { formOfCodes } from '../../../pipeline/catalog/draft/areas.ts';
import { answersTo, draftCountry, OPEN, writeDraft } from '../../../pipeline/catalog/draft/draft.ts';
import { listFiles, lookAt } from '../../../pipeline/catalog/draft/look.ts';
import { type Answers, questionsOf } from '../../../pipeline/catalog/draft/questions.ts';
import { temporary } from '../../support/command-line.ts';
import { otherCountry } from '../../support/other-country.ts';
import { MADAGASCAR_DATA, needsMadagascar } from '../../support/real-data.ts';
import { tinyCountry } from '../../support/tiny-country.ts';

const NOW = '2026-01-02T03:04:05.000Z';

function filesOf(content: Record<string, string | Buffer>): string {
  const directory = temporary();
  for (const [name, bytes] of Object.entries(content)) {
    mkdirSync(path.dirname(path.join(directory, name)), { recursive: true });
    writeFileSync(path.join(directory, name), bytes);
  }
  return directory;
}

async function draftOf(directory: string) {
  const { root, files } = await listFiles([directory]);
  const looks = [];
  for (const file of files) looks.push(await lookAt(root, file, files));
  return {
    root,
    draft: draftCountry(
      looks.filter((look) => look !== null),
      NOW,
    ),
  };
}

/** The catalog drafted from the files of a directory, written to another one. */
async function catalogOf(directory: string, given: Answers) {
  const { root, draft } = await draftOf(directory);
  const { answers, guessed } = answersTo(draft.questions, given);
  const catalog = await writeDraft(draft, answers, root, NOW);
  const written = filesOf({
    'sources.json': JSON.stringify({ sources: catalog.sources }),
    'model.json': JSON.stringify(catalog.model),
  });
  return { ...catalog, draft, answers, guessed, faults: await checkCountry(written, root) };
}

test('a country of GeoJSON, tables and rasters: every file has its role, and a check finds no fault', async () => {
  const { sources, model, faults, draft } = await catalogOf(filesOf(tinyCountry().files), {
    ...{ name: 'Tiny country', iso_code: 'NG', upper_one: 'state', upper_many: 'states' },
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
    'access.csv: by area, but no column of people, cases, rain or a figure of the context',
    'nets.csv: by area, but no column of people, cases, rain or a figure of the context',
  ]);
  expect(model).toMatchObject({
    ...{ country: 'tinycountry', first_estimated: '2018-01', last_estimated: '2021-12', updated_at: NOW },
    expected: { states: 2, lgas: 4 },
    extent: [2.9, 3.9, 7.1, 5.1],
    territory: { state: { one: 'state', code: '^NG[0-9]{3}$' }, lga: { code: '^NG[0-9]{6}$' } },
    parameters: { survey: { method: ['microscopy', 'rdt'] } },
  });
  const survey = sources.find(({ role }) => role === 'survey_clusters')!;
  expect(survey).toMatchObject({
    ...{ methods: { microscopy: 'microscopy', rdt: 'rdt' }, licence: OPEN },
    rounds: [
      { survey_year: 2018, first: '2018-10', last: '2018-10' },
      { survey_year: 2021, first: '2021-10', last: '2021-10' },
    ],
  });
  expect(survey.files[0]).toMatchObject({ rows: 25, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) });
});

test('outlines without codes take them by name from a table, names spelled otherwise among them', async () => {
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
    /areas without codes; of the tables with names codes\.csv is nearest, and has no Côte, expected/,
  );
  expect(model.states).toHaveLength(2);
  expect(guessed.map(({ id }) => id)).not.toContain('name');
});

test('what is not read is left out with the reason and the command; other countries’ files are refused', async () => {
  const { draft } = await draftOf(
    filesOf({
      ...tinyCountry().files,
      'more/book.xlsx': Buffer.from('PK\x03\x04', 'latin1'),
      'more/notes.txt': 'x',
      'more/.hidden': 'x',
      'more/bad.csv': 'a,b\n1\n',
      'more/round.csv': 'longitude,latitude,year,month,method,tested by us,positive\n3.5,4.5,2018,10,RDT,20,5\n',
      'more/other.csv': 'longitude,latitude,year,month,method,examined\n3.5,4.5,2018,10,RDT,20\n',
    }),
  );
  const why = Object.fromEntries(draft.leftOut.map((one) => [one.file, one.why]));
  expect(why['more/book.xlsx']).toMatch(/make one with: ogr2ogr -f CSV/);
  expect(why['more/notes.txt']).toMatch(/nothing is known of files ending in \.txt/);
  expect(why['more/bad.csv']).toBe('row 2: found 1 cells, expected 2 as in the header');
  expect(why['more/round.csv']).toMatch(
    /^a survey without a column of the children examined: one called examined, tested,/,
  );
  expect(why['more/other.csv']).toMatch(
    /^a survey without a column of the children positive: one called pfpos, positive,/,
  );
  expect(why['more/.hidden']).toBeUndefined();
  await expect(draftOf(filesOf({ 'a.csv': 'a\n1\n' }))).rejects.toThrow(/found no outlines, expected polygons/);
  const { 'people.tif': _, ...unpeopled } = tinyCountry().files;
  await expect(draftOf(filesOf(unpeopled))).rejects.toThrow(/no raster of people/);
  await expect(listFiles([path.join(temporary(), 'nothing')])).rejects.toThrow(/no such file or directory/);
});

test('answers: their form is checked, and what nothing can be guessed of must be given', () => {
  const hints = { codes: ['0701', '0702'], first: '2015-01', last: '2021-12', ages: [6, 59] as const };
  const questions = questionsOf(hints);
  expect(() => answersTo(questions, {})).toThrow('answers, name: found no answer and nothing to guess by');
  expect(() => answersTo(questions, { name: 'A', iso_code: 'xx' })).toThrow('answers, iso_code: found "xx"');
  expect(() => answersTo(questions, { name: 'A', iso_code: 'XX', colour: 'red' })).toThrow('answers, colour');
  const { answers, guessed } = answersTo(questions, { name: 'A', iso_code: 'XX' });
  expect([answers.last_estimated, guessed.map(({ id }) => id)]).toEqual([
    '2021-12',
    expect.not.arrayContaining(['name']),
  ]);
  const malagasy = questionsOf({ ...hints, codes: ['MG11101', 'MG12'] });
  expect(malagasy.slice(0, 2).map(({ guess }) => guess)).toEqual(['Madagascar', 'MG']);
});

test.each([
  [['MG11', 'MG12'], '^MG[0-9]{2}$'],
  [['MG12110', 'MG11101001A'], '^MG([0-9]{5}|[0-9]{8}[A-Z])$'],
  [['07', '12'], '^[0-9]{2}$'],
])('the form of the codes %s', (codes, form) => {
  expect(formOfCodes(codes)).toBe(form);
  for (const code of codes) expect(code).toMatch(new RegExp(form));
});

test.skipIf(!existsSync(MADAGASCAR_DATA))(needsMadagascar('Madagascar from its folder alone'), async () => {
  const { sources, model, faults } = await catalogOf(MADAGASCAR_DATA, {});
  expect(faults).toEqual([]);
  expect([model.name, model.expected, sources.length]).toEqual(['Madagascar', { states: 22, lgas: 119 }, 7]);
});

test('a directory that has a catalog is left as it is', async () => {
  const directory = filesOf({ 'sources.json': '{}' });
  const { newCountryCommand } = await import('../../../pipeline/commands/new-country.ts');
  await expect(
    newCountryCommand().exitOverride().parseAsync([directory, '--from', directory], { from: 'user' }),
  ).rejects.toThrow(/found a sources\.json, expected a directory without a catalog/);
  expect(readFileSync(path.join(directory, 'sources.json'), 'utf8')).toBe('{}');
  rmSync(directory, { recursive: true });
});
