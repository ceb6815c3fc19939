/**
 * What a build costs, for pipeline/SCALING.md: CPU seconds of each stage and of its parts by state, one stage at a time,
 * and of the zonal stage on a population raster cut into finer cells. Without --country the made-up one:
 *
 *   node test/bench/stage-cost.bench.ts [--country DIR] [--raw-data DIR] [--finer 3,6]
 *
 * CPU time of the whole process, so that other work on the machine matters little. No test: nothing here fails on it.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import type { Source } from '../../pipeline/catalog/sources.ts';
import { ROOT } from '../../pipeline/engine/code.ts';
import { readCountry } from '../../pipeline/engine/country.ts';
import { openIo, taskOf } from '../../pipeline/engine/io.ts';
import { hashRawFiles } from '../../pipeline/engine/raw.ts';
import { runStages } from '../../pipeline/engine/run.ts';
import type { Split } from '../../pipeline/engine/split.ts';
import type { StageIo } from '../../pipeline/engine/stage.ts';
import { openRaster } from '../../pipeline/ingest/readers/geotiff.ts';
import { SNAPSHOT, STAGES } from '../../pipeline/stages.ts';
import { writeSyntheticCountry } from '../../pipeline/synthetic/country.ts';
import { writeGeotiff } from '../../pipeline/synthetic/geotiff-writer.ts';

const { values: given } = parseArgs({
  options: {
    country: { type: 'string' },
    'raw-data': { type: 'string' },
    finer: { type: 'string', default: '3,6' },
  },
});
const out = mkdtempSync(path.join(tmpdir(), 'stage-cost-'));
const say = (line: string) => void process.stdout.write(`${line}\n`);

async function cost<T>(what: string, work: () => Promise<T>): Promise<T> {
  const before = process.cpuUsage();
  const result = await work();
  const { user, system } = process.cpuUsage(before);
  const peak = Math.round(process.resourceUsage().maxRSS / 1024);
  say(`${what.padEnd(34)} ${((user + system) / 1e6).toFixed(2).padStart(7)} CPU s   peak so far ${peak} MiB`);
  return result;
}

const directory = given.country ?? path.join(out, 'synthetic');
if (given.country === undefined) await writeSyntheticCountry({ seed: 1, out: directory });
const country = readCountry(directory, given['raw-data']);
const cache = path.join(out, 'cache');
const raw = await hashRawFiles(country, true);
const options = { country, raw, cache, jobs: 1, onEvent: () => {} };
for (const k of STAGES.keys()) await cost(STAGES[k]!.name, () => runStages(STAGES.slice(0, k + 1), options));

const entries = await runStages(STAGES, options);
const byStage = Object.fromEntries(entries.map((entry) => [entry.stage, entry]));
const whole = openIo(await taskOf(SNAPSHOT, country, cache, byStage), () => {});
const io = (sources: readonly Source[]): StageIo => ({ ...whole, sources, model: country.model });
const splitOf = async (module: string) =>
  ((await import(path.join(ROOT, module))) as { split: Split<unknown, unknown> }).split;
for (const { name, module } of [...STAGES, SNAPSHOT].filter((stage) => stage.by_state)) {
  const split = await splitOf(module);
  const prepared = await cost(`${name}, prepare`, () => split.prepare(io(country.sources)));
  await cost(`${name}, parts of all states`, () => split.part(io(country.sources), prepared));
}

const population = country.sources.find(({ role }) => role === 'population')!;
const raster = await openRaster(path.join(country.rawData, population.files[0]!.path), { nodata: population.nodata });
const { grid } = raster;
const people = await raster.readWindow({ row: 0, column: 0, rows: grid.rows, columns: grid.columns });
await raster.close();
const zonal = await splitOf('pipeline/zonal/stage.ts');
for (const finer of given.finer.split(',').map(Number)) {
  const [columns, rows] = [grid.columns * finer, grid.rows * finer];
  // Noisy in all their bits, as measured people are: constant ones would be read faster.
  const cells = Float32Array.from({ length: columns * rows }, (_, i) => {
    const [row, column] = [Math.floor(i / columns), i % columns];
    const n = people[Math.floor(row / finer) * grid.columns + Math.floor(column / finer)]!;
    return Number.isNaN(n) ? -99999 : (n / finer ** 2) * (0.5 + (Math.imul(i, 2_654_435_761) >>> 0) / 2 ** 32);
  });
  const file = path.join(out, 'finer.tif');
  const step = grid.cellWidth / finer;
  writeFileSync(file, writeGeotiff(cells, { west: grid.west, north: grid.north, step, columns, rows }, '-99999'));
  const sources = country.sources.map((source) =>
    source === population
      ? { ...source, nodata: -99999, repeats: cells.length, files: [{ path: path.relative(country.rawData, file) }] }
      : source,
  );
  const title = `zonal, ${(cells.length / 1e6).toFixed(1)} M cells`;
  const prepared = await cost(`${title}, prepare`, () => zonal.prepare(io(sources)));
  await cost(`${title}, parts`, () => zonal.part(io(sources), prepared));
}
rmSync(out, { recursive: true });
