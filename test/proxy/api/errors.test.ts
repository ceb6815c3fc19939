import { Check } from 'typebox/value';
import { beforeAll, describe, expect, test } from 'vitest';
import { Problem } from '../../../pipeline/contract/errors.ts';
import { OPERATIONS } from '../../../pipeline/contract/operations.ts';
import type { Scope } from '../../../pipeline/contract/scopes.ts';
import { exchange, portOf } from '../../support/proxy/raw-client.ts';
import { ALL_SCOPES, atEndOfSuite, codeOf, giveKey, type Service, startService } from '../../support/proxy/service.ts';

/** Invalid requests and their errors: path, status, code. */
const ROWS: [string, number, string][] = [
  ['/v1/risk/lgas', 404, 'UNKNOWN_STATE'],
  ['/v1/risk/lgas?state=', 404, 'UNKNOWN_STATE'],
  ['/v1/risk/lgas?state=kn', 404, 'UNKNOWN_STATE'],
  ['/v1/risk/lgas?state=ZZ', 404, 'UNKNOWN_STATE'],
  ['/v1/risk/lgas?state=KN&state=KN', 404, 'UNKNOWN_STATE'],
  ['/v1/risk/lgas?state=KN%00', 404, 'UNKNOWN_STATE'],
  ['/v1/risk/lgas?state=%ff', 404, 'UNKNOWN_STATE'],
  ['/v1/risk/lgas?state=../KN', 404, 'UNKNOWN_STATE'],
  ['/v1/risk/lgas?state=KN&period=2023', 400, 'INVALID_PERIOD'],
  ['/v1/risk/lgas?state=KN&period=', 400, 'INVALID_PERIOD'],
  ['/v1/risk/lgas?state=KN&period=2023-13', 400, 'INVALID_PERIOD'],
  ['/v1/risk/lgas?state=KN&period=2023-1', 400, 'INVALID_PERIOD'],
  ['/v1/risk/lgas?state=KN&period=+2023-10', 400, 'INVALID_PERIOD'],
  ['/v1/risk/lgas?state=KN&period=2023-10&period=2023-10', 400, 'INVALID_PERIOD'],
  ['/v1/risk/lgas?state=KN&period=2024-01', 400, 'FORECAST_PERIOD'],
  ['/v1/risk/lgas?state=KN&period=2024-04', 400, 'FORECAST_PERIOD'],
  ['/v1/risk/lgas?state=KN&period=2024-05', 404, 'PERIOD_NOT_AVAILABLE'],
  ['/v1/risk/lgas?state=KN&period=2023-05', 404, 'PERIOD_NOT_AVAILABLE'],
  ['/v1/risk/lgas?state=KN&period=0000-01', 404, 'PERIOD_NOT_AVAILABLE'],
  ['/v1/risk/lgas?period=2023', 404, 'UNKNOWN_STATE'],
  ['/v1/risk/states?period=x', 400, 'INVALID_PERIOD'],
  ['/v1/risk/states?period=2024-02', 400, 'FORECAST_PERIOD'],
  ['/v1/risk/states?period=1999-12', 404, 'PERIOD_NOT_AVAILABLE'],
  ...['0', '5', '04', '4.0', '+4', '%2B4', '-1', '', '4e0', '0x4', ' 4', '٤'].map(
    (months): [string, number, string] => [`/v1/forecasts/lgas?state=KN&months=${months}`, 400, 'INVALID_MONTHS'],
  ),
  ['/v1/forecasts/lgas?state=KN&months', 400, 'INVALID_MONTHS'],
  ['/v1/forecasts/lgas?state=KN&months=4&months=4', 400, 'INVALID_MONTHS'],
  ['/v1/forecasts/lgas?months=9', 404, 'UNKNOWN_STATE'],
  ['/v1/forecasts/states?months=9', 400, 'INVALID_MONTHS'],
  ['/v1/boundaries/lgas', 404, 'UNKNOWN_STATE'],
  ['/v1/context/lgas?state=XX', 404, 'UNKNOWN_STATE'],
  ['/v1/transmission/lgas', 404, 'UNKNOWN_STATE'],
  ...[
    '/',
    '/v1',
    '/v1/',
    '/v1/periods/',
    '/V1/periods',
    '/v1/Periods',
    '//v1/periods',
    '/v1//periods',
    '/v2/periods',
  ].map((path): [string, number, string] => [path, 404, 'NOT_FOUND']),
];

let service: Service;
let key: string;

const statusOf = async (...lines: string[]) => {
  const text = [...lines, 'Host: x', 'Connection: close', '\r\n'].join('\r\n');
  return (await exchange(portOf(service.url), text)).answers[0]!.status;
};

describe('errors over HTTP', () => {
  // One service for all: the rows are independent of each other.
  const atEnd = atEndOfSuite();
  beforeAll(async () => {
    service = await startService({}, atEnd);
    key = (await giveKey(service.store)).key;
  });

  test.each(ROWS)('%s is %i %s', async (path, status, code) => {
    const response = await service.get(path, key);
    expect([response.status, await codeOf(response)]).toEqual([status, code]);
  });

  test.each([
    ['/v1/risk/states?month=2023-09', 'INVALID_PERIOD', 'period'],
    ['/v1/risk/states?Months=2023-09', 'INVALID_PERIOD', 'period'],
    ['/v1/risk/lgas?state=KN&Period=2023-09', 'INVALID_PERIOD', 'period'],
    ['/v1/risk/nation?date=2023-09', 'INVALID_PERIOD', 'period'],
    ['/v1/risk/states?peroid=2023-09', 'INVALID_PERIOD', 'period'],
    ['/v1/risk/states?p%65riods=2023-09', 'INVALID_PERIOD', 'period'],
    ['/v1/forecasts/states?month=1', 'INVALID_MONTHS', 'months'],
    ['/v1/risk/lgas?State=KN', 'UNKNOWN_STATE', 'state'],
    ['/v1/series/lgas?lgas=NGKN001', 'UNKNOWN_LGA', 'lga'],
    ['/v1/versions/fixture-00000001/risk/states?month=2023-09', 'INVALID_PERIOD', 'period'],
  ])('%s is %s, and the detail names %s', async (path, code, name) => {
    const problem = (await (await service.get(path, key)).json()) as Problem;
    expect([problem.code, problem.detail]).toEqual([
      code,
      expect.stringContaining(`The parameter is called \`${name}\``),
    ]);
  });

  test.each([
    '/v1/risk/states?period=2023-09&month=2023-08',
    '/v1/risk/states?page=2&x=1&format=json&zone=1',
    '/v1/forecasts/states?period=2023-09&m=1',
    '/v1/forecasts/states?in=1',
    '/v1/periods?month=2023-09',
  ])('a parameter that is no near miss of an absent one is ignored: %s', async (path) => {
    expect((await service.get(path, key)).status).toBe(200);
  });

  test.each([
    ['/v1/risk/lgas?state=kano', 'KN for Kano'],
    ['/v1/risk/lgas?state=kn', 'KN for Kano'],
    ['/v1/series/lgas?lga=Kano%201', 'NGKN001 for Kano 1'],
  ])('the name of a place instead of its code: %s is told %s', async (path, hint) => {
    const { detail } = (await (await service.get(path, key)).json()) as Problem;
    expect(detail).toContain(hint);
  });

  test('every operation requires all of its scopes and no others', async () => {
    const keyOf = async (...scopes: Scope[]) => (await giveKey(service.store, { scopes })).key;
    const without = new Map<Scope, string>();
    for (const scope of ALL_SCOPES) without.set(scope, await keyOf(...ALL_SCOPES.filter((other) => other !== scope)));
    for (const operation of OPERATIONS) {
      // The scopes are checked before the parameters are read.
      const ask = (lacking: string) => service.get(`${operation.path}?state=nowhere&lga=nowhere`, lacking);
      for (const [scope, lacking] of without) {
        const response = await ask(lacking);
        if (operation.scopes.includes(scope))
          expect([operation.id, response.status, await codeOf(response)]).toEqual([
            operation.id,
            403,
            'SCOPE_REQUIRED',
          ]);
        else expect(response.status).not.toBe(403);
      }
    }
  });

  test('the body of an error matches the contract and contains nothing from the request', async () => {
    const response = await service.get('/v1/risk/lgas?state=<script>', key);
    const text = await response.text();
    expect(Check(Problem, JSON.parse(text))).toBe(true);
    expect(text).not.toContain('script');
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    expect(response.headers.get('vary')).toBe('Accept-Encoding');
  });

  test('other methods are 405 on every path, once the key has been checked', async () => {
    for (const method of ['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'PROPFIND', 'QUERY']) {
      for (const path of ['/v1/periods', '/nothing']) {
        const refused = await service.get(path, key, { method });
        expect([method, refused.status, refused.headers.get('allow')]).toEqual([method, 405, 'GET, HEAD']);
        expect(await codeOf(refused)).toBe('METHOD_NOT_ALLOWED');
      }
      expect((await service.get('/v1/periods', undefined, { method })).status).toBe(401);
    }
  });

  test('a body that cannot be parsed changes nothing', async () => {
    for (const type of ['application/json', 'nonsense', 'text/plain; charset=']) {
      const init = { method: 'POST', body: '{', headers: { 'content-type': type } };
      expect((await service.get('/v1/periods', key, init)).status).toBe(405);
      expect((await service.get('/v1/periods', undefined, init)).status).toBe(401);
    }
  });

  test('HEAD has the headers of GET and no body', async () => {
    for (const path of ['/v1/periods', '/v1/risk/lgas?state=KN', '/v1/risk/lgas', '/nowhere']) {
      const [got, head] = [await service.get(path, key), await service.get(path, key, { method: 'HEAD' })];
      expect(head.status).toBe(got.status);
      expect(await head.text()).toBe('');
      for (const name of ['content-type', 'etag', 'model-version', 'vary', 'cache-control', 'content-length']) {
        expect([name, head.headers.get(name)]).toEqual([name, got.headers.get(name)]);
      }
    }
  });

  test.each([
    ['GET /% HTTP/1.1', 404],
    ['GET /v1/%zz HTTP/1.1', 404],
    ['GET //v1/../etc/passwd HTTP/1.1', 404],
    ['GET /v1/../v1/periods HTTP/1.1', 404],
    ['GET /v1/%70eriods HTTP/1.1', 404],
    ['GET /v1/periods#x HTTP/1.1', 404],
    ['GET /v1/periods;a=b HTTP/1.1', 404],
    [`GET /${'x'.repeat(4000)} HTTP/1.1`, 404],
    ['OPTIONS * HTTP/1.1', 405],
    ['GET http://elsewhere.example/v1/periods HTTP/1.1', 200],
    ['GET http://elsewhere.example HTTP/1.1', 404],
  ])('%s: 401 without a key, else %i', async (line, status) => {
    expect(await statusOf(line)).toBe(401);
    expect(await statusOf(line, `X-Api-Key: ${key}`)).toBe(status);
  });

  test.each(['FOO', 'get', 'GETX'])('the method %s, which no server knows, is a 401 without a key', async (method) => {
    const lines = [`${method} /v1/periods HTTP/1.1`, 'Host: x', 'Connection: close'];
    const ask = (...more: string[]) => exchange(portOf(service.url), [...lines, ...more, '\r\n'].join('\r\n'));
    const [keyless] = (await ask()).answers;
    expect([keyless!.status, JSON.parse(keyless!.body).code]).toEqual([401, 'INVALID_KEY']);
    expect(keyless!.headers).toMatch(/^www-authenticate: Bearer\r$/m);
    expect((await ask(`X-Api-Key: ${key}`)).answers[0]!.status).toBe(400);
  });

  test('If-Match is honoured: another tag, or a weak one, is a 412', async () => {
    const ask = (tag: string) => service.get('/v1/periods', key, { headers: { 'if-match': tag } });
    const etag = (await service.get('/v1/periods', key)).headers.get('etag')!;
    for (const tag of [etag, '*', `"other", ${etag}`]) expect([tag, (await ask(tag)).status]).toEqual([tag, 200]);
    for (const tag of ['"other"', `W/${etag}`]) {
      const refused = await ask(tag);
      expect([refused.status, await codeOf(refused)]).toEqual([412, 'PRECONDITION_FAILED']);
    }
  });

  test('an unknown Expect does not bypass the key', async () => {
    expect(await statusOf('GET /v1/periods HTTP/1.1', 'Expect: magic')).toBe(401);
  });
});

test('without transmission data the three operations for it are 503, and the rest work as usual', async () => {
  const bare = await startService({ fixture: { transmission: false } });
  const { key: any } = await giveKey(bare.store);
  for (const path of ['/v1/transmission/states', '/v1/transmission/lgas?state=KN', '/v1/transmission/model']) {
    const response = await bare.get(path, any);
    expect([response.status, await codeOf(response)]).toEqual([503, 'TRANSMISSION_DATA_UNAVAILABLE']);
  }
  expect(await codeOf(await bare.get('/v1/transmission/lgas?state=ZZ', any))).toBe('UNKNOWN_STATE');
  expect((await bare.get('/v1/context/states', any)).status).toBe(200);
});

test('without case records alerts are 503, after the checks of scope and state', async () => {
  const bare = await startService({ fixture: { alerts: false } });
  const { key: any } = await giveKey(bare.store);
  const response = await bare.get('/v1/alerts?state=KN', any);
  expect([response.status, await codeOf(response)]).toEqual([503, 'CASE_DATA_UNAVAILABLE']);
  expect(await codeOf(await bare.get('/v1/alerts?state=ZZ', any))).toBe('UNKNOWN_STATE');
  const { key: narrow } = await giveKey(bare.store, { scopes: ['risk_scores'] });
  expect(await codeOf(await bare.get('/v1/alerts?state=KN', narrow))).toBe('SCOPE_REQUIRED');
  expect((await bare.get('/v1/context/states', any)).status).toBe(200);
});

test('a snapshot older than some operations is served without them', async () => {
  const earlier = await startService({ fixture: { earlier: true } });
  const { key: any } = await giveKey(earlier.store);
  for (const path of ['/v1/seasons/lgas?state=KN', '/v1/forecasts/skill']) {
    const response = await earlier.get(path, any);
    expect([response.status, await codeOf(response)]).toEqual([404, 'NOT_FOUND']);
  }
  expect((await earlier.get('/v1/forecasts/states', any)).status).toBe(200);
});

test('a 403 takes precedence over 404, 400 and 503, and 401 and 429 over all of them', async () => {
  const bare = await startService({ fixture: { transmission: false } });
  const { key: narrow } = await giveKey(bare.store, { scopes: ['forecasts'], kind: 'test' });
  expect(await codeOf(await bare.get('/v1/transmission/model', narrow))).toBe('SCOPE_REQUIRED');
  expect(await codeOf(await bare.get('/v1/risk/lgas?state=ZZ&period=x', narrow))).toBe('SCOPE_REQUIRED');
  await bare.store.setLimits('ministry', { perMinute: 2 });
  for (const path of ['/%', '/v1/risk/lgas', '/v1/periods']) {
    expect(await codeOf(await bare.get(path, narrow))).toBe('RATE_LIMITED');
    expect(await codeOf(await bare.get(path))).toBe('INVALID_KEY');
  }
});
