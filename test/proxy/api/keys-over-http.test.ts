import { expect, test } from 'vitest';
import { BACKENDS } from '../../support/proxy/backends.ts';
import { openStore } from '../../support/proxy/open-store.ts';
import { exchange, portOf } from '../../support/proxy/raw-client.ts';
import { codeOf, giveKey, startService } from '../../support/proxy/service.ts';

const backends = BACKENDS.filter((backend) => !backend.skip);

test.each(backends)('every cause of a 401 looks the same: $name', async ({ newStore }) => {
  const service = await startService(await newStore());
  const { key } = await giveKey(service.store);
  const { id, key: revoked } = await giveKey(service.store);
  await service.store.revokeKey(id, Date.now());
  const { key: expired } = await giveKey(service.store, { now: 1, expiresAt: 2 });
  const { key: suspended } = await giveKey(service.store, { owner: 'suspended' });
  await service.store.changeAccount('suspended', 'suspend', 1);
  const { key: removed } = await giveKey(service.store, { owner: 'removed' });
  await service.store.changeAccount('removed', 'remove', 1);
  const mistyped = `${key.slice(0, -1)}${key.endsWith('A') ? 'B' : 'A'}`;
  const seen = new Set<string>();
  for (const wrong of [undefined, '', 'nonsense', mistyped, revoked, expired, suspended, removed]) {
    const response = await service.get('/v1/periods', wrong);
    expect([response.status, response.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
    expect(response.headers.get('ratelimit')).toBeNull();
    const { request_id: _, ...rest } = (await response.json()) as Record<string, unknown>;
    seen.add(JSON.stringify(rest));
  }
  expect(seen.size).toBe(1);
  expect(await codeOf(await service.get('/v1/periods', undefined))).toBe('INVALID_KEY');
});

test.each(backends)(
  'of concurrent requests exactly as many are granted as minute and month allow: $name',
  async ({ newStore }) => {
    const service = await startService({ ...(await newStore()), perMinute: 40, perMonth: 30 });
    const [{ key: live }, { key: second }] = [await giveKey(service.store), await giveKey(service.store)];
    const { key: trial } = await giveKey(service.store, { kind: 'test' });
    const granted = async (keys: string[]) => {
      const responses = await Promise.all(keys.map((key) => service.get('/v1/periods', key)));
      return responses.filter((response) => response.status === 200).length;
    };
    expect(await granted(Array.from({ length: 100 }, () => trial))).toBe(40);
    expect(await granted(Array.from({ length: 100 }, (_, i) => (i % 2 ? live : second)))).toBe(30);
    const refused = await service.get('/v1/periods', live);
    const until = Number(refused.headers.get('retry-after'));
    const now = new Date();
    const monthEnd = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1);
    expect(await codeOf(refused)).toBe('ALLOWANCE_EXHAUSTED');
    expect(Math.abs(Date.now() + until * 1000 - monthEnd)).toBeLessThan(5000);
  },
);

test.each(backends)('errors count against the limits, a 429 does not: $name', async ({ newStore }) => {
  const service = await startService({ ...(await newStore()), perMinute: 4 });
  const { key } = await giveKey(service.store, { scopes: ['forecasts'] });
  const left = async (path: string, init?: RequestInit) =>
    (await service.get(path, key, init)).headers.get('ratelimit')?.replace(/;t=\d+/g, '');
  expect(await left('/nowhere')).toBe('"minute";r=3, "month";r=99999');
  expect(await left('/v1/risk/states')).toBe('"minute";r=2, "month";r=99998');
  expect(await left('/v1/periods', { method: 'POST' })).toBe('"minute";r=1, "month";r=99997');
  expect(await left('/v1/periods', { method: 'HEAD' })).toBe('"minute";r=0, "month";r=99996');
  const refused = await service.get('/v1/periods', key);
  expect([refused.status, refused.headers.get('ratelimit')?.replace(/;t=\d+/g, '')]).toEqual([
    429,
    '"minute";r=0, "month";r=99996',
  ]);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(50);
});

test('CORS is off by default, and if on, only for listed origins', async () => {
  const origin = 'https://map.example.org';
  const preflight = { method: 'OPTIONS', headers: { origin, 'access-control-request-method': 'GET' } };
  const closed = await startService();
  expect((await closed.get('/v1/periods', undefined, preflight)).status).toBe(401);
  const open = await startService({ corsOrigin: [origin], perMinute: 2 });
  const { key } = await giveKey(open.store);
  for (let i = 0; i < 5; i++) {
    const allowed = await open.get('/v1/periods', undefined, preflight);
    expect([allowed.status, allowed.headers.get('access-control-allow-origin')]).toEqual([204, origin]);
    expect(allowed.headers.get('access-control-allow-headers')).toContain('Authorization');
  }
  // It says nothing about which paths exist.
  expect((await open.get('/v1/nowhere', undefined, preflight)).status).toBe(204);
  const foreign = { ...preflight, headers: { ...preflight.headers, origin: 'https://evil.example' } };
  expect((await open.get('/v1/periods', undefined, foreign)).status).toBe(401);
  const answer = await open.get('/v1/periods', key, { headers: { origin } });
  expect([answer.status, answer.headers.get('access-control-allow-origin'), answer.headers.get('vary')]).toEqual([
    200,
    origin,
    'Accept-Encoding, Origin',
  ]);
  const other = await open.get('/v1/periods', key);
  expect([other.headers.get('access-control-allow-origin'), other.headers.get('vary')]).toEqual([
    null,
    'Accept-Encoding, Origin',
  ]);
});

test('a key is accepted in its exact spelling alone, and in none once another process has revoked it', async () => {
  const service = await startService();
  const { id, key } = await giveKey(service.store);
  const { key: other } = await giveKey(service.store, { owner: 'other' });
  const spellings: [string, number][] = [
    [`X-Api-Key: ${key}`, 200],
    [`X-API-KEY:\t${key}\t `, 200],
    [`Authorization: bEaReR   ${key}`, 200],
    [`Authorization: Bearer ${key}\r\nX-Api-Key: ${key}`, 200],
    [`Authorization: Bearer ${key}\r\nAuthorization: Bearer ${key}`, 200],
    [`Authorization: Basic ${key}\r\nX-Api-Key: ${key}`, 200],
    [`Authorization: Bearer ${key}\r\nX-Api-Key: ${other}`, 401],
    [`Authorization: Bearer ${key}\r\nAuthorization: Bearer ${other}`, 401],
    [`X-Api-Key: ${key}\r\nX-Api-Key: ${other}`, 401],
    [`Authorization: ${key}`, 401],
    [`X-Api-Key: Bearer ${key}`, 401],
    [`Authorization: Bearer\t${key}`, 401],
    [`Authorization: Bearer\r\nX-Api-Key: ${key}`, 401],
    [`X-Api-Key: ${key}, ${key}`, 401],
    [`X-Api-Key: "${key}"`, 401],
    [`X-Api-Key: ${key}\xa0`, 401],
    [`X-Api-Key: ${key.toUpperCase()}`, 401],
    [`X-Api-Key: ${key}${'A'.repeat(10_000)}`, 401],
    ['X-Api-Key: __proto__', 401],
  ];
  const text = spellings.map(([headers]) => `GET /v1/periods HTTP/1.1\r\nHost: x\r\n${headers}\r\n\r\n`).join('');
  const statuses = async () => {
    const { answers } = await exchange(portOf(service.url), text, { end: true });
    return answers.map(({ status }) => status);
  };
  expect(await statuses()).toEqual(spellings.map(([, status]) => status));
  for (const name of ['key', 'api_key', 'x-api-key', 'access_token']) {
    expect((await service.get(`/v1/periods?${name}=${key}`)).status).toBe(401);
  }
  const elsewhere = await openStore(service.storeUrl);
  await elsewhere.revokeKey(id, Date.now());
  await elsewhere.close();
  expect(await statuses()).toEqual(spellings.map(() => 401));
});
