/** Real clients: curl, a browser, GDAL, DuckDB. Those that are not installed are skipped and reported. */
import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { DuckDBInstance } from '@duckdb/node-api';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { STATES } from '../support/proxy/fixture.ts';
import { giveKey, startService } from '../support/proxy/service.ts';

const run = promisify(execFile);
const isInstalled = (command: string) => spawnSync('sh', ['-c', `command -v ${command}`]).status === 0;
const BROWSER = process.env.CHROMIUM ?? 'chromium';

/** A test that needs `command`; if that is missing, it is skipped, and its title explains how to install it. */
function testWith(command: string, packageName: string) {
  const found = isInstalled(command);
  const why = found ? '' : ` (skipped: no ${command}; apt-get install ${packageName})`;
  return (title: string, work: () => Promise<void>) => test.skipIf(!found)(title + why, work);
}

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'malaria-clients-'));
  return () => rmSync(folder, { recursive: true, force: true });
});

testWith('curl', 'curl')('curl: compression, revalidation by ETag, HEAD, errors as exit codes', async () => {
  const service = await startService();
  const { key } = await giveKey(service.store);
  const url = `${service.url}/v1/risk/lgas?state=KN`;
  const header = ['-sS', '-m', '10', '-H', `Authorization: Bearer ${key}`];
  const plain = await run('curl', [...header, url]);
  const packed = await run('curl', [...header, '--compressed', '-D', join(folder, 'head'), url]);
  expect(packed.stdout).toBe(plain.stdout);
  expect(JSON.parse(plain.stdout)).toMatchObject({ state_code: 'KN' });
  const etag = [
    '--etag-save',
    join(folder, 'etag'),
    '--etag-compare',
    join(folder, 'etag'),
    '-o',
    join(folder, 'body'),
  ];
  const status = ['-w', '%{http_code}'];
  expect((await run('curl', [...header, ...etag, ...status, url])).stdout).toBe('200');
  expect((await run('curl', [...header, ...etag, ...status, url])).stdout).toBe('304');
  expect((await run('curl', [...header, '-I', url])).stdout).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  await expect(run('curl', ['-sS', '--fail', url])).rejects.toMatchObject({ code: 22 });
  // An upload is answered, not left hanging on `100 Continue`.
  const upload = ['--data', 'x', '-H', 'Expect: 100-continue', '-m', '5', ...status, '-o', join(folder, 'body')];
  expect((await run('curl', [...header, ...upload, '-X', 'POST', url])).stdout).toBe('405');
});

/** The final content of the page `html` in a browser, served from an origin that the API lists if `listed`. */
async function browse(html: (apiUrl: string) => string, listed: boolean): Promise<string> {
  let page = '';
  const site = createServer((_, response) => response.setHeader('content-type', 'text/html').end(page));
  site.listen(0, '127.0.0.1');
  await new Promise((resolve) => site.once('listening', resolve));
  onTestFinished(() => void site.close());
  const origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
  const service = await startService(listed ? { corsOrigin: [origin] } : {});
  const { key } = await giveKey(service.store);
  page = html(service.url).replaceAll('KEY', key);
  const flags = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', `--user-data-dir=${folder}`];
  const { stdout } = await run(BROWSER, [...flags, '--virtual-time-budget=10000', '--dump-dom', origin], {
    timeout: 60_000,
  });
  return stdout;
}

const page = (url: string) => `<body><script>
  (async () => {
    const answer = await fetch('${url}/v1/boundaries/states', { headers: { authorization: 'Bearer KEY' } });
    const outlines = await answer.json();
    const refused = await fetch('${url}/v1/risk/lgas?state=ZZ', { headers: { 'x-api-key': 'KEY' } });
    const { code } = await refused.json();
    const limit = answer.headers.get('ratelimit-policy');
    document.body.textContent = ['read', outlines.features.length, code, answer.headers.get('etag') !== null, limit !== null].join(' ');
  })().catch((error) => { document.body.textContent = 'blocked ' + error.name; });
</script></body>`;

const testInBrowser = testWith(BROWSER, 'chromium');
testInBrowser("a browser's page of a listed origin reads answers, errors and headers", async () => {
  expect(await browse(page, true)).toContain(`read ${Object.keys(STATES).length} UNKNOWN_STATE true true`);
});
testInBrowser("a browser's page of any other origin reads nothing", async () => {
  expect(await browse(page, false)).toContain('blocked TypeError');
});

testWith('ogrinfo', 'gdal-bin')('GDAL opens the outlines by their URL', async () => {
  const service = await startService();
  const { key } = await giveKey(service.store);
  writeFileSync(join(folder, 'headers'), `x-api-key: ${key}\n`);
  const env = { ...process.env, GDAL_HTTP_HEADER_FILE: join(folder, 'headers') };
  for (const [path, count, field] of [
    ['/v1/boundaries/states', 3, 'zone: String'],
    ['/v1/boundaries/lgas?state=KN', 2, 'lgaCode: String'],
  ] as const) {
    const { stdout } = await run('ogrinfo', ['-ro', '-al', '-so', service.url + path], { env });
    expect(stdout).toContain("using driver `GeoJSON' successful");
    expect(stdout).toContain(`Feature Count: ${count}`);
    expect(stdout).toContain('WGS 84');
    expect(stdout).toContain(field);
  }
  await expect(run('ogrinfo', ['-ro', `${service.url}/v1/boundaries/states`])).rejects.toThrow();
});

test('DuckDB reads the answers of the API', async () => {
  const service = await startService();
  const { key } = await giveKey(service.store);
  const file = join(folder, 'risk.json');
  writeFileSync(file, await (await service.get('/v1/risk/lgas?state=KN', key)).text());
  const instance = await DuckDBInstance.create();
  const connection = await instance.connect();
  const query = `SELECT period, count(*)::INTEGER AS lgas, sum(lga.population)::INTEGER AS people, max(lga.score) AS top
    FROM (SELECT period, unnest(lgas) AS lga FROM read_json('${file}')) GROUP BY period`;
  const rows = (await connection.runAndReadAll(query)).getRowObjects();
  connection.closeSync();
  instance.closeSync();
  expect(rows).toEqual([{ period: '2023-12', lgas: 2, people: 1000, top: 0.3 }]);
});
