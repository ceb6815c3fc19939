/** The TypeScript client and its examples against running proxies. */
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, inject, test } from 'vitest';
import { temporary } from '../../support/command-line.ts';
import { atEndOfSuite } from '../../support/proxy/service.ts';
import { type Setting, startSetting, writeClients } from './setting.ts';

let setting: Setting;
const shipped = path.join(writeClients(), 'ts');
const atEnd = atEndOfSuite();
beforeAll(async () => {
  setting = await startSetting(inject('builtTiny'), atEnd);
});

const { createClient, VersionChanged } = await import(path.join(shipped, 'malaria-risk.ts'));
const { diskCache } = await import(path.join(shipped, 'disk-cache.ts'));
const { match } = await import(path.join(shipped, 'places.ts'));
const client = (options: object = {}) => createClient({ base: setting.env.URL, key: setting.env.KEY, ...options });
const faulty = (fault: string, options: object = {}) => client({ base: `${setting.env.GATEWAY}/${fault}`, ...options });
const periods = (of: any): Promise<any> => of.get('/v1/periods');
const code = (name: string) => expect.objectContaining({ name: 'ServiceError', code: name });

test('the nation, series and tables take one request each', async () => {
  const reader = client();
  const { model_version, last_forecast } = await periods(reader);
  expect((await reader.risk()).lgas).toHaveLength(4);
  expect((await reader.forecasts()).forecasts.map(({ lgas }: any) => lgas.length)).toEqual([4, 4, 4, 4]);
  expect((await reader.series('NG001001')).series.at(-1).period).toBe(last_forecast);
  const file = path.join(temporary(), 'risk.parquet');
  writeFileSync(file, Buffer.from(await (await reader.table('/v1/tables/risk_lgas.parquet')).arrayBuffer()));
  expect(readFileSync(file).subarray(0, 4).toString()).toBe('PAR1');
  expect([reader.modelVersion(), reader.requests()]).toEqual([model_version, 5]);
});

test('errors report what happened by a code', async () => {
  const refused = await periods(client({ key: 'wrong' })).catch((error) => error);
  expect(refused).toMatchObject({ code: 'INVALID_KEY', status: 401, requestId: expect.stringMatching(/./) });
  expect(refused.message).toContain(refused.requestId);
  expect(refused.message).not.toContain('wrong');
  await expect(client({ key: setting.env.KEY_FORECASTS }).risk()).rejects.toEqual(code('SCOPE_REQUIRED'));
  const reader = client();
  await expect(reader.get('/v1/risk/lgas', { state: 'ab' })).rejects.toEqual(code('UNKNOWN_STATE'));
  await expect(reader.series('NG1&lga=NG001001')).rejects.toEqual(code('UNKNOWN_LGA'));
  await expect(reader.risk('2021-13')).rejects.toEqual(code('INVALID_PERIOD'));
  await expect(reader.table('/v1/tables/nothing.csv')).rejects.toEqual(code('NOT_FOUND'));
  await expect(periods(faulty('html'))).rejects.toEqual(code('HTTP_502'));
  await expect(periods(faulty('moved'))).rejects.toEqual(code('HTTP_302'));
  expect(setting.seen.moved).toHaveLength(1);
  await expect(periods(faulty('short'))).rejects.toThrow();
});

test('invalid options of a client are refused', () => {
  expect(() => client({ key: ' ' })).toThrow(/MALARIA_API_KEY/);
  for (const maxWait of [Number.NaN, -1, 2_147_484, Number.POSITIVE_INFINITY])
    expect(() => client({ maxWait })).toThrow(RangeError);
  expect(() => client({ timeout: 1e9 })).toThrow(RangeError);
});

test('a short wait is waited for', async () => {
  for (const fault of ['limited-once', 'busy-once']) {
    const start = performance.now();
    expect(await periods(faulty(fault))).toHaveProperty('model_version');
    expect(performance.now() - start).toBeGreaterThan(990);
    expect(setting.seen[fault]).toHaveLength(2);
  }
});

test('a wait longer than allowed and a used-up allowance fail at once, without a second request', async () => {
  for (const fault of ['limited-long', 'overflow', 'negative'])
    await expect(periods(faulty(fault))).rejects.toEqual(code('RATE_LIMITED'));
  await expect(periods(faulty('spent-short', { maxWait: 2_000_000 }))).rejects.toEqual(code('ALLOWANCE_EXHAUSTED'));
  for (const fault of ['limited-long', 'overflow', 'negative', 'spent-short'])
    expect(setting.seen[fault]).toHaveLength(1);
  const { MINUTE_URL, MINUTE_KEY, SPENT_URL, SPENT_KEY } = setting.env;
  const minute = client({ base: MINUTE_URL, key: MINUTE_KEY, maxWait: 0 });
  await periods(minute);
  await expect(periods(minute)).rejects.toEqual(code('RATE_LIMITED'));
  const spent = client({ base: SPENT_URL, key: SPENT_KEY, maxWait: 2_000_000 });
  await periods(spent);
  const error = await periods(spent).catch((problem) => problem);
  expect(error).toEqual(code('ALLOWANCE_EXHAUSTED'));
  expect(error.retryAfter).toBeGreaterThanOrEqual(0);
});

test('repeated waits of zero seconds end', async () => {
  await expect(periods(faulty('zeros', { maxWait: 2 }))).rejects.toEqual(code('RATE_LIMITED'));
  expect(setting.seen.zeros).toHaveLength(3);
});

test('a request to a service that does not answer times out', async () => {
  await expect(periods(faulty('silent', { timeout: 0.2 }))).rejects.toThrow(/no answer within 0.2 s/);
});

test('unchanged answers are not sent again, also across runs, but always revalidated by the service', async () => {
  const reader = faulty('pass');
  expect(await reader.risk()).toEqual(await reader.risk());
  expect(setting.seen.pass!.map((headers) => 'if-none-match' in headers)).toEqual([false, true]);
  expect(setting.seen.pass![0]).toMatchObject({ 'user-agent': expect.stringMatching(/^malaria-risk-typescript\/\d/) });
  const folder = temporary();
  const cache = diskCache(folder);
  const first = await client({ cache }).risk();
  expect(await client({ cache }).risk()).toEqual(first);
  const [file] = readdirSync(folder);
  expect(readFileSync(path.join(folder, file!), 'utf8')).not.toContain(setting.env.KEY!);
  truncateSync(path.join(folder, file!), 99);
  expect(await client({ cache }).risk()).toEqual(first);
  await expect(client({ cache, key: 'wrong' }).risk()).rejects.toEqual(code('INVALID_KEY'));
});

test('a new version is an error until the client is restarted', async () => {
  const reader = faulty('next-version');
  await periods(reader);
  await expect(reader.risk()).rejects.toThrow(VersionChanged);
  // The same if only the version has changed.
  await expect(periods(reader)).rejects.toThrow(/is now another-version/);
  reader.restart();
  await reader.risk();
  expect(reader.modelVersion()).toBe('another-version');
  await expect(periods(client({ modelVersion: 'earlier' }))).rejects.toThrow(VersionChanged);
});

test('a version that the service keeps continues to be read', async () => {
  const reader = faulty('kept');
  const { model_version } = await periods(reader);
  const report = await reader.risk();
  expect([report.lgas.length > 0, reader.modelVersion()]).toEqual([true, model_version]);
  expect((await periods(reader)).model_version).toBe(model_version);
  expect((await reader.get('/v1/versions')).current).toBe(model_version);
  expect((await reader.table('/v1/tables/risk_lgas.csv')).status).toBe(200);
  expect(reader.requests()).toBe(6);
});

test('rows are joined by state and name, by name alone and by code', async () => {
  const places = await faulty('places').get('/v1/places');
  const codes = (rows: object[]) => {
    const { matched, unmatched } = match(rows, places, (row: unknown) => row);
    return [matched.map(({ lga_code }: any) => lga_code), unmatched.map(({ why }: any) => why)];
  };
  expect(
    codes([
      { state: 'Nasarawa State', lga: 'OBI' },
      { state: 'NA', lga: 'obi ' },
      { state: 'benue', lga: 'Ado Ekiti' },
      { state: 'Benue', lga: 'igumale' },
      { state: 'Benue', lga: 'Gboko' },
      { state: 'Utopia', lga: 'Obi' },
      { lga: 'Obi' },
      { lga: 'Ado-Ekiti' },
      { code: 'NG007015' },
      { code: 'NG9' },
    ]),
  ).toEqual([
    ['NG026011', 'NG026011', 'NG007003', 'NG007003', 'NG007003', 'NG007015'],
    [
      "no areas of BE are named 'Gboko'",
      "no upper-level area is named 'Utopia'",
      "'Obi' is the name of areas in BE, NA: give state too",
      "no area has the code 'NG9'",
    ],
  ]);
});

/** A link, as in a build. */
const current = path.join(temporary(), 'current');
symlinkSync(shipped, current);
const example = async (name: string, ...args: string[]) => {
  const script = path.join(current, 'examples', `${name}.ts`);
  const env = { ...process.env, MALARIA_API_KEY: setting.env.KEY };
  return (await promisify(execFile)(process.execPath, [script, setting.env.URL!, ...args], { env })).stdout;
};

test('example: a map', async () => {
  const out = path.join(temporary(), 'map.svg');
  expect(await example('national-map', out)).toMatch(/^4 areas, 2021-12, .*, 2 requests/);
  expect(readFileSync(out, 'utf8').match(/<path /g)).toHaveLength(4);
});

test('example: an alert distinguishes a revision from news', async () => {
  const folder = temporary();
  expect(await example('alert', folder)).toMatch(/^\d areas rose by 2021-12, tiny-.*, 3 requests\n$/m);
  expect(await example('alert', folder)).not.toMatch(/^(news|revision|first run)/m);
  const { rises } = await import(path.join(shipped, 'examples/alert.ts'));
  const before = { version: 'v1', months: { '2022-01': { news: 'low', revised: 'high', both: 'low' } } };
  const then = { news: 'low', revised: 'low', both: 'very_low', same: 'low' };
  const now = {
    version: 'v2',
    months: { '2022-01': then, '2023-01': { news: 'high', revised: 'high', both: 'high', same: 'low' } },
  };
  const causes = (last?: object) => rises(now, last, '2023-01', '2022-01').map(({ cause }: any) => cause);
  expect(causes(before)).toEqual(['news', 'revision', 'news']);
  expect(causes(undefined)).toEqual(['first run', 'first run', 'first run']);
  expect(causes({ ...now, version: 'v1' })).toEqual(['known', 'known', 'known']);
  expect(causes({ version: 'v1', months: { '2022-01': then, '2023-01': then } })).toEqual([
    'revision',
    'revision',
    'revision',
  ]);
});

test('example: a join reports what did not match', async () => {
  const folder = temporary();
  const [own, out] = [path.join(folder, 'own.json'), path.join(folder, 'out.json')];
  writeFileSync(own, JSON.stringify([{ state: 'Abia', lga: 'place 1', beds: 10 }, { lga_code: 'NG9' }]));
  const output = await example('join', own, out);
  expect(output).toContain('1 rows joined');
  expect(output).toContain("no area has the code 'NG9'");
  expect(output).toContain('3 areas without a row');
  expect(JSON.parse(readFileSync(out, 'utf8'))).toMatchObject([{ beds: 10, lga_code: 'NG001001', period: '2021-12' }]);
});
