/** Recognises raw files by their content: outlines, a table, a raster, or something that is not read. */
import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { type Dialect, tableLabel } from '../../catalog/dialect.ts';
import type { Source } from '../../catalog/sources.ts';
import type { Period } from '../../contract/months.ts';
import { type CsvFormat, readCsv, type TextTable } from '../../ingest/readers/csv.ts';
import { readDbf } from '../../ingest/readers/dbf.ts';
import { normalizeTable } from '../../ingest/readers/dialect.ts';
import { openRaster } from '../../ingest/readers/geotiff.ts';
import type { RasterDeclaration } from '../../ingest/readers/geotiff-conversion.ts';
import { readJsonTable } from '../../ingest/readers/json-table.ts';
import { type PolygonFeature, readPolygons } from '../../ingest/readers/polygons.ts';
import { readFirstBytes, refuseUnsupported } from '../../ingest/readers/unsupported.ts';
import { listWindows } from '../../ingest/readers/windows.ts';
import { readSheets, sheetTable } from '../../ingest/readers/xlsx.ts';
import { BadInput } from '../../lib/bad-input.ts';
import { wholeGrid } from '../../lib/numerics/grid.ts';
import { guessSubject } from '../columns.ts';
import { monthInName } from '../update/file-paths.ts';
import { guessDialect } from './guess-dialect.ts';

export interface OutlineFile {
  kind: 'outlines';
  file: string;
  format: Source['format'];
  /** The other parts of a shapefile. */
  companions: string[];
  features: PolygonFeature[];
  /** Areas that are closed, or have no outline. */
  notDrawn: string[];
  /** The areas whose features of one code and name are taken for one. */
  dissolved?: readonly string[];
}
/** A table in the project's own dialect. */
export interface TableFile extends TextTable {
  kind: 'table';
  /** Its name in messages and questions: of one of several sheets, with the sheet's. */
  file: string;
  path: string;
  format: Source['format'];
  companions: string[];
  /** The dialect of the file itself. */
  dialect: Dialect;
}
export interface RasterFile {
  kind: 'raster';
  file: string;
  /** The month in its name. */
  period: Period | null;
  /** The value of missing cells, if the file does not declare it; else null. */
  nodata: number | null;
  /** Over the cells with a value. */
  min: number;
  max: number;
  sum: number;
}
/** A file, or a part of one, that is left out, and why. */
export interface LeftOut {
  kind: 'left out';
  file: string;
  why: string;
  /** The subject that the country may lack without it, such as cases; null if none that the service reads. */
  lost: string | null;
}
export type RecognisedFile = OutlineFile | TableFile | RasterFile | LeftOut;

const SHAPEFILE_PARTS = /\.(dbf|prj|cpg|shx|sbn|sbx|qpj|qmd)$/i;

/** Whether a shapefile is of points, as DHS publishes the places of clusters: their coordinates are in its table. */
async function hasPoints(shapefile: string): Promise<boolean> {
  const bytes = await readFirstBytes(shapefile);
  return bytes.length >= 36 && [1, 11, 21].includes(Buffer.from(bytes).readInt32LE(32));
}

/** The given files and those inside the given directories, sorted, as paths relative to their common root. */
export async function listFiles(inputs: readonly string[]): Promise<{ root: string; files: string[] }> {
  const paths: string[] = [];
  for (const input of inputs) {
    const inputStat = await stat(input).catch(() => null);
    if (!inputStat)
      throw new BadInput({
        file: input,
        found: 'no such file or directory',
        expected: 'raw files, or the directory that contains them',
      });
    const entries = inputStat.isDirectory() ? await readdir(input, { recursive: true, withFileTypes: true }) : null;
    const link = entries?.find((entry) => entry.isSymbolicLink() && !entry.name.startsWith('.'));
    if (link)
      throw new BadInput({
        file: path.join(link.parentPath, link.name),
        found: 'a link',
        expected: 'the file itself (or list what the link leads to after --from)',
      });
    if (!entries) paths.push(path.resolve(input));
    else
      paths.push(
        ...entries.filter((entry) => entry.isFile()).map((entry) => path.resolve(entry.parentPath, entry.name)),
      );
  }
  const visible = [...new Set(paths)].filter((file) => !/^(\.|~\$)/.test(path.basename(file))).sort();
  if (visible.length === 0)
    throw new BadInput({ file: inputs.join(', '), found: 'no files', expected: 'raw files of a country' });
  const root = visible.map(path.dirname).reduce((common, folder) => {
    const [left, right] = [common.split(path.sep), folder.split(path.sep)];
    const end = left.findIndex((part, i) => part !== right[i]);
    return end === -1 ? common : left.slice(0, end).join(path.sep);
  });
  return { root, files: visible.map((file) => path.relative(root, file)) };
}

/**
 * @returns nothing for a part of a shapefile, which is read with its .shp file, and a table for each sheet of a
 * workbook
 */
export async function recogniseFile(root: string, file: string, files: readonly string[]): Promise<RecognisedFile[]> {
  const recognised = await recognise(root, file, files);
  return recognised === null ? [] : [recognised].flat();
}

async function recognise(
  root: string,
  file: string,
  files: readonly string[],
): Promise<RecognisedFile | RecognisedFile[] | null> {
  const fullPath = path.join(root, file);
  const stem = file.slice(0, -path.extname(file).length);
  const companions = files.filter((name) => name !== file && SHAPEFILE_PARTS.test(name) && name.startsWith(`${stem}.`));
  const extension = path.extname(file.replace(/\.gz$/i, '')).toLowerCase();
  const shapefile = files.find((name) => name.toLowerCase() === `${stem.toLowerCase()}.shp`);
  const isOfPoints = shapefile !== undefined && (await hasPoints(path.join(root, shapefile)));
  if (SHAPEFILE_PARTS.test(file) && shapefile && !(isOfPoints && extension === '.dbf')) return null;
  if (/\.(prj|cpg|shx|sbn|sbx|qpj|qmd)$/i.test(file)) return null;
  if ((await stat(fullPath)).size === 0)
    return {
      kind: 'left out',
      file,
      why: 'the file is empty: get it again',
      lost: guessSubject([file]) ?? lostFile(extension),
    };
  try {
    const table = isOfPoints && extension === '.shp' && companions.find((name) => /\.dbf$/i.test(name));
    if (table) return { kind: 'left out', file, why: `points, which are read from its table, ${table}`, lost: null };
    if (extension === '.shp' || extension === '.zip')
      return await readOutlines(fullPath, file, 'shapefile', companions);
    if (['.csv', '.tsv', '.tab'].includes(extension)) {
      const { separator, encoding, ...read } = await readCsv(fullPath, file, null, null, null);
      return makeTable(file, 'csv', [], read, { separator, encoding });
    }
    if (/^\.xls[xm]?$/.test(extension)) return await readWorkbook(fullPath, file);
    if (extension === '.dbf') {
      const encoding = companions.filter((name) => /\.cpg$/i.test(name));
      return makeTable(file, 'dbf', encoding, await readDbf(fullPath, file));
    }
    if (extension === '.tif' || extension === '.tiff') return await readRaster(fullPath, file);
    if (['.geojson', '.topojson', '.json'].includes(extension)) return await readJson(fullPath, file);
    refuseUnsupported(file, await readFirstBytes(fullPath), null);
    const why = extension ? `files ending in ${extension} are not read` : 'files without an extension are not read';
    return { kind: 'left out', file, why, lost: guessSubject([path.basename(file)]) };
  } catch (error) {
    if (!(error instanceof BadInput)) throw error;
    const { where, found, expected } = error;
    const why = `${where ? `${where}: ` : ''}found ${found}, expected ${expected}`;
    return { kind: 'left out', file, why, lost: guessSubject([path.basename(file)]) ?? lostFile(extension) };
  }
}

/** Names of files that are no tables. */
export const NOT_TABLE = /\.(tiff?|shp|zip|(geo|topo)json)$/i;

function lostFile(extension: string): string {
  const kind = NOT_TABLE.test(extension) ? (extension.startsWith('.tif') ? 'a raster' : 'outlines') : 'a file';
  return `${kind} that cannot be read`;
}

function makeTable(
  file: string,
  format: Source['format'],
  companions: string[],
  textTable: TextTable,
  form: Partial<CsvFormat> & Pick<Dialect, 'sheet'> = {},
): TableFile {
  const dialect = guessDialect(textTable, file, form);
  const table = normalizeTable(textTable, dialect, file);
  return { kind: 'table', file: tableLabel(file, form), path: file, format, companions, dialect, ...table };
}

async function readWorkbook(fullPath: string, file: string): Promise<RecognisedFile[]> {
  const sheets = await readSheets(fullPath, file);
  if (sheets.length === 0) return [{ kind: 'left out', file, why: 'no sheet has a header and rows', lost: null }];
  return sheets.map((sheet) =>
    makeTable(file, 'xlsx', [], sheetTable(sheet, null), sheets.length > 1 ? { sheet: sheet.name } : {}),
  );
}

async function readOutlines(
  fullPath: string,
  file: string,
  format: Source['format'],
  companions: string[] = [],
): Promise<OutlineFile> {
  const notDrawn: string[] = [];
  return { kind: 'outlines', file, format, companions, features: await readPolygons(fullPath, notDrawn), notDrawn };
}

async function readJson(fullPath: string, file: string): Promise<RecognisedFile> {
  const start = Buffer.from(await readFirstBytes(fullPath)).toString('latin1');
  if (/"type"\s*:\s*"(FeatureCollection|Topology)"/.test(start) || /\.(geo|topo)json$/i.test(file)) {
    const format = /"type"\s*:\s*"Topology"/.test(start) ? 'topojson' : 'geojson';
    return readOutlines(fullPath, file, format);
  }
  // Organisation units of DHIS2 are outlines if they have polygons, a list of places if they have points or nothing.
  const text = await readFile(fullPath, 'utf8');
  if (/"organisationUnits"\s*:/.test(text) && /"type"\s*:\s*"(Multi)?Polygon"/.test(text))
    return readOutlines(fullPath, file, 'geojson');
  return makeTable(file, 'json', [], await readJsonTable(fullPath, file));
}

/** If the file does not declare the value of missing cells, and only one value is negative, it is that one. */
async function readRaster(fullPath: string, file: string): Promise<RasterFile> {
  const raster = { kind: 'raster' as const, file, period: monthInName(path.basename(file)) };
  try {
    return { ...raster, nodata: null, ...(await valueRange(fullPath, {})) };
  } catch (error) {
    if (!(error instanceof BadInput)) throw error;
    const nodata = await onlyNegative(fullPath);
    const range = nodata === null ? null : await valueRange(fullPath, { nodata }).catch(() => null);
    if (range === null) throw error;
    return { ...raster, nodata, ...range };
  }
}

async function valueRange(
  fullPath: string,
  declared: RasterDeclaration,
): Promise<Pick<RasterFile, 'min' | 'max' | 'sum'>> {
  let [min, max, sum] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 0];
  await forEachValue(fullPath, declared, (value) => {
    if (value < min) min = value;
    if (value > max) max = value;
    sum += value;
  });
  if (min > max) throw new BadInput({ file: fullPath, found: 'no cell with a value', expected: 'a raster of values' });
  return { min, max, sum };
}

/** The value that all negative cells have; null if there is none, or if they differ, as heights do. */
async function onlyNegative(fullPath: string): Promise<number | null> {
  const negatives = new Set<number>();
  await forEachValue(fullPath, { marksAreValues: true }, (value) => {
    if (value < 0 && negatives.size < 2) negatives.add(value);
  });
  const [value] = negatives;
  return negatives.size === 1 && Number.isFinite(value) ? value! : null;
}

async function forEachValue(
  fullPath: string,
  declared: RasterDeclaration,
  visit: (value: number) => void,
): Promise<void> {
  const raster = await openRaster(fullPath, declared);
  try {
    for (const window of listWindows(raster.grid, raster, [wholeGrid(raster.grid)]))
      for (const value of await raster.readWindow(window)) if (!Number.isNaN(value)) visit(value);
  } finally {
    await raster.close();
  }
}
