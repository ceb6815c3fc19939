/** A country's folder as somebody finds it, through `new-country`, `catalog repair --accept` and `catalog check`. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { readCountry } from '../../../../pipeline/catalog/country.ts';
import { addMonths } from '../../../../pipeline/contract/months.ts';
import { ingestAreas } from '../../../../pipeline/ingest/areas.ts';
import { ingestCases } from '../../../../pipeline/ingest/cases.ts';
import { Locator } from '../../../../pipeline/ingest/locator.ts';
import { temporary } from '../../../support/command-line.ts';
import { runHere } from '../../../support/run-here.ts';
import { LGAS, tinyCountry } from '../../../support/tiny-country.ts';
import { filesOf } from './drafted.ts';

const NAMES = ['Maravale', 'Brékoto', 'Cadéville', 'Dunsama'];
/** As the table of cases spells them, with a former name. */
const SPELLED = ['Maravale District', 'Brekoto District', 'Cadeville District', 'Old Fort District'];
const MONTHS = Array.from({ length: 36 }, (_, i) => addMonths('2018-01', i));
const month = (period: string) =>
  new Date(`${period}-01T00:00Z`).toLocaleString('en-US', { month: 'short', year: 'numeric', timeZone: 'UTC' });
const young = (area: number, i: number) => 100 + 10 * area + ((7 * i) % 40);
/** Tests and ages of confirmed cases, which are 3 × `young` + 7 in all, among other indicators. */
const INDICATORS: readonly [string, (area: number, i: number) => number][] = [
  ['Suspected malaria cases <5', (area, i) => 5 * young(area, i)],
  ['Confirmed malaria cases (RDT) <5', young],
  ['Confirmed malaria cases (RDT) 5+', (area, i) => 2 * young(area, i)],
  ['Confirmed malaria cases (microscopy) <5', () => 3],
  ['Confirmed malaria cases (microscopy) 5+', () => 4],
  ['Malaria deaths 5+', () => 1],
];

/** Codes that tell no country; cases as DHIS2's pivot table; people by province beside a raster. */
function folder(people = ['Abia,180000', 'Adamawa,270000']): string {
  const {
    'cases.csv': _cases,
    'nets.csv': _nets,
    'access.csv': _access,
    'census.csv': _census,
    ...own
  } = tinyCountry().files;
  const recoded = (name: string) => String(own[name]).replaceAll('NG0', 'X0');
  const rows = SPELLED.flatMap((name, area) =>
    INDICATORS.map(([indicator, of]) =>
      [area < 2 ? 'Abia' : 'Adamawa', name, indicator, ...MONTHS.map((_, i) => of(area, i))].join(','),
    ),
  );
  return filesOf({
    ...own,
    'lgas.geojson': recoded('lgas.geojson').replaceAll(/Place (\d)/g, (_, i) => NAMES[i - 1]!),
    ...Object.fromEntries(['states.geojson', 'surveys.csv', 'climate.csv'].map((name) => [name, recoded(name)])),
    'pivot.csv': `${['Region,District,Data,'.concat(MONTHS.map(month).join(',')), ...rows].join('\n')}\n`,
    'population.csv': `${['Província,População 2018', ...people].join('\n')}\n`,
  });
}

test('one run without an option leaves a draft that a repair completes without an edit, with the right cases', async () => {
  const raw = folder();
  const directory = path.join(temporary(), 'burkina-faso');
  const country = ['--country', directory, '--raw-data', raw];
  const drafted = await runHere(['new-country', directory, '--from', raw]);
  expect(drafted.stdout).toMatch(
    /population\.csv: "População 2018" is for the upper level, and only compared: people\.tif has by area 0\.76 to 1\.15/,
  );
  expect(drafted.stdout).toMatch(/\n {2}iso_code: BF \(/);
  expect(drafted.stdout).toMatch(
    /Old Fort District in Adamawa .*: Dunsama \(X002002, 0\.\d\d\), which is not like it and/,
  );
  const repaired = await runHere(['catalog', 'repair', ...country, '--accept', 'renamed in 2015']);
  expect([repaired.code, repaired.stdout]).toEqual([
    0,
    expect.stringMatching(/"Old Fort District" in Adamawa is X002002/),
  ]);
  expect((await runHere(['catalog', 'check', ...country])).code).toBe(0);
  const { sources, model } = readCountry(directory, raw);
  const input = { rawData: raw, sources, model, report: [] };
  const { areas, polygons } = await ingestAreas(input);
  const cases = await ingestCases(input, areas, {}, new Locator(areas, polygons));
  expect(cases.map(({ lga_code, period, confirmed }) => [lga_code, period, confirmed])).toEqual(
    LGAS.flatMap((code, area) =>
      MONTHS.map((period, i) => [code.replace('NG0', 'X0'), period, 3 * young(area, i) + 7]),
    ),
  );
});

test('without a word of the country its code stays open: the draft is written, and a check asks for it', async () => {
  const raw = folder(['Abia,80000', 'Adamawa,270000']);
  const directory = path.join(temporary(), 'trial');
  const { code, stdout } = await runHere(['new-country', directory, '--from', raw]);
  expect(code).toBe(1);
  expect(stdout).toMatch(/No file tells; .*\n {2}iso_code \(Its two-letter ISO 3166-1 code\), in place of ZZ\n/);
  expect(stdout).toMatch(/territory\.iso_code: found ZZ, as drafted, expected the two-letter/);
  expect(stdout).toMatch(/no {3}scores, levels and forecasts of scores: needs a survey .* with enough clusters/);
  // Far from the raster's 206,500.
  expect(stdout).toMatch(
    /Doubts:\n {2}population\.csv: people\.tif has .*1 of 2: Abia 2\.58; one of the two has other/,
  );
  expect(JSON.parse(readFileSync(path.join(directory, 'answers.json'), 'utf8'))).not.toHaveProperty('iso_code');
  const repaired = await runHere([
    'catalog',
    'repair',
    '--country',
    directory,
    '--raw-data',
    raw,
    '--accept',
    'renamed',
  ]);
  expect(repaired.stdout).toMatch(/\nCorrect these in the catalog, .*trial\.\n$/);
});
