import type { GeoTIFFImage } from 'geotiff';
import type { InputLocation } from '../../lib/bad-input.ts';
import type { Conversion } from './tiff-blocks.ts';

/** What the caller declares about a raster. */
export interface RasterDeclaration {
  /** The value of missing cells, overriding the file's tag. `none`: only NaN cells are missing. */
  nodata?: number | 'nan' | 'none' | undefined;
  /** Whether values that programs use for missing cells are ordinary values of this raster. */
  marksAreValues?: boolean | undefined;
  /** Smallest and largest plausible value: anything outside is an error, most often an untagged nodata value. */
  valid?: readonly [number, number] | undefined;
  /** The band, from 1; without it a file with several bands is refused. */
  band?: number | undefined;
}

/**
 * How a band's samples are converted to values, by the file's tags and the caller's declarations.
 * @throws BadInput for tags that are not numbers
 */
export async function bandConversion(
  image: GeoTIFFImage,
  band: number,
  declared: RasterDeclaration,
  location: InputLocation,
): Promise<Conversion> {
  const tags = await image.getGDALMetadata(band - 1);
  const scale = Number(tags?.SCALE ?? 1);
  const offset = Number(tags?.OFFSET ?? 0);
  if (!Number.isFinite(scale) || !Number.isFinite(offset))
    throw location.error(`the scale ${tags?.SCALE ?? 1} and offset ${tags?.OFFSET ?? 0}`, 'numbers');
  const bits = image.getBitsPerSample();
  const isFloat = image.getSampleFormat() === 3;
  const isExactIn32Bits = (isFloat && bits <= 32) || (!isFloat && bits <= 16);
  return {
    missing: missingSamples(image, declared, location),
    scale,
    offset,
    needsFloat64: !isExactIn32Bits || scale !== 1 || offset !== 0,
  };
}

/** GDAL's tolerance when it compares floats with a nodata value, as a share of their sum: 2 × 2⁻²³. */
const GDAL_TOLERANCE = 2 ** -22;

/**
 * The samples that mark missing cells, from the smallest to the largest; null if there are none. Tags are rounded when
 * they are printed, and files that were converted contain rounded samples, so floats may differ from the tag as in
 * GDAL.
 */
function missingSamples(
  image: GeoTIFFImage,
  declared: RasterDeclaration,
  location: InputLocation,
): Conversion['missing'] {
  if (declared.nodata === 'none') return null;
  const value = declared.nodata === undefined ? taggedNodata(image, location) : Number(declared.nodata);
  if (value === null) return null;
  const [format, bits] = [image.getSampleFormat(), image.getBitsPerSample()];
  if (format === 3) {
    const rounded = bits === 16 ? Math.f16round(value) : bits === 32 ? Math.fround(value) : value;
    const factor = (1 + GDAL_TOLERANCE) / (1 - GDAL_TOLERANCE);
    const [small, large] = [rounded / factor, rounded * factor];
    return small < large ? [small, large] : [large, small];
  }
  // A value that the type cannot represent does not occur.
  const [least, most] = format === 2 ? [-(2 ** (bits - 1)), 2 ** (bits - 1)] : [0, 2 ** bits];
  return Number.isInteger(value) && value >= least && value <= most ? [value, value] : null;
}

/** GDAL's nodata tag; null if it is missing or empty. */
export function taggedNodata(image: GeoTIFFImage, location: InputLocation): number | null {
  const tag: string | undefined = image.fileDirectory.getValue('GDAL_NODATA');
  const text = (tag ?? '').replaceAll('\0', '').trim();
  if (text === '') return null;
  const value = parseCNumber(text);
  if (value === null)
    throw location.at('its nodata tag').error(text, 'a number, nan or inf (or declare `nodata` in the catalog)');
  return value;
}

/** A number as printed by C, such as `-nan` or `inf`; null for other text. */
export function parseCNumber(text: string): number | null {
  if (/^[+-]?nan(?:\(.*\))?$/i.test(text)) return Number.NaN;
  const infinityMatch = /^([+-]?)inf(?:inity)?$/i.exec(text);
  if (infinityMatch) return infinityMatch[1] === '-' ? -Infinity : Infinity;
  const value = Number(text);
  return Number.isNaN(value) ? null : value;
}
