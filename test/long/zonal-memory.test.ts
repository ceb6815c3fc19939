import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { EXTENT, writeNoise } from '../bench/zonal-data.ts';
import { temporary } from '../support/command-line.ts';

test('400 million cells need less than a gibibyte of memory', () => {
  const directory = temporary();
  const at = (name: string) => join(directory, name);
  writeNoise(at('values.tif'), 20_000, 1);
  const [west, south, east, north] = EXTENT;
  const ring = [
    [west, south],
    [east, south],
    [east, north],
    [west, north],
    [west, south],
  ];
  const feature = { type: 'Feature', properties: { id: 1 }, geometry: { type: 'Polygon', coordinates: [ring] } };
  writeFileSync(at('all.geojson'), JSON.stringify({ type: 'FeatureCollection', features: [feature] }));
  const options = { polygons: at('all.geojson'), id: 'id', raster: [at('values.tif')], out: at('out.csv'), jobs: 2 };
  const module = pathToFileURL(resolve(import.meta.dirname, '../../pipeline/cli/commands/zonal.ts'));
  writeFileSync(
    at('run.mjs'),
    `const { runZonal } = await import('${module}');
    await runZonal(${JSON.stringify(options)}, () => {});
    process.stdout.write(String(process.resourceUsage().maxRSS));`,
  );
  const peakKb = execFileSync(process.execPath, [at('run.mjs')], { encoding: 'utf8' });
  expect(Number(peakKb) * 1024).toBeLessThan(2 ** 30);
  const [head, row] = readFileSync(at('out.csv'), 'utf8')
    .split('\n', 2)
    .map((line) => line.split(','));
  const figure = (name: string) => Number(row![head!.indexOf(name)]);
  expect(figure('count')).toBe(400_000_000);
  // The mean of exp(u), u uniform between -1 and 1, is sinh(1).
  expect(figure('mean')).toBeCloseTo(Math.sinh(1), 2);
});
