import { availableParallelism } from 'node:os';
import { Command, InvalidArgumentError } from 'commander';
import { averageOver, makeValid } from '../../ingest/readers/commands.ts';
import { describeRaster, type RasterDescription } from '../../ingest/readers/geotiff-description.ts';
import { identifyFeatures, readPolygons } from '../../ingest/readers/polygons.ts';
import { BadInput } from '../../lib/bad-input.ts';
import type { Polygon } from '../../lib/numerics/area.ts';
import { describeGrid, type Grid, isSameGrid } from '../../lib/numerics/grid.ts';
import { findSelfCrossing } from '../../lib/numerics/self-crossing.ts';
import { writeCsv } from '../../lib/tables/csv.ts';
import { shareInside, toGridOutline } from '../../measure/zonal/outline.ts';
import { sumInside } from '../../measure/zonal/pass.ts';
import { zonalStatistics } from '../../measure/zonal/sums.ts';
import { parseAtLeastOne, parseFileToWrite, printLines } from '../terminal/options.ts';
import { drawShare } from '../terminal/progress.ts';

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
  weightsNodata?: number | 'nan' | 'none';
  jobs?: number;
}

const COLUMNS = ['count', 'sum', 'mean', 'weight_sum', 'weighted_sum', 'weighted_mean'] as const;

/** Maximum number of threads by default: each takes about 50 MB, and reading rarely keeps more of them busy. */
const MAX_DEFAULT_JOBS = 8;

/** `malaria-risk zonal`: statistics of a raster inside polygons, as CSV. */
export default function zonalCommand(): Command {
  return new Command('zonal')
    .description(
      'Statistics of a raster inside polygons, with each cell weighted by the exact share of it that is inside',
    )
    .requiredOption('--polygons <file>', 'GeoJSON, or a shapefile with its .dbf and .prj; WGS 84')
    .requiredOption('--id <field>', "the field with each polygon's id")
    .requiredOption('--raster <file...>', 'GeoTIFF in EPSG:4326; several on one grid are read in one pass')
    .option('--weights <file>', 'GeoTIFF without negative values, such as persons; its cells may be smaller')
    .requiredOption(
      '--out <file.csv>',
      'columns: id, count (sum of shares), sum, mean, weight_sum, weighted_sum, weighted_mean; with several rasters also raster, after id',
      parseFileToWrite,
    )
    .option(
      '--nodata <value>',
      "value of the raster's missing cells: a number, nan or none (every value counts); overrides its tag",
      parseNodata,
    )
    .option('--band <n>', 'which band of the raster, from 1, if it has several', parseAtLeastOne)
    .option('--weights-band <n>', 'which band of the weights', parseAtLeastOne)
    .option('--weights-nodata <value>', "value of the weights' missing cells", parseNodata)
    .option(
      '--jobs <n>',
      'threads; the results do not depend on them',
      parseAtLeastOne,
      Math.min(availableParallelism(), MAX_DEFAULT_JOBS),
    )
    .addHelpText(
      'after',
      `
Examples:
  malaria-risk zonal --polygons lgas.geojson --id code --raster elevation.tif --out elevation.csv
  malaria-risk zonal --polygons lgas.shp --id ADM2_PCODE --raster nets.tif --weights people.tif --out nets.csv
  malaria-risk zonal --polygons lgas.shp --id ADM2_PCODE --raster jan.tif feb.tif mar.tif --out rain.csv

Cells without a value are ignored. weighted_mean is sum(share x weight x value) / sum(share x weight); a statistic that
cannot be computed is left empty. If the weights have a grid of their own, the weighted statistics are sums over its
cells, each with the value of the raster's cell that contains its centre. Memory grows with the threads and the files'
blocks, not with the raster.`,
    )
    .action(async (options: ZonalOptions) => {
      const { polygons, warnings } = await runZonal(options, drawShare);
      for (const warning of warnings) process.stderr.write(`warning: ${warning}\n`);
      printLines(`${options.out}: ${polygons} polygons`);
    });
}

/**
 * Reads, computes and writes; resolves to the number of polygons, and to whatever a reader of the figures should know.
 * @param onProgress gets the share of the work that is done, 0 to 1
 * @throws BadInput, leaving `out` as it was
 */
export async function runZonal(
  options: ZonalOptions,
  onProgress: (share: number) => void,
): Promise<{ polygons: number; warnings: string[] }> {
  const { nodata, weightsNodata, jobs = 1 } = options;
  const rasterOptions = { nodata, marksAreValues: nodata === 'none', band: options.band };
  const layers = await Promise.all(options.raster.map((file) => describeRaster(file, rasterOptions)));
  // All layers must be on the first layer's grid.
  const firstLayer = layers[0]!;
  for (const layer of layers) refuseOtherGrid(firstLayer, layer);
  const weights =
    options.weights === undefined
      ? null
      : await describeRaster(options.weights, {
          valid: WEIGHT_RANGE,
          nodata: weightsNodata,
          band: options.weightsBand,
        });
  const gridsDiffer = weights !== null && !isSameGrid(firstLayer.grid, weights.grid);
  if (gridsDiffer) refuseCoarser(firstLayer, weights);
  const features = await readPolygons(options.polygons);
  const ids = identifyFeatures(features, options.id, options.polygons);
  const outlines = features.map(({ polygons }) => polygons);
  refuseSelfCrossing(options, ids, outlines);

  const outlinesOn = (grid: Grid) => outlines.map((polygons) => toGridOutline(polygons, grid));
  const passes = gridsDiffer ? 2 : 1;
  const sums = await sumInside(layers, gridsDiffer ? null : weights, outlinesOn(firstLayer.grid), jobs, (done) =>
    onProgress(done / passes),
  );
  if (gridsDiffer) {
    const weightedSums = await sumInside(layers, weights, outlinesOn(weights.grid), jobs, (done) =>
      onProgress((1 + done) / passes),
    );
    sums.forEach((layer, k) => {
      layer.forEach((sum, i) => {
        sum.weightSum = weightedSums[k]![i]!.weightSum;
        sum.weightedSum = weightedSums[k]![i]!.weightedSum;
      });
    });
  }
  const columns = ['id', ...(layers.length > 1 ? ['raster' as const] : []), ...COLUMNS] as const;
  const rows = ids.flatMap((id, i) =>
    options.raster.map((raster, layer) => ({ id, raster, ...zonalStatistics(sums[layer]![i]!, weights !== null) })),
  );
  await writeCsv(options.out, rows, columns);
  const warnings = warningsOutside(firstLayer, ids, outlines);
  if (gridsDiffer) {
    const rule = "each of their cells has the value of the raster's cell that contains its centre";
    warnings.push(
      `${weights.file}: the weights have a grid of their own; ${rule}`,
      ...warningsOutside(weights, ids, outlines),
    );
  }
  return { polygons: ids.length, warnings };
}

/** What weights can be. */
const WEIGHT_RANGE = [0, 1e19] as const;

function refuseOtherGrid(firstLayer: RasterDescription, layer: RasterDescription): void {
  if (isSameGrid(firstLayer.grid, layer.grid)) return;
  const expected = `the raster's ${describeGrid(firstLayer.grid)} (${firstLayer.file})`;
  throw new BadInput({ file: layer.file, found: describeGrid(layer.grid), expected });
}

/** Weights with larger cells than the raster's would use one value of many; the raster is brought to their grid. */
function refuseCoarser(
  { file, grid }: RasterDescription,
  { file: weights, grid: weightsGrid }: RasterDescription,
): void {
  const tolerance = 1 + 1e-6;
  if (weightsGrid.cellWidth <= grid.cellWidth * tolerance && weightsGrid.cellHeight <= grid.cellHeight * tolerance)
    return;
  throw new BadInput({
    file: weights,
    found: `weights in ${describeGrid(weightsGrid)}`,
    expected: `cells no larger than the raster's, ${describeGrid(grid)}; average the raster over theirs with: ${averageOver(file, weightsGrid)}`,
  });
}

/** @throws BadInput at the first outline whose area, and so every sum in it, depends on how it is read */
function refuseSelfCrossing(options: ZonalOptions, ids: readonly string[], outlines: readonly Polygon[][]): void {
  outlines.forEach((polygons, i) => {
    const fault = findSelfCrossing(polygons);
    if (!fault) return;
    throw new BadInput({
      file: options.polygons,
      where: `${options.id} ${ids[i]}`,
      found: `an outline that crosses or overlaps itself at ${fault.join(', ')}`,
      expected: `a valid polygon; make one with: ${makeValid(options.polygons)}`,
    });
  });
}

/** A smaller part of an outline off the raster is due to rounding. */
const MAX_ROUNDING_ERROR = 1e-6;
/** Number of polygons that a warning names. */
const MAX_EXAMPLES = 3;

/** Warnings of polygons outside a raster, or partly so. */
function warningsOutside(
  { file, grid }: RasterDescription,
  ids: readonly string[],
  outlines: readonly Polygon[][],
): string[] {
  const notCovered = outlines
    .map((polygons, i) => ({ id: ids[i]!, outside: 1 - shareInside(polygons, grid) }))
    .filter(({ outside }) => !(outside <= MAX_ROUNDING_ERROR))
    .sort((a, b) => b.outside - a.outside);
  const outsideRaster = notCovered.filter(({ outside }) => !(outside < 1));
  const partlyOutside = notCovered.filter(({ outside }) => outside < 1);
  const named = (some: typeof notCovered, of: (one: (typeof notCovered)[number]) => string) =>
    some.slice(0, MAX_EXAMPLES).map(of).join(', ') + (some.length > MAX_EXAMPLES ? ' …' : '');
  const part = ({ id, outside }: (typeof notCovered)[number]) => `${id} ${(100 * outside).toPrecision(3)}%`;
  return [
    ...(outsideRaster.length > 0
      ? [
          `${file}: ${outsideRaster.length} of ${ids.length} polygons have no cell of it: ${named(outsideRaster, ({ id }) => id)}`,
        ]
      : []),
    ...(partlyOutside.length > 0
      ? [
          `${file}: ${partlyOutside.length} of ${ids.length} polygons are partly off it, and their sums lack that part: ${named(partlyOutside, part)}`,
        ]
      : []),
  ];
}

function parseNodata(text: string): number | 'nan' | 'none' {
  const lower = text.toLowerCase();
  if (lower === 'nan' || lower === 'none') return lower;
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value)) throw new InvalidArgumentError('expected a number, nan or none');
  return value;
}
