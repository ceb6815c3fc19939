import { execFile } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { run } from '../pipeline/cli/program.ts';

const ROOT = path.join(import.meta.dirname, '..');
const { bin } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8'));
const launcher = (command: string) => path.join(ROOT, bin[command]);

test.each(['malaria-risk', 'malaria-proxy'])(
  '%s refuses an old Node with one line that names the version it needs',
  async (command) => {
    const old = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.19.0' } })`;
    const asked = promisify(execFile)(process.execPath, [
      '--import',
      `data:text/javascript,${encodeURIComponent(old)}`,
      launcher(command),
      '--help',
    ]);
    await expect(asked).rejects.toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(
        new RegExp(`^${command}: this is Node\\.js 20\\.19\\.0, and 24\\.7 or newer is needed.*\n$`),
      ),
    });
  },
);

test.each(['malaria-risk', 'malaria-proxy'])('%s runs the given command and returns its exit code', async (command) => {
  const { stdout } = await promisify(execFile)(process.execPath, [launcher(command), '--help']);
  expect(stdout).toMatch(`Usage: ${command} [options] [command]`);
  await expect(promisify(execFile)(process.execPath, [launcher(command), 'bogus'])).rejects.toMatchObject({
    code: 2,
    stderr: expect.stringContaining("unknown command 'bogus'"),
  });
});

describe.each(['malaria-risk', 'malaria-proxy'])('%s', (command) => {
  const helpWith = (cache: string) =>
    promisify(execFile)(process.execPath, [launcher(command), '--help'], {
      env: { ...process.env, NODE_COMPILE_CACHE: cache },
    });

  test('caches compiled code, so that it starts quickly', async () => {
    const cache = mkdtempSync(path.join(tmpdir(), 'compiled-'));
    onTestFinished(() => rmSync(cache, { recursive: true }));
    await helpWith(cache);
    expect(globSync('**/*', { cwd: cache }).length).toBeGreaterThan(5);
  });

  test('starts if the cache cannot be written', async () => {
    const { stdout, stderr } = await helpWith('/dev/null/nowhere');
    expect([stderr, stdout]).toEqual(['', expect.stringContaining(`Usage: ${command}`)]);
  });
});

test.each(['catalog', 'releases', 'plan', 'publish'])('`%s --help` loads no library that reads data', async (name) => {
  const printLoaded = `import { registerHooks } from 'node:module';
    registerHooks({ load: (url, context, next) => (process.stderr.write(url + '\\n'), next(url, context)) });`;
  const preload = ['--import', `data:text/javascript,${encodeURIComponent(printLoaded)}`];
  const { stderr } = await promisify(execFile)(process.execPath, [
    ...preload,
    launcher('malaria-risk'),
    name,
    '--help',
  ]);
  expect(stderr).toContain(`/commands/${name}.ts`);
  expect(stderr).not.toMatch(/node_modules\/(mapshaper|@duckdb|geotiff|rolldown)/);
});

/** A command's help text. */
async function helpOf(...command: string[]): Promise<string> {
  const written: string[] = [];
  const write = vi.spyOn(process.stdout, 'write').mockImplementation((text) => written.push(String(text)) > 0);
  try {
    await run([...command, '--help']);
  } finally {
    write.mockRestore();
    process.exitCode = 0;
  }
  return written.join('');
}

test('every command that the help lists exists under its name', async () => {
  const names = [...(await helpOf()).matchAll(/^ {2}([a-z-]+) {2}/gm)].map(([, name]) => name!);
  expect(names.length).toBeGreaterThan(12);
  for (const name of names) expect(await helpOf(name)).toMatch(`Usage: malaria-risk ${name} [options]`);
});

test('commands and options that pages and deployment files mention exist', async () => {
  const files = [
    'README.md',
    'pipeline/*.md',
    'pipeline/release/README.md',
    'pipeline/deploy/*.*',
    'raw-data/README.md',
    'proxy/deploy/*.md',
  ];
  const mentioned = globSync(files, { cwd: ROOT }).flatMap((file) => {
    const text = readFileSync(path.join(ROOT, file), 'utf8');
    return [
      ...text.matchAll(
        /malaria-risk(?:\.js)? ((?:(?:releases|catalog|evaluate|show|export) )?[a-z][a-z0-9-]*)([^`#|\n]*)/g,
      ),
    ].map(([, command, rest]) => ({ file, command: command!, options: rest!.match(/--[a-z-]+/g) ?? [] }));
  });
  const commands = new Set(mentioned.map(({ command }) => command));
  for (const command of ['build', 'review', 'publish', 'releases list', 'catalog update', 'evaluate truth'])
    expect(commands).toContain(command);
  for (const command of commands) {
    const help = await helpOf(...command.split(' '));
    expect(help, command).toContain(`Usage: malaria-risk ${command} `);
    for (const { file, options } of mentioned.filter((mention) => mention.command === command))
      for (const option of options)
        expect(help, `${file}: ${command} ${option}`).toMatch(new RegExp(`^ +.*${option}\\b`, 'm'));
  }
});
