import { availableParallelism } from 'node:os';
import { Command, InvalidArgumentError } from 'commander';
import { describeRaster, type RasterDescription } from '../../ingest/readers/geotiff-description.ts';
import { identifyFeatures, readPolygons } from '../../ingest/readers/polygons.ts';
import { BadInput } from '../../lib/bad-input.ts';
import { describeGrid, sameGrid } from '../../lib/numerics/grid.ts';
import { writeCsv } from '../../lib/tables/csv-file.ts';
import { OutlineFault } from '../../measure/zonal/band.ts';
import { drawOutline } from '../../measure/zonal/outline.ts';
import { sumInside } from '../../measure/zonal/pass.ts';
import { zonalStatistics } from '../../measure/zonal/sums.ts';
import { atLeastOne, fileToWrite, say } from '../terminal/options.ts';

export interface ZonalOptions {
  polygons: string;
  id: string;
  /** One or more, on one grid. */
  raster: string[];
  weights?: string;
  out: string;
  nodata?: number | 'nan' | 'none';
  band?: number;
  weightsBand?: number;
  jobs?: number;
}

const COLUMNS = ['count', 'sum', 'mean', 'weight_sum', 'weighted_sum', 'weighted_mean'] as const;

/** Maximum number of threads by default: each takes about 50 MB, and reading rarely keeps more of them busy. */
const MOST_JOBS = 8;

/** `malaria-risk zonal`: statistics of a raster inside polygons, as CSV. */
export default function zonalCommand(): Command {
  return new Command('zonal')
    .description(
      'Statistics of a raster inside polygons, with each cell weighted by the exact share of it that is inside',
    )
    .requiredOption('--polygons <file>', 'GeoJSON, or a shapefile with its .dbf and .prj; WGS 84')
    .requiredOption('--id <field>', "the field with each polygon's id")
    .requiredOption('--raster <file...>', 'GeoTIFF in EPSG:4326; several on one grid are read in one pass')
    .option('--weights <file>', "GeoTIFF on the raster's own grid, without negative values (such as persons)")
    .requiredOption(
      '--out <file.csv>',
      'columns: id, count (sum of shares), sum, mean, weight_sum, weighted_sum, weighted_mean; with several rasters also raster, after id',
      fileToWrite,
    )
    .option(
      '--nodata <value>',
      "value of the raster's missing cells: a number, nan or none; overrides its tag",
      parseNodata,
    )
    .option('--band <n>', 'which band of the raster, from 1, if it has several', atLeastOne)
    .option('--weights-band <n>', 'which band of the weights', atLeastOne)
    .option(
      '--jobs <n>',
      'threads; the results do not depend on them',
      atLeastOne,
      Math.min(availableParallelism(), MOST_JOBS),
    )
    .addHelpText(
      'after',
      `
Examples:
  malaria-risk zonal --polygons lgas.geojson --id code --raster elevation.tif --out elevation.csv
  malaria-risk zonal --polygons lgas.shp --id ADM2_PCODE --raster nets.tif --weights people.tif --out nets.csv
  malaria-risk zonal --polygons lgas.shp --id ADM2_PCODE --raster jan.tif feb.tif mar.tif --out rain.csv

Cells without a value are ignored. weighted_mean is sum(share x weight x value) / sum(share x weight); a statistic that
cannot be computed is left empty. Memory grows with the threads and the files' blocks, not with the raster.`,
    )
    .action(async (options: ZonalOptions) => {
      const count = await runZonal(options, process.stderr.isTTY ? drawProgress : () => {});
      say(`${options.out}: ${count} polygons`);
    });
}

/**
 * Reads, computes and writes; resolves to the number of polygons.
 * @param onProgress gets the share of the work that is done, 0 to 1
 * @throws BadInput, leaving `out` as it was
 */
export async function runZonal(options: ZonalOptions, onProgress: (share: number) => void): Promise<number> {
  const declared = { nodata: options.nodata, band: options.band };
  const layers = await Promise.all(options.raster.map((file) => describeRaster(file, declared)));
  // All layers must be on the first layer's grid.
  const first = layers[0]!;
  const weights =
    options.weights === undefined
      ? null
      : await describeRaster(options.weights, { valid: [0, Number.MAX_VALUE], band: options.weightsBand });
  for (const other of weights ? [...layers, weights] : layers) checkSameGrid(first, other);
  const features = await readPolygons(options.polygons);
  const ids = identifyFeatures(features, options.id, options.polygons);
  const outlines = features.map(({ polygons }) => drawOutline(polygons, first.grid));
  const jobs = options.jobs ?? 1;
  const sums = await sumInside(layers, weights, outlines, jobs, onProgress).catch((cause: unknown) => {
    if (!(cause instanceof OutlineFault)) throw cause;
    throw new BadInput({
      file: options.polygons,
      where: `${options.id} ${ids[cause.outline]}`,
      found: cause.message,
      expected: 'a valid polygon',
    });
  });
  const columns = ['id', ...(layers.length > 1 ? ['raster' as const] : []), ...COLUMNS] as const;
  const rows = ids.flatMap((id, i) =>
    options.raster.map((raster, layer) => ({ id, raster, ...zonalStatistics(sums[layer]![i]!, weights !== null) })),
  );
  await writeCsv(options.out, rows, columns);
  return ids.length;
}

function checkSameGrid(first: RasterDescription, other: RasterDescription): void {
  if (sameGrid(first.grid, other.grid)) return;
  const expected = `the raster's ${describeGrid(first.grid)} (${first.file})`;
  throw new BadInput({ file: other.file, found: describeGrid(other.grid), expected });
}

function parseNodata(text: string): number | 'nan' | 'none' {
  const lower = text.toLowerCase();
  if (lower === 'nan' || lower === 'none') return lower;
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value)) throw new InvalidArgumentError('expected a number, nan or none');
  return value;
}

function drawProgress(share: number): void {
  process.stderr.write(`\r${Math.round(share * 100)}%${share >= 1 ? '\n' : ''}`);
}
