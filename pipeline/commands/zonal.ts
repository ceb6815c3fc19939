import { open, rename, rm } from 'node:fs/promises';
import { Command, InvalidArgumentError } from 'commander';
import { BadInput } from '../bad-input.ts';
import { addWindow, createSums, type ZonalStatistics, zonalStatistics } from '../models/zonal.ts';
import { createCover, drawOutline, InvalidOutline } from '../numerics/coverage.ts';
import { describeGrid, sameGrid } from '../numerics/grid.ts';
import { listWindows } from '../numerics/windows.ts';
import { type Declared, openRaster } from '../readers/geotiff.ts';
import { identifyFeatures, readPolygons } from '../readers/polygons.ts';
import { say } from './options.ts';

export interface ZonalOptions {
  polygons: string;
  id: string;
  raster: string;
  weights?: string;
  out: string;
  nodata?: number | 'nan' | 'none';
}

const COLUMNS = ['count', 'sum', 'mean', 'weight_sum', 'weighted_sum', 'weighted_mean'] as const;

/** `malaria-risk zonal`: statistics of a raster inside polygons, as CSV. */
export function zonalCommand(): Command {
  return new Command('zonal')
    .description('Statistics of a raster inside polygons, every cell counted by the exact share that lies inside.')
    .requiredOption('--polygons <file>', 'GeoJSON, or a shapefile with .dbf and .prj beside it; WGS 84')
    .requiredOption('--id <field>', "the field that holds each polygon's id")
    .requiredOption('--raster <file>', 'GeoTIFF in EPSG:4326')
    .option('--weights <file>', "GeoTIFF on the raster's own grid, not negative (persons, say)")
    .requiredOption(
      '--out <file.csv>',
      'columns: id, count (sum of shares), sum, mean, weight_sum, weighted_sum, weighted_mean',
    )
    .option(
      '--nodata <value>',
      "value of the raster's missing cells: a number, nan or none; overrides its tag",
      parseNodata,
    )
    .addHelpText(
      'after',
      `
Examples:
  malaria-risk zonal --polygons lgas.geojson --id code --raster elevation.tif --out elevation.csv
  malaria-risk zonal --polygons lgas.shp --id ADM2_PCODE --raster nets.tif --weights people.tif --out nets.csv

Cells without a value take no part. weighted_mean is sum(share x weight x value) / sum(share x weight); a figure that
cannot be had is empty.`,
    )
    .action(async (options: ZonalOptions) => {
      const count = await runZonal(options, process.stderr.isTTY ? drawProgress : () => {});
      say(`${options.out}: ${count} polygons`);
    });
}

/**
 * Reads, computes and writes; resolves to the number of polygons.
 * @param onProgress is told the share of the raster's rows that are done.
 * @throws BadInput; `out` is then left as it was.
 */
export async function runZonal(options: ZonalOptions, onProgress: (share: number) => void): Promise<number> {
  const features = await readPolygons(options.polygons);
  const ids = identifyFeatures(features, options.id, options.polygons);
  const raster = await openRaster(options.raster, { nodata: options.nodata });
  const weightsDeclared: Declared = { valid: [0, Number.MAX_VALUE] };
  const weights = options.weights === undefined ? null : await openRaster(options.weights, weightsDeclared);
  try {
    const { grid } = raster;
    if (weights && !sameGrid(grid, weights.grid)) {
      throw new BadInput(
        weights.file,
        '',
        describeGrid(weights.grid),
        `the raster's ${describeGrid(grid)} (${raster.file})`,
      );
    }
    const outlines = features.map(({ polygons }) => drawOutline(polygons, grid));
    const sums = features.map(createSums);
    const cover = createCover(grid.columns);
    for (const window of listWindows(grid, raster, outlines)) {
      const endRow = window.row + window.rows;
      const [values, weightValues] = await Promise.all([
        raster.readWindow(window),
        weights?.readWindow(window) ?? null,
      ]);
      outlines.forEach((outline, i) => {
        if (outline.firstRow >= endRow || outline.endRow <= window.row) return;
        try {
          addWindow(sums[i]!, cover(outline, window.row, endRow), window, values, weightValues);
        } catch (cause) {
          if (!(cause instanceof InvalidOutline)) throw cause;
          throw new BadInput(options.polygons, `${options.id} ${ids[i]}`, cause.message, 'a valid polygon');
        }
      });
      onProgress(endRow / grid.rows);
    }
    await writeCsv(
      options.out,
      ids,
      sums.map((sum) => zonalStatistics(sum, weights !== null)),
    );
  } finally {
    await raster.close();
    await weights?.close();
  }
  return ids.length;
}

/** Writes beside and renames, so that a run cut off leaves no half a file under the name asked for. */
async function writeCsv(file: string, ids: string[], statistics: ZonalStatistics[]): Promise<void> {
  const lines = statistics.map((row, i) => [quote(ids[i]!), ...COLUMNS.map((column) => row[column] ?? '')].join(','));
  const aside = `${file}.${process.pid}.part`;
  try {
    const handle = await open(aside, 'w');
    await handle.writeFile(`${['id', ...COLUMNS].join(',')}\n${lines.join('\n')}\n`);
    await handle.close();
    await rename(aside, file);
  } catch (cause) {
    await rm(aside, { force: true });
    throw new BadInput(
      file,
      '',
      `no way to write it (${cause instanceof Error ? cause.message : cause})`,
      'a file that can be written',
    );
  }
}

function quote(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function parseNodata(text: string): number | 'nan' | 'none' {
  const lower = text.toLowerCase();
  if (lower === 'nan' || lower === 'none') return lower;
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value)) throw new InvalidArgumentError('expected a number, nan or none.');
  return value;
}

function drawProgress(share: number): void {
  process.stderr.write(`\r${Math.round(share * 100)}%${share >= 1 ? '\n' : ''}`);
}
