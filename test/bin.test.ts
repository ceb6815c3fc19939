import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test, vi } from 'vitest';
import { run } from '../pipeline/cli.ts';

const launcher = (command: string) => path.join(import.meta.dirname, '..', 'bin', `${command}.js`);

test.each(['malaria-risk', 'malaria-proxy'])('%s tells an old Node what it needs, in one line', async (command) => {
  const old = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.19.0' } })`;
  const asked = promisify(execFile)(process.execPath, [
    ...['--import', `data:text/javascript,${encodeURIComponent(old)}`],
    ...[launcher(command), '--help'],
  ]);
  await expect(asked).rejects.toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringMatching(
      new RegExp(`^${command}: this is Node\\.js 20\\.19\\.0, and 24\\.7 or newer is needed.*\n$`),
    ),
  });
});

test.each(['malaria-risk', 'malaria-proxy'])(
  '%s runs what it is asked for, and tells how it ended',
  async (command) => {
    const { stdout } = await promisify(execFile)(process.execPath, [launcher(command), '--help']);
    expect(stdout).toMatch(`Usage: ${command} [options] [command]`);
    await expect(promisify(execFile)(process.execPath, [launcher(command), 'bogus'])).rejects.toMatchObject({
      code: 2,
      stderr: expect.stringContaining("unknown command 'bogus'"),
    });
  },
);

test('a compile cache that cannot be written changes nothing', async () => {
  const options = { env: { ...process.env, NODE_COMPILE_CACHE: '/dev/null/nowhere' } };
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [launcher('malaria-risk'), '--help'], options);
  expect([stderr, stdout]).toEqual(['', expect.stringContaining('Usage: malaria-risk')]);
});

test('every command that the help lists is there, under its name', async () => {
  const said: string[] = [];
  const write = vi.spyOn(process.stdout, 'write').mockImplementation((text) => said.push(String(text)) > 0);
  try {
    await run(['--help']);
    const names = [...said.join('').matchAll(/^ {2}([a-z-]+) {2}/gm)].map(([, name]) => name!);
    expect(names.length).toBeGreaterThan(12);
    for (const name of names) {
      said.length = 0;
      await run([name, '--help']);
      expect(said.join('')).toMatch(`Usage: malaria-risk ${name} [options]`);
    }
  } finally {
    write.mockRestore();
    process.exitCode = 0;
  }
});
