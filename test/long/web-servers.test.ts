/** The examples of web servers in front of the proxy (proxy/deploy), run by the real programs. */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import { createServer } from 'node:net';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { temporary } from '../support/command-line.ts';
import { type Dashboard, startDashboard } from '../support/proxy/dashboard.ts';
import { giveKey } from '../support/proxy/service.ts';

const DEPLOY = path.resolve(import.meta.dirname, '../../proxy/deploy');
const example = (name: string) => readFileSync(path.join(DEPLOY, name), 'utf8');
const PATH = `${process.env.PATH}:/usr/sbin`;

interface Ports {
  /** Where the web server listens. */
  tls: number;
  api: string;
  dashboard: string;
}

/** The lines of `text` with each of these replaced; one that is not there is an error. */
const replaced = (text: string, changes: Record<string, string>) =>
  Object.entries(changes).reduce((before, [from, to]) => {
    const after = before.replaceAll(from, to);
    expect(after, from).not.toBe(before);
    return after;
  }, text);

/** How each program is started with its example, given an empty directory. */
const SERVERS: Record<string, (ports: Ports, directory: string) => ChildProcess> = {
  nginx({ tls, api, dashboard }, directory) {
    const at = (name: string) => path.join(directory, name);
    const subject = ['-subj', '/CN=example.org', '-addext', 'subjectAltName=DNS:*.example.org'];
    const made = ['-keyout', at('key.pem'), '-out', at('certificate.pem')];
    execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', ...subject, ...made], { stdio: 'pipe' });
    const conf = replaced(example('nginx.conf'), {
      '/etc/ssl/malaria': directory,
      'listen 443': `listen 127.0.0.1:${tls}`,
      '127.0.0.1:8080': `127.0.0.1:${api}`,
      '127.0.0.1:8081': `127.0.0.1:${dashboard}`,
    });
    // As in Debian's nginx.conf, with all temporary files in the directory.
    const bodies = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${at(name)};`);
    const user = process.getuid?.() === 0 ? 'user root;' : '';
    writeFileSync(
      at('nginx.conf'),
      `${user} daemon off; pid ${at('pid')}; error_log stderr; events {} http { gzip on; access_log ${at('log')}; ${bodies.join(' ')} ${conf} }`,
    );
    return spawn('nginx', ['-p', directory, '-c', at('nginx.conf')], { env: { PATH }, stdio: 'inherit' });
  },
  caddy({ tls, api, dashboard }, directory) {
    const conf = replaced(example('Caddyfile'), {
      'api.example.org {': `api.example.org:${tls} {`,
      'dashboard.example.org {': `dashboard.example.org:${tls} {`,
      '127.0.0.1:8080': `127.0.0.1:${api}`,
      '127.0.0.1:8081': `127.0.0.1:${dashboard}`,
    });
    const options = '{\nadmin off\nauto_https disable_redirects\nlocal_certs\nskip_install_trust\n}\n';
    writeFileSync(path.join(directory, 'Caddyfile'), options + conf);
    const env = { PATH, HOME: directory, XDG_DATA_HOME: directory, XDG_CONFIG_HOME: directory };
    return spawn('caddy', ['run', '--config', 'Caddyfile', '--adapter', 'caddyfile'], {
      cwd: directory,
      env,
      stdio: 'ignore',
    });
  },
};

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  return port;
}

/** An address of this machine that no other client has. */
const CLIENT = '127.9.8.7';

/** A request from CLIENT for `host`, to the web server or proxy at `url`; the answer's body is not read yet. */
async function ask(
  url: string,
  host: string,
  route: string,
  headers: Record<string, string> = {},
  form?: Record<string, string>,
): Promise<IncomingMessage> {
  const { request } = url.startsWith('https:') ? https : http;
  const sent = request(url + route, {
    method: form ? 'POST' : 'GET',
    servername: host,
    headers: { host, ...(form ? { 'content-type': 'application/x-www-form-urlencoded' } : {}), ...headers },
    localAddress: CLIENT,
    // The certificate is self-made.
    rejectUnauthorized: false,
    agent: false,
  });
  sent.end(form && String(new URLSearchParams(form)));
  const [answer] = await once(sent, 'response');
  return answer;
}

const API = 'api.example.org';
const DASHBOARD = 'dashboard.example.org';
const TABLE = '/v1/tables/risk_lgas.csv';

/** The proxy with the settings that the examples name, and one of them in front. */
async function startBehind(program: string): Promise<{ proxy: Dashboard; url: string; key: string }> {
  const proxy = await startDashboard({
    fixture: { tableBytes: 32 << 20 },
    dashboardUrl: `https://${DASHBOARD}`,
    apiUrl: `https://${API}`,
    trustProxy: ['127.0.0.1'],
  });
  const tls = await freePort();
  const url = `https://127.0.0.1:${tls}`;
  const ports = { tls, api: new URL(proxy.url).port, dashboard: new URL(proxy.dashboardUrl).port };
  const server = SERVERS[program]!(ports, temporary());
  onTestFinished(async () => {
    server.kill('SIGTERM');
    if (server.exitCode === null) await once(server, 'exit');
  });
  await expect
    .poll(async () => (await ask(url, API, '/v1/periods').catch(() => null))?.statusCode, { timeout: 60_000 })
    .toBe(401);
  return { proxy, url, key: (await giveKey(proxy.store)).key };
}

describe.each(Object.keys(SERVERS))('%s in front of the proxy', (program) => {
  const has = spawnSync('which', [program], { env: { PATH } }).status === 0;
  test.skipIf(!has)(has ? 'passes everything on unchanged' : `skipped: no ${program}`, async () => {
    const { proxy, url, key } = await startBehind(program);
    const get = async (route: string, headers: Record<string, string> = {}, at = url) => {
      const answer = await ask(at, API, route, { 'x-api-key': key, ...headers });
      return { status: answer.statusCode, headers: answer.headers, bytes: await buffer(answer) };
    };

    for (const coding of ['br', 'gzip', 'identity'] as const) {
      const route = '/v1/risk/lgas?state=KN&period=2023-12';
      const direct = await get(route, { 'accept-encoding': coding }, proxy.url);
      const through = await get(route, { 'accept-encoding': coding });
      expect([through.status, through.bytes.equals(direct.bytes)], coding).toEqual([200, true]);
      for (const name of ['etag', 'content-encoding', 'content-length', 'vary', 'model-version'])
        expect(through.headers[name], `${coding} ${name}`).toBe(direct.headers[name]);
    }
    const { etag } = (await get('/v1/periods')).headers;
    expect((await get('/v1/periods', { 'if-none-match': etag! })).status).toBe(304);
    const whole = readFileSync(path.join(proxy.build, 'current/tables/risk_lgas.csv'));
    const part = await get(TABLE, { range: 'bytes=1000000-1000099' });
    expect([part.status, part.headers['content-range']]).toEqual([206, `bytes 1000000-1000099/${whole.length}`]);
    expect(part.bytes.equals(whole.subarray(1_000_000, 1_000_100))).toBe(true);

    // A client that reads slowly holds the answer up in the proxy, instead of in files of the web server.
    const counted = async () =>
      /malaria_requests_total\{operation="table[^}]*status="200"[^}]*\} (\d+)/.exec(
        await (await fetch(`${proxy.opsUrl}/metrics`)).text(),
      )?.[1] ?? '0';
    const slow = await ask(url, API, TABLE, { 'x-api-key': key });
    await pause(3000);
    expect(await counted()).toBe('0');
    expect((await buffer(slow)).equals(whole)).toBe(true);
    await expect.poll(counted).toBe('1');

    for (const route of ['/metrics', '/readyz', '/healthz']) {
      expect((await get(route)).status, route).toBe(404);
      expect((await ask(url, API, route)).statusCode, route).toBe(401);
      expect((await ask(url, DASHBOARD, route)).statusCode, route).toBe(404);
    }

    // The address of the client, and not one that it claims, is that of a failed sign-in.
    const page = await ask(url, DASHBOARD, '/sign-in');
    expect(page.headers['strict-transport-security']).toBeDefined();
    expect(page.headers['content-encoding']).toBeUndefined();
    const html = String(await buffer(page));
    const hidden = [...html.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)"/g)];
    const fields = Object.fromEntries(hidden.map(([, name, value]) => [name, value!]));
    const signedIn = await ask(
      url,
      DASHBOARD,
      '/sign-in',
      {
        origin: `https://${DASHBOARD}`,
        cookie: (page.headers['set-cookie'] ?? []).map((cookie) => cookie.split(';')[0]).join('; '),
        'x-forwarded-for': '203.0.113.9',
      },
      { ...fields, email: 'nobody@example.org', password: 'wrong' },
    );
    expect(signedIn.statusCode).toBe(403);
    const failed = async () =>
      (await proxy.directory.listAudit({ limit: 10 })).filter(({ action }) => action === 'password.wrong');
    await expect.poll(failed, { timeout: 20_000 }).toMatchObject([{ detail: 'from 127.9.8.0/24' }]);

    if (program !== 'nginx') return;
    const form = { email: 'nobody@example.org', password: 'wrong' };
    const tries = await Promise.all(Array.from({ length: 60 }, () => ask(url, DASHBOARD, '/sign-in', {}, form)));
    const limited = tries.filter(({ statusCode }) => statusCode === 429).length;
    expect(limited, 'one address may try thirty times, and then every two seconds').toBeGreaterThan(20);
    expect((await ask(url, DASHBOARD, '/sign-in')).statusCode).toBe(200);
    expect((await get('/v1/periods')).status).toBe(200);
  });
});
