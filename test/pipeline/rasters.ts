import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeArrayBuffer } from 'geotiff';
import { onTestFinished } from 'vitest';

/** A directory that is removed after the test. */
export function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'malaria-risk-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

export interface RasterOptions {
  west?: number;
  north?: number;
  /** Width and height of a cell, degrees. */
  cell?: number;
  nodata?: string;
  epsg?: number;
  /** 1: values belong to areas, 2: to points. */
  rasterType?: number;
}

/** Writes rows of cells, laid out as on the map, as a Float32 GeoTIFF; by default west 0, north 5, cells of 1°. */
export function writeRaster(file: string, rows: number[][], options: RasterOptions = {}): string {
  const { west = 0, north = 5, cell = 1, nodata, epsg = 4326, rasterType = 1 } = options;
  const bytes = writeArrayBuffer(Float32Array.from(rows.flat()), {
    width: rows[0]!.length,
    height: rows.length,
    BitsPerSample: [32],
    SampleFormat: [3],
    SamplesPerPixel: 1,
    GTModelTypeGeoKey: 2,
    GTRasterTypeGeoKey: rasterType,
    GeographicTypeGeoKey: epsg,
    ModelPixelScale: [cell, cell, 0],
    ModelTiepoint: [0, 0, 0, west, north, 0],
    ...(nodata === undefined ? {} : { GDAL_NODATA: nodata }),
  });
  writeFileSync(file, Buffer.from(bytes));
  return file;
}
