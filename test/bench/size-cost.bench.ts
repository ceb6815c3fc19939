/**
 * The cost of a build as a country grows, for pipeline/deploy/SCALING.md: CPU seconds by stage for a made-up country, for the
 * same with more LGAs, months, clusters, cells or states, and the exponent of each: ln(cost ratio) / ln(size ratio).
 *
 *   node test/bench/size-cost.bench.ts [--states 6] [--only lgas,months]
 *
 * Stages run one at a time and CPU time is that of the process, so other work on the machine matters little.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { build } from '../../pipeline/release/build.ts';
import { SNAPSHOT, STAGES } from '../../pipeline/stages.ts';
import { writeSyntheticCountry } from '../../pipeline/synthetic/country.ts';
import { type CountrySize, NIGERIAN, sizeOf } from '../../pipeline/synthetic/size.ts';

const { values: given } = parseArgs({
  options: { states: { type: 'string', default: '6' }, only: { type: 'string', default: '' } },
});
const base = sizeOf({ states: Number(given.states) });
const states = Math.min(4 * base.states, NIGERIAN.states);
const cases: Record<string, [factor: number, size: CountrySize]> = {
  lgas: [4, { ...base, lgas: 4 * base.lgas }],
  months: [2, { ...base, months: 2 * base.months }],
  clusters: [4, { ...base, clusters: 4 * base.clusters }],
  cells: [16, { ...base, cells_per_degree: 4 * base.cells_per_degree }],
  states: [states / base.states, sizeOf({ states })],
};
const out = mkdtempSync(path.join(tmpdir(), 'size-cost-'));
const names = [...STAGES, SNAPSHOT].map(({ name }) => name);

/** CPU seconds of a first build, by stage. */
async function costOf(name: string, size: CountrySize): Promise<Record<string, number>> {
  const country = path.join(out, name);
  await writeSyntheticCountry({ seed: 1, size, out: country });
  const costs: Record<string, number> = {};
  let before = process.cpuUsage();
  await build({
    country,
    out: path.join(out, `${name}-out`),
    jobs: 1,
    onEvent(event) {
      if (event.type === 'started') before = process.cpuUsage();
      if (event.type !== 'finished') return;
      const { user, system } = process.cpuUsage(before);
      costs[event.stage] = (user + system) / 1e6;
    },
  });
  rmSync(country, { recursive: true });
  rmSync(path.join(out, `${name}-out`), { recursive: true });
  return { ...costs, all: Object.values(costs).reduce((sum, cost) => sum + cost, 0) };
}

const line = (cells: (string | number)[]) =>
  void process.stdout.write(`${cells.map((cell) => String(cell).padStart(12)).join(' ')}\n`);
const baseCost = await costOf('base', base);
line(['', ...names, 'all']);
line(['CPU s', ...[...names, 'all'].map((name) => baseCost[name]!.toFixed(2))]);
for (const [name, [factor, size]] of Object.entries(cases)) {
  if (given.only !== '' && !given.only.split(',').includes(name)) continue;
  const more = await costOf(name, size);
  line([`${name} × ${factor.toFixed(1)}`, ...[...names, 'all'].map((stage) => more[stage]!.toFixed(2))]);
  const exponents = [...names, 'all'].map((stage) =>
    (Math.log(more[stage]! / baseCost[stage]!) / Math.log(factor)).toFixed(2),
  );
  line(['exponent', ...exponents]);
}
const peak = Math.round(process.resourceUsage().maxRSS / 1024);
process.stdout.write(`peak ${peak} MiB\n`);
rmSync(out, { recursive: true });
