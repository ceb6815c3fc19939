/**
 * The model in the real CHAP, from PyPI: `chap eval` on records that come with it, and `chapkit test` on the model as a
 * service, from the repository that `npm run pack:chap` makes.
 */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, globSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { readOwner, writeChapRepository } from '../../pipeline/deploy/pack/pack-chap.ts';
import { readCsv } from '../../pipeline/ingest/readers/csv.ts';
import { codeVersion } from '../../pipeline/lib/code-state.ts';
import { ROOT } from '../../pipeline/lib/packed.ts';
import { temporary } from '../support/command-line.ts';

const run = promisify(execFile);
const PACKAGES = ['chap-core==2.5.1', 'chapkit==2.4.1'];
const COMMIT = 'f'.repeat(40);
const OWNER = {
  author: 'A team: "the first"',
  organization: 'An organisation',
  contact_email: 'team@example.org',
  citation_info: 'Not published',
  documentation_url: 'https://example.org/model',
  repository_url: 'https://example.org/source',
  image: 'example.org/malaria-risk-chap',
};
const directory = temporary();
const at = (name: string) => path.join(directory, name);

/** Python 3.13 with CHAP; null if there is none, or pip cannot install it. */
async function installChap(): Promise<string | null> {
  const pyenv = await run('pyenv', ['prefix', '3.13']).then(
    ({ stdout }) => [path.join(stdout.trim(), 'bin/python3')],
    () => [],
  );
  for (const python of ['python3.13', ...pyenv]) {
    try {
      await run(python, ['-m', 'venv', at('python')]);
      await run(at('python/bin/pip'), ['install', '--quiet', '--retries', '0', ...PACKAGES]);
      return at('python/bin');
    } catch {
      // The next candidate may do.
    }
  }
  return null;
}

const bin = await installChap();
const title = bin ? 'CHAP' : `CHAP (skipped, optional: no Python 3.13, or no ${PACKAGES.join(', ')} from pip)`;

describe.skipIf(bin === null)(title, () => {
  const commands = at('commands');
  const env = { ...process.env, NODE_OPTIONS: '', PATH: `${commands}:${process.env.PATH}`, GIT_REVISION: COMMIT };
  const repository = at('repository');

  beforeAll(() => {
    mkdirSync(commands);
    const program = path.join(ROOT, 'pipeline/cli/malaria-risk.js');
    writeFileSync(path.join(commands, 'malaria-risk'), `#!/bin/sh\nexec "${process.execPath}" "${program}" "$@"\n`);
    chmodSync(path.join(commands, 'malaria-risk'), 0o755);
    writeFileSync(at('owner.json'), JSON.stringify(OWNER));
    writeChapRepository(repository, readOwner(at('owner.json')), codeVersion(), COMMIT);
  });

  /** CRPS and coverage of the model and of persistence on a file of records, in the form of MODEL.md. */
  async function evaluate(records: string): Promise<string[]> {
    const name = path.basename(records, '.csv');
    const models = [[repository, '--run-config.ignore-environment'], ['builtin:persistence']];
    const files = models.map((_, i) => at(`${name}-${i}.nc`));
    const windows = ['--backtest-params.n-splits', '12', '--backtest-params.n-periods', '3'];
    for (const [i, options] of models.entries()) {
      const data = ['--dataset-csv', records, '--output-file', files[i]!];
      await run(`${bin}/chap`, ['eval', '--model-name', ...options, ...data, ...windows], { cwd: directory, env });
    }
    const metrics = at(`${name}-metrics.csv`);
    await run(`${bin}/chap`, ['export-metrics', ...files, '--output-file', metrics], { env });
    const { header, rows } = await readCsv(metrics, 'metrics');
    return rows.map(({ cells }) => {
      const [crps, coverage] = ['crps_log1p', 'coverage_10_90'].map((column) => Number(cells[header.indexOf(column)]));
      return `${crps!.toFixed(3)}; ${coverage!.toFixed(2)}`.replaceAll('0.', '.');
    });
  }

  /** What MODEL.md says of the model and of persistence on a file. */
  function readModelPage(file: string): string[] {
    const page = readFileSync(path.join(ROOT, 'pipeline/model/forecast/MODEL.md'), 'utf8');
    const row = page.split('\n').find((line) => line.startsWith(`| \`${file}\``))!;
    return row.replaceAll('*', '').split(' | ').slice(1, 3);
  }

  async function expectModelPage(records: string) {
    const scores = await evaluate(records);
    const file = path.basename(records);
    process.stdout.write(`chap eval, ${file}: CRPS of ln(1 + k) and coverage ${scores[0]}, persistence ${scores[1]}\n`);
    expect(scores).toEqual(readModelPage(file));
  }

  test('chap eval on its own records: the scores of the model and of persistence are those of MODEL.md', async () => {
    const folder = at('python');
    const [records] = globSync('lib/python3*/site-packages/chap_core/file_io/example_data/*.csv', { cwd: folder });
    await expectModelPage(path.join(folder, records!));
    const [predictions] = globSync('runs/*/*/predictions_*.csv', { cwd: directory });
    const { header } = await readCsv(at(predictions!), 'predictions');
    expect(header.filter((name) => name.startsWith('sample_'))).toHaveLength(200);
  });

  const { CHAP_RECORDS } = process.env;
  const records = CHAP_RECORDS
    ? path.basename(CHAP_RECORDS)
    : 'Laos (skipped, optional: no CHAP_RECORDS, the path of a file of the table in MODEL.md)';
  test.skipIf(!CHAP_RECORDS)(`chap eval on ${records}`, async () => {
    await expectModelPage(path.resolve(CHAP_RECORDS!));
  });

  test('as a service of chapkit: what it says of itself, and training and forecasts with another number of samples', async () => {
    const port = `${await freePort()}`;
    // The image's command, with the directories and the port of this test.
    const [, command] = /^CMD (.*)$/m.exec(readFileSync(path.join(repository, 'Containerfile'), 'utf8'))!;
    const places: Record<string, string> = {
      '/work/model': repository,
      '/work/data/models.db': at('models.db'),
      '0.0.0.0': '127.0.0.1',
      '8000': port,
    };
    const words: string[] = JSON.parse(command!).map((word: string) => places[word] ?? word);
    expect(words).toEqual(expect.arrayContaining(Object.values(places)));
    const registration = await listenForRegistrations();
    const serviceEnv = {
      ...env,
      SERVICEKIT_ORCHESTRATOR_URL: `${registration.url}/v2/services/$register`,
      SERVICEKIT_HOST: 'malaria-risk-chap',
    };
    const service = spawn(`${bin}/${words[0]}`, words.slice(1), { env: serviceEnv, stdio: 'ignore' });
    onTestFinished(() => void service.kill());
    const url = `http://127.0.0.1:${port}`;
    const info = await answerOf(`${url}/api/v1/info`);
    expect(await answerOf(`${url}/health`)).toMatchObject({ status: 'healthy' });
    expect(info).toMatchObject({
      id: 'malaria-risk-cases',
      version: codeVersion(),
      git_revision: COMMIT,
      period_type: 'monthly',
      min_prediction_periods: 1,
      max_prediction_periods: 12,
      model_metadata: {
        author: OWNER.author,
        organization: OWNER.organization,
        contact_email: OWNER.contact_email,
        citation_info: OWNER.citation_info,
        documentation_url: OWNER.documentation_url,
        repository_url: OWNER.repository_url,
      },
    });
    await vi.waitFor(() => expect(registration.requests).not.toEqual([]), { timeout: 60_000, interval: 200 });
    expect(registration.requests[0]).toMatch(/^POST \/v2\/services\/\$register \{"id":"malaria-risk-cases"/);
    expect(registration.requests[0]).toContain(`"url":"http://malaria-risk-chap:${port}"`);
    const schema = await answerOf(`${url}/api/v1/configs/$schema`);
    expect(JSON.stringify(schema)).toContain('"minimum":20');
    // `chapkit test` exists only in the folder of a project that depends on chapkit.
    const project = at('project');
    mkdirSync(project);
    writeFileSync(
      path.join(project, 'pyproject.toml'),
      '[project]\nname = "x"\nversion = "0"\ndependencies = ["chapkit"]\n',
    );
    const { stdout } = await run(`${bin}/chapkit`, ['test', '--url', url, '--seed', '1', '--timeout', '300'], {
      cwd: project,
      env,
    });
    process.stdout.write(`${stdout.split('\n').slice(-15).join('\n')}\n`);
    expect(stdout).toContain('ALL TESTS PASSED');
    // Nothing was written beside the model: the service can run on a read-only disk.
    expect(readdirSync(repository).sort()).toEqual(
      ['.gitignore', 'Containerfile', 'LICENSE', 'MLproject', 'README.md', 'marketplace.yaml'].sort(),
    );
  });

  test("the marketplace's entry is one that CHAP reads and installs", async () => {
    const code = `import sys, yaml
from chap_core.services.model_marketplace import MarketplaceModel, configured_model_requests, stable_pin
pin = stable_pin(MarketplaceModel.model_validate(yaml.safe_load(open(sys.argv[1]))))
print(pin.entry.id, pin.image, pin.entry.attribution.author, pin.commit)
print(configured_model_requests(pin, 1)[0]["user_option_values"])`;
    const { stdout } = await run(`${bin}/python`, ['-c', code, path.join(repository, 'marketplace.yaml')]);
    expect(stdout).toBe(`malaria_risk_cases ${OWNER.image}:sha-fffffff ${OWNER.author} ${COMMIT}\n{}\n`);
  });
});

/** An address for registrations in place of CHAP's, and what arrives there. */
async function listenForRegistrations(): Promise<{ url: string; requests: string[] }> {
  const requests: string[] = [];
  const server = createHttpServer(async (request, response) => {
    requests.push(`${request.method} ${request.url} ${await text(request)}`);
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((done) => server.once('listening', done));
  const { port } = server.address() as { port: number };
  await new Promise((done) => server.close(done));
  return port;
}

/** Asks until the service answers, for at most two minutes. */
async function answerOf(url: string): Promise<unknown> {
  for (let attempt = 0; ; attempt++) {
    try {
      const response = await fetch(url);
      if (response.ok) return await response.json();
      throw new Error(`${url}: ${response.status}`);
    } catch (error) {
      if (attempt === 240) throw error;
      await new Promise((done) => setTimeout(done, 500));
    }
  }
}
