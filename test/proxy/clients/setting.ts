/**
 * The servers with which the clients in every language are tested: proxies for the tiny country, and a gateway in front
 * of one of them that misbehaves as the first part of the path requests.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { buildOpenapi } from '../../../pipeline/contract/openapi.ts';
import { describeApi } from '../../../pipeline/contract/reference.ts';
import { clientFiles } from '../../../pipeline/publish/clients/files.ts';
import { TERRITORY } from '../../../pipeline/synthetic/states.ts';
import { temporary } from '../../support/command-line.ts';
import { giveKey, serveBuild } from '../../support/proxy/service.ts';

/**
 * Two states with an LGA of the same name, one LGA with aliases, one whose alias is another's name, and Nasarawa, whose
 * code is NA.
 */
const area = { aliases: [], longitude: 8.5, latitude: 8.5, neighbours: [] };
const PLACES = {
  states: [
    { state_code: 'BE', state: 'Benue', zone: 'North Central', pcode: 'NG007', iso_code: null, ...area },
    { state_code: 'NA', state: 'Nasarawa', zone: 'North Central', pcode: 'NG026', iso_code: 'NG-NA', ...area },
  ],
  lgas: [
    { ...area, lga_code: 'NG007015', lga: 'Obi', state_code: 'BE' },
    { ...area, lga_code: 'NG026011', lga: 'Obi', state_code: 'NA' },
    { ...area, lga_code: 'NG007003', lga: 'Ado-Ékiti', aliases: ['Ado Town', 'Igumale'], state_code: 'BE' },
    { ...area, lga_code: 'NG007001', lga: 'Agatu', state_code: 'BE' },
    { ...area, lga_code: 'NG007002', lga: 'Apa', aliases: ['Agatu'], state_code: 'BE' },
  ],
};

/** The columns of a table as `/v1/tables` lists them. */
const COLUMNS = [
  ...['lga_code', 'state_code', 'lga', 'round'].map((column) => ({ column, type: 'VARCHAR' })),
  { column: 'score', type: 'DOUBLE' },
];

interface Answer {
  status: number;
  headers?: Record<string, string>;
  body?: string;
}
const problem = (status: number, code: string, retryAfter: string): Answer => ({
  status,
  headers: { 'content-type': 'application/problem+json', 'retry-after': retryAfter },
  body: JSON.stringify({ type: 'about:blank', title: 't', status, detail: 'd', code, request_id: 'r' }),
});
const ok = (type: string, body: string): Answer => ({ status: 200, headers: { 'content-type': type }, body });

/** By the first part of the path: the answer to the nth request (from 0), or null to pass it on to the service. */
const FAULTS: Record<string, (nth: number) => Answer | null> = {
  pass: () => null,
  'limited-once': (nth) => (nth === 0 ? problem(429, 'RATE_LIMITED', '1') : null),
  'busy-once': (nth) => (nth === 0 ? problem(503, 'SERVICE_UNAVAILABLE', '1') : null),
  'limited-long': () => problem(429, 'RATE_LIMITED', '768000'),
  zeros: () => problem(429, 'RATE_LIMITED', '0'),
  html: () => ({ status: 502, headers: { 'content-type': 'text/html' }, body: '<h1>Bad gateway</h1>' }),
  moved: () => ({ status: 302, headers: { location: '/pass/v1/periods' } }),
  short: () => ({ status: 200, headers: { 'content-length': '100' }, body: 'period,score\n' }),
  na: (nth) =>
    nth === 0
      ? ok('text/csv; charset=utf-8', 'lga_code,state_code,lga,round,score\n007,NA,Ado-Ékiti,01,\n008,BE,NA,02,0.5\n')
      : ok('application/json', JSON.stringify({ tables: [{ table: 'x', columns: COLUMNS }] })),
  places: () => ok('application/json', JSON.stringify(PLACES)),
};

export interface Setting {
  /** Environment variables with the addresses and keys that the checks need. */
  env: Record<string, string>;
  /** The rest of the path and the client's name of each request, by the first part of the path. */
  seen: Record<string, { path: string; agent: string | undefined }[]>;
}

/** Starts everything; `atEnd` receives the functions that stop it. */
export async function startSetting(out: string, atEnd: (end: () => unknown) => void): Promise<Setting> {
  const store = () => `sqlite:${path.join(temporary(), 'proxy.sqlite')}`;
  const serve = (limits: { perMonth?: number }) =>
    serveBuild({ build: temporary(), snapshot: path.join(out, 'current'), store: store() }, limits, (end) =>
      atEnd(end),
    );
  const [service, spent] = [await serve({}), await serve({ perMonth: 1 })];
  const seen: Setting['seen'] = {};

  const send = (reply: ServerResponse, { status, headers = {}, body }: Answer) => {
    reply.writeHead(status, headers).write(body ?? '');
    if (headers['content-length']) setTimeout(() => reply.destroy(), 50);
    else reply.end();
  };
  const gateway = createServer(async ({ url = '', headers }, reply) => {
    const [, fault = '', rest = ''] = /^\/([^/]*)(\/.*)$/.exec(url) ?? [];
    seen[fault] ??= [];
    const nth = seen[fault].push({ path: rest, agent: headers['user-agent'] }) - 1;
    const answer = FAULTS[fault]?.(nth);
    if (answer) return send(reply, answer);
    const sent = Object.entries(headers).filter(([name]) => !['host', 'connection', 'accept-encoding'].includes(name));
    const passed = await fetch(service.url + rest, { headers: Object.fromEntries(sent) as Record<string, string> });
    const type = passed.headers.get('content-type') ?? '';
    reply.writeHead(passed.status, { 'content-type': type }).end(Buffer.from(await passed.arrayBuffer()));
  });
  gateway.listen(0, '127.0.0.1');
  await new Promise((resolve) => gateway.once('listening', resolve));
  atEnd(() => gateway.closeAllConnections());
  atEnd(() => gateway.close());

  const keyOf = async ({ store }: typeof service, scopes?: ['forecasts']) =>
    (await giveKey(store, scopes ? { scopes } : {})).key;
  return {
    seen,
    env: {
      URL: service.url,
      KEY: await keyOf(service),
      KEY_FORECASTS: await keyOf(service, ['forecasts']),
      SPENT_URL: spent.url,
      SPENT_KEY: await keyOf(spent),
      GATEWAY: `http://127.0.0.1:${(gateway.address() as AddressInfo).port}`,
    },
  };
}

/** Values of the tiny country for the README's examples. */
const EXAMPLE = { state: 'AB', lga: 'NG001001', period: '2021-12' };

/** Writes the folder `client/` of a snapshot. */
export async function writeClients(): Promise<string> {
  const folder = path.join(temporary(), 'client');
  const reference = describeApi(buildOpenapi('tiny-1-00000000', TERRITORY), []);
  for (const [name, text] of Object.entries(await clientFiles(TERRITORY, reference, EXAMPLE))) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), text);
  }
  return folder;
}

/** The README's example in a language, for the service at `url`. */
export function readmeExample(clients: string, language: 'python' | 'r' | 'ts', url: string): string {
  const readme = readFileSync(path.join(clients, 'README.md'), 'utf8');
  const [, code = ''] = readme.split(`\`\`\`${language}\n`);
  return code.split('```')[0]!.replace('https://malaria.example.org', url);
}

/** The table of a user of the README's examples: two LGAs by names, and one that does not exist. */
export const OWN_CSV = 'state,lga,beds\nAbia,place 1,10\nAB,Place 2,20\nAdamawa,Place 1,30\n';

/** The paths that a client of `version` sends to read the places and the list of versions. */
export const ofVersion = (version: string) => ['/v1/periods', `/v1/versions/${version}/places`, '/v1/versions'];
