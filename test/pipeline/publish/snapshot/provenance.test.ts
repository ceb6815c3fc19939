import { beforeAll, expect, test } from 'vitest';
import { OPEN_QUESTION } from '../../../../pipeline/catalog/shared-schemas.ts';
import type { Source } from '../../../../pipeline/catalog/sources.ts';
import { JSON_OPERATIONS, operationFiles } from '../../../../pipeline/contract/operations.ts';
import { TABLE_NAMES, tableFile } from '../../../../pipeline/contract/table-list.ts';
import { sha256 } from '../../../../pipeline/lib/hash.ts';
import { catalogFindings } from '../../../../pipeline/publish/snapshot/provenance.ts';
import { tableLicences } from '../../../../pipeline/publish/snapshot/table-licences.ts';
import { buildHere, readJson } from '../../../support/built-tiny.ts';
import { runHere } from '../../../support/run-here.ts';
import { replaceLine, sourceIn, type TinyCountry, writeTiny } from '../../../support/tiny-country.ts';

let country: TinyCountry;
let built: Awaited<ReturnType<typeof buildHere>>;
let manifest: any;
beforeAll(async () => {
  country = writeTiny((tiny) => {
    sourceIn(tiny, 'surveys').files[0].sha256 = 'a'.repeat(64);
    sourceIn(tiny, 'surveys').citation = 'The survey people, 2021';
  });
  built = await buildHere(country.directory, undefined, { unpinned: true });
  manifest = readJson(built.snapshot, 'manifest.json');
});

/** Answers that contain the version's name and so change with every version. */
const NAMES_VERSION = ['periods', 'licences', 'openapi', 'model-card'];

test('answers change only with the artifacts that they are declared to be made from, tables with sources they name', async () => {
  const other = writeTiny((tiny) => {
    tiny.files['surveys.csv'] = replaceLine(tiny.files['surveys.csv']!, 3, (line) => line.replace(/[^,]+$/, '0.77'));
  });
  const next = readJson((await buildHere(other.directory)).snapshot, 'manifest.json');
  const outputs = ({ stages }: any) =>
    new Map<string, string>(
      stages.flatMap(({ stage, outputs: own }: any) =>
        Object.entries(own).map(([name, hash]) => [`${stage}/${name}`, hash]),
      ),
    );
  const [before, after] = [outputs(manifest), outputs(next)];
  const changed = [...before].filter(([name, hash]) => after.get(name) !== hash).map(([name]) => name);
  expect(changed).toContain('risk/lgas');
  expect(changed).not.toContain('context/lgas');
  for (const operation of JSON_OPERATIONS.filter(({ id }) => !NAMES_VERSION.includes(id))) {
    const mayDiffer = operation.madeOf!.some((name) => changed.includes(name));
    for (const file of operationFiles(operation, manifest.coverage))
      if (!mayDiffer) expect(next.files[file].sha256, file).toBe(manifest.files[file].sha256);
  }

  const sources = manifest.sources.map((source: Source) => ({ ...source, spdx: `LicenseRef-${source.id}` }));
  const { tables } = tableLicences(sources, manifest.stages);
  const tablesFrom = (id: string) =>
    TABLE_NAMES.filter((name) => tables[name].spdx.split(' AND ').includes(`LicenseRef-${id}`));
  const changedTables = TABLE_NAMES.filter((name) => {
    const [old, now] = [manifest, next].map(({ files }) => files[tableFile(name, 'csv')]?.sha256);
    return old !== now;
  });
  expect(changedTables).toContain('risk_lgas');
  expect(tablesFrom('surveys'), 'the licence of the surveys is among theirs').toEqual(
    expect.arrayContaining(changedTables),
  );
  expect(tablesFrom('itn_use')).toEqual(expect.arrayContaining(['risk_lgas', 'context_states', 'survey_trend']));
  expect(tables.context_lgas.spdx).not.toMatch(/cases|surveys/);
  expect(tables.places.spdx).toBe('LicenseRef-lga_boundaries AND LicenseRef-state_boundaries');
});

test("the manifest has the hash of the file found, and the catalog's if that differs", () => {
  const surveys = manifest.sources.find(({ id }: any) => id === 'surveys');
  expect(surveys.files[0]).toEqual({
    path: 'surveys.csv',
    rows: 25,
    sha256: sha256(String(country.files['surveys.csv'])),
    catalogued_sha256: 'a'.repeat(64),
  });
  expect(built.findings[0]).toMatchObject({ stage: 'catalog', rule: 'unpinned', source: 'surveys' });
  expect(manifest.unpublishable).toEqual(['built from files that the catalog does not pin: surveys.csv']);
  const ingest = manifest.stages.find(({ stage }: any) => stage === 'ingest');
  expect(ingest.counts).toMatchObject({ lgas: 4, clusters: 24 });
  expect(JSON.stringify(manifest)).not.toMatch(/seconds|duration/);
});

test('`show risk` shows forecast months like estimated ones', async () => {
  const show = (...args: string[]) => runHere(['show', 'risk', '--json', '--snapshot', built.snapshot, ...args]);
  const [states, lgas, after] = await Promise.all([
    show('--period', '2022-01'),
    show('--period', '2022-04', '--state', 'AB'),
    show('--period', '2022-05'),
  ]);
  const { forecasts } = readJson(built.snapshot, 'v1/forecasts/states/4.json');
  expect(JSON.parse(states.stdout)).toEqual(forecasts[0].states);
  const ofLgas = readJson(built.snapshot, 'v1/forecasts/lgas/4/AB.json').forecasts;
  expect(JSON.parse(lgas.stdout)).toEqual(ofLgas[3].lgas);
  expect([after.code, after.stderr]).toEqual([2, expect.stringMatching(/expected a month that it covers/)]);
});

test('`show --state` accepts names too, and suggests one for a misspelt name', async () => {
  const show = (state: string) => runHere(['show', 'risk', '--json', '--snapshot', built.snapshot, '--state', state]);
  const [code, name, wrong] = await Promise.all([show('AB'), show(' abia'), show('Abya')]);
  expect(name.stdout).toBe(code.stdout);
  expect([wrong.code, wrong.stderr]).toEqual([
    2,
    expect.stringContaining('--state: found Abya, expected perhaps AB Abia'),
  ]);
});

test('a source without credits is a finding, and publishing it needs a reason', () => {
  const open: Record<string, any> = {
    ...sourceIn(country, 'surveys'),
    producer: OPEN_QUESTION,
    licence: OPEN_QUESTION,
  };
  const raw = Object.fromEntries(open.files.map(({ path: file, sha256: hash }: any) => [file, hash]));
  expect(catalogFindings([open as unknown as Source], raw)).toEqual([
    {
      stage: 'catalog',
      source: 'surveys',
      rule: 'not credited',
      needs_approval: true,
      what: 'producer, licence: not filled in (sources.json); every answer based on this source will say so',
    },
  ]);
  expect(catalogFindings([{ ...open, producer: 'A', licence: 'B' } as unknown as Source], raw)).toEqual([]);
});
