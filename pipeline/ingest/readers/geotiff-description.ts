import { stat } from 'node:fs/promises';
import type { GeoTIFF, GeoTIFFImage } from 'geotiff';
import { BadInput, InputLocation } from '../../lib/bad-input.ts';
import type { Grid } from '../../lib/numerics/grid.ts';
import { burnMask, extractBand, extractImage, placeInDegrees, reprojectRaster, turnGlobe } from './commands.ts';
import { bandConversion, type RasterDeclaration, taggedNodata } from './geotiff-conversion.ts';
import { refuseSidecars } from './geotiff-sidecars.ts';
import type { Blocks } from './tiff-blocks.ts';
import { type Coding, isCompressed, rowBytes } from './tiff-decode.ts';
import { readImageKinds } from './tiff-images.ts';
import { readFirstBytes, refuseUnsupported } from './unsupported.ts';
import type { BlockSize } from './windows.ts';

/** A raster that is not yet open. Plain data, so that each thread can open it for itself. */
export interface RasterDescription extends BlockSize {
  file: string;
  grid: Grid;
  /** From 1. */
  band: number;
  blocks: Blocks;
  valid: readonly [number, number];
  /** Samples that mark missing cells in files without a tag. */
  marks: readonly number[];
}

/** Larger numbers of any unit only mark missing cells. */
const ANY_MEASURE = [-1e19, 1e19] as const;
const ANY_NUMBER = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY] as const;

/** Limits of integer types and numbers of nines: no measurement equals one of them by chance. */
const NINES = [-9999, -99999, 99999, -999999, 999999, -9999999, -99999999, -999999999];
const LIMITS = [-32768, 32767, 65535, -2147483648, 2147483647, 4294967295];

/** The marks to look for; without a declared range, also those that a measurement could equal. */
function missingMarks({ format, bits }: Coding, { valid, marksAreValues }: RasterDeclaration): number[] {
  if (marksAreValues) return [];
  const byteLimits = bits > 8 ? [] : format === 2 ? [-128] : [255];
  const possibleMarks = valid ? [] : [-999].concat(byteLimits);
  return NINES.concat(LIMITS, possibleMarks).flatMap((mark) => [mark, Math.fround(mark)]);
}

/** Largest accepted size of a decoded block, which has to fit in memory as a whole. */
const MAX_BLOCK_BYTES = 2 ** 28;

/**
 * Describes one band of a GeoTIFF in longitude and latitude (EPSG:4326), its rows along parallels.
 * @throws BadInput if the file is missing, not a TIFF, truncated, rotated, in another coordinate system …
 */
export async function describeRaster(file: string, declared: RasterDeclaration = {}): Promise<RasterDescription> {
  const location = new InputLocation(file);
  const { size } = await stat(file).catch(() => {
    throw location.error('no such file', 'a GeoTIFF');
  });
  const tiff = await openTiff(file).catch(async (cause: unknown) => {
    const bytes = await readFirstBytes(file);
    refuseUnsupported(file, bytes, 'raster');
    const start = Buffer.from(bytes.subarray(0, 20)).toString('latin1');
    throw /^(II|MM)/.test(start)
      ? unreadable(cause, location)
      : unreadable(`it begins with ${JSON.stringify(start)}`, location);
  });
  try {
    const imageKinds = await readImageKinds(tiff, file, size, location);
    const image = await tiff.getImage();
    const band = await chooseBand(file, image, declared, location);
    refuseFurtherImages(file, imageKinds, band, location);
    checkCoordinateSystem(file, image, location);
    const { grid, southUp } = readGeoreference(file, image, location);
    const conversion = await bandConversion(image, band, declared, location);
    const corner = southUp ? grid.north - grid.rows * grid.cellHeight : grid.north;
    const statedBand = {
      band,
      nodata: declared.nodata === undefined ? taggedNodata(image, location) : null,
      scale: conversion.scale,
      offset: conversion.offset,
      transform: [grid.west, grid.cellWidth, 0, corner, 0, southUp ? grid.cellHeight : -grid.cellHeight],
    };
    await refuseSidecars(file, statedBand, declared, location);
    const coding = await readCoding(image);
    const { blockOffsets, blockLengths } = await readBlockOffsets(image, band, size, location);
    const blockRows = image.getTileHeight();
    const blocks: Blocks = {
      file,
      rows: grid.rows,
      columns: grid.columns,
      coding,
      blockRows,
      blockOffsets,
      blockLengths,
      southUp,
      bandIndex: image.planarConfiguration === 2 ? 0 : band - 1,
      conversion,
    };
    // Without compression, any row can be read by itself.
    const decodedBytes = rowBytes(coding) * (isCompressed(coding) ? blockRows : 1);
    if (decodedBytes > MAX_BLOCK_BYTES) {
      const found = `blocks of ${coding.columns} × ${blockRows} cells, ${decodedBytes} bytes each when decoded`;
      throw location.error(found, `at most ${MAX_BLOCK_BYTES}, as in a tiled GeoTIFF`);
    }
    const valid = declared.valid ?? (declared.marksAreValues ? ANY_NUMBER : ANY_MEASURE);
    const blockSize: BlockSize = {
      blockRows: isCompressed(coding) ? blockRows : 1,
      northRows: isCompressed(coding) && southUp ? grid.rows % blockRows : 0,
      blockColumns: coding.columns,
    };
    return { file, grid, band, blocks, valid, marks: missingMarks(coding, declared), ...blockSize };
  } catch (cause) {
    throw cause instanceof BadInput ? cause : unreadable(cause, location);
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

export function unreadable(cause: unknown, location: InputLocation): BadInput {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return location.error(`data that cannot be decoded (${reason})`, 'an intact GeoTIFF');
}

async function chooseBand(
  file: string,
  image: GeoTIFFImage,
  declared: RasterDeclaration,
  location: InputLocation,
): Promise<number> {
  const bands = image.getSamplesPerPixel();
  if (declared.band === undefined && bands > 1) {
    const names = await Promise.all(Array.from({ length: bands }, (_, i) => image.getGDALMetadata(i)));
    const named = names.flatMap((tags, i) => (tags?.DESCRIPTION ? [`${i + 1} ${tags.DESCRIPTION}`] : []));
    const description = `${bands} bands${named.length > 0 ? ` (${named.join(', ')})` : ''}`;
    throw location.error(
      description,
      `one band: extract band N with ${extractBand(file, 'N')} (or use --band N of \`zonal\`)`,
    );
  }
  const band = declared.band ?? 1;
  if (band > bands) throw location.error(`${bands} band${bands > 1 ? 's' : ''}`, `a band ${band}`);
  const extraSamples: ArrayLike<number> = (await image.fileDirectory.loadValue('ExtraSamples')) ?? [];
  const transparency = Array.from(extraSamples).findIndex((sampleKind) => sampleKind === 1 || sampleKind === 2);
  if (transparency !== -1) {
    const alpha = bands - extraSamples.length + transparency + 1;
    throw location.error(
      `cells made transparent by band ${alpha}`,
      `a nodata value; make one with: ${burnMask(file, band, alpha)}`,
    );
  }
  return band;
}

/** GDAL takes a mask for part of the first image; other images, apart from overviews, are further rasters. */
function refuseFurtherImages(file: string, imageKinds: readonly number[], band: number, location: InputLocation): void {
  if (imageKinds.some((kind) => kind & 4))
    throw location.error('an internal mask of missing cells', `a nodata value; make one with: ${burnMask(file, band)}`);
  const images = imageKinds.filter((kind, i) => i === 0 || !(kind & 1)).length;
  if (images === 1) return;
  throw location.error(`${images} images`, `one: extract image N with ${extractImage(file)}`);
}

function checkCoordinateSystem(file: string, image: GeoTIFFImage, location: InputLocation): void {
  const keys = image.getGeoKeys();
  const isProjected =
    keys?.GTModelTypeGeoKey === 1 ||
    [keys?.ProjectedCSTypeGeoKey, keys?.ProjectionGeoKey, keys?.ProjCoordTransGeoKey, keys?.ProjLinearUnitsGeoKey].some(
      (key) => key !== undefined,
    );
  const code = keys?.[isProjected ? 'ProjectedCSTypeGeoKey' : 'GeographicTypeGeoKey'];
  if (code === 4326) return;
  const expectedSystem = 'EPSG:4326 (longitude and latitude, WGS 84)';
  if (!isProjected && code === undefined) {
    throw location.error(
      'no coordinate system',
      `${expectedSystem}; if you know that it is EPSG:4326: ${placeInDegrees(file)}`,
    );
  }
  const citation = keys?.PCSCitationGeoKey ?? keys?.GTCitationGeoKey ?? keys?.GeogCitationGeoKey;
  // ArcGIS cites the complete definition, in which the name is the first text in quotes; GDAL ends names with a bar.
  const name = citation && (/"([^"]+)"/.exec(citation)?.[1] ?? citation.split('|')[0]);
  const system = code === undefined || code === USER_DEFINED ? (name ?? 'of its own') : `EPSG:${code}`;
  throw location.error(`the coordinate system ${system}`, `${expectedSystem}; make one, ${reprojectRaster(file)}`);
}

/** GeoTIFF's code of a system that is described by further keys. */
const USER_DEFINED = 32_767;

function readGeoreference(
  file: string,
  image: GeoTIFFImage,
  location: InputLocation,
): { grid: Grid; southUp: boolean } {
  const columns = image.getWidth();
  const rows = image.getHeight();
  const scale = image.fileDirectory.getValue('ModelPixelScale');
  const tiepoint = image.fileDirectory.getValue('ModelTiepoint');
  const matrix = image.fileDirectory.getValue('ModelTransformation');
  // The outer edge of the first row, and the step from row to row, which is negative if the file is north up.
  let [cellWidth, rowStep, west, firstRowEdge] = [Number.NaN, Number.NaN, Number.NaN, Number.NaN];
  const isRotated = matrix && (matrix[1] !== 0 || matrix[4] !== 0);
  if (scale && tiepoint && !isRotated) {
    cellWidth = scale[0]!;
    rowStep = -scale[1]!;
    west = tiepoint[3]! - tiepoint[0]! * cellWidth;
    firstRowEdge = tiepoint[4]! - tiepoint[1]! * rowStep;
  } else if (matrix && !isRotated) {
    cellWidth = matrix[0]!;
    rowStep = matrix[5]!;
    west = matrix[3]!;
    firstRowEdge = matrix[7]!;
  }
  if (!matrix && !(scale && tiepoint)) {
    const expected = `a georeferenced raster; if a file beside it gives the place: ${placeInDegrees(file)}`;
    throw location.error('no place of its cells', expected);
  }
  if (!matrix && scale![1]! < 0)
    throw location.error(
      'rows of negative height, which programs read in either direction',
      'a raster with the north up',
    );
  if (!(cellWidth > 0 && Math.abs(rowStep) > 0))
    throw location.error('a raster that is rotated or mirrored', 'rows from west to east');
  // If values belong to points (GTRasterType 2), the given corner is the centre of the first cell.
  if (image.getGeoKeys()?.GTRasterTypeGeoKey === 2) {
    west -= cellWidth / 2;
    firstRowEdge -= rowStep / 2;
  }
  const southUp = rowStep > 0;
  const cellHeight = Math.abs(rowStep);
  const north = southUp ? firstRowEdge + rows * cellHeight : firstRowEdge;
  const tolerance = cellWidth;
  // Longitude from 0 to 360 degrees.
  if (west >= 180 - tolerance) west -= 360;
  const [east, south] = [west + columns * cellWidth, north - rows * cellHeight];
  if (west >= -tolerance && Math.abs(east - west - 360) < tolerance)
    throw location.error(
      `longitude ${west} to ${east}`,
      `-180 to 180; make one with: ${turnGlobe(file, { west, north, cellWidth, cellHeight, columns, rows })}`,
    );
  if (!(west >= -180 - tolerance && east <= 180 + tolerance && south >= -90 - tolerance && north <= 90 + tolerance)) {
    throw location.error(`longitude ${west} to ${east}, latitude ${south} to ${north}`, 'degrees on the globe');
  }
  return { grid: { west, north, cellWidth, cellHeight, columns, rows }, southUp };
}

async function readCoding(image: GeoTIFFImage): Promise<Coding> {
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
async function readBlockOffsets(image: GeoTIFFImage, band: number, size: number, location: InputLocation) {
  const [offsets, lengths] = await Promise.all(
    image.isTiled
      ? [image.fileDirectory.loadValue('TileOffsets'), image.fileDirectory.loadValue('TileByteCounts')]
      : [image.fileDirectory.loadValue('StripOffsets'), image.fileDirectory.loadValue('StripByteCounts')],
  );
  if (!offsets || !lengths) throw location.error('no blocks', 'tiles or strips');
  const blocksAcross = Math.ceil(image.getWidth() / image.getTileWidth());
  const count = blocksAcross * Math.ceil(image.getHeight() / image.getTileHeight());
  const firstBlock = image.planarConfiguration === 2 ? (band - 1) * count : 0;
  if (offsets.length < firstBlock + count || lengths.length < firstBlock + count)
    throw location.error(`${Math.min(offsets.length, lengths.length)} blocks`, `${firstBlock + count}`);
  const blockOffsets = Float64Array.from({ length: count }, (_, i) => Number(offsets[firstBlock + i]));
  const blockLengths = Float64Array.from({ length: count }, (_, i) => Number(lengths[firstBlock + i]));
  for (let i = 0; i < count; i++) {
    const end = blockOffsets[i]! + blockLengths[i]!;
    if (end > size) throw location.error(`${size} bytes`, `${end} (the file is cut short)`);
  }
  return { blockOffsets, blockLengths };
}
