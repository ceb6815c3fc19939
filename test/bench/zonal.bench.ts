/**
 * Compares the zonal statistics with GDAL's cell-centre method and exactextract, if they are installed: a mean and a
 * weighted mean over two rasters, in turn on the same files. Without --data it prints a scaling table over generated
 * data, in which each program runs once if a side has more than 10,000 cells:
 *
 *   node test/bench/zonal.bench.ts [--sides 1000,5000,20000] [--polygons 774,10000] [--runs 3] [--jobs N]
 *   node test/bench/zonal.bench.ts --data DIR      one directory's val.tif, pop.tif and polys.geojson
 *
 * It never fails because of a time.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type Measured, measure } from './measure.ts';
import { writeNoise, writePolygons } from './zonal-data.ts';

interface Files {
  polygons: string;
  values: string;
  weights: string;
}

interface Tool {
  name: string;
  run(files: Files, out: string): Promise<Measured>;
}

const { values: given } = parseArgs({
  options: {
    sides: { type: 'string', default: '1000,5000,20000' },
    polygons: { type: 'string', default: '774,10000' },
    runs: { type: 'string', default: '3' },
    jobs: { type: 'string', default: String(availableParallelism()) },
    data: { type: 'string' },
  },
});
const directory = mkdtempSync(join(tmpdir(), 'zonal-bench-'));
const print = (line: string) => void process.stdout.write(`${line}\n`);

/** Numbers of polygons across and down, by their total. */
const LATTICES: Record<string, [number, number]> = { 774: [18, 43], 10000: [100, 100] };

function findTools(): Tool[] {
  const cli = resolve(import.meta.dirname, '../../pipeline/cli/program.ts');
  const ours = (jobs: string): Tool => ({
    name: `this, ${jobs} thread${jobs === '1' ? '' : 's'}`,
    run: ({ polygons, values, weights }, out) => {
      const files = ['--polygons', polygons, '--id', 'id', '--raster', values, '--weights', weights, '--out', out];
      return measure(process.execPath, [cli, 'zonal', ...files, '--jobs', jobs]);
    },
  });
  const tools = given.jobs === '1' ? [ours('1')] : [ours(given.jobs), ours('1')];

  if (spawnSync('exactextract', ['--help']).status === 0) {
    tools.push({
      name: 'exactextract',
      run: ({ polygons, values, weights }, out) => {
        const files = ['-r', `val:${values}`, '-r', `pop:${weights}`, '-p', polygons, '-f', 'id', '-o', out];
        const figures = ['sum(val)', 'mean(val)', 'sum(pop)', 'weighted_mean(val,pop)'].flatMap((figure) => [
          '-s',
          figure,
        ]);
        return measure('exactextract', [...files, ...figures]);
      },
    });
  } else print('exactextract is not on PATH: skipped');

  // Debian's rasterio is installed for Debian's Python, which may not be first on PATH.
  const python = ['python3', '/usr/bin/python3'].find(
    (name) => spawnSync(name, ['-c', 'import rasterio']).status === 0,
  );
  if (python) {
    const script = resolve(import.meta.dirname, 'zonal-centre.py');
    tools.push({
      name: 'cell centres (rasterio)',
      run: ({ polygons, values, weights }, out) => measure(python, [script, polygons, values, weights, out]),
    });
  } else print('rasterio is not installed for any python3: skipped');
  return tools;
}

/** The run with the median time. */
function median(runs: Measured[]): Measured {
  return runs.toSorted((a, b) => a.wall_s - b.wall_s)[Math.floor(runs.length / 2)]!;
}

/** Largest relative difference of a column between two tables with the same ids. */
function differ(one: { file: string; column: string }, other: { file: string; column: string }): number {
  const others = readColumn(other);
  return Math.max(...[...readColumn(one)].map(([id, value]) => Math.abs(value / others.get(id)! - 1)));
}

function readColumn({ file, column }: { file: string; column: string }): Map<string, number> {
  const [header, ...lines] = readFileSync(file, 'utf8').trim().split(/\r?\n/);
  const at = header!.split(',').indexOf(column);
  return new Map(
    lines.map((line) => {
      const cells = line.replaceAll('"', '').split(',');
      return [cells[0]!, Number(cells[at])];
    }),
  );
}

async function compare(tools: Tool[], files: Files, count: number, title: string): Promise<void> {
  const runs = tools.map((): Measured[] => []);
  const outs = tools.map((_, i) => join(directory, `out-${i}.csv`));
  for (let time = 0; time < count; time++) {
    for (const [i, tool] of tools.entries()) runs[i]!.push(await tool.run(files, outs[i]!));
  }
  const medians = runs.map(median);
  const first = medians[0]!;
  print(`\n${title}`);
  print('| program | wall s | CPU s | peak MB | × wall | × CPU | × memory | largest difference of a weighted mean |');
  print('|---|---|---|---|---|---|---|---|');
  medians.forEach((own, i) => {
    const name = tools[i]!.name;
    const column = name === 'exactextract' ? 'val_weighted_mean' : 'weighted_mean';
    const figures = [own.wall_s.toFixed(2), own.cpu_s.toFixed(2), own.peak_mb.toFixed(0)];
    const ratios = [own.wall_s / first.wall_s, own.cpu_s / first.cpu_s, own.peak_mb / first.peak_mb].map((ratio) =>
      ratio.toFixed(2),
    );
    const off =
      i === 0 ? '' : differ({ file: outs[0]!, column: 'weighted_mean' }, { file: outs[i]!, column }).toExponential(1);
    print(`| ${[name, ...figures, ...ratios, off].join(' | ')} |`);
  });
}

try {
  const tools = findTools();
  if (given.data) {
    const at = (name: string) => join(given.data!, name);
    const files = { polygons: at('polys.geojson'), values: at('val.tif'), weights: at('pop.tif') };
    await compare(
      tools,
      files,
      Number(given.runs),
      `${given.data}: median of ${given.runs} runs in turn, ratios to the first line`,
    );
  } else {
    for (const side of given.sides.split(',').map(Number)) {
      const [values, weights] = [join(directory, 'values.tif'), join(directory, 'weights.tif')];
      const runs = side > 10_000 ? 1 : Number(given.runs);
      writeNoise(values, side, 1);
      writeNoise(weights, side, 2);
      for (const count of given.polygons.split(',')) {
        const polygons = join(directory, 'polygons.geojson');
        writePolygons(polygons, ...LATTICES[count]!);
        await compare(tools, { polygons, values, weights }, runs, `${side} × ${side} cells, ${count} polygons`);
      }
    }
  }
} finally {
  rmSync(directory, { recursive: true });
}
