import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import type { GeoTIFF, GeoTIFFImage } from 'geotiff';
import { BadInput, type Refusal, refusalIn } from '../../lib/bad-input.ts';
import type { Grid } from '../../lib/numerics/grid.ts';
import { conversionOf, type Declared } from './geotiff-conversion.ts';
import type { Blocks } from './tiff-blocks.ts';
import { type Coding, isCompressed, rowBytes } from './tiff-decode.ts';
import { firstBytesOf, refuseUnsupported } from './unsupported.ts';
import type { BlockSize } from './windows.ts';

/** A raster that is not yet open. Plain data, so that each thread can open it for itself. */
export interface RasterDescription extends BlockSize {
  file: string;
  grid: Grid;
  /** From 1. */
  band: number;
  blocks: Blocks;
  valid: readonly [number, number] | null;
}

/** Largest accepted size of a decoded block, which has to fit in memory as a whole. */
const MAX_BLOCK_BYTES = 2 ** 28;

/**
 * Describes one band of a GeoTIFF in longitude and latitude (EPSG:4326), its rows along parallels.
 * @throws BadInput if the file is missing, not a TIFF, truncated, rotated, in another coordinate system …
 */
export async function describeRaster(file: string, declared: Declared = {}): Promise<RasterDescription> {
  const refusal = refusalIn(file);
  const { size } = await stat(file).catch(() => {
    throw refusal('no such file', 'a GeoTIFF');
  });
  const tiff = await openTiff(file).catch(async (cause: unknown) => {
    refuseUnsupported(file, await firstBytesOf(file), 'raster');
    throw unreadable(cause, refusal);
  });
  try {
    const image = await tiff.getImage();
    const band = bandOf(image, declared, refusal);
    await refuseMasks(tiff, refusal);
    checkCoordinateSystem(file, image, refusal);
    const { grid, southUp } = georeferenceOf(image, refusal);
    const coding = await codingOf(image);
    const { starts, bytes } = await readBlockOffsets(image, band, size, refusal);
    const blockRows = image.getTileHeight();
    const blocks: Blocks = {
      file,
      rows: grid.rows,
      columns: grid.columns,
      coding,
      blockRows,
      starts,
      bytes,
      southUp,
      sample: image.planarConfiguration === 2 ? 0 : band - 1,
      conversion: await conversionOf(image, band, declared, refusal),
    };
    const blockBytes = rowBytes(coding) * blockRows;
    if (isCompressed(coding) && blockBytes > MAX_BLOCK_BYTES) {
      const found = `blocks of ${coding.columns} × ${blockRows} cells, ${blockBytes} bytes each when decoded`;
      throw refusal(found, `at most ${MAX_BLOCK_BYTES}, as in a tiled GeoTIFF`);
    }
    const window: BlockSize = {
      // Without compression, any row can be read by itself.
      blockRows: isCompressed(coding) ? blockRows : 1,
      northRows: isCompressed(coding) && southUp ? grid.rows % blockRows : 0,
      blockColumns: coding.columns,
    };
    return { file, grid, band, blocks, valid: declared.valid ?? null, ...window };
  } catch (cause) {
    throw cause instanceof BadInput ? cause : unreadable(cause, refusal);
  } finally {
    await tiff.close();
  }
}

/** Opens the file with the geotiff library. */
export async function openTiff(file: string): Promise<GeoTIFF> {
  const { fromFile } = await import('geotiff');
  const tiff = await fromFile(file);
  // It reads deferred arrays as little-endian whatever the file specifies (geotiff 3.0.5, DeferredArray).
  if (!tiff.littleEndian) tiff.parser.eager = true;
  return tiff;
}

export function unreadable(cause: unknown, refusal: Refusal): BadInput {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return refusal(`data that cannot be decoded (${reason})`, 'an intact GeoTIFF');
}

function bandOf(image: GeoTIFFImage, declared: Declared, refusal: Refusal): number {
  const bands = image.getSamplesPerPixel();
  if (declared.band === undefined && bands > 1)
    throw refusal(`${bands} bands`, 'one band: extract it with gdal_translate -b N (or use --band of `zonal`)');
  const band = declared.band ?? 1;
  if (band > bands) throw refusal(`${bands} band${bands > 1 ? 's' : ''}`, `a band ${band}`);
  return band;
}

async function refuseMasks(tiff: GeoTIFF, refusal: Refusal): Promise<void> {
  for (let i = 1; i < (await tiff.getImageCount()); i++) {
    const kind = Number((await tiff.getImage(i)).fileDirectory.getValue('NewSubfileType') ?? 0);
    if (kind & 4) throw refusal('an internal mask of missing cells', 'a nodata value');
  }
}

function checkCoordinateSystem(file: string, image: GeoTIFFImage, refusal: Refusal): void {
  const keys = image.getGeoKeys();
  const code = keys?.ProjectedCSTypeGeoKey ?? keys?.GeographicTypeGeoKey;
  if (code !== 4326) {
    const found = code === undefined ? 'no coordinate system' : `the coordinate system EPSG:${code}`;
    const out = basename(file).replace(/\.tiff?$/i, '');
    const convert =
      code === undefined ? '' : `; make one with: gdalwarp -t_srs EPSG:4326 ${basename(file)} ${out}_4326.tif`;
    throw refusal(found, `EPSG:4326 (longitude and latitude, WGS 84)${convert}`);
  }
}

function georeferenceOf(image: GeoTIFFImage, refusal: Refusal): { grid: Grid; southUp: boolean } {
  const columns = image.getWidth();
  const rows = image.getHeight();
  const scale = image.fileDirectory.getValue('ModelPixelScale');
  const tie = image.fileDirectory.getValue('ModelTiepoint');
  const matrix = image.fileDirectory.getValue('ModelTransformation');
  // The outer edge of the first row, and the step from row to row, which is negative if the file is north up.
  let [cellWidth, step, west, edge] = [Number.NaN, Number.NaN, Number.NaN, Number.NaN];
  const rotated = matrix && (matrix[1] !== 0 || matrix[4] !== 0);
  if (scale && tie && !rotated) {
    cellWidth = scale[0]!;
    step = -scale[1]!;
    west = tie[3]! - tie[0]! * cellWidth;
    edge = tie[4]! - tie[1]! * step;
  } else if (matrix && !rotated) {
    cellWidth = matrix[0]!;
    step = matrix[5]!;
    west = matrix[3]!;
    edge = matrix[7]!;
  }
  if (!(cellWidth > 0 && Math.abs(step) > 0))
    throw refusal('a raster that is rotated, mirrored or not georeferenced', 'rows from west to east');
  // If values belong to points (GTRasterType 2), the given corner is the centre of the first cell.
  if (image.getGeoKeys()?.GTRasterTypeGeoKey === 2) {
    west -= cellWidth / 2;
    edge -= step / 2;
  }
  const southUp = step > 0;
  const cellHeight = Math.abs(step);
  const north = southUp ? edge + rows * cellHeight : edge;
  const [east, south] = [west + columns * cellWidth, north - rows * cellHeight];
  const slack = cellWidth;
  if (!(west >= -180 - slack && east <= 180 + slack && south >= -90 - slack && north <= 90 + slack)) {
    throw refusal(`longitude ${west} to ${east}, latitude ${south} to ${north}`, 'degrees on the globe');
  }
  return { grid: { west, north, cellWidth, cellHeight, columns, rows }, southUp };
}

async function codingOf(image: GeoTIFFImage): Promise<Coding> {
  return {
    compression: image.fileDirectory.getValue('Compression') ?? 1,
    predictor: (await image.fileDirectory.loadValue('Predictor')) ?? 1,
    format: image.getSampleFormat(),
    bits: image.getBitsPerSample() || 1,
    littleEndian: image.littleEndian,
    samples: image.planarConfiguration === 2 ? 1 : image.getSamplesPerPixel(),
    columns: image.getTileWidth(),
  };
}

/** Offsets and lengths of the band's blocks. A truncated file is detected here, before any block is read. */
async function readBlockOffsets(image: GeoTIFFImage, band: number, size: number, refusal: Refusal) {
  const [offsets, lengths] = await Promise.all(
    image.isTiled
      ? [image.fileDirectory.loadValue('TileOffsets'), image.fileDirectory.loadValue('TileByteCounts')]
      : [image.fileDirectory.loadValue('StripOffsets'), image.fileDirectory.loadValue('StripByteCounts')],
  );
  if (!offsets || !lengths) throw refusal('no blocks', 'tiles or strips');
  const across = Math.ceil(image.getWidth() / image.getTileWidth());
  const count = across * Math.ceil(image.getHeight() / image.getTileHeight());
  const first = image.planarConfiguration === 2 ? (band - 1) * count : 0;
  const starts = Float64Array.from({ length: count }, (_, i) => Number(offsets[first + i]));
  const bytes = Float64Array.from({ length: count }, (_, i) => Number(lengths[first + i]));
  for (let i = 0; i < count; i++) {
    const end = starts[i]! + bytes[i]!;
    if (Number.isNaN(end)) throw refusal(`${offsets.length} blocks`, `${first + count}`);
    if (end > size) throw refusal(`${size} bytes`, `${end} (the file is cut short)`);
  }
  return { starts, bytes };
}
