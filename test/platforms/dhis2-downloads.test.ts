/**
 * Downloads of a real DHIS2 (2.42.4.1, and 2.43.1) from the raw folder to the cases that a build reads: equal to those
 * of the server, or asked about and then equal.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { readCountry } from '../../pipeline/catalog/country.ts';
import { ingestAreas } from '../../pipeline/ingest/areas.ts';
import { ingestCases } from '../../pipeline/ingest/cases.ts';
import { Locator } from '../../pipeline/ingest/locator.ts';
import { temporary } from '../support/command-line.ts';
import { needsReal, REFERENCE } from '../support/real-data.ts';
import { runHere } from '../support/run-here.ts';

const DOWNLOADS = path.join(REFERENCE, 'dhis2');
const ofServer = test.skipIf(!existsSync(DOWNLOADS));
const read = (name: string) => readFileSync(path.join(DOWNLOADS, name), 'utf8');

/** The states of the facilities, and one with an area that has the name of one of theirs. */
function unitsOfStates() {
  const outlines = JSON.parse(read('organisationUnits-3.geojson'));
  const { organisationUnits: states } = JSON.parse(read('organisationUnits-2.json'));
  const facilities = JSON.parse(read('organisationUnits-4.json')).organisationUnits;
  const parents = new Set(facilities.map(({ parent }: { parent: { id: string } }) => parent.id));
  const stateById = new Map(outlines.features.map((feature: Feature) => [feature.id, feature.properties.parent]));
  const names = new Set(
    outlines.features.flatMap(({ id, properties }: Feature) => (parents.has(id) ? [properties.name] : [])),
  );
  const used = new Set(
    outlines.features.flatMap(({ id, properties }: Feature) => (names.has(properties.name) ? [stateById.get(id)] : [])),
  );
  const features: Feature[] = outlines.features.filter(({ properties }: Feature) => used.has(properties.parent));
  return {
    'organisationUnits-3.geojson': JSON.stringify({ ...outlines, features }),
    'organisationUnits-2.json': JSON.stringify({
      organisationUnits: states.filter(({ id }: { id: string }) => used.has(id)),
    }),
    'people.csv': `code,people\n${features.map(({ properties }, i) => `${properties.code},${90_000 + 137 * i}\n`).join('')}`,
  };
}
interface Feature {
  id: string;
  properties: { name: string; code: string; parent: string };
}

/** The confirmed cases by code and month. */
const truth = () =>
  new Map(
    read('truth.csv')
      .trim()
      .split('\n')
      .slice(1)
      .map((line) => line.split(',') as [string, string, string, string, string])
      .map(([code, , month, rdt, microscopy]) => [
        `${code} ${month.slice(0, 4)}-${month.slice(4)}`,
        Number(rdt) + Number(microscopy),
      ]),
  );

/** What new-country says of a folder with the file, and its cases once what is missing is declared. */
async function readDownload(file: string, others: Record<string, string> = {}, answers: Record<string, string> = {}) {
  const raw = temporary();
  writeFileSync(path.join(raw, file), readFileSync(path.join(DOWNLOADS, file)));
  for (const [name, content] of Object.entries({ ...unitsOfStates(), ...others }))
    writeFileSync(path.join(raw, name), content);
  const directory = path.join(temporary(), 'nigeria');
  const answersFile = path.join(temporary(), 'answers.json');
  writeFileSync(answersFile, JSON.stringify(answers));
  const country = ['--country', directory, '--raw-data', raw];
  const drafted = await runHere(['new-country', directory, '--from', raw, '--answers', answersFile]);
  if (drafted.code !== 0) await runHere(['catalog', 'repair', ...country, '--accept', 'missing on the server']);
  // A table that is not used stops the check, though not a build without it.
  const checked = await runHere(['catalog', 'check', ...country]);
  if (checked.code !== 0) return { text: drafted.stdout, cases: null };
  const built = await runHere(['build', ...country, '--until', 'ingest', '--out', temporary(), '--quiet']);
  expect([file, built.code, built.stderr]).toEqual([file, 0, '']);
  const { sources, model } = readCountry(directory, raw);
  const input = { rawData: raw, sources, model, report: [] };
  const { areas, polygons } = await ingestAreas(input);
  return { text: drafted.stdout, cases: await ingestCases(input, areas, {}, new Locator(areas, polygons)) };
}
type Cases = NonNullable<Awaited<ReturnType<typeof readDownload>>['cases']>;

/** That all known cases are those of the server, and that at most a share of its figures is unknown. */
function expectEqual(file: string, cases: Cases | null, largestUnknownShare: number) {
  expect([file, cases]).not.toEqual([file, null]);
  const rows = cases!.map((row) => ({ key: `${row.lga_code} ${row.period}`, confirmed: row.confirmed }));
  const known = rows.filter(({ confirmed }) => confirmed !== null);
  const expected = truth();
  expect([file, known.map(({ key, confirmed }) => [key, confirmed])]).toEqual([
    file,
    known.map(({ key }) => [key, expected.get(key)]),
  ]);
  const onServer = rows.filter(({ key }) => expected.has(key)).length;
  expect(onServer).toBeGreaterThan(20);
  expect(known.length / onServer, file).toBeGreaterThanOrEqual(1 - largestUnknownShare);
}

/** Months with less than 80% of the reports are unknown. */
const TOO_FEW_REPORTS = 0.15;

ofServer.each([
  ['analytics-age.json', 0],
  ['analytics-codes.csv', 0],
  ['analytics-elements.json', 0],
  ['analytics-indicator-names.csv', TOO_FEW_REPORTS],
  ['analytics-names-age.csv', 0],
  ['analytics-names-coc.csv', 0],
  ['analytics-names-rates.json', TOO_FEW_REPORTS],
  ['analytics-names.csv', 0],
  ['pivot-data-columns.csv', 0],
  ['pivot-months-columns.csv', 0],
  ['pivot-months-columns.xlsx', 0],
  ['pivot-ou-dxpe-columns.csv', 0],
  ['rawData-co.json', TOO_FEW_REPORTS],
  ['rawData-names.csv', TOO_FEW_REPORTS],
  ['rawData.json', TOO_FEW_REPORTS],
  ['sqlview.csv', 0],
])(needsReal('%s is read as the server counts'), async (file, largestUnknownShare) => {
  const others = /^rawData/.test(file) ? { 'organisationUnits-4.json': read('organisationUnits-4.json') } : {};
  const { cases } = await readDownload(file, others);
  expectEqual(file, cases, largestUnknownShare);
});

const ELEMENTS = {
  malPosiRdt1: 'Malaria cases confirmed by RDT',
  malPosiMic1: 'Malaria cases confirmed by microscopy',
  malTestRdt1: 'Malaria cases tested by RDT',
  malTestMic1: 'Malaria cases tested by microscopy',
  malSuspect1: 'Malaria suspected cases',
};
const OPTIONS = { nUOpC51ilco: '5 years and above', hHwV2GxTNN9: '<5 years' };
const listOf = (kind: string, names: Record<string, string>) =>
  JSON.stringify({ [kind]: Object.entries(names).map(([id, name]) => ({ id, name })) });

ofServer.each([
  ['analytics-dataValueSet.csv', [''], 0],
  ['analytics-dataValueSet.json', [''], 0],
  ['analytics-ids.csv', [''], 0],
  ['analytics.xlsx', [''], 0],
  ['dataValueSets.csv', Object.keys(OPTIONS), TOO_FEW_REPORTS],
  ['dataValueSets.json', Object.keys(OPTIONS), TOO_FEW_REPORTS],
] as const)(
  needsReal('%s is asked about with the sums of its ids, or read by their names'),
  async (file, options, largestUnknownShare) => {
    const others = /^dataValueSets/.test(file)
      ? { 'organisationUnits-4.json': read('organisationUnits-4.json') }
      : undefined;
    const asked = await readDownload(file, others);
    expect([file, asked.cases]).toEqual([file, null]);
    const columns = options.flatMap((option) => ['malPosiRdt1', 'malPosiMic1'].map((id) => `${id} ${option}`.trim()));
    for (const column of columns) expect(asked.text).toMatch(new RegExp(`"${column}" \\(2020 [\\d,]+`));
    expect(asked.text).toContain(`answer "numbers of ${file}", or save their names beside it: /api/dataElements.json`);
    const answer = columns.map((column) => `${column} = cases`).join('; ');
    const { cases } = await readDownload(file, others, { [`numbers of ${file}`]: answer });
    expectEqual(file, cases, largestUnknownShare);
    const named = await readDownload(file, {
      ...others,
      'dataElements.json': listOf('dataElements', ELEMENTS),
      'categoryOptionCombos.json': listOf('categoryOptionCombos', OPTIONS),
    });
    expectEqual(file, named.cases, largestUnknownShare);
  },
);

ofServer(needsReal('what is not read says what to do'), async () => {
  const scores = await readDownload('dataValueSets-2.43.json');
  expect(scores.text).toMatch(/"T2mSfI4U1s2" \(2018 0\.8.*answer "numbers of dataValueSets-2\.43\.json"/);
  expect((await readDownload('pivot-months-columns.xls')).text).toMatch(/ogr2ogr -f CSV pivot-months-columns_tables/);
  expect((await readDownload('sqlview.json')).text).toMatch(/page 1 of 374, expected all of it: add paging=false/);
});
