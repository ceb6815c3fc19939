import { open } from 'node:fs/promises';
import { constants, gunzipSync } from 'node:zlib';
import { BadInput } from '../../lib/bad-input.ts';
import { quoteForShell } from '../../lib/shell.ts';
import { extractBand, nameOfResult, reprojectOutlines, shellName } from './commands.ts';

/** What a file is expected to contain. */
export type Wanted = 'outlines' | 'table' | 'raster';

interface Format {
  name: string;
  /** Signatures at the start of the file, as Latin-1; any of these. */
  begins: readonly string[];
  /** Of the names of such files, if other formats have the same signature. */
  named?: RegExp;
  /** Commands that convert a file to a supported format. */
  convert: Partial<Record<Wanted, (file: string) => string>>;
}

/** Every sheet or layer becomes a CSV in a folder. */
const layers = (file: string) =>
  `ogr2ogr -f CSV ${quoteForShell(nameOfResult(file, '_tables'))} ${quoteForShell(shellName(file))}`;
/** The first row of each sheet is its header, even if the sheet has nothing but text. */
const sheets = (driver: string) => (file: string) => `${layers(file)} --config OGR_${driver}_HEADERS FORCE`;
const layer = (file: string) => `${reprojectOutlines(file)} (and the name of a layer, if ogrinfo lists several)`;
const unpack = (file: string) => `unzip ${quoteForShell(shellName(file))}`;
const extractBands = (file: string, source?: string) =>
  `${extractBand(file, 'N', source)} for each band N, such as a month (gdalinfo lists them)`;
const inR = (code: string) => `Rscript -e ${quoteForShell(code)}`;
/** A data frame as CSV; missing values are empty cells. */
const writeCsv = (frame: string, name: string) => `write.csv(${frame}, ${name}, row.names = FALSE, na = "")`;
const labelled = (read: string) => (file: string) =>
  inR(writeCsv(`haven::as_factor(haven::${read}(${inText(shellName(file))}))`, inText(nameOfResult(file, '.csv'))));
/** A text as R and JSON write it. */
const inText = (text: string) => JSON.stringify(text);
/** A text as SQL writes it. */
const inSql = (text: string) => `'${text.replaceAll("'", "''")}'`;

/** Common formats that are not supported. */
const UNSUPPORTED: readonly Format[] = [
  {
    name: 'GeoPackage or SQLite',
    begins: ['SQLite format 3\0'],
    convert: {
      outlines: layer,
      table: layers,
      raster: (file) => extractBands(file),
    },
  },
  {
    name: 'NetCDF or HDF5',
    begins: ['CDF\x01', 'CDF\x02', 'CDF\x05', '\x89HDF\r\n'],
    convert: { raster: (file) => extractBands(file, `NETCDF:"${shellName(file)}":VARIABLE`) },
  },
  { name: 'GRIB', begins: ['GRIB'], convert: { raster: (file) => extractBands(file) } },
  {
    name: 'Stata',
    // Version 13 and later, then versions 8 to 12 in either byte order.
    begins: [
      '<stata_dta>',
      ...['\x71', '\x72', '\x73'].flatMap((version) => [`${version}\x01\x01\0`, `${version}\x02\x01\0`]),
    ],
    convert: { table: labelled('read_dta') },
  },
  { name: 'SPSS', begins: ['$FL2', '$FL3'], convert: { table: labelled('read_sav') } },
  {
    name: 'RData',
    begins: ['RDX2\n', 'RDX3\n', 'RDA2\n', 'RDA3\n'],
    // Every data frame in it.
    convert: {
      table: (file) =>
        inR(
          `for (n in load(${inText(shellName(file))})) if (is.data.frame(get(n))) ${writeCsv('get(n)', 'paste0(n, ".csv")')}`,
        ),
    },
  },
  { name: 'an old Excel workbook', begins: ['\xd0\xcf\x11\xe0'], convert: { table: sheets('XLS') } },
  { name: 'an Excel workbook', begins: ['PK\x03\x04'], named: /\.xls[xm]$/i, convert: { table: sheets('XLSX') } },
  { name: 'an OpenDocument workbook', begins: ['PK\x03\x04'], named: /\.ods$/i, convert: { table: sheets('ODS') } },
  {
    name: 'a zip archive',
    begins: ['PK\x03\x04'],
    convert: {
      outlines: layer,
      table: unpack,
      raster: unpack,
    },
  },
  {
    name: 'Parquet',
    begins: ['PAR1'],
    convert: {
      table: (file) =>
        `duckdb -c ${quoteForShell(`COPY (FROM ${inSql(shellName(file))}) TO ${inSql(nameOfResult(file, '.csv'))}`)}`,
    },
  },
];

const LONGEST = 16;
const SUPPORTED: Record<Wanted, string> = {
  outlines: 'GeoJSON, TopoJSON or a shapefile',
  table: 'CSV or dBase',
  raster: 'a GeoTIFF',
};

/**
 * Refuses a file in an unsupported format.
 * @throws BadInput with the command that converts it to what is wanted or, failing that, to what it can become
 */
export function refuseUnsupported(file: string, bytes: Uint8Array, wanted: Wanted): void {
  const first = firstBytes(bytes);
  const format = UNSUPPORTED.find(
    ({ begins, named }) => begins.some((start) => first.startsWith(start)) && (named?.test(file) ?? true),
  );
  if (!format) return;
  const convertible = Object.keys(format.convert) as Wanted[];
  const kind = format.convert[wanted] ? wanted : convertible[0]!;
  const expected = `${SUPPORTED[kind]}; make one with: ${format.convert[kind]!(file)}`;
  throw new BadInput({ file, found: `the format ${format.name}`, expected });
}

/** The beginning of a file, enough to recognise its format. */
export async function readFirstBytes(file: string): Promise<Uint8Array> {
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
