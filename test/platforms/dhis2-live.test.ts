/**
 * The commands of the page on DHIS2, as printed: a version goes into a DHIS2, each of its values is read back by two
 * addresses, and all is taken back. It runs on the server DHIS2_URL, a test instance (DHIS2_USER, DHIS2_PASSWORD: a
 * superuser with an organisation unit), and on an imitated one, which also does things wrong.
 */
import { execFile, spawnSync } from 'node:child_process';
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import { query } from '../../pipeline/cli/commands/query.ts';
import type { DataValue } from '../../pipeline/publish/dhis2/data-values.ts';
import { stableUid } from '../../pipeline/publish/dhis2/metadata.ts';
import { publishedTiny, rewriteManifest } from '../support/built-tiny.ts';
import { temporary } from '../support/command-line.ts';
import { needsReal, REFERENCE } from '../support/real-data.ts';
import { runHere } from '../support/run-here.ts';
import { type Faults, startDhis2, USER, VERSIONS, type Version } from './imitated-dhis2.ts';

const PAGE = readFileSync(path.join(import.meta.dirname, '../../pipeline/publish/dhis2/README.md'), 'utf8');
const BLOCKS = [...PAGE.matchAll(/^( *)```sh\n(.*?)^ *```/gms)].map(([, indent, block]) =>
  block!.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
);
const BLOCK = {
  export: findBlock('export dhis2'),
  trial: findBlock('importMode=VALIDATE'),
  metadata: findBlock("/api/metadata'"),
  values: findBlock('CREATE_AND_UPDATE'),
  removal: findBlock('importStrategy=DELETE'),
};

function findBlock(text: string): string {
  const [block, ...others] = BLOCKS.filter((candidate) => candidate.includes(text));
  if (block === undefined || others.length > 0) throw new Error(`expected one block of the page with ${text}`);
  return block;
}

const readJson = (...file: string[]) => JSON.parse(readFileSync(path.join(...file), 'utf8'));
const valueKey = ({ dataElement, period, orgUnit }: DataValue) => `${dataElement} ${period} ${orgUnit}`;
const listPeriods = (values: readonly DataValue[]) => [...new Set(values.map(({ period }) => period))].sort();

interface Account {
  url: string;
  user: string;
  password: string;
}

/** What the test asks a DHIS2 itself, beside the page's commands. */
class Dhis2 {
  private readonly account: Account;

  constructor(account: Account) {
    this.account = account;
  }

  request(address: string, method = 'GET', body?: object): Promise<Response> {
    const { url, user, password } = this.account;
    const authorization = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
    const headers = { authorization, 'content-type': 'application/json' };
    return fetch(`${url}${address}`, { method, body: body ? JSON.stringify(body) : null, headers });
  }

  async read(address: string, method?: string, body?: object) {
    const response = await this.request(address, method, body);
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${address}: ${response.status} ${text.slice(0, 1000)}`);
    return JSON.parse(text);
  }

  /** Those of the objects of `metadata` that the server has, as `type/id`. */
  async listObjects(metadata: Metadata): Promise<string[]> {
    const names = Object.entries(metadata).flatMap(([type, objects]) => objects.map(({ id }) => `${type}/${id}`));
    const present: string[] = [];
    for (const name of names) if ((await this.request(`/api/${name}`)).status !== 404) present.push(name);
    return present;
  }

  /** Values with their comments from the address of data value sets, of the units below one. */
  async readDataValueSet(dataSet: string, above: string, periods: readonly string[]): Promise<DataValue[]> {
    const dates = `startDate=${periods[0]!.slice(0, 4)}-01-01&endDate=${periods.at(-1)!.slice(0, 4)}-12-31`;
    const address = `/api/dataValueSets.json?dataSet=${dataSet}&orgUnit=${above}&children=true&${dates}`;
    // 2.43 has at the top what all values share.
    const { dataValues, ...common } = await this.read(address);
    return dataValues.map((value: object) => Object.assign({}, common, value));
  }

  async buildAnalyticsTables(): Promise<void> {
    const { response } = await this.read('/api/resourceTables/analytics', 'POST');
    for (;;) {
      const messages: { completed: boolean }[] = await this.read(response.relativeNotifierEndpoint);
      if (messages.some(({ completed }) => completed)) return;
      await new Promise((done) => setTimeout(done, 2000));
    }
  }

  /** What analytics shows of an element at a level of units. */
  async readAnalytics(element: string, level: number, above: string, periods: readonly string[]): Promise<DataValue[]> {
    const dimensions = [`dx:${element}`, `ou:LEVEL-${level};${above}`, `pe:${periods.join(';')}`];
    const { headers, rows } = await this.read(
      `/api/analytics.json?${dimensions.map((text) => `dimension=${text}&`).join('')}skipMeta=true&skipRounding=true`,
    );
    const [dx, pe, ou, value] = ['dx', 'pe', 'ou', 'value'].map((name) =>
      headers.findIndex((header: { name: string }) => header.name === name),
    ) as [number, number, number, number];
    return rows.map((row: string[]) => ({
      dataElement: row[dx]!,
      period: row[pe]!,
      orgUnit: row[ou]!,
      value: row[value]!,
    }));
  }
}
type Metadata = Record<string, { id: string }[]>;

/** A made-up version, and units for its areas below one of the server's. */
async function makeVersion(above: string) {
  const out = publishedTiny();
  rewriteManifest(path.join(out, 'current'), (manifest) => {
    manifest.synthetic = true;
  });
  const places = await query('FROM places', { out });
  const unitId = (code: unknown) => stableUid('organisationUnit', `test ${code}`);
  const listUnits = (level: 'state' | 'lga') =>
    places
      .filter(({ area }) => area === level)
      .map(({ code, name, state_code }) => ({
        id: unitId(code),
        code,
        name: `MADE UP ${name}`,
        shortName: `MADE UP ${name}`,
        openingDate: '1990-01-01',
        parent: { id: level === 'state' ? above : unitId(state_code) },
      }));
  return { out, states: listUnits('state'), lgas: listUnits('lga') };
}

/** Where two lists of values differ, as one line. */
function describeDifference(
  sent: readonly DataValue[],
  received: readonly DataValue[],
  show: (value: DataValue) => string,
): string | null {
  const [before, after] = [sent, received].map(
    (values) => new Map(values.map((value) => [valueKey(value), show(value)])),
  );
  const keys = [...new Set([...before!.keys(), ...after!.keys()])];
  const wrong = keys.filter((key) => before!.get(key) !== after!.get(key));
  const [sentFirst, receivedFirst] = [before, after].map((values) => values!.get(wrong[0]!) ?? 'nothing');
  return wrong.length === 0 ? null : `${wrong.length} of ${sent.length} differ: ${sentFirst}, read ${receivedFirst}`;
}

/**
 * Follows the page from its first address to the removal.
 * @param prepare changes the exported files before they are sent
 * @returns what went wrong, by step, and how many values were compared
 * @throws before anything of the version is imported, if the server has objects of the version already
 */
async function followPage(account: Account, prepare: (files: string) => void = () => {}) {
  const server = new Dhis2(account);
  const directory = temporary();
  const [files, map] = [path.join(directory, 'dhis2'), path.join(directory, 'organisationUnits.json')];
  const quote = (text: string) => `"${text.replaceAll(/["\\]/g, '\\$&')}"`;
  const login = `login ${quote(account.user)} password ${quote(account.password)}`;
  writeFileSync(path.join(directory, '.netrc'), `machine ${new URL(account.url).hostname} ${login}\n`, { mode: 0o600 });
  const runBlock = async (block: string) => {
    const options = { cwd: files, env: { ...process.env, HOME: directory }, maxBuffer: 2 ** 28 };
    const command = block.replaceAll('https://DHIS2', account.url);
    return (await promisify(execFile)('sh', ['-e', '-c', command], options)).stdout;
  };
  const problems: string[] = [];
  async function attempt(step: string, action: () => Promise<unknown>) {
    try {
      const problem = await action();
      if (problem) problems.push(`${step}: ${problem}`);
    } catch (error) {
      const { message, stderr, stdout } = error as Error & { stdout?: string; stderr?: string };
      problems.push(`${step}: ${stdout === undefined ? message : `${stderr} ${stdout.slice(0, 1000)}`}`);
    }
  }

  const [unit] = (await server.read('/api/me.json?fields=organisationUnits[id]')).organisationUnits;
  if (!unit) throw new Error(`${account.user} has no organisation unit, below which made-up ones could be added`);
  const { out, states, lgas } = await makeVersion(unit.id);
  await server.read('/api/metadata', 'POST', { organisationUnits: [...states, ...lgas] });
  try {
    const [, address] = /`https:\/\/DHIS2(\/api\/organisationUnits\.json[^`]*)`/.exec(PAGE)!;
    const { organisationUnits } = await server.read(address!);
    writeFileSync(map, JSON.stringify({ organisationUnits }));
    const command = BLOCK.export.split('\n').find((line) => line.includes('export dhis2'))!;
    const places: Record<string, string> = {
      'build/nigeria': out,
      'build/organisationUnits.json': map,
      'build/dhis2': files,
    };
    const words = command.replace('npx malaria-risk ', '').split(' ');
    const exported = await runHere(words.map((word) => places[word] ?? word));
    if (exported.code !== 0) throw new Error(exported.stderr);
    prepare(files);
    const metadata: Metadata = readJson(files, 'metadata.json');
    if ((await server.listObjects(metadata)).length > 0)
      throw new Error(`${account.url} has objects of a made-up version: take them back first`);
    const valueFiles = globSync('data-values-*.json', { cwd: files });
    const sent = valueFiles.flatMap((name): DataValue[] => readJson(files, name).dataValues);
    const periods = listPeriods(sent);

    await attempt('trial run', async () => {
      await runBlock(BLOCK.trial);
      return (await server.listObjects(metadata)).join(', ');
    });
    await attempt('metadata', () => runBlock(BLOCK.metadata).then(() => null));
    const readValues = () => server.readDataValueSet(metadata.dataSets![0]!.id, unit.id, periods);
    await attempt('trial run of the values', async () => {
      await runBlock(BLOCK.values.replace('preheatCache=true', '$&&dryRun=true'));
      const { length } = await readValues();
      return length > 0 ? `${length} values were stored` : null;
    });
    await attempt('values', async () => {
      const answers = (await runBlock(BLOCK.values)).trim().split('\n');
      const isRefused = ([, status, , conflicts]: [string, string, object, unknown[] | null]) =>
        status !== 'SUCCESS' || (conflicts ?? []).length > 0;
      const refused = answers.filter((line) => isRefused(JSON.parse(line)));
      return refused[0] ?? (answers.length === valueFiles.length ? null : `${answers.length} answers`);
    });
    await attempt('data value sets', async () => {
      const show = (value: DataValue) => `${valueKey(value)} ${value.value} (${value.comment ?? 'no comment'})`;
      return describeDifference(sent, await readValues(), show);
    });
    await attempt('analytics', async () => {
      await server.buildAnalyticsTables();
      const levels = new Map<string, number>(organisationUnits.map(({ id, level }: Unit) => [id, level]));
      const unitLevel = ({ orgUnit }: DataValue) => levels.get(orgUnit)!;
      const received: DataValue[] = [];
      for (const [level, values] of Map.groupBy(sent, unitLevel))
        for (const [element, elementValues] of Map.groupBy(values, ({ dataElement }) => dataElement))
          received.push(...(await server.readAnalytics(element, level, unit.id, listPeriods(elementValues))));
      return describeDifference(sent, received, (value) => `${valueKey(value)} ${Number(value.value)}`);
    });
    await attempt('removal', async () => {
      await runBlock(BLOCK.removal);
    });
    await attempt('after the removal', async () => {
      const present = await server.listObjects(metadata);
      return present.length > 0 ? `${present.length} objects are left, such as ${present[0]}` : null;
    });
    return { problems, values: sent.length, files: valueFiles.length };
  } finally {
    for (const organisationUnits of [lgas, states])
      await attempt('removal of the units', async () => {
        await server.read('/api/metadata?importStrategy=DELETE', 'POST', { organisationUnits });
      });
  }
}
interface Unit {
  id: string;
  level: number;
}

const { DHIS2_URL, DHIS2_USER, DHIS2_PASSWORD } = process.env;
const isLive = Boolean(DHIS2_URL && DHIS2_USER && DHIS2_PASSWORD);
const skipped = isLive ? '' : ' (skipped, optional: no DHIS2_URL, DHIS2_USER and DHIS2_PASSWORD)';

test.skipIf(!isLive)(
  `a DHIS2 server shows all values, and none is left${skipped}`,
  { timeout: 3_600_000 },
  async () => {
    const account = { url: DHIS2_URL!.replace(/\/$/, ''), user: DHIS2_USER!, password: DHIS2_PASSWORD! };
    const { version } = await new Dhis2(account).read('/api/system/info.json');
    const { problems, values, files } = await followPage(account);
    process.stdout.write(`DHIS2 ${version}: ${values} values in ${files} files sent and read back\n`);
    expect(problems).toEqual([]);
  },
);

const missing = ['curl', 'jq'].filter((program) => spawnSync(program, ['--version']).status !== 0);
const reason = missing.length > 0 ? ` (skipped: no ${missing.join(', no ')})` : '';
describe.skipIf(missing.length > 0)(`an imitated DHIS2${reason}`, () => {
  /** In three files, so that the page's loops have several. */
  function splitValues(files: string) {
    const { dataSet, dataValues } = readJson(files, 'data-values-001.json');
    const size = Math.ceil(dataValues.length / 3);
    for (const i of [0, 1, 2]) {
      const content = JSON.stringify({ dataSet, dataValues: dataValues.slice(i * size, (i + 1) * size) });
      writeFileSync(path.join(files, `data-values-00${i + 1}.json`), content);
    }
  }
  async function follow(version: Version, faults?: Faults) {
    const { url, close } = await startDhis2(version, faults);
    onTestFinished(close);
    return { url, ...(await followPage({ url, ...USER }, splitValues)) };
  }

  test.each(VERSIONS)('%s: every value is read back, and nothing is left', async (version) => {
    const { problems, values, files, url } = await follow(version);
    expect(problems).toEqual([]);
    expect(values).toBeGreaterThan(200);
    expect(files).toBe(3);
    const { organisationUnits } = await new Dhis2({ url, ...USER }).read('/api/organisationUnits.json');
    expect(organisationUnits).toHaveLength(1);
  });

  test.each(VERSIONS)(
    '%s: a value that is dropped, changed, or loses its comment is told by its key',
    async (version) => {
      const drops = await follow(version, { store: (value, i) => (i === 150 ? null : value) });
      expect(drops.problems).toEqual([
        expect.stringMatching(/^data value sets: 1 of \d+ differ: \w{11} \d{6} \w{11} [\d.]+ \(.*\), read nothing$/),
        expect.stringMatching(/^analytics: 1 of \d+ differ: \w{11} \d{6} \w{11} [\d.]+, read nothing$/),
      ]);
      const changes = await follow(version, { store: (value, i) => (i === 7 ? { ...value, value: '0.123' } : value) });
      expect(changes.problems).toEqual([
        expect.stringMatching(/^data value sets: 1 of .*, read \w{11} \d{6} \w{11} 0\.123 \(no comment\)$/),
        expect.stringMatching(/^analytics: 1 of .*, read \w{11} \d{6} \w{11} 0\.123$/),
      ]);
      const { problems } = await follow(version, { store: ({ comment: _, ...value }) => value });
      expect(problems).toEqual([expect.stringMatching(/^data value sets: \d+ of .* \(month 1 .*\(no comment\)$/)]);
    },
  );

  test('analytics that rounds is told, and a file that is refused with its error', async () => {
    const { problems } = await follow('2.42.4.1', { alwaysRounds: true });
    expect(problems).toEqual([expect.stringMatching(/^analytics: \d+ of \d+ differ/)]);
    const refused = await follow('2.43.1', { opensLate: true });
    expect(refused.problems[0]).toMatch(/^values: \["answer-data-values-001\.json","WARNING",.*E8031/);
    expect(refused.problems[1]).toMatch(/^data value sets: \d+ of \d+ differ: .*, read nothing$/);
  });

  test('a removal without pruning ends with the error, and what it leaves is counted', async () => {
    const { problems } = await follow('2.42.4.1', { refusesPruning: true });
    expect(problems).toEqual([
      expect.stringMatching(/^removal: .*error: 403.*error: 409/s),
      expect.stringMatching(/^after the removal: \d+ objects are left/),
    ]);
  });

  const recorded = path.join(REFERENCE, 'dhis2');
  test.skipIf(!existsSync(recorded))(needsReal('its answers have the fields of those of real servers'), async () => {
    for (const [version, name] of [
      ['2.42.4.1', 'dataValueSets.json'],
      ['2.43.1', 'dataValueSets-2.43.json'],
    ] as const) {
      const { url, close } = await startDhis2(version);
      onTestFinished(close);
      const server = new Dhis2({ url, ...USER });
      const real = readJson(recorded, name);
      const value: DataValue = { dataElement: 'Element0001', period: '202001', orgUnit: 'RootUnit001', value: '7' };
      const { dataElement, period, orgUnit } = value;
      const dataElements = [{ id: dataElement }];
      const organisationUnits = [{ id: orgUnit }];
      const dataSets = [
        { id: 'DataSet0001', dataSetElements: [{ dataElement: { id: dataElement } }], organisationUnits },
      ];
      await server.read('/api/metadata', 'POST', { dataElements, dataSets });
      const dataValues = [value, { ...value, period: '202002' }];
      await server.read('/api/dataValueSets', 'POST', { dataSet: 'DataSet0001', dataValues });
      const dates = 'startDate=2020-01-01&endDate=2020-12-31';
      const address = `/api/dataValueSets.json?dataSet=DataSet0001&orgUnit=${orgUnit}&children=true&${dates}`;
      const imitated = await server.read(address);
      expect(Object.keys(imitated).sort()).toEqual(Object.keys(real).sort());
      expect(Object.keys(imitated.dataValues[0]).sort()).toEqual(Object.keys(real.dataValues[0]).sort());
      expect(await server.readDataValueSet('DataSet0001', orgUnit, ['202001', '202002'])).toMatchObject(dataValues);

      await server.buildAnalyticsTables();
      const analytics = readJson(recorded, 'analytics-elements.json');
      const dimensions = `dimension=dx:${dataElement}&dimension=ou:LEVEL-1;${orgUnit}&dimension=pe:${period}`;
      const { headers, rows } = await server.read(`/api/analytics.json?${dimensions}`);
      const columnNames = (columns: { name: string }[]) => columns.map((column) => column.name);
      expect(columnNames(headers)).toEqual(columnNames(analytics.headers));
      expect(rows).toEqual([[dataElement, orgUnit, period, '7']]);
    }
  });

  test('a server that has objects of a made-up version is left as it is', async () => {
    const { url, close } = await startDhis2('2.42.4.1');
    onTestFinished(close);
    const server = new Dhis2({ url, ...USER });
    let metadata: Metadata = {};
    const importBefore = (files: string) => {
      metadata = { dataElements: readJson(files, 'metadata.json').dataElements.slice(0, 1) };
    };
    await followPage({ url, ...USER }, importBefore);
    await server.read('/api/metadata', 'POST', metadata);
    await expect(followPage({ url, ...USER })).rejects.toThrow('has objects of a made-up version');
    expect(await server.listObjects(metadata)).toHaveLength(1);
  });
});
