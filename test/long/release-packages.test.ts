/**
 * `npm run pack`, then both packages installed as by a user without a checkout, and run on every supported Node.js
 * version. Needs the npm registry, for these versions and for native libraries.
 */
import { execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, existsSync, readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest';
import type { Places } from '../../pipeline/contract/schemas.ts';
import { PAGE_SOURCES } from '../../pipeline/deploy/pack/pack.ts';
import { moduleCodeHashes } from '../../pipeline/engine/code-hashes.ts';
import { ROOT } from '../../pipeline/lib/packed.ts';
import { hashTree, temporary } from '../support/command-line.ts';
import { makeBuild } from '../support/proxy/fixture.ts';
import { HAS_REAL_DATA, needsReal, REAL_CATALOG, REAL_DATA } from '../support/real-data.ts';
import { SERVICE } from '../support/service-user.ts';
import { writeTiny } from '../support/tiny-country.ts';

const run = promisify(execFile);
/** A user's environment: without the settings of this checkout's .npmrc, which `npm run` hands on as variables. */
const ENV: NodeJS.ProcessEnv = Object.fromEntries(
  Object.entries({ ...process.env, NODE_OPTIONS: '' }).filter(([name]) => !/^npm_|^NODE_COMPILE_CACHE$/i.test(name)),
);
const registry = await run('npm', ['view', 'node@24', 'version']).then(
  () => true,
  () => false,
);
/** The installed program that builds containers, if any. */
const engine = await Promise.any(
  ['docker', 'podman', 'buildah'].map((name) => run(name, ['info']).then(() => name)),
).catch(() => null);
test.skipIf(!engine).each(['pipeline', 'proxy'])(
  engine ? 'a container of %s' : 'a container of %s (skipped, optional: no docker, podman or buildah that works)',
  async (part) => {
    const name = `malaria-test-${part}`;
    await run(engine!, ['build', '-f', `${part}/deploy/Containerfile`, '-t', name, '.'], { cwd: ROOT });
    if (engine === 'buildah') return;
    const { stdout } = await run(engine!, ['run', '--rm', name, '--version']);
    expect(stdout).toMatch(/\(contract 1\./);
  },
);

/** The machine's own Node.js. */
const old = ['/usr/bin', '/usr/local/bin'].find((directory) => existsSync(path.join(directory, 'node')));
const oldVersion = old ? (await run(path.join(old, 'node'), ['--version'])).stdout.trim() : '';
const tooOld = /^v(?:1\d|2[0-3])\./.test(oldVersion);

const PROXY_UNIT = 'proxy/deploy/malaria-proxy.service';
const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0;

/** npm writes versions without leading zeros into a lock file. */
const asInLockFile = (version: string) => version.replace(/\.0+(?=\d)/g, '.');

describe.skipIf(!registry)(registry ? 'packages' : 'packages (skipped: no npm registry)', () => {
  const prefix = temporary();
  /** The `bin` directory of each Node.js version under test. */
  const nodes: Record<string, string> = {};

  beforeAll(async () => {
    const packs = temporary();
    const { stdout } = await run('npm', ['run', '--silent', 'pack', '--', packs], { cwd: ROOT });
    const files = stdout.trim().split('\n');
    expect(files.map((file) => path.basename(file).replace(/-\d.*/, ''))).toEqual(['malaria-risk', 'malaria-proxy']);
    const quiet = ['--no-audit', '--no-fund', '--prefix'];
    const elsewhere = { cwd: packs, env: ENV };
    await run('npm', ['install', '--global', ...quiet, prefix, ...files], elsewhere);
    for (const version of ['24', '26']) {
      const directory = temporary();
      writeFileSync(path.join(directory, 'package.json'), JSON.stringify({ allowScripts: { node: true } }));
      await run('npm', ['install', ...quiet, directory, `node@${version}`], elsewhere);
      nodes[version] = path.join(directory, 'node_modules/node/bin');
    }
  }, 1_800_000);

  const installed = (name: string) => path.join(prefix, 'lib/node_modules', name);
  /** A user's shell: the commands, one version of Node.js, and nothing of this checkout. */
  const shell = (node: string) => ({
    cwd: temporary(),
    env: { ...ENV, PATH: `${path.join(prefix, 'bin')}:${nodes[node] ?? node}:/usr/bin:/bin` },
  });

  /** Folders of all packages that a package contains. */
  const dependencyFolders = (name: string) => {
    const folders = readdirSync(path.join(installed(name), 'node_modules'), { recursive: true, encoding: 'utf8' })
      .filter((file) => /(?:^|node_modules\/)(?:@[^/]+\/)?[^/@][^/]*\/package\.json$/.test(file))
      .map((file) => path.join('node_modules', path.dirname(file)));
    expect(folders.length).toBeGreaterThan(90);
    return folders;
  };

  test('packages contain compiled JavaScript with types but no tests; the proxy lacks DuckDB and mapshaper', () => {
    for (const name of ['malaria-risk', 'malaria-proxy']) {
      const own = readdirSync(installed(name), { recursive: true, encoding: 'utf8' }).filter(
        (file) => !file.startsWith('node_modules'),
      );
      expect(own.filter((file) => /(?:^|\/)test\/|\.test\./.test(file))).toEqual([]);
      const sources = own.filter((file) => /(?<!\.d)\.ts$/.test(file));
      const asTheyAre = /^pipeline\/publish\/(?:report\/page|clients\/ts)\//;
      expect(sources.filter((file) => !asTheyAre.test(file) && !PAGE_SOURCES.has(file))).toEqual([]);
      // What is JavaScript in the checkout too has no types.
      const compiled = own.filter((one) => /^(pipeline|proxy)\/.*\.js$/.test(one) && !existsSync(path.join(ROOT, one)));
      expect(compiled.length).toBeGreaterThan(50);
      for (const file of compiled) expect(own, file).toContain(file.replace(/\.js$/, '.d.ts'));
    }
    const packages = readdirSync(path.join(installed('malaria-proxy'), 'node_modules'));
    expect(packages).toContain('fastify');
    expect(packages).not.toContain('@duckdb');
    expect(packages).not.toContain('mapshaper');
    expect(existsSync(path.join(installed('malaria-proxy'), 'pipeline/publish'))).toBe(false);
  });

  test('both packages know the commit that they were packed from', async () => {
    const { stdout } = await run('git', ['rev-parse', 'HEAD'], { cwd: ROOT });
    for (const name of ['malaria-risk', 'malaria-proxy']) {
      const { commit } = JSON.parse(readFileSync(path.join(installed(name), 'packed.json'), 'utf8'));
      expect(commit, name).toBe(stdout.trim());
    }
  });

  test('each package lists its components: name, version and licence of every dependency that it contains', () => {
    for (const name of ['malaria-risk', 'malaria-proxy']) {
      const bill = JSON.parse(readFileSync(path.join(installed(name), 'sbom.cdx.json'), 'utf8'));
      expect(bill).toMatchObject({ bomFormat: 'CycloneDX', metadata: { component: { name, version: '1.0.0' } } });
      expect(bill).not.toHaveProperty('serialNumber');
      const listed = new Set(bill.components.map((one: { purl: string }) => one.purl));
      for (const { purl, licenses } of bill.components) expect(licenses?.length, purl).toBeGreaterThan(0);
      for (const folder of dependencyFolders(name)) {
        const dependency = JSON.parse(readFileSync(path.join(installed(name), folder, 'package.json'), 'utf8'));
        expect(listed).toContain(`pkg:npm/${dependency.name.replace('@', '%40')}@${asInLockFile(dependency.version)}`);
      }
      expect([...listed].some((purl) => String(purl).includes('duckdb'))).toBe(name === 'malaria-risk');
    }
  });

  test('every dependency has the version in the lock file', () => {
    const lock = JSON.parse(readFileSync(path.join(ROOT, 'package-lock.json'), 'utf8')).packages;
    for (const name of ['malaria-risk', 'malaria-proxy']) {
      for (const folder of dependencyFolders(name)) {
        const { version } = JSON.parse(readFileSync(path.join(installed(name), folder, 'package.json'), 'utf8'));
        expect(lock[folder]?.version, folder).toBe(asInLockFile(version));
      }
    }
  });

  test.each(['malaria-risk', 'malaria-proxy'])('%s prints its version and starts quickly', async (command) => {
    const { version } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8'));
    for (const node of Object.keys(nodes)) {
      const { stdout } = await run(command, ['--version'], shell(node));
      expect(stdout).toMatch(
        new RegExp(
          `^${version.replaceAll('.', '\\.')} \\(contract 1\\.\\d+\\.\\d+(, store schema \\d+)?, Node\\.js ${node}\\.`,
        ),
      );
      const times: number[] = [];
      for (let i = 0; i < 5; i++) {
        // CPU seconds of the process, since the machine may be busy.
        const measured = `import { resourceUsage } from 'node:process'; process.on('exit', () => { const { userCPUTime, systemCPUTime } = resourceUsage(); process.stderr.write(String((userCPUTime + systemCPUTime) / 1e6)); });`;
        const options = shell(node);
        const { stdout: help, stderr } = await run(command, ['--help'], {
          ...options,
          env: { ...options.env, NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(measured)}` },
        });
        expect(help).toContain(`Usage: ${command}`);
        times.push(Number(stderr));
      }
      process.stdout.write(
        `${command} --help on Node ${node}: ${times.map((seconds) => seconds.toFixed(2)).join(', ')} CPU seconds\n`,
      );
      expect(Math.min(...times)).toBeLessThan(0.3);
    }
  });

  test.skipIf(!tooOld)(
    tooOld
      ? 'an older Node.js prints one line'
      : 'an older Node.js prints one line (skipped, optional: none installed)',
    async () => {
      for (const command of ['malaria-risk', 'malaria-proxy'])
        await expect(run(command, ['--help'], shell(old!))).rejects.toMatchObject({
          code: 2,
          stdout: '',
          stderr: `${command}: this is Node.js ${oldVersion.slice(1)}, and 24.7 or newer is needed\n`,
        });
    },
  );

  test('a package builds the same version with the same keys as the checkout', async () => {
    const { directory } = writeTiny();
    const options = shell(path.dirname(process.execPath));
    const { stdout } = await run('malaria-risk', ['build', '--country', directory, '--publish', '--json'], options);
    expect(stdout).toContain('model_version');
    const [here, there] = [inject('builtTiny'), path.join(options.cwd, 'build')].map((out) =>
      realpathSync(path.join(out, 'current')),
    );
    expect(path.basename(there!)).toBe(path.basename(here!));
    expect(hashTree(there!)).toEqual(hashTree(here!));
    const packed = JSON.parse(readFileSync(path.join(installed('malaria-risk'), 'packed.json'), 'utf8'));
    expect(packed.modules['pipeline/model/risk/risk-stage.js']).toEqual(
      moduleCodeHashes('pipeline/model/risk/risk-stage.ts'),
    );
  });

  const fromCheckout = path.join(ROOT, 'pipeline/cli/malaria-risk.js');
  /** Builds a country with the package and with the checkout. @returns the snapshot's folder of each */
  async function buildWithBoth(country: Record<'package' | 'checkout', string>, ...more: string[]): Promise<string[]> {
    const options = shell(path.dirname(process.execPath));
    const build = async (command: string, args: string[], directory: string) => {
      const out = temporary();
      await run(command, [...args, 'build', '--country', directory, '--out', out, ...more], options);
      return path.join(out, 'snapshots', readdirSync(path.join(out, 'snapshots'))[0]!);
    };
    return [
      await build('malaria-risk', [], country.package),
      await build(process.execPath, [fromCheckout], country.checkout),
    ];
  }

  test('a package has the whole catalog of each country', async () => {
    const { stdout } = await run('git', ['ls-files', 'raw-data/*/*'], { cwd: ROOT });
    const files = stdout.split('\n').filter((file) => /(?<!README)\.\w+$/.test(file));
    expect(files).toContain('raw-data/nigeria/held-back.json');
    for (const file of files)
      expect(readFileSync(path.join(installed('malaria-risk'), file)), file).toEqual(
        readFileSync(path.join(ROOT, file)),
      );
  });

  test('package and checkout build the same bytes from a made-up country', { timeout: 3_600_000 }, async () => {
    const country = path.join(temporary(), 'synthetic');
    await run(process.execPath, [fromCheckout, 'synth', '--states', '5', '--out', country], { cwd: temporary() });
    const [there, here] = await buildWithBoth({ package: country, checkout: country });
    expect(path.basename(there!)).toBe(path.basename(here!));
    expect(hashTree(there!)).toEqual(hashTree(here!));
  });

  test.skipIf(!HAS_REAL_DATA)(
    needsReal('package and checkout build the same bytes from the catalog of Nigeria'),
    { timeout: 7_200_000 },
    async () => {
      const packed = path.join(installed('malaria-risk'), 'raw-data/nigeria');
      const countries = { package: packed, checkout: REAL_CATALOG };
      const [there, here] = await buildWithBoth(countries, '--raw-data', REAL_DATA, '--without-validation');
      expect(path.basename(there!)).toBe(path.basename(here!));
      expect(hashTree(there!)).toEqual(hashTree(here!));
    },
  );

  /** Reads a unit from its package; its files are where `places` says, and its commands where this test has them. */
  const readUnit = (file: string, places: Record<string, string> = {}) =>
    Object.entries({ ...places, '/opt/malaria-risk': prefix }).reduce(
      (text, [from, to]) => text.replaceAll(from, to),
      readFileSync(path.join(installed(file.startsWith('proxy') ? 'malaria-proxy' : 'malaria-risk'), file), 'utf8'),
    );

  test.skipIf(!hasSystemd)(
    `systemd accepts the units${hasSystemd ? '' : ' (skipped: no systemd-analyze)'}`,
    async () => {
      const directory = temporary();
      const files = ['malaria-risk-build.service', 'malaria-risk-build.timer'].map((name) => `pipeline/deploy/${name}`);
      files.push(PROXY_UNIT);
      for (const file of files) writeFileSync(path.join(directory, path.basename(file)), readUnit(file));
      const verify = ['verify', '--man=no', ...files.map((file) => path.basename(file))];
      expect(await run('systemd-analyze', verify, { cwd: directory })).toMatchObject({ stdout: '', stderr: '' });
    },
  );

  test.skipIf(process.geteuid?.() !== 0)('the command of the proxy’s unit serves as an unprivileged user', async () => {
    const { build, current, remove } = makeBuild();
    onTestFinished(remove);
    const state = temporary();
    chownSync(state, SERVICE, SERVICE);
    for (const directory of [build, prefix, path.join(nodes['24']!, '../../..')]) chmodSync(directory, 0o755);
    const unit = readUnit(PROXY_UNIT, { '/srv/malaria/current': current, '/var/lib/malaria-proxy': state });
    const settings = [...unit.matchAll(/^Environment=(.*)$/gm)].flatMap(([, pairs]) => pairs!.split(' '));
    const env = {
      ...Object.fromEntries(settings.map((setting) => setting.split(/=(.*)/))),
      PATH: `${nodes['24']}:/usr/bin:/bin`,
      MALARIA_PORT: '0',
      MALARIA_OPS_PORT: '0',
    };
    const options = { env, cwd: '/', uid: SERVICE, gid: SERVICE };
    const [command, ...args] = /^ExecStart=(.*)$/m.exec(unit)![1]!.split(' ');
    await run(command!, ['create-store'], options);
    const proxy = spawn(command!, [...args, '--json'], { ...options, stdio: ['ignore', 'pipe', 'inherit'] });
    try {
      const [line] = await once(createInterface({ input: proxy.stdout }), 'line');
      expect((await fetch(`${JSON.parse(line).ops_url}/readyz`)).status).toBe(200);
    } finally {
      proxy.kill('SIGTERM');
      expect(await once(proxy, 'exit')).toEqual([0, null]);
    }
  });

  test.each(['24', '26'])(
    'synth, build --publish, verify and serve work on Node.js %s',
    { timeout: 1_800_000 },
    async (node) => {
      const options = shell(node);
      await run('malaria-risk', ['synth', '--states', '5'], options);
      const built = await run('malaria-risk', ['build', '--country', 'raw-data/synthetic', '--publish'], options);
      expect(built.stdout).toContain('Published');
      await run('malaria-risk', ['verify'], options);
      const report = readFileSync(path.join(options.cwd, 'build/current/report/index.html'), 'utf8');
      expect(report).toContain(path.basename(realpathSync(path.join(options.cwd, 'build/current'))));
      expect((await run('malaria-risk', ['releases', 'list', '--json'], options)).stdout).toMatch(
        /"commit": "[0-9a-f]{40}"/,
      );

      await run('malaria-proxy', ['create-store'], options);
      await run('malaria-proxy', ['accounts', 'create-organisation', 'ministry'], options);
      const scopes = ['--scopes', 'risk_scores,forecasts,lga_boundaries'];
      const made = await run(
        'malaria-proxy',
        ['keys', 'create', '--owner', 'ministry', '--name', 'k', '--kind', 'test', ...scopes],
        options,
      );
      const key = /\w+_test_[0-9A-Za-z]{38}/.exec(made.stdout)![0];
      const free = ['--port', '--ops-port', '--dashboard-port'].flatMap((port) => [port, '0']);
      const proxy = spawn('malaria-proxy', ['serve', ...free, '--json'], {
        ...options,
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      try {
        const [line] = await once(createInterface({ input: proxy.stdout }), 'line');
        const { url, dashboard_url } = JSON.parse(line);
        const ask = (route: string) => fetch(`${url}${route}`, { headers: { authorization: `Bearer ${key}` } });
        const { states } = (await (await ask('/v1/places')).json()) as Places;
        expect(await (await ask(`/v1/risk/lgas?state=${states[0]!.state_code}`)).json()).toMatchObject({
          state_code: states[0]!.state_code,
          kind: 'estimated',
        });
        expect((await ask('/v1/transmission/model')).status).toBe(200);
        expect((await ask('/v1/boundaries/states')).status).toBe(200);
        expect((await fetch(dashboard_url)).status).toBe(200);
      } finally {
        proxy.kill('SIGTERM');
        await once(proxy, 'exit');
      }
    },
  );
});
