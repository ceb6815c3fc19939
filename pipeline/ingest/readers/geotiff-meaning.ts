import type { GeoTIFFImage } from 'geotiff';
import { BadInput } from '../../bad-input.ts';
import type { Meaning } from './tiff-blocks.ts';

/** What the caller knows of a raster beyond its file. */
export interface Declared {
  /** The value of missing cells: overrides the file's tag. `none`: no cell is missing but NaN ones. */
  nodata?: number | 'nan' | 'none' | undefined;
  /** Smallest and largest value that can be true: anything beyond is an error, most often a nodata left untagged. */
  valid?: readonly [number, number] | undefined;
  /** Which band, from 1; a file of several is refused without it. */
  band?: number | undefined;
}

/**
 * What a band's samples stand for, by the file's tags and what the caller declares.
 * @throws BadInput for tags that are no numbers
 */
export async function meaningOf(file: string, image: GeoTIFFImage, band: number, declared: Declared): Promise<Meaning> {
  const tags = await image.getGDALMetadata(band - 1);
  const scale = Number(tags?.SCALE ?? 1);
  const offset = Number(tags?.OFFSET ?? 0);
  if (!Number.isFinite(scale) || !Number.isFinite(offset))
    throw new BadInput(file, '', `the scale ${tags?.SCALE ?? 1} and offset ${tags?.OFFSET ?? 0}`, 'numbers');
  const bits = image.getBitsPerSample();
  const float = image.getSampleFormat() === 3;
  const exactIn32 = (float && bits <= 32) || (!float && bits <= 16);
  return { missing: missingOf(file, image, declared), scale, offset, wide: !exactIn32 || scale !== 1 || offset !== 0 };
}

/** The value that stands for missing cells in the file's own number type; null where there is none. */
function missingOf(file: string, image: GeoTIFFImage, declared: Declared): number | null {
  if (declared.nodata === 'none') return null;
  const value = declared.nodata === undefined ? taggedNodata(file, image) : Number(declared.nodata);
  if (value === null) return null;
  const [format, bits] = [image.getSampleFormat(), image.getBitsPerSample()];
  if (format === 3) return bits === 16 ? Math.f16round(value) : bits === 32 ? Math.fround(value) : value;
  // No cell can hold what the type cannot.
  const [least, most] = format === 2 ? [-(2 ** (bits - 1)), 2 ** (bits - 1)] : [0, 2 ** bits];
  return Number.isInteger(value) && value >= least && value <= most ? value : null;
}

/** GDAL's tag, a text as C prints a number; null where there is none or an empty one. */
function taggedNodata(file: string, image: GeoTIFFImage): number | null {
  const tag: string | undefined = image.fileDirectory.getValue('GDAL_NODATA');
  const text = (tag ?? '').replaceAll('\0', '').trim();
  if (text === '') return null;
  if (/^[+-]?nan(?:\(.*\))?$/i.test(text)) return Number.NaN;
  const infinite = /^([+-]?)inf(?:inity)?$/i.exec(text);
  if (infinite) return infinite[1] === '-' ? -Infinity : Infinity;
  const value = Number(text);
  if (Number.isNaN(value)) throw new BadInput(file, 'its nodata tag', text, 'a number, nan or inf (or declare it)');
  return value;
}
