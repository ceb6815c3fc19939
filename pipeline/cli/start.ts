/** `npm start`: makes up a country, builds and publishes it, and serves it with a new test key. */
import { spawn } from 'node:child_process';
import { createServer } from 'node:net';
import path from 'node:path';
import { parseArgs } from 'node:util';

/** Ten states around Kano with every kind of evidence, and nothing in it that a check finds hard to believe. */
const SIZE = ['--seed', '22', '--states', '10', '--lgas', '130', '--months', '72'];
const COMMANDS = [
  ['pipeline/cli/malaria-risk.js', 'synth', ...SIZE, '--if-missing'],
  ['pipeline/cli/malaria-risk.js', 'build', '--country', 'raw-data/synthetic', '--publish', '--approve', 'made-up'],
  ['proxy/cli/malaria-proxy.js', 'serve', '--first-key', ...process.argv.slice(2)],
];
const ROOT = path.join(import.meta.dirname, '../..');

/** Refuses before the build what `serve` would refuse after it. */
function checkPort(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (error) => reject(new Error(`port ${port} cannot be used: ${error.message}`)));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve()));
  });
}

/** @returns the exit code; Ctrl-C reaches the command too, which stops by itself */
function runCommand(args: string[]): Promise<number> {
  return new Promise((resolve, reject) => {
    const command = spawn(process.execPath, args, { cwd: ROOT, stdio: 'inherit' });
    const stop = () => command.kill('SIGTERM');
    process.once('SIGTERM', stop);
    command.once('error', reject);
    command.once('exit', (code) => {
      process.off('SIGTERM', stop);
      resolve(code ?? 1);
    });
  });
}

const { values } = parseArgs({
  options: { port: { type: 'string' }, 'ops-port': { type: 'string' } },
  strict: false,
  allowPositionals: true,
});
process.on('SIGINT', () => {});
try {
  for (const port of [
    values.port ?? process.env.MALARIA_PORT ?? '8080',
    values['ops-port'] ?? process.env.MALARIA_OPS_PORT ?? '9090',
  ])
    await checkPort(Number(port));
  console.log('Making up a country, building and serving it: about half a minute on two cores, less the next time');
  for (const args of COMMANDS) {
    process.exitCode = await runCommand(args);
    if (process.exitCode !== 0) break;
  }
} catch (error) {
  console.error(`npm start: ${(error as Error).message}`);
  process.exitCode = 2;
}
