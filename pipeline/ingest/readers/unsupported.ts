import { open } from 'node:fs/promises';
import { constants, gunzipSync } from 'node:zlib';
import { BadInput } from '../../lib/bad-input.ts';
import { quoteForShell } from '../../lib/shell.ts';
import { extractBand, placeInDegrees, reprojectOutlines, resultName, shellName } from './commands.ts';

/** What a file is expected to contain. */
export type ContentKind = 'outlines' | 'table' | 'raster';

interface Format {
  name: string;
  /** Signatures at the start of the file, as Latin-1; any of these. */
  signatures: readonly string[];
  /** Of the names of such files, if other formats have the same signature. */
  fileName?: RegExp;
  /** A text that a file of the format contains near its beginning. */
  content?: string;
  /** Commands that convert a file to a supported format. */
  commands: Partial<Record<ContentKind, (file: string) => string>>;
  /** Another way. */
  advice?: string;
}

/** Every sheet or layer becomes a CSV in a folder. */
const exportLayers = (file: string) =>
  `ogr2ogr -f CSV ${quoteForShell(resultName(file, '_tables'))} ${quoteForShell(shellName(file))}`;
/** The first row of each sheet is its header, even if the sheet has nothing but text. */
const exportSheets = (file: string) =>
  `${exportLayers(file)} --config OGR_ODS_HEADERS FORCE --config OGR_XLS_HEADERS FORCE`;
const exportOutlines = (file: string) =>
  `${reprojectOutlines(file)} (and the name of a layer, if ogrinfo lists several)`;
const pullLfs = (file: string) => `git lfs pull --include ${quoteForShell(shellName(file))}`;
const unpack = (file: string) => `unzip ${quoteForShell(shellName(file))}`;
const extractBands = (file: string, source?: string) =>
  `${extractBand(file, 'N', source)} for each band N, such as a month (gdalinfo lists them)`;
const rCommand = (expression: string) => `Rscript -e ${quoteForShell(expression)}`;
/** A data frame as CSV; missing values are empty cells. */
const writeCsv = (frame: string, name: string) => `write.csv(${frame}, ${name}, row.names = FALSE, na = "")`;
const exportLabelled = (readFunction: string) => (file: string) =>
  rCommand(
    writeCsv(
      `haven::as_factor(haven::${readFunction}(${quoteText(shellName(file))}))`,
      quoteText(resultName(file, '.csv')),
    ),
  );
/** A text as R and JSON write it. */
const quoteText = (text: string) => JSON.stringify(text);
/** A text as SQL writes it. */
const quoteSql = (text: string) => `'${text.replaceAll("'", "''")}'`;

const ZIP = ['PK\x03\x04'];

/** Common formats that are not supported. */
const UNSUPPORTED: readonly Format[] = [
  {
    name: 'GeoPackage or SQLite',
    signatures: ['SQLite format 3\0'],
    commands: { outlines: exportOutlines, table: exportLayers, raster: (file) => extractBands(file) },
  },
  {
    name: 'NetCDF or HDF5',
    signatures: ['CDF\x01', 'CDF\x02', 'CDF\x05', '\x89HDF\r\n'],
    commands: { raster: (file) => extractBands(file, `NETCDF:"${shellName(file)}":VARIABLE`) },
  },
  { name: 'GRIB', signatures: ['GRIB'], commands: { raster: (file) => extractBands(file) } },
  {
    name: 'Stata',
    // Version 13 and later, then versions 8 to 12 in either byte order.
    signatures: [
      '<stata_dta>',
      ...['\x71', '\x72', '\x73'].flatMap((version) => [`${version}\x01\x01\0`, `${version}\x02\x01\0`]),
    ],
    commands: { table: exportLabelled('read_dta') },
  },
  { name: 'SPSS', signatures: ['$FL2', '$FL3'], commands: { table: exportLabelled('read_sav') } },
  {
    name: 'R (.rds)',
    // Serialised in versions 2 and 3, or compressed by xz or bzip2.
    signatures: ['X\n\0\0\0\x02', 'X\n\0\0\0\x03', '\xfd7zXZ', 'BZh'],
    fileName: /\.rds$/i,
    commands: {
      table: (file) =>
        rCommand(writeCsv(`readRDS(${quoteText(shellName(file))})`, quoteText(resultName(file, '.csv')))),
    },
  },
  {
    name: 'RData',
    signatures: ['RDX2\n', 'RDX3\n', 'RDA2\n', 'RDA3\n'],
    // Every data frame in it.
    commands: {
      table: (file) =>
        rCommand(
          `for (n in load(${quoteText(shellName(file))})) if (is.data.frame(get(n))) ${writeCsv('get(n)', 'paste0(n, ".csv")')}`,
        ),
    },
  },
  {
    name: 'an old Excel workbook, or one with a password',
    signatures: ['\xd0\xcf\x11\xe0'],
    commands: { table: exportSheets },
    advice: 'save it in Excel as .xlsx without a password, or',
  },
  {
    name: 'an Excel workbook',
    signatures: ZIP,
    fileName: /\.xls[xm]?$/i,
    commands: {},
    advice: 'what its entry says, or "format": "xlsx" there (sources.json)',
  },
  { name: 'an OpenDocument workbook', signatures: ZIP, fileName: /\.ods$/i, commands: { table: exportSheets } },
  { name: 'KML or GML', signatures: ['<'], fileName: /\.(kml|gml)$/i, commands: { outlines: exportOutlines } },
  { name: 'a text grid', signatures: ['ncols', 'NCOLS'], commands: { raster: placeInDegrees } },
  {
    name: 'a web page',
    signatures: ['<!DOCTYPE html', '<!doctype html', '<html'],
    commands: {},
    advice:
      'the file itself: was a page saved in its place, as when one is not signed in? If it is a table, open it in Excel and save it as .xlsx',
  },
  {
    name: 'a Git LFS pointer',
    signatures: ['version https://'],
    commands: { table: pullLfs, outlines: pullLfs, raster: pullLfs },
  },
  {
    name: 'an Excel workbook with the name of another format',
    signatures: ZIP,
    content: '[Content_Types].xml',
    commands: {
      table: (file) => `mv ${quoteForShell(shellName(file))} ${quoteForShell(resultName(file, '.xlsx'))}`,
    },
  },
  {
    name: 'a zip archive',
    signatures: ZIP,
    commands: { outlines: exportOutlines, table: unpack, raster: unpack },
  },
  {
    name: 'Parquet',
    signatures: ['PAR1'],
    commands: {
      table: (file) =>
        `duckdb -c ${quoteForShell(`COPY (FROM ${quoteSql(shellName(file))}) TO ${quoteSql(resultName(file, '.csv'))}`)}`,
    },
  },
];

const SIGNATURE_BYTES = 16;
const SUPPORTED: Record<ContentKind, string> = {
  outlines: 'GeoJSON, TopoJSON or a shapefile',
  table: 'CSV, an Excel workbook (.xlsx) or dBase',
  raster: 'a GeoTIFF',
};

/**
 * Refuses a file in an unsupported format.
 * @param wanted null if it is not known
 * @throws BadInput with the command that converts it to what is wanted or, failing that, to all that it can become
 */
export function refuseUnsupported(file: string, bytes: Uint8Array, wanted: ContentKind | null): void {
  if (wanted === 'raster' && isGzip(bytes))
    throw new BadInput({
      file,
      found: 'a compressed file (gzip)',
      expected: `a GeoTIFF; unpack it with: gunzip ${quoteForShell(shellName(file))}`,
    });
  const fileStart = decodedStart(bytes);
  const format = UNSUPPORTED.find(
    ({ signatures, fileName, content = '' }) =>
      signatures.some((signature) => fileStart.startsWith(signature)) &&
      (fileName?.test(file) ?? true) &&
      Buffer.from(bytes.subarray(0, 4096)).includes(content),
  );
  if (!format) return;
  const convertible = Object.keys(format.commands) as ContentKind[];
  if (convertible.length === 0)
    throw new BadInput({ file, found: `the format ${format.name}`, expected: format.advice! });
  const kinds = convertible.filter((kind) => kind === wanted);
  const ways = (kinds.length > 0 ? kinds : convertible).map(
    (kind) =>
      `${SUPPORTED[kind]}; ${format.advice ? `${format.advice} ` : ''}make one with: ${format.commands[kind]!(file)}`,
  );
  const expected = [...new Set(ways)].join('; or ');
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

const isGzip = (bytes: Uint8Array) => bytes[0] === 0x1f && bytes[1] === 0x8b;

/**
 * The beginning of a file as Latin-1, unpacked if it is gzip: R and other programs compress files whatever their name.
 */
function decodedStart(bytes: Uint8Array): string {
  try {
    const unpacked = isGzip(bytes)
      ? gunzipSync(bytes.subarray(0, 4096), { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: 2 ** 24 })
      : bytes;
    return Buffer.from(unpacked.subarray(0, SIGNATURE_BYTES)).toString('latin1');
  } catch {
    return '';
  }
}
