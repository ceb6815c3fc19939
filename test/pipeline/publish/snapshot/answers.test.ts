/** The tiny country's answers for the nation, its series, outlines and places agree with its other answers. */
import path from 'node:path';
import { area } from '@turf/area';
import { feature } from 'topojson-client';
import { Check, Errors } from 'typebox/value';
import { expect, inject, test } from 'vitest';
import { JSON_OPERATIONS, RELEASE_OPERATIONS } from '../../../../pipeline/contract/operations.ts';
import type * as schemas from '../../../../pipeline/contract/schemas.ts';
import { withDatabase } from '../../../../pipeline/lib/tables/duckdb.ts';
import { ANSWER_MAKERS } from '../../../../pipeline/publish/snapshot/answers.ts';
import type { Contents } from '../../../../pipeline/publish/snapshot/contents.ts';
import { readJson } from '../../../support/built-tiny.ts';
import { LGAS } from '../../../support/tiny-country.ts';

const current = path.join(inject('builtTiny'), 'current');
const answer = <T>(file: string): T => readJson(current, `v1/${file}.json`);

test("the nation's answer lists the LGAs of all states in one order", () => {
  const nation = answer<schemas.RiskNation>('risk/nation/2021-06');
  expect(nation.lgas.map(({ lga_code }) => lga_code).sort()).toEqual(LGAS);
  const scores = nation.lgas.map(({ score }) => score);
  expect(scores).toEqual([...scores].sort((a, b) => b - a));
  for (const state of ['AB', 'AD'])
    expect(
      nation.lgas.filter(({ state_code }) => state_code === state).map(({ state_code: _, ...lga }) => lga),
    ).toEqual(answer<schemas.RiskLgas>(`risk/lgas/2021-06/${state}`).lgas);
});

test("the nation's forecast of n months agrees with those of the states", () => {
  const { forecasts } = answer<schemas.ForecastsNation>('forecasts/nation/3');
  const abia = answer<schemas.ForecastsLgas>('forecasts/lgas/3/AB').forecasts;
  expect(forecasts.map(({ period }) => period)).toEqual(abia.map(({ period }) => period));
  expect(forecasts.map(({ lgas }) => lgas.length)).toEqual([4, 4, 4]);
});

test('a series has every month once, first estimated, then forecast, with the figures of the other answers', () => {
  const { series, lga } = answer<schemas.SeriesLgas>('series/lgas/NG002001');
  expect(lga).toBe('Place 3');
  const periods = series.map(({ period }) => period);
  expect(periods).toEqual([...new Set(periods)].sort());
  expect(series.map(({ kind }) => kind).join(' ')).toMatch(/^(estimated )+(forecast ?){4}$/);
  for (const { period, score, score_low, score_high, level, basis } of series.filter(
    ({ kind }) => kind === 'estimated',
  )) {
    const { lgas } = answer<schemas.RiskLgas>(`risk/lgas/${period}/AD`);
    expect(lgas.find(({ lga_code }) => lga_code === 'NG002001')).toMatchObject({
      score,
      score_low,
      score_high,
      level,
    });
    expect(['survey', 'usual_season']).toContain(basis);
  }
  expect(answer<schemas.SeriesStates>('series/states/AD').series).toHaveLength(series.length);
  // The score is the baseline's, which has no probabilities.
  for (const month of series) expect([month.level_probability, month.change_year]).toEqual([null, null]);
});

test('a series has the probabilities and changes of its months', () => {
  const risk = { score: 0.2, score_low: 0.1, score_high: 0.3, level: 'moderate' as const };
  const area = { lga_code: 'L', lga: 'One', state_code: 'S', is_urban: false, population: 10 };
  const at = { area: 'lga', code: 'L', period: '2021-02' } as const;
  const tables = {
    context_lgas: [area],
    risk_lgas: ['2021-01', '2021-02'].map((period) => ({ ...area, ...risk, period })),
    forecasts_lgas: [],
    basis: ['2021-01', '2021-02'].map((period) => ({ ...at, period, basis: 'survey' })),
    probabilities: [
      { ...at, probability_moderate: 0.8, probability_highest_nation: 0.25 },
      { ...at, period: '2021-01', probability_moderate: 0.7, probability_highest_nation: 0.5 },
    ],
    changes: [{ ...at, change_year: 0.1, change_year_low: -0.1, change_year_high: 0.2, probability_rise_year: 0.9 }],
  };
  const [[values, { series }]] = [...ANSWER_MAKERS['series-lgas']({ tables } as unknown as Contents)] as [
    [object, schemas.SeriesLgas],
  ];
  expect(values).toEqual({ lga: 'L' });
  expect(series.map((month) => [month.level_probability, month.probability_highest_nation, month.change_year])).toEqual(
    [
      [0.7, 0.5, null],
      [0.8, 0.25, 0.1],
    ],
  );
  expect(series[1]!.probability_rise_year).toBe(0.9);
});

test('the topology unpacks to the same outlines', () => {
  const { features } = answer<schemas.BoundariesNation>('boundaries/nation');
  const topology = answer<schemas.BoundariesTopology>('boundaries/topology');
  const unpacked = feature(topology as any, topology.objects.lgas as any) as any;
  expect(unpacked.features.map((one: any) => one.properties)).toEqual(features.map(({ properties }) => properties));
  for (const [i, one] of features.entries()) expect(area(unpacked.features[i]) / area(one.geometry)).toBeCloseTo(1, 5);
  expect(topology.objects.states.geometries.map(({ properties }) => properties.code)).toEqual(['AB', 'AD']);
});

test('places lists neighbours, also across state borders', () => {
  const { states, lgas } = answer<schemas.Places>('places');
  expect(lgas.map(({ lga_code, neighbours }) => [lga_code, ...neighbours])).toEqual([
    ['NG001001', 'NG001002'],
    ['NG001002', 'NG001001', 'NG002001'],
    ['NG002001', 'NG001002', 'NG002002'],
    ['NG002002', 'NG002001'],
  ]);
  expect(states[0]).toMatchObject({ state_code: 'AB', pcode: 'NG001', iso_code: 'NG-AB', neighbours: ['AD'] });
  // Squares of one degree, from 3 degrees east and 4 degrees north.
  expect(lgas.map(({ longitude, latitude }) => [longitude, latitude])).toEqual([
    [3.5, 4.5],
    [4.5, 4.5],
    [5.5, 4.5],
    [6.5, 4.5],
  ]);
});

test('each listed table exists in each listed format, with its rows and columns', async () => {
  const { tables } = answer<schemas.Tables>('tables');
  expect(tables.length).toBeGreaterThan(12);
  await withDatabase(async (db) => {
    for (const { table, rows, addresses, columns } of tables) {
      for (const address of addresses) {
        const file = path.join(current, address.replace('/v1/', ''));
        const names = (await db.rows<{ column_name: string }>(`DESCRIBE FROM '${file}'`)).map((row) => row.column_name);
        expect([address, ...names]).toEqual([address, ...columns.map(({ column }) => column)]);
        expect([address, (await db.rows(`FROM '${file}'`)).length]).toEqual([address, rows]);
      }
      if (addresses.length === 2) {
        const [parquet, csv] = addresses.map((address) => `'${path.join(current, address.replace('/v1/', ''))}'`);
        const odd = await db.rows(`SELECT COLUMNS(*)::VARCHAR FROM ${parquet} EXCEPT ALL
          SELECT COLUMNS(*)::VARCHAR FROM read_csv(${csv}, all_varchar = true, nullstr = '')`);
        expect([table, ...odd]).toEqual([table]);
      }
    }
  });
});

test('exactly the operations after the first twelve are optional', () => {
  expect(JSON_OPERATIONS.filter(({ optional }) => !optional)).toHaveLength(12);
});

test('the API description has a short example from this snapshot for every operation, valid by its schema', () => {
  const { paths, components } = answer<any>('openapi');
  const exampleOf = (name: string) => components.parameters[name].example;
  expect(['state', 'lga', 'period', 'months'].map(exampleOf)).toEqual(['AB', 'NG001001', '2021-12', '4']);
  for (const { id, path: address, type, response } of [...JSON_OPERATIONS, ...RELEASE_OPERATIONS]) {
    const { example } = paths[address].get.responses[200].content[type];
    if (!Check(response, example)) throw new Error(`${id}: ${JSON.stringify(Errors(response, example)[0])}`);
    expect([id, JSON.stringify(example).length < 4000]).toEqual([id, true]);
  }
  const shown = (address: string) => Object.values<any>(paths[address].get.responses[200].content)[0].example;
  expect(shown('/v1/risk/lgas').lgas).toEqual(answer<schemas.RiskLgas>('risk/lgas/2021-12/AB').lgas.slice(0, 1));
  expect(shown('/v1/tables/places.csv')).toMatch(/^area,code,.*\nstate,AB,[^\n]*$/);
});

test('the API description, which any key can read, shows no case records', () => {
  const text = JSON.stringify(answer('openapi'));
  const { states } = answer<schemas.TransmissionModel>('transmission/model');
  expect(states[0]!.series.length).toBeGreaterThan(0);
  expect(text).not.toMatch(/"reported":\s*[\d.]/);
});

test('every CSV has the types and limits of the data package', async () => {
  const described = readJson(current, 'tables/datapackage.json');
  const { files } = readJson(current, 'manifest.json');
  const licence = { may_publish: 'Yes.', spdx: 'CC0-1.0' };
  expect(answer('licences')).toMatchObject(licence);
  for (const table of answer<schemas.Tables>('tables').tables) expect(table).toMatchObject(licence);
  for (const { licenses } of [described, ...described.resources])
    expect(licenses).toEqual([{ name: licence.spdx, title: licence.may_publish }]);
  const limits: string[] = [];
  const READ = { string: 'VARCHAR', number: 'DOUBLE', integer: 'BIGINT', boolean: 'BOOLEAN' } as Record<string, string>;
  await withDatabase(async (db) => {
    for (const { name, path: file, bytes, hash, schema } of described.resources) {
      expect([name, bytes, hash]).toEqual([
        name,
        files[`tables/${file}`].bytes,
        `sha256:${files[`tables/${file}`].sha256}`,
      ]);
      const types = schema.fields.map((field: any) => `'${field.name}': '${READ[field.type]}'`);
      const rows = await db.rows<Record<string, unknown>>(
        `FROM read_csv('${path.join(current, 'tables', file)}', header = true, auto_detect = false, delim = ',', quote = '"', nullstr = '', columns = {${types}})`,
      );
      expect(rows.length).toBeGreaterThan(0);
      for (const { name: column, constraints } of schema.fields) {
        const { required, minimum = -Infinity, maximum = Infinity, pattern = '', enum: values } = constraints;
        limits.push(...Object.keys(constraints));
        const isValid = (value: any) =>
          value === null
            ? !required
            : typeof value === 'number'
              ? minimum <= value && value <= maximum
              : new RegExp(pattern).test(value) && (values?.includes(value) ?? true);
        expect(rows.filter((row) => !isValid(row[column]))).toEqual([]);
      }
    }
  });
  expect(new Set(limits)).toEqual(new Set(['required', 'minimum', 'maximum', 'pattern', 'enum']));
});
