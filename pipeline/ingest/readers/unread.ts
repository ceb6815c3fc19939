import { open } from 'node:fs/promises';
import { constants, gunzipSync } from 'node:zlib';
import { BadInput } from '../../bad-input.ts';

/** What a file is wanted for. */
export type Wanted = 'outlines' | 'table' | 'raster';

interface Unread {
  name: string;
  /** First bytes that tell it, as Latin-1: any of these. */
  begins: readonly string[];
  /** How to make a file of it that is read; `IN` and `OUT` are file names. */
  convert: Partial<Record<Wanted, string>>;
}

const OGR = { outlines: 'ogr2ogr -t_srs EPSG:4326 OUT.geojson IN', table: 'ogr2ogr -f CSV OUT.csv IN' };
const inR = (read: string) => `Rscript -e 'write.csv(${read}, "OUT.csv", row.names = FALSE)'`;

/** Formats that are met often and not read. */
const UNREAD: readonly Unread[] = [
  {
    name: 'GeoPackage or SQLite',
    begins: ['SQLite format 3\0'],
    convert: { ...OGR, raster: 'gdal_translate IN OUT.tif' },
  },
  {
    name: 'NetCDF or HDF5',
    begins: ['CDF\x01', 'CDF\x02', 'CDF\x05', '\x89HDF\r\n'],
    convert: { raster: 'gdal_translate -b 1 NETCDF:"IN":VARIABLE OUT.tif', table: 'gdal_translate -of XYZ IN OUT.csv' },
  },
  { name: 'GRIB', begins: ['GRIB'], convert: { raster: 'gdal_translate -b 1 IN OUT.tif' } },
  {
    name: 'Stata',
    // Since version 13, and versions 8 to 12 in either byte order.
    begins: ['<stata_dta>', ...['\x71', '\x72', '\x73'].flatMap((v) => [`${v}\x01\x01\0`, `${v}\x02\x01\0`])],
    convert: { table: inR('haven::as_factor(haven::read_dta("IN"))') },
  },
  { name: 'SPSS', begins: ['$FL2', '$FL3'], convert: { table: inR('haven::as_factor(haven::read_sav("IN"))') } },
  { name: 'RData', begins: ['RDX2\n', 'RDX3\n', 'RDA2\n', 'RDA3\n'], convert: { table: inR('get(load("IN")[1])') } },
  { name: 'an old Excel workbook', begins: ['\xd0\xcf\x11\xe0'], convert: { table: 'ssconvert IN OUT.csv' } },
  {
    name: 'a zip archive or an Excel workbook',
    begins: ['PK\x03\x04'],
    convert: { outlines: 'ogr2ogr -t_srs EPSG:4326 OUT.geojson /vsizip/IN', table: OGR.table, raster: 'unzip IN' },
  },
  { name: 'Parquet', begins: ['PAR1'], convert: { table: `duckdb -c "COPY (FROM 'IN') TO 'OUT.csv'"` } },
];

const LONGEST = 16;
const READ: Record<Wanted, string> = {
  outlines: 'GeoJSON, TopoJSON or a shapefile',
  table: 'CSV or dBase',
  raster: 'a GeoTIFF',
};

/**
 * Refuses a file of a format that is not read, with the one command that makes a readable one of it.
 * @throws BadInput
 */
export function refuseUnread(file: string, bytes: Uint8Array, wanted: Wanted): void {
  const first = firstBytes(bytes);
  const found = UNREAD.find(({ begins }) => begins.some((start) => first.startsWith(start)));
  if (!found) return;
  const name = file.split('/').at(-1)!;
  // The name last, and not as a pattern: it may hold OUT or $ itself.
  const command = found.convert[wanted]?.replaceAll('OUT', wanted).replaceAll('IN', () => name);
  const expected = command ? `${READ[wanted]}; make one with: ${command}` : READ[wanted];
  throw new BadInput(file, '', `the format ${found.name}`, expected);
}

/** The beginning of a file, enough to tell its format. */
export async function firstBytesOf(file: string): Promise<Uint8Array> {
  const handle = await open(file);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(4096), 0, 4096, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}

/** R and others pack what they save with gzip, whatever the name says. */
function firstBytes(bytes: Uint8Array): string {
  const packed = bytes[0] === 0x1f && bytes[1] === 0x8b;
  try {
    const plain = packed
      ? gunzipSync(bytes.subarray(0, 4096), { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: 2 ** 24 })
      : bytes;
    return Buffer.from(plain.subarray(0, LONGEST)).toString('latin1');
  } catch {
    return '';
  }
}
