import { open } from 'node:fs/promises';
import { constants, gunzipSync } from 'node:zlib';
import { BadInput } from '../../lib/bad-input.ts';

/** What a file is expected to contain. */
export type Wanted = 'outlines' | 'table' | 'raster';

interface Format {
  name: string;
  /** Signatures at the start of the file, as Latin-1; any of these. */
  begins: readonly string[];
  /** Commands that convert it to a supported format; `IN` and `OUT` are file names. */
  convert: Partial<Record<Wanted, string>>;
}

const OGR = { outlines: 'ogr2ogr -t_srs EPSG:4326 OUT.geojson IN', table: 'ogr2ogr -f CSV OUT.csv IN' };
const inR = (read: string) => `Rscript -e 'write.csv(${read}, "OUT.csv", row.names = FALSE)'`;

/** Common formats that are not supported. */
const UNSUPPORTED: readonly Format[] = [
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
    // Version 13 and later, then versions 8 to 12 in either byte order.
    begins: [
      '<stata_dta>',
      ...['\x71', '\x72', '\x73'].flatMap((version) => [`${version}\x01\x01\0`, `${version}\x02\x01\0`]),
    ],
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
const SUPPORTED: Record<Wanted, string> = {
  outlines: 'GeoJSON, TopoJSON or a shapefile',
  table: 'CSV or dBase',
  raster: 'a GeoTIFF',
};

/**
 * Refuses a file in an unsupported format.
 * @throws BadInput with the command that converts it
 */
export function refuseUnsupported(file: string, bytes: Uint8Array, wanted: Wanted): void {
  const first = firstBytes(bytes);
  const found = UNSUPPORTED.find(({ begins }) => begins.some((start) => first.startsWith(start)));
  if (!found) return;
  const name = file.split('/').at(-1)!;
  // The name is inserted last and by a function, because it may contain OUT or $.
  const command = found.convert[wanted]?.replaceAll('OUT', wanted).replaceAll('IN', () => name);
  const expected = command ? `${SUPPORTED[wanted]}; make one with: ${command}` : SUPPORTED[wanted];
  throw new BadInput({ file, found: `the format ${found.name}`, expected });
}

/** The beginning of a file, enough to recognise its format. */
export async function firstBytesOf(file: string): Promise<Uint8Array> {
  const handle = await open(file);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(4096), 0, 4096, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}

/**
 * The beginning of a file as Latin-1, unpacked if it is gzip: R and other programs compress files whatever their name.
 */
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
