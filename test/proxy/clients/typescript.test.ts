/** The TypeScript client, the README's example and the map against running proxies. */
import { execFile } from 'node:child_process';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, inject, test } from 'vitest';
import { temporary } from '../../support/command-line.ts';
import { atEndOfSuite } from '../../support/proxy/service.ts';
import { ofVersion, readmeExample, type Setting, startSetting, writeClients } from './setting.ts';

let setting: Setting;
const clients = await writeClients();
const shipped = path.join(clients, 'ts');
const atEnd = atEndOfSuite();
beforeAll(async () => {
  setting = await startSetting(inject('builtTiny'), atEnd);
});

const { createClient } = await import(path.join(shipped, 'malaria-risk.js'));
const client = (options: object = {}) => createClient({ base: setting.env.URL, key: setting.env.KEY, ...options });
const throughGateway = (fault: string) => client({ base: `${setting.env.GATEWAY}/${fault}` });
const error = (status: number, code?: string) =>
  expect.objectContaining({
    name: 'ServiceError',
    status,
    problem: code === undefined ? undefined : expect.objectContaining({ code }),
  });

test('answers, tables and a map', async () => {
  const reader = await client();
  expect((await reader.get('/v1/periods')).model_version).toBe(reader.modelVersion);
  expect((await reader.get('/v1/risk/lgas', { state: 'AB' })).lgas).toHaveLength(2);
  const table = await reader.file('/v1/tables/risk_lgas.parquet');
  expect(
    Buffer.from(await table.arrayBuffer())
      .subarray(0, 4)
      .toString(),
  ).toBe('PAR1');
  const { lgas } = await reader.get('/v1/risk/nation', { period: '2021-11' });
  const { features } = await reader.map('2021-11');
  const scored = features.map(({ properties: { lga_code, score, period } }: any) => [lga_code, score, period]);
  expect(scored.sort()).toEqual(lgas.map(({ lga_code, score }: any) => [lga_code, score, '2021-11']).sort());
});

test('every answer is of one version', async () => {
  const reader = await throughGateway('pass');
  await reader.get('/v1/places');
  expect((await reader.get('/v1/versions')).current).toBe(reader.modelVersion);
  expect(setting.seen.pass!.map(({ path: sent }) => sent.replace('?', ''))).toEqual(ofVersion(reader.modelVersion));
  const gone = await client({ modelVersion: 'tiny-1-00000000' });
  await expect(gone.get('/v1/places')).rejects.toEqual(error(404, 'UNKNOWN_VERSION'));
});

test('errors report what happened', async () => {
  const refused = await client({ key: 'wrong' }).catch((problem: unknown) => problem);
  expect(refused).toEqual(error(401, 'INVALID_KEY'));
  expect(refused.message).toContain(refused.problem.request_id);
  expect(refused.message).not.toContain('wrong');
  const reader = await client();
  await expect(reader.get('/v1/series/lgas', { lga: 'NG1&lga=NG001001' })).rejects.toEqual(error(404, 'UNKNOWN_LGA'));
  await expect(reader.file('/v1/tables/nothing.csv')).rejects.toEqual(error(404, 'NOT_FOUND'));
  await expect(throughGateway('html')).rejects.toEqual(error(502));
  await expect(throughGateway('moved')).rejects.toEqual(error(302));
  expect(setting.seen.moved).toHaveLength(1);
  await expect(throughGateway('short')).rejects.toThrow();
});

test('a short wait is waited for', async () => {
  for (const fault of ['limited-once', 'busy-once']) {
    const start = performance.now();
    await throughGateway(fault);
    expect(performance.now() - start).toBeGreaterThan(990);
    expect(setting.seen[fault]).toHaveLength(2);
  }
});

test('a long wait and a used-up allowance fail at once; repeated waits of zero seconds end', async () => {
  await expect(throughGateway('limited-long')).rejects.toEqual(error(429, 'RATE_LIMITED'));
  expect(setting.seen['limited-long']).toHaveLength(1);
  const spent = await client({ base: setting.env.SPENT_URL, key: setting.env.SPENT_KEY });
  await expect(spent.get('/v1/places')).rejects.toEqual(error(429, 'ALLOWANCE_EXHAUSTED'));
  await expect(throughGateway('zeros')).rejects.toEqual(error(429, 'RATE_LIMITED'));
  expect(setting.seen.zeros).toHaveLength(4);
});

/** Runs a script with the key in the environment. @returns what it prints */
const run = async (script: string, ...args: string[]) => {
  const env = { ...process.env, MALARIA_API_KEY: setting.env.KEY };
  const cwd = path.dirname(script);
  return (await promisify(execFile)(process.execPath, [script, ...args], { cwd, env })).stdout;
};

test('the README’s example runs', async () => {
  const folder = temporary();
  // A copy, as an installation makes it: below node_modules Node strips no types.
  cpSync(shipped, path.join(folder, 'node_modules/malaria-risk-client'), { recursive: true });
  const script = path.join(folder, 'example.mts');
  const show = 'console.log(lgas.length, map.features.length);';
  writeFileSync(script, `${readmeExample(clients, 'ts', setting.env.URL!)}${show}\n`);
  expect(await run(script)).toBe('4 4\n');
  expect(readFileSync(path.join(folder, 'risk.parquet')).subarray(0, 4).toString()).toBe('PAR1');
});

test('example: a map', async () => {
  const out = path.join(temporary(), 'map.geojson');
  const script = path.join(shipped, 'examples/national-map.ts');
  expect(await run(script, setting.env.URL!, out)).toMatch(/^4 areas, 2021-12, tiny-/);
  expect(JSON.parse(readFileSync(out, 'utf8')).features[0].properties.score).toBeGreaterThan(0);
});
