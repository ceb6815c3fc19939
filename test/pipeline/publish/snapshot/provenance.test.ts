import { readFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { OPEN_QUESTION } from '../../../../pipeline/catalog/shared-schemas.ts';
import type { Source } from '../../../../pipeline/catalog/sources.ts';
import { JSON_OPERATIONS, operationFiles } from '../../../../pipeline/contract/operations.ts';
import { TABLE_NAMES, tableFile } from '../../../../pipeline/contract/table-list.ts';
import { sha256 } from '../../../../pipeline/lib/hash.ts';
import { catalogFindings } from '../../../../pipeline/publish/snapshot/provenance.ts';
import { TABLE_ARTIFACTS, tableLicences } from '../../../../pipeline/publish/snapshot/table-licences.ts';
import { buildHere, readJson } from '../../../support/built-tiny.ts';
import { runHere } from '../../../support/run-here.ts';
import { replaceLine, sourceIn, type TinyCountry, writeTiny } from '../../../support/tiny-country.ts';

let country: TinyCountry;
let built: Awaited<ReturnType<typeof buildHere>>;
let manifest: any;
beforeAll(async () => {
  country = writeTiny((tiny) => {
    sourceIn(tiny, 'surveys').files[0].sha256 = 'a'.repeat(64);
    Object.assign(sourceIn(tiny, 'surveys'), { producer: 'The survey people', licence: 'their terms' });
    tiny.model.parameters.evidence.external_review = 'an institute, 2025';
  });
  built = await buildHere(country.directory, undefined, { unpinned: true });
  manifest = readJson(built.snapshot, 'manifest.json');
});

test('tables change only with the artifacts that they are declared to be made from, answers likewise', async () => {
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
  const isSame = (file: string) => next.files[file]?.sha256 === manifest.files[file]?.sha256;
  const changedTables = TABLE_NAMES.filter((name) => !isSame(tableFile(name, 'csv')));
  expect(changedTables).toContain('risk_lgas');
  for (const name of changedTables)
    expect([name, TABLE_ARTIFACTS[name].some((artifact) => changed.includes(artifact))]).toEqual([name, true]);
  for (const operation of JSON_OPERATIONS.filter(({ path }) =>
    /context|boundaries|seasons|alerts|skill|places/.test(path),
  ))
    for (const file of operationFiles(operation, manifest.coverage)) expect([file, isSame(file)]).toEqual([file, true]);
});

test('answers, data package and report say whether tables may be published; the CSV begins with its header', () => {
  const terms = 'Ask first: The survey people. Conditions: cite the sources.';
  expect(readJson(built.snapshot, 'v1/licences.json')).toMatchObject({
    may_publish: terms,
    spdx: 'CC0-1.0 AND LicenseRef-surveys',
  });
  const { resources } = readJson(built.snapshot, 'tables/datapackage.json');
  const licensesByTable = new Map(resources.map(({ name, licenses }: any) => [name, licenses]));
  for (const { table, may_publish, spdx } of readJson(built.snapshot, 'v1/tables.json').tables) {
    const expected = /^(risk|forecasts_(lgas|states)|survey|basis|accounts)/.test(table)
      ? [terms, 'CC0-1.0', 'LicenseRef-surveys']
      : ['Yes.', 'CC0-1.0'];
    expect([table, may_publish, ...spdx.split(' AND ')]).toEqual([table, ...expected]);
    if (!table.startsWith('boundaries'))
      expect(licensesByTable.get(table)).toEqual(expected.slice(1).map((name) => ({ name, title: expected[0] })));
  }
  const read = (file: string) => readFileSync(path.join(built.snapshot, file), 'utf8');
  expect(read('report/index.html')).toMatch(/May I publish this\?<\/h2>\s*<p><b>Ask first: The survey people\./);
  expect(read('report/index.html'), 'who checked').toContain('From outside: an institute, 2025.');
  expect(read('report/index.html'), 'whom to ask').toMatch(
    /Whom to ask<\/h3><ul><li><b>The survey people<\/b>, owner of “[^”]+” \(licence: their terms\)/,
  );
  expect(read('report/index.html'), 'no case records need leave').not.toContain('Scores need their leave too');
  expect(read('report/index.html')).toMatch(/<li>Yes\. <code>[^<]*context_lgas/);
  expect(read('tables/risk_lgas.csv')).toMatch(/^period,/);
});

test('the licence of a table names the sources behind it, through all stages', () => {
  const sources = manifest.sources.map((source: Source) => ({ ...source, spdx: `LicenseRef-${source.id}` }));
  const { tables } = tableLicences(sources, manifest.stages);
  for (const name of ['risk_lgas', 'survey_trend'] as const)
    expect(tables[name].spdx).toMatch(/itn_use AND .*population AND .*surveys/);
  expect(tables.risk_lgas.spdx).toMatch(/cases AND LicenseRef-climate/);
  expect(tables.context_lgas.spdx).not.toMatch(/cases|surveys|climate/);
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
  expect(manifest.unpublishable).toEqual([
    expect.stringMatching(/^built with --unpinned from .*: surveys\.csv; accept them/),
  ]);
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
  expect([after.code, after.stderr]).toEqual([2, expect.stringMatching(/expected a month of .*, 2020-11 to 2022-04/)]);
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
