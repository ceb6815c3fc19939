/** The files beside a GeoTIFF that GDAL reads as part of it. */
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { InputLocation } from '../../lib/bad-input.ts';
import { burnMask, mergeSidecars } from './commands.ts';
import { parseCNumber, type RasterDeclaration } from './geotiff-conversion.ts';

/** What the GeoTIFF itself says of its band. */
export interface StatedBand {
  /** From 1. */
  band: number;
  nodata: number | null;
  scale: number;
  offset: number;
  /** As in GDAL: the corner's longitude, its steps by column and by row, and the same of the latitude. */
  transform: readonly number[];
}

/** Programs round degrees when they print them. */
const DEGREE_TOLERANCE = 1e-9;

/**
 * Refuses a raster whose cells mean something else with the files beside it: a mask (`.msk`), or GDAL's notes
 * (`.aux.xml`) with another nodata value, scale, offset or place. They are not read, because a catalog pins the
 * raster's bytes alone. Statistics, overviews (`.ovr`) and world files say nothing that the raster does not.
 * @throws BadInput with the command that makes one file of them
 */
export async function refuseSidecars(
  file: string,
  stated: StatedBand,
  declared: RasterDeclaration,
  location: InputLocation,
): Promise<void> {
  const directory = path.dirname(file);
  const name = path.basename(file).toLowerCase();
  for (const sidecar of (await readdir(directory)).sort()) {
    const suffix = sidecar.toLowerCase().startsWith(name) ? sidecar.toLowerCase().slice(name.length) : '';
    if (suffix === '.msk')
      throw location.error(
        `a mask of missing cells in ${sidecar}`,
        `a nodata value; make one with: ${burnMask(file, stated.band)}`,
      );
    if (suffix !== '.aux.xml') continue;
    const contradiction = findContradiction(await readFile(path.join(directory, sidecar), 'utf8'), stated, declared);
    if (contradiction !== null)
      throw location.error(
        `${contradiction} in ${sidecar}, but not in the file itself`,
        `one file with both; make one with: ${mergeSidecars(file)}`,
      );
  }
}

/** What GDAL's notes say of the band or of the raster that the raster itself does not; null if nothing. */
function findContradiction(xml: string, stated: StatedBand, declared: RasterDeclaration): string | null {
  const bandXml = xml.split(`<PAMRasterBand band="${stated.band}">`)[1]?.split('</PAMRasterBand>')[0] ?? '';
  const nodata = elementText(bandXml, 'NoDataValue');
  if (nodata !== null && declared.nodata === undefined && !Object.is(parseCNumber(nodata), stated.nodata))
    return `the nodata value ${nodata}`;
  for (const [element, value] of [
    ['Scale', stated.scale],
    ['Offset', stated.offset],
  ] as const) {
    const text = elementText(bandXml, element);
    if (text !== null && Number(text) !== value) return `the ${element.toLowerCase()} ${text}`;
  }
  const transform = elementText(xml, 'GeoTransform')?.split(',').map(Number);
  if (transform?.some((coefficient, i) => !(Math.abs(coefficient - stated.transform[i]!) <= DEGREE_TOLERANCE)))
    return `the place ${transform.join(', ')}`;
  const system = elementText(xml, 'SRS');
  return system !== null && !/^GEOG.*WGS[ _]?(19)?84/s.test(system) ? 'another coordinate system' : null;
}

/** The text of the first element of that name; null if there is none. */
function elementText(xml: string, element: string): string | null {
  const [, text] = new RegExp(`<${element}\\b[^<>]*>([^<]*)<`).exec(xml) ?? [];
  return text?.trim() ?? null;
}
