/**
 * Builds many made-up countries of two to eight states with Snakemake on a three-node Slurm on this host, and compares
 * wall time with the CPU seconds of the builds divided by the number of cores. With --kill, Snakemake is killed after a
 * third of the countries and started again.
 *
 *   npm run bench -- countries-wall --countries 54 [--kill]
 */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { writeSyntheticCountry } from '../../pipeline/synthetic/country.ts';
import { countrySize } from '../../pipeline/synthetic/size.ts';
import { missingForSlurm, NODES, startSlurm } from '../support/slurm.ts';

const { values: given } = parseArgs({
  options: { countries: { type: 'string', default: '54' }, kill: { type: 'boolean', default: false } },
});
const missing = missingForSlurm();
if (missing !== null) {
  console.error(`countries-wall: ${missing}`);
  process.exit(2);
}
const print = (line: string) => void process.stdout.write(`${line}\n`);
const ROOT = path.resolve(import.meta.dirname, '../..');
const folder = mkdtempSync(path.join(tmpdir(), 'wall-'));
const names = Array.from({ length: Number(given.countries) }, (_, k) => `c${String(k + 1).padStart(2, '0')}`);
for (const [k, name] of names.entries())
  await writeSyntheticCountry({
    seed: k + 1,
    size: countrySize({ states: statesOf(name) }),
    out: path.join(folder, name),
  });
// Longest first, as in a list based on earlier measurements.
const list = names.toSorted((a, b) => statesOf(b) - statesOf(a) || (a < b ? -1 : 1));
writeFileSync(
  path.join(folder, 'countries.csv'),
  `name,catalog,raw_data,out\n${list.map((name) => `${name},${name},,out/${name}\n`).join('')}`,
);
mkdirSync(path.join(folder, 'slurm'));
const slurm = await startSlurm(path.join(folder, 'slurm'), 1);
const built = () => {
  try {
    return readdirSync(path.join(folder, 'runs')).filter((name) => /^c\d+\.ok$/.test(name)).length;
  } catch {
    return 0;
  }
};
let code = null;
const began = performance.now();
try {
  if (given.kill) {
    const first = snakemake();
    while (built() < names.length / 3) await new Promise((resolve) => setTimeout(resolve, 500));
    first.child.kill('SIGKILL');
    await first.ended;
    print(`killed after ${built()} countries`);
    await snakemake('--unlock').ended;
  }
  code = await snakemake().ended;
} finally {
  await slurm.stop();
}
const wall = (performance.now() - began) / 1000;
const results = names.map((name) => JSON.parse(readFileSync(path.join(folder, 'runs', `${name}.json`), 'utf8')));
const sum = (field: string) => results.reduce((total, row) => total + row[field], 0);
const [cpu, seconds] = [sum('cpu_seconds'), sum('seconds')];
const cores = Math.min(NODES.length, availableParallelism());
print(
  `${results.filter(({ status }) => status === 'built').length} of ${names.length} countries built, exit code ${code}`,
);
print(`wall ${wall.toFixed(0)} s; builds ${cpu.toFixed(0)} CPU s, ${seconds.toFixed(0)} s of their own wall time`);
print(
  `wall / (CPU s / ${cores} cores) ${((wall * cores) / cpu).toFixed(2)}; wall / (s / ${NODES.length} nodes) ${((wall * NODES.length) / seconds).toFixed(2)}`,
);
rmSync(folder, { recursive: true });

function statesOf(name: string): number {
  return 2 + ((Number(name.slice(1)) - 1) % 7);
}

function snakemake(...more: string[]) {
  const program = `${process.execPath} ${path.join(ROOT, 'pipeline/cli/malaria-risk.js')}`;
  const child = spawn(
    'snakemake',
    [
      '--snakefile',
      path.join(ROOT, 'pipeline/deploy/workflow/Snakefile'),
      '--profile',
      path.join(ROOT, 'pipeline/deploy/workflow/slurm'),
      ...more,
      '--config',
      'countries=countries.csv',
      'runs=runs',
      `program=${program}`,
      'threads=1',
    ],
    { cwd: folder, env: { ...process.env, ...slurm.env, HOME: folder }, stdio: ['ignore', 'ignore', 'pipe'] },
  );
  let output = '';
  child.stderr!.on('data', (data) => {
    output = `${output}${data}`.slice(-4000);
  });
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve)).then((status) => {
    if (status !== 0 && !child.killed) console.error(output);
    return status;
  });
  return { child, ended };
}
