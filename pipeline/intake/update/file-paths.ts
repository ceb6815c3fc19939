/** The catalog paths of new files, and temporary folders with links to raw files. */
import { existsSync, mkdirSync, mkdtempSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { isRainRaster } from '../../catalog/rain-files.ts';
import { deliveredFiles, isTable } from '../../catalog/roles.ts';
import type { Source } from '../../catalog/sources.ts';
import type { Period } from '../../contract/months.ts';
import { InputLocation } from '../../lib/bad-input.ts';

/** A new file and its path in the catalog. */
export interface NewFile {
  file: string;
  catalogPath: string;
  /** For a file that the catalog does not list yet: the month of a raster; no field for a delivery of a table. */
  newEntry?: { period?: Period };
}

/**
 * The catalog path of each new file: that of the entry's only file or of its file with the same name or extension. A
 * raster of a new month, and another delivery of a table that has several, get a path in the folder of the others.
 * @throws BadInput if a file does not exist or matches none in the catalog
 */
export function matchNewFiles(source: Source, files: readonly string[], period?: Period): NewFile[] {
  return files.map((file) => {
    const location = new InputLocation(file);
    if (!existsSync(file)) throw location.error('no such file', `a file for ${source.id}`);
    const name = path.basename(file);
    const sameName = source.files.find((catalogFile) => path.basename(catalogFile.path) === name);
    if (sameName) return { file, catalogPath: sameName.path };
    if (isRainRaster(source)) return matchMonthlyRaster(source, file, period);
    if (isTable(source) && deliveredFiles(source).length > 1)
      return { file, catalogPath: pathInFolder(source, name), newEntry: {} };
    if (source.files.length === 1) return { file, catalogPath: source.files[0]!.path };
    const sameExtension = source.files.filter((catalogFile) => extension(catalogFile.path) === extension(name));
    if (sameExtension.length === 1) return { file, catalogPath: sameExtension[0]!.path };
    throw location.error(
      'a name that matches no file of the catalog',
      source.files.map((catalogFile) => catalogFile.path).join(' or '),
    );
  });
}

/**
 * The catalog path of a file that is added to those of a source, beside them.
 * @throws BadInput if it does not exist or is in the catalog already
 */
export function matchAddedFile(source: Source, file: string, period?: Period): NewFile {
  const location = new InputLocation(file);
  if (!existsSync(file)) throw location.error('no such file', `a file like those of ${source.id}`);
  const catalogPath = pathInFolder(source, path.basename(file));
  const added = isRainRaster(source) ? matchMonthlyRaster(source, file, period) : { file, catalogPath, newEntry: {} };
  if (added.newEntry && source.files.every((listed) => listed.path !== catalogPath)) return added;
  throw location.error(`a file or month that ${source.id} has already`, '`catalog update` to replace it');
}

const pathInFolder = ({ files }: Source, name: string) => path.posix.join(path.posix.dirname(files[0]!.path), name);

const extension = (name: string) => path.extname(name).toLowerCase();

/** The month in a name such as chirps-v2.0.2024.01.tif or rain_2024-01.tif. */
const MONTH_IN_NAME = /(?<!\d)((?:19|20)\d\d)[.\-_]?(0[1-9]|1[0-2])(?!\d)/;

/** The month `YYYY-MM` in a file's name; null if there is none. */
export function monthInName(name: string): Period | null {
  const [, year, month] = MONTH_IN_NAME.exec(name) ?? [];
  return year ? `${year}-${month}` : null;
}

function matchMonthlyRaster(source: Source, file: string, period: Period | undefined): NewFile {
  const location = new InputLocation(file);
  const name = path.basename(file);
  const month = period ?? monthInName(name);
  if (!month) throw location.error('no month in its name', 'a name such as rain_2024-01.tif, or --period');
  const sameMonth = source.files.find((catalogFile) => catalogFile.period === month);
  return sameMonth
    ? { file, catalogPath: sameMonth.path }
    : { file, catalogPath: pathInFolder(source, name), newEntry: { period: month } };
}

/** Creates a temporary folder with links to `files` (catalog path -> file) and returns its path. */
export function createLinkFolder(files: Readonly<Record<string, string>>): string {
  const directory = mkdtempSync(path.join(tmpdir(), 'malaria-catalog-'));
  for (const [name, file] of Object.entries(files)) {
    const link = path.join(directory, name);
    mkdirSync(path.dirname(link), { recursive: true });
    symlinkSync(path.resolve(file), link);
  }
  return directory;
}
