/**
 * The model in the real CHAP, from PyPI: `chap eval` on records that come with it, and `chapkit test` on the model as a
 * service, from the repository that `npm run pack:chap` makes.
 */
import { execFile, spawn } from 'node:child_process';
import { chmodSync, globSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
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

  test('chap eval runs the model beside persistence, and its scores are read', async () => {
    const [records] = globSync('lib/python3*/site-packages/chap_core/file_io/example_data/hydromet_5_filtered.csv', {
      cwd: at('python'),
    });
    const scores: Record<string, number> = {};
    for (const [name, ...options] of [
      [repository, '--run-config.ignore-environment'],
      ['builtin:persistence'],
    ] as const) {
      const out = at(`${path.basename(name)}.nc`);
      const splits = ['--backtest-params.n-splits', '3', '--backtest-params.n-periods', '3'];
      const data = ['--dataset-csv', at(`python/${records}`), '--output-file', out];
      await run(`${bin}/chap`, ['eval', '--model-name', name, ...data, ...splits, ...options], { cwd: directory, env });
      await run(`${bin}/chap`, ['export-metrics', '--input-files', out, '--output-file', `${out}.csv`], { env });
      const { header, rows } = await readCsv(`${out}.csv`, 'metrics');
      scores[path.basename(name)] = Number(rows[0]!.cells[header.indexOf('crps_log1p')]);
    }
    process.stdout.write(`chap eval, CRPS of ln(1 + cases): ${JSON.stringify(scores)}\n`);
    for (const score of Object.values(scores)) expect(score).toBeGreaterThan(0);
    const [made] = globSync('runs/*/*/predictions_*.csv', { cwd: directory });
    const { header } = await readCsv(at(made!), 'predictions');
    expect(header.filter((name) => name.startsWith('sample_'))).toHaveLength(200);
  });

  test('as a service of chapkit: what it says of itself, and training and forecasts with another number of samples', async () => {
    const port = await freePort();
    const options = ['--port', `${port}`, '--database', at('models.db')];
    const service = spawn(`${bin}/chapkit`, ['mlproject', 'run', repository, ...options], { env, stdio: 'ignore' });
    onTestFinished(() => void service.kill());
    const url = `http://127.0.0.1:${port}`;
    const info = await answerOf(`${url}/api/v1/info`);
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
        repository_url: OWNER.repository_url,
      },
    });
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

  test("the marketplace's entry is one that CHAP reads", async () => {
    const code = `import sys, yaml
from chap_core.services.model_marketplace import MarketplaceModel
entry = MarketplaceModel.model_validate(yaml.safe_load(open(sys.argv[1])))
print(entry.id, entry.source.image, entry.attribution.author, entry.versions[0].commit)`;
    const { stdout } = await run(`${bin}/python`, ['-c', code, path.join(repository, 'marketplace.yaml')]);
    expect(stdout).toBe(`malaria_risk_cases ${OWNER.image} ${OWNER.author} ${COMMIT}\n`);
  });
});

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
