/** The commands that messages propose for files that are refused. They are to be run in the file's folder. */
import path from 'node:path';
import type { Grid } from '../../lib/numerics/grid.ts';
import { quoteForShell } from '../../lib/shell.ts';

/** The file's name without its folder; one that begins with a dash would be taken for an option. */
export function shellName(file: string): string {
  const name = path.basename(file);
  return name.startsWith('-') ? `./${name}` : name;
}

/** A name for what a command makes of the file, such as `areas_4326.geojson` for `areas.shp`. */
export function resultName(file: string, ending: string): string {
  const name = shellName(file);
  return name.slice(0, name.length - path.extname(name).length) + ending;
}

/** GDAL's name of a vector file, as a shell needs it: it reads an archive only if it is named as one. */
const vectorFile = (file: string) =>
  quoteForShell(/\.zip$/i.test(file) ? `/vsizip/${shellName(file)}` : shellName(file));

/** Outlines in longitude and latitude. GDAL reports an error if the file has several layers. */
export const reprojectOutlines = (file: string): string =>
  `ogr2ogr -t_srs EPSG:4326 ${quoteForShell(resultName(file, '_4326.geojson'))} ${vectorFile(file)}`;

/**
 * A raster in longitude and latitude. GDAL's default, the nearest cell, loses and duplicates people, so counts are
 * shared out and other values averaged. Cells that the file does not cover become NaN: without a nodata value GDAL
 * would fill them with 0.
 */
export function reprojectRaster(file: string): string {
  const warp = (method: string) =>
    `gdalwarp -r ${method} -ot Float32 -dstnodata nan -t_srs EPSG:4326 ${quoteForShell(shellName(file))} ${quoteForShell(resultName(file, '_4326.tif'))}`;
  return `if its cells are counts such as persons, with: ${warp('sum')} (GDAL 3.1 or later); if they are rates, heights or other measures, with: ${warp('average')}`;
}

/** One of a file's bands. @param band its number, or a placeholder */
export function extractBand(file: string, band: number | string, source = shellName(file)): string {
  return `gdal_translate -b ${band} ${quoteForShell(source)} ${quoteForShell(resultName(file, `_${band}.tif`))}`;
}

/**
 * A band whose missing cells are NaN, from a raster that marks them in a mask or in a band of transparency.
 * @param alpha the band of transparency; without it, the mask that GDAL finds
 */
export function burnMask(file: string, band: number, alpha?: number): string {
  const [maskedView, result] = [
    quoteForShell(resultName(file, `_${band}.vrt`)),
    quoteForShell(resultName(file, `_${band}.tif`)),
  ];
  const mask = alpha === undefined ? '' : ` -mask ${alpha}`;
  const translate = `gdal_translate -of VRT -b ${band}${mask} ${quoteForShell(shellName(file))} ${maskedView}`;
  return `${translate} && gdalwarp -ot Float64 -dstnodata nan ${maskedView} ${result}`;
}

/** A GeoTIFF that states itself what GDAL reads from the files beside it. */
export const mergeSidecars = (file: string): string =>
  `gdal_translate ${quoteForShell(shellName(file))} ${quoteForShell(resultName(file, '_merged.tif'))}`;

/** One of the images of a TIFF that has several. */
export const extractImage = (file: string): string =>
  `gdal_translate ${quoteForShell(`GTIFF_DIR:N:${shellName(file)}`)} ${quoteForShell(resultName(file, '_N.tif'))}`;

/**
 * A GeoTIFF that states to be in longitude and latitude, with the place that a grid, or a world file beside it, gives.
 */
export const placeInDegrees = (file: string): string =>
  `gdal_translate -a_srs EPSG:4326 ${quoteForShell(shellName(file))} ${quoteForShell(resultName(file, '_4326.tif'))}`;

/** A raster from 0° to 360° as one from -180° to 180°, cell for cell. */
export function turnGlobe(file: string, { west, north, cellHeight, columns, rows }: Grid): string {
  const extent = [west - 180, north - rows * cellHeight, west + 180, north].join(' ');
  return `gdalwarp -te ${extent} -ts ${columns} ${rows} --config CENTER_LONG 0 ${quoteForShell(shellName(file))} ${quoteForShell(resultName(file, '_180.tif'))}`;
}

/** Outlines without ground that is enclosed twice; a ring that crosses itself everywhere is left out. */
export const makeValid = (file: string): string =>
  `mapshaper ${quoteForShell(shellName(file))} -clean allow-overlaps -o ${quoteForShell(resultName(file, '_valid.geojson'))}`;

/** A raster averaged over the cells of another grid. */
export function averageOver(file: string, grid: Grid): string {
  const [east, south] = [grid.west + grid.columns * grid.cellWidth, grid.north - grid.rows * grid.cellHeight];
  const cells = `-te ${grid.west} ${south} ${east} ${grid.north} -ts ${grid.columns} ${grid.rows}`;
  return `gdalwarp -r average -ot Float32 -dstnodata nan ${cells} ${quoteForShell(shellName(file))} ${quoteForShell(resultName(file, '_averaged.tif'))}`;
}
