import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { Territory } from '../../../../pipeline/contract/territory.ts';
import { caseFigures } from '../../../../pipeline/publish/dhis2/cases.ts';
import { dataValues } from '../../../../pipeline/publish/dhis2/data-values.ts';
import { dhis2Files } from '../../../../pipeline/publish/dhis2/files.ts';
import {
  dhis2Metadata,
  PROBABILITY_FIGURES,
  SCORE_FIGURES,
  stableUid,
} from '../../../../pipeline/publish/dhis2/metadata.ts';
import { type Place, readUnits } from '../../../../pipeline/publish/dhis2/units.ts';
import { temporary } from '../../../support/command-line.ts';

const territoryOf = (country: string): Territory =>
  JSON.parse(readFileSync(path.join(import.meta.dirname, `../../../../raw-data/${country}/model.json`), 'utf8'))
    .territory;
const nigeria = { synthetic: false, model_version: 'nigeria-1-00000000', territory: territoryOf('nigeria') };
const FIGURES = [...SCORE_FIGURES, ...PROBABILITY_FIGURES, ...caseFigures('counts'), ...caseFigures('index')];
const UNITS = ['Abcdefghij1', 'Abcdefghij2'];

test('ids depend on codes alone, and are those of every earlier release', () => {
  const idsOf = (manifest: typeof nigeria) =>
    Object.fromEntries(dhis2Metadata(manifest, FIGURES, UNITS).dataElements.map(({ code, id }) => [code, id]));
  const ids = idsOf(nigeria);
  const longer = { one: 'commune', many: 'communes', code: '^.*$', code_is: 'code', example: 'X' };
  expect(
    idsOf({ ...nigeria, model_version: 'x-2-11111111', territory: { ...nigeria.territory, lga: longer } }),
  ).toEqual(ids);
  // Written out, because values that a DHIS2 has are found again by them alone.
  expect(ids).toMatchObject({
    MALARIA_SCORE_LGA: 'acY7YbHkPhG',
    MALARIA_SCORE_STATE: 'xfNSrQe8MfH',
    MALARIA_SCORE_LOW_STATE: 'GUqy8d1sZ3m',
  });
  expect(stableUid('dataSet', 'MALARIA_RISK')).toBe('e52SwDLXGo0');
});

test.each([
  ['nigeria', false],
  ['madagascar', false],
  ['nigeria', true],
])('the metadata of %s keeps to the rules of DHIS2 (made up: %s)', (country, synthetic) => {
  const metadata = dhis2Metadata({ ...nigeria, synthetic, territory: territoryOf(country) }, FIGURES, UNITS);
  const { dataElements, dataElementGroups, dataSets } = metadata;
  expect(dataElements).toHaveLength(2 * (3 + 5 + 3 + 3));
  const objects = [...dataElements, ...dataElementGroups, ...dataSets];
  for (const { id, code, name, shortName } of objects) {
    expect(id).toMatch(/^[a-zA-Z][a-zA-Z0-9]{10}$/);
    expect(code.length).toBeLessThanOrEqual(50);
    expect(name.length).toBeLessThanOrEqual(230);
    expect(shortName.length).toBeLessThanOrEqual(50);
    expect([code.startsWith('MADE_UP_'), /^MADE UP/.test(name), /^MADE UP/.test(shortName)]).toEqual(
      Array(3).fill(synthetic),
    );
  }
  expect(new Set(objects.map(({ id }) => id)).size).toBe(objects.length);
  for (const unique of ['code', 'name', 'shortName'] as const)
    expect(new Set(dataElements.map((element) => element[unique])).size).toBe(dataElements.length);
  const all = dataElements.map(({ id }) => id);
  expect(dataSets[0]!.dataSetElements.map(({ dataElement }) => dataElement.id)).toEqual(all);
  expect(dataElementGroups[0]!.dataElements.map(({ id }) => id)).toEqual(all);
  expect(dataSets[0]!.organisationUnits.map(({ id }) => id)).toEqual(UNITS);
  for (const { code, valueType, aggregationType, description } of dataElements) {
    expect(valueType).toBe(code.includes('CASES') ? 'NUMBER' : 'UNIT_INTERVAL');
    expect(aggregationType).toBe(/MALARIA_SCORE_(STATE|LGA)$/.test(code) ? 'AVERAGE' : 'NONE');
    expect(description).not.toMatch(/[{}]/);
  }
});

test('no id of a made-up country is one of a real country', () => {
  const idsOf = (synthetic: boolean) => {
    const { dataElements, dataSets, dataElementGroups } = dhis2Metadata({ ...nigeria, synthetic }, FIGURES, UNITS);
    return [...dataElements, ...dataSets, ...dataElementGroups].map(({ id }) => id);
  };
  expect(new Set([...idsOf(false), ...idsOf(true)]).size).toBe(2 * idsOf(false).length);
});

const row = { area: 'lga' as const, code: 'NG001001', period: '2023-09', monthsAhead: 0 };

test('a null is no value, and zero is one', () => {
  const rows = [
    { ...row, score: 0, score_low: null, score_high: 0.25 },
    { ...row, code: 'without a unit', score: 0.5, score_low: 0.4, score_high: 0.6 },
  ];
  const values = [...dataValues(rows, SCORE_FIGURES, new Map([['NG001001', UNITS[0]!]]), nigeria)];
  expect(values).toEqual([
    { dataElement: 'acY7YbHkPhG', period: '202309', orgUnit: UNITS[0], value: '0' },
    { dataElement: expect.any(String), period: '202309', orgUnit: UNITS[0], value: '0.25' },
  ]);
});

test('files have at most so many values, and together all of them once', () => {
  const rows = ['2023-07', '2023-08', '2023-09'].map((period) => ({
    ...row,
    period,
    score: 0.1,
    score_low: 0,
    score_high: 1,
  }));
  const units = { ids: new Map([['NG001001', UNITS[0]!]]), unmatched: [], unrelated: 0 };
  const inFilesOf = (most: number) =>
    [...dhis2Files(nigeria as never, units, [{ figures: SCORE_FIGURES, rows }], 'json', most)].slice(2);
  expect(inFilesOf(4).map(({ name, values }) => [name, values])).toEqual([
    ['data-values-001.json', 4],
    ['data-values-002.json', 4],
    ['data-values-003.json', 1],
  ]);
  const valuesIn = (files: { content: string }[]) => files.flatMap(({ content }) => JSON.parse(content).dataValues);
  expect(valuesIn(inFilesOf(4))).toEqual(valuesIn(inFilesOf(100)));
  expect(inFilesOf(9)).toHaveLength(1);
});

test('units are matched by codes, and by ids that the raw files use; what two areas share matches neither', async () => {
  const place = (code: string, pcode: string, aliases: string | null): Place => {
    return { area: 'lga', code, name: code, state_code: 'KN', pcode, aliases, iso_code: null };
  };
  const places = [
    place('NG001001', 'NG001001', null),
    place('NG001002', 'Outline0002', null),
    place('NG001003', 'NG001003', 'Fagge; CaseFile003'),
    place('NG001004', 'NG001004', 'SharedAlia1'),
    place('NG001005', 'NG001005', 'SharedAlia1'),
  ];
  const rows = [
    'id,code',
    'Dhis2Unit01,NG001001',
    'Outline0002,',
    'CaseFile003,H-3',
    'SharedAlia1,H-4',
    'Dhis2Unit05,fagge',
  ];
  const file = path.join(temporary(), 'map.csv');
  writeFileSync(file, `${rows.join('\n')}\n`);
  const { ids, unmatched, unrelated: others } = await readUnits(file, places);
  expect([...ids]).toEqual([
    ['NG001001', 'Dhis2Unit01'],
    ['NG001002', 'Outline0002'],
    ['NG001003', 'CaseFile003'],
  ]);
  expect(unmatched.map(({ code }) => code)).toEqual(['NG001004', 'NG001005']);
  expect(others).toBe(2);
});
