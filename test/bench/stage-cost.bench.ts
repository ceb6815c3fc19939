/**
 * The cost of a first build by stage, for pipeline/deploy/SCALING.md: CPU seconds, the largest memory of the process
 * and what is written (both in MB). Stages run one at a time, and CPU time is that of the process, so other work on the
 * machine matters little.
 *
 *   node test/bench/stage-cost.bench.ts --country DIR [--raw-data DIR]
 *   node test/bench/stage-cost.bench.ts --lgas 774,2500,5000 [--months 120]   made-up countries of these sizes
 *   node test/bench/stage-cost.bench.ts [--states 6] [--only lgas,months]     a small made-up country, and the same with
 *     more LGAs, months, clusters, cells or states; the exponent is ln(CPU ratio) / ln(size ratio)
 */
import { spawn } from 'node:child_process';
import { globSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { SNAPSHOT, STAGES } from '../../pipeline/stages.ts';
import { writeSyntheticCountry } from '../../pipeline/synthetic/country.ts';
import { type CountrySize, countrySize, NIGERIAN_SIZE } from '../../pipeline/synthetic/size.ts';
import { usageOf } from './measure.ts';

const { values: given } = parseArgs({
  options: {
    country: { type: 'string' },
    'raw-data': { type: 'string' },
    lgas: { type: 'string' },
    months: { type: 'string', default: '108' },
    states: { type: 'string', default: '6' },
    only: { type: 'string' },
  },
});
const CLI = path.resolve(import.meta.dirname, '../../pipeline/cli/malaria-risk.js');
const NAMES = [...STAGES, SNAPSHOT].map(({ name }) => name);
const work = mkdtempSync(path.join(tmpdir(), 'stage-cost-'));

interface Cost {
  cpu_s: number;
  peak_mb: number;
  written_mb: number;
}

/** Builds a country and prints the cost of its stages. @returns the CPU seconds of each, and of `all` */
async function costOf(what: string, country: string, options: string[] = []): Promise<Record<string, number>> {
  const out = path.join(work, 'out');
  const costs: Record<string, Cost> = {};
  const args = ['build', '--country', country, '--out', out, '--jobs', '1', '--json', ...options];
  const child = spawn(CLI, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  const now = () => usageOf(child.pid!) ?? { cpu_s: Number.NaN, memory_mb: Number.NaN };
  let [before, peak_mb, most] = [0, 0, 0];
  const timer = setInterval(() => {
    peak_mb = Math.max(peak_mb, now().memory_mb || 0);
  }, 20);
  for await (const line of createInterface(child.stderr)) {
    const { type, stage } = line.startsWith('{') ? JSON.parse(line) : {};
    if (type === 'started') [before, peak_mb] = [now().cpu_s, 0];
    if (type !== 'finished') continue;
    const { cpu_s, memory_mb } = now();
    costs[stage] = { cpu_s: cpu_s - before, peak_mb: Math.max(peak_mb, memory_mb), written_mb: 0 };
    most = Math.max(most, costs[stage].peak_mb);
  }
  clearInterval(timer);
  if (!costs[SNAPSHOT.name]) throw new Error(`the build of ${what || country} failed; run it alone to see why`);
  for (const [stage, cost] of Object.entries(costs))
    cost.written_mb = sizeUnder(path.join(out, stage === SNAPSHOT.name ? 'snapshots' : path.join('cache', stage)));
  rmSync(out, { recursive: true });
  const sum = (of: keyof Cost) => Object.values(costs).reduce((total, cost) => total + cost[of], 0);
  costs.all = { cpu_s: sum('cpu_s'), peak_mb: most, written_mb: sum('written_mb') };
  for (const [of, decimals] of [
    ['cpu_s', 1],
    ['peak_mb', 0],
    ['written_mb', 1],
  ] as const)
    line([`${what} ${of}`, ...[...NAMES, 'all'].map((name) => costs[name]?.[of].toFixed(decimals) ?? '-')]);
  return Object.fromEntries(Object.entries(costs).map(([name, { cpu_s }]) => [name, cpu_s]));
}

async function costOfSize(what: string, size: CountrySize): Promise<Record<string, number>> {
  const country = path.join(work, 'country');
  await writeSyntheticCountry({ seed: 1, size, out: country });
  return costOf(what, country).finally(() => rmSync(country, { recursive: true }));
}

const sizeUnder = (directory: string) =>
  globSync('**', { cwd: directory, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + statSync(path.join(parentPath, name)).size / 1e6, 0);

const line = (cells: string[]) => void process.stdout.write(`| ${cells.join(' | ')} |\n`);

async function compareSizes(): Promise<void> {
  const base = countrySize({ states: Number(given.states) });
  const states = Math.min(4 * base.states, NIGERIAN_SIZE.states);
  const larger: Record<string, [factor: number, size: CountrySize]> = {
    lgas: [4, { ...base, lgas: 4 * base.lgas }],
    months: [2, { ...base, months: 2 * base.months }],
    clusters: [4, { ...base, clusters: 4 * base.clusters }],
    cells: [16, { ...base, cells_per_degree: 4 * base.cells_per_degree }],
    states: [states / base.states, countrySize({ states })],
  };
  const before = await costOfSize('base', base);
  for (const [name, [factor, size]] of Object.entries(larger)) {
    if (given.only && !given.only.split(',').includes(name)) continue;
    const after = await costOfSize(`${name} × ${factor.toFixed(1)}`, size);
    const exponents = [...NAMES, 'all'].map((stage) => Math.log(after[stage]! / before[stage]!) / Math.log(factor));
    line(['exponent', ...exponents.map((value) => value.toFixed(2))]);
  }
}

line(['', ...NAMES, 'all']);
if (given.country !== undefined)
  await costOf('', given.country, given['raw-data'] === undefined ? [] : ['--raw-data', given['raw-data']]);
else if (given.lgas !== undefined)
  for (const lgas of given.lgas.split(','))
    await costOfSize(`${lgas} LGAs`, countrySize({ lgas: Number(lgas), months: Number(given.months) }));
else await compareSizes();
rmSync(work, { recursive: true });
