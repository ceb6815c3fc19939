/** Which stages a build runs again after a change, and what the plan says about it beforehand. */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { planBuild } from '../../../pipeline/release/build.ts';
import { SNAPSHOT, STAGES } from '../../../pipeline/stages.ts';
import { buildHere, withTinyCache } from '../../support/built-tiny.ts';
import { temporary } from '../../support/command-line.ts';
import { repin, replaceLine, type TinyCountry, writeTiny } from '../../support/tiny-country.ts';

const ALL = [...STAGES, SNAPSHOT].map(({ name }) => name);
let country: TinyCountry;
const out = withTinyCache();
const edit = (name: string, change: (text: string) => string) => {
  const file = path.join(country.directory, name);
  writeFileSync(file, change(readFileSync(file, 'utf8')));
  repin(country.directory);
};
const editSources = (change: (sources: any[]) => void) =>
  edit('sources.json', (text) => {
    const value = JSON.parse(text);
    change(value.sources);
    return JSON.stringify(value);
  });
const plan = async (where = out) => {
  const planned = await planBuild({ country: country.directory, out: where });
  return Object.fromEntries(planned.map(({ stage, status, causes }) => [stage, { status, why: causes.join('; ') }]));
};
const build = () => buildHere(country.directory, out);

beforeAll(async () => {
  country = writeTiny();
  await build();
});

test('without an earlier build everything runs', async () => {
  const planned = await plan(temporary());
  expect(planned.ingest).toEqual({ status: 'run', why: 'never run here' });
  expect(planned.snapshot).toEqual({
    status: 'depends',
    why: expect.stringMatching(/^runs if the output of ingest, .* or transmission changes/),
  });
  const later = ALL.filter((name) => name !== 'ingest');
  expect(later.map((name) => planned[name]!.status)).toEqual(later.map(() => 'depends'));
});

test('without a change nothing runs, not even the snapshot', async () => {
  const planned = await plan();
  expect(Object.values(planned).map(({ status }) => status)).toEqual(ALL.map(() => 'cached'));
  const again = await build();
  expect(again.ran).toEqual([]);
  expect(again.already).toBe(true);
});

describe('one change after another', () => {
  test('a survey row runs survey, risk and what follows, but not boundaries or zonal statistics', async () => {
    edit('surveys.csv', (text) => replaceLine(text, 3, (line) => line.replace(/[^,]+$/, '0.77')));
    const planned = await plan();
    expect(planned.ingest).toEqual({ status: 'run', why: 'surveys.csv changed: changes in row 3' });
    expect(planned.boundaries).toEqual({
      status: 'depends',
      why: 'runs if the output of ingest changes',
    });
    const { ran, causes } = await build();
    expect([...ran].sort()).toEqual(['doubts', 'ingest', 'risk', 'snapshot', 'survey', 'validation']);
    expect(causes.survey).toEqual(['ingest/clusters changed']);
  });

  test('a row that is added runs ingest, but not once it is removed again', async () => {
    const row = '2021,2021-10,new,NG001,NG001001,microscopy,20,0.2\n';
    edit('surveys.csv', (text) => text + row);
    expect((await plan()).ingest!.why).toBe('surveys.csv changed: row 27 added');
    edit('surveys.csv', (text) => text.replace(row, ''));
    expect((await plan()).ingest!.status).toBe('cached');
  });

  test('a line of the catalog that is meant for people runs only the snapshot', async () => {
    editSources((sources) => {
      sources[0].citation = 'somebody else';
    });
    const planned = await plan();
    expect(planned.ingest!.status).toBe('cached');
    expect(planned.snapshot).toEqual({
      status: 'run',
      why: 'sources.json, lga_boundaries: citation was "test", is "somebody else"',
    });
    const { ran } = await build();
    expect(ran).toEqual(['snapshot']);
  });

  test('a line of the catalog on how to read a file runs only ingest and the snapshot, if the tables stay the same', async () => {
    editSources((sources) => {
      sources.find(({ id }) => id === 'itn_use').crs = 'EPSG:4326';
    });
    expect((await plan()).ingest!.why).toBe('sources.json, itn_use: crs was not there, is "EPSG:4326"');
    expect((await build()).ran).toEqual(['ingest', 'snapshot']);
  });

  test('a parameter, and a file that earlier stages read, run the stages that depend on them', async () => {
    edit('model.json', (text) => text.replace('"small_sample":100', '"small_sample":90'));
    const why = 'model.json, parameters.survey.small_sample was 100, is 90';
    expect((await plan()).survey).toEqual({ status: 'run', why });
    edit('nets.csv', (text) => text.replace('0.3', '0.31'));
    expect((await plan()).survey).toEqual({
      status: 'run',
      why: expect.stringContaining(`${why}; runs if the output of ingest or context changes`),
    });
    const { ran } = await build();
    expect([...ran].sort()).toEqual(['context', 'doubts', 'ingest', 'snapshot', 'survey']);
  });

  test('the time of update runs only the snapshot', async () => {
    const planned = await planBuild({ country: country.directory, out, updatedAt: '2031-01-01T00:00:00Z' });
    expect(planned.filter(({ status }) => status !== 'cached')).toEqual([
      {
        seconds: expect.any(Number),
        stage: 'snapshot',
        status: 'run',
        causes: ['model.json, updated_at was "2022-01-01T00:00:00.000Z", is "2031-01-01T00:00:00.000Z"'],
      },
    ]);
  });

  test('a damaged cache entry is run again, and gives the same version', async () => {
    const stage = path.join(out, 'cache/boundaries');
    for (const entry of readdirSync(stage).filter((name) => !name.includes('.')))
      writeFileSync(path.join(stage, entry, 'outlines.json'), '{}');
    expect((await plan()).boundaries!.why).toMatch(/no longer in the cache, or were changed there/);
    const { ran, already } = await build();
    expect(ran).toEqual(['boundaries']);
    expect(already).toBe(true);
  });

  test('a missing snapshot is made again from the cache', async () => {
    rmSync(path.join(out, 'snapshots'), { recursive: true });
    expect((await plan()).snapshot).toEqual({
      status: 'run',
      why: expect.stringMatching(/^tiny-1-\w{8} has not been built here$/),
    });
    expect((await build()).ran).toEqual(['snapshot']);
  });
});
