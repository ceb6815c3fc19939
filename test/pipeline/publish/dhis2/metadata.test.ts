import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { Territory } from '../../../../pipeline/contract/territory.ts';
import { caseFigures } from '../../../../pipeline/publish/dhis2/cases.ts';
import { dhis2Dashboard, mapsOfAlerts, mapsOfClasses } from '../../../../pipeline/publish/dhis2/dashboard.ts';
import { dataValues } from '../../../../pipeline/publish/dhis2/data-values.ts';
import { dhis2Files } from '../../../../pipeline/publish/dhis2/files.ts';
import {
  ALERT_FIGURES,
  dhis2Metadata,
  PROBABILITY_FIGURES,
  SCORE_FIGURES,
  stableUid,
} from '../../../../pipeline/publish/dhis2/metadata.ts';
import { type Place, readUnits, type Units } from '../../../../pipeline/publish/dhis2/units.ts';
import { temporary } from '../../../support/command-line.ts';
import { needsReal, REFERENCE } from '../../../support/real-data.ts';

const territoryOf = (country: string): Territory =>
  JSON.parse(readFileSync(path.join(import.meta.dirname, `../../../../raw-data/${country}/model.json`), 'utf8'))
    .territory;
const nigeria = { synthetic: false, model_version: 'nigeria-1-00000000', territory: territoryOf('nigeria') };
const FIGURES = [
  ...SCORE_FIGURES,
  ...PROBABILITY_FIGURES,
  ...caseFigures('counts'),
  ...caseFigures('index'),
  ...ALERT_FIGURES,
];
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
  expect(dataElements).toHaveLength(2 * (4 + 5 + 3 + 3 + 2));
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
    expect(valueType).toBe(/SCORE|PROBABILITY/.test(code) ? 'UNIT_INTERVAL' : 'NUMBER');
    // Analytics answers 409 (E7115) to every query that holds an element of type NONE.
    expect(aggregationType).toBe('AVERAGE');
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

const IDS = new Map([['NG001001', UNITS[0]!]]);
const row = { area: 'lga' as const, code: 'NG001001', period: '2023-09', monthsAhead: 0 };

test('a null is no value, and zero is one', () => {
  const rows = [
    { ...row, score: 0, score_low: null, score_high: 0.25 },
    { ...row, code: 'without a unit', score: 0.5, score_low: 0.4, score_high: 0.6 },
  ];
  const values = [...dataValues(rows, SCORE_FIGURES, { ids: IDS, openDays: new Map() }, nigeria)];
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
  const units: Units = {
    places: [],
    ids: IDS,
    openDays: new Map(),
    levels: new Map(),
    unmatched: [],
    matches: [],
    unrelated: 0,
  };
  const noPictures = { maps: [], chart: null };
  const inFilesOf = (most: number) =>
    [...dhis2Files(nigeria as never, units, [{ figures: SCORE_FIGURES, rows }], noPictures, 'json', most)].filter(
      ({ values }) => values > 0,
    );
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
    return {
      area: 'lga',
      code,
      name: code,
      state_code: 'KN',
      pcode,
      aliases,
      iso_code: null,
      longitude: 8,
      latitude: 12,
    };
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

/** Metadata that DHIS2 2.42.4.1 imported and showed, of the same kinds of objects. */
const ACCEPTED = path.join(REFERENCE, 'dhis2/metadata-proposed.json');
test.skipIf(!existsSync(ACCEPTED))(
  needsReal('every object has the fields, and values of the kinds, that a real server accepted'),
  () => {
    const accepted = JSON.parse(readFileSync(ACCEPTED, 'utf8'));
    const place = (area: 'state' | 'lga', code: string): Place => {
      const name = `Place ${code}`;
      return {
        area,
        code,
        name,
        state_code: 'KN',
        pcode: code,
        aliases: null,
        iso_code: null,
        longitude: 8,
        latitude: 12,
      };
    };
    const places = [place('state', 'KN'), place('lga', 'NG001001')];
    const units: Units = {
      places,
      ids: new Map([
        ['KN', UNITS[0]!],
        ['NG001001', UNITS[1]!],
      ]),
      openDays: new Map(),
      levels: new Map([['lga', 3]]),
      unmatched: [],
      matches: [],
      unrelated: 0,
    };
    const chart = { title: 'x', figures: caseFigures('counts'), periods: ['2024-01'], place: places[0]! };
    const alerts = [{ ...row, detection: 1 }];
    const made: Record<string, object[]> = {
      ...dhis2Metadata(nigeria, FIGURES, UNITS),
      ...dhis2Dashboard(nigeria, units, [...mapsOfClasses('2023-12'), ...mapsOfAlerts(alerts)], chart),
    };
    expect(Object.keys(made).sort()).toEqual(Object.keys(accepted).sort());
    /** Paths of fields, without positions in lists. */
    const fieldsOf = (value: unknown, at = ''): string[] =>
      Array.isArray(value)
        ? value.flatMap((item) => fieldsOf(item, at))
        : typeof value === 'object' && value !== null
          ? Object.entries(value).flatMap(([key, inner]) => fieldsOf(inner, `${at}.${key}`))
          : [`${at}: ${typeof value}`];
    // The units of a chart, where the server was given those of the user; and DHIS2's own text of a dashboard.
    const OTHERS = ['.organisationUnits.id: string', '.dashboardItems.text: string'];
    for (const [kind, objects] of Object.entries(made)) {
      const known = new Set([...fieldsOf(accepted[kind]), ...OTHERS]);
      expect([kind, [...new Set(fieldsOf(objects))].filter((field) => !known.has(field))]).toEqual([kind, []]);
      const required = fieldsOf(accepted[kind]).filter((field) => !fieldsOf(objects).includes(field));
      expect([kind, required.filter((field) => field !== '.userOrganisationUnit: boolean')]).toEqual([kind, []]);
    }
  },
);
