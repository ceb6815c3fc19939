/** The tiny country, from its raw files to answers over HTTP. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, expect, inject, test } from 'vitest';
import type { Manifest } from '../pipeline/contract/manifest.ts';
import { filePath, JSON_OPERATIONS, type ParameterName } from '../pipeline/contract/operations.ts';
import type * as schemas from '../pipeline/contract/schemas.ts';
import { type Served, serveBuilt } from './support/serve-built.ts';

const QUERY: Record<ParameterName, string> = { state: 'AD', lga: 'NG002001', period: '2021-06', months: '2' };
const current = path.join(inject('builtTiny'), 'current');
const json = <T>(file: string): T => JSON.parse(readFileSync(path.join(current, file), 'utf8'));
let served!: Served;
beforeAll(async () => {
  const { model_version } = json<Manifest>('manifest.json');
  served = await serveBuilt(inject('builtTiny'), model_version);
});

test.each(JSON_OPERATIONS)('$id answers with what the build wrote', async (operation) => {
  const query = Object.fromEntries(operation.parameters.map((name) => [name, QUERY[name]]));
  const file = filePath(operation, { ...QUERY, months: Number(QUERY.months) });
  expect(await served.ask(operation.id, query)).toEqual(json(file));
});

test('alerts are those of the table, for the state with case records and without its LGAs, which have none', async () => {
  const { alerts } = await served.ask<schemas.Alerts>('alerts', { state: 'AB' });
  expect(alerts).toMatchObject([{ area: 'state', code: 'AB', name: 'Abia', period: '2021-12', cases_in: 'index' }]);
  expect((await served.ask<schemas.Alerts>('alerts', { state: 'AD' })).alerts).toEqual([]);
});

test('risk, forecasts, context, transmission and boundaries have the same LGA codes', async () => {
  const { ask } = served;
  const state = { state: 'AD' };
  const codes = (rows: { lga_code: string }[]) => rows.map(({ lga_code }) => lga_code).sort();
  const expected = ['NG002001', 'NG002002'];
  expect(codes((await ask<schemas.RiskLgas>('risk-lgas', state)).lgas)).toEqual(expected);
  for (const { lgas } of (await ask<schemas.ForecastsLgas>('forecasts-lgas', state)).forecasts)
    expect(codes(lgas)).toEqual(expected);
  expect(codes((await ask<schemas.ContextLgas>('context-lgas', state)).lgas)).toEqual(expected);
  expect(codes((await ask<schemas.TransmissionLgas>('transmission-lgas', state)).lgas)).toEqual(expected);
  const { features } = await ask<schemas.BoundariesLgas>('boundaries-lgas', state);
  expect(features.map(({ properties }) => properties.lgaCode).sort()).toEqual(expected);
});
