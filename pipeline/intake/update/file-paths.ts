/** The catalog paths of new files, and temporary folders with links to raw files. */

import { existsSync, mkdirSync, mkdtempSync, symlinkSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Country } from '../../catalog/country.ts';
import { COVERAGE_FIGURES } from '../../catalog/figures.ts';
import { isRainRaster } from '../../catalog/rain-files.ts';
import { deliveredFiles, isTable } from '../../catalog/roles.ts';
import type { Source } from '../../catalog/sources.ts';
import type { Period } from '../../contract/months.ts';
import { writeAtomic } from '../../lib/atomic-write.ts';
import { BadInput, InputLocation } from '../../lib/bad-input.ts';

/** A new file and its path in the catalog. */
export interface NewFile {
  file: string;
  catalogPath: string;
  /** For a file that the catalog does not list yet: the month of a raster; no field for a delivery of a table. */
  newEntry?: { period?: Period };
  /** The path of the file that it replaces, if their names have different years. */
  replaces?: string;
}

const YEARS_IN_NAME = /(?<!\d)(?:19|20)\d\d(?!\d)/g;

/** The years of a file's name and those of another in their place; null if the names differ in anything else. */
function replacedYears(name: string, otherName: string): Map<string, string> | null {
  const [years, otherYears] = [name, otherName].map((text) => text.match(YEARS_IN_NAME) ?? []);
  const isAlike = name.replaceAll(YEARS_IN_NAME, '') === otherName.replaceAll(YEARS_IN_NAME, '');
  return isAlike && name !== otherName ? new Map(years!.map((year, i) => [year, otherYears![i]!])) : null;
}

/** A file in place of another keeps its own name if that has other years. */
function replaceFile(source: Source, file: string, replaced: string): NewFile {
  const name = path.basename(file);
  if (!replacedYears(path.basename(replaced), name)) return { file, catalogPath: replaced };
  return { file, catalogPath: pathInFolder(source, name), replaces: replaced };
}

/**
 * The entry with its new files. If the name of one has other years than that of the file that it replaces, they are
 * those of its title and release too, and a single year is that of its figures.
 */
export function withNewFiles(source: Source, newFiles: readonly NewFile[]): Source {
  const updated = { ...source, files: [...source.files] };
  for (const { catalogPath, newEntry, replaces } of newFiles) {
    if (newEntry) updated.files.push({ path: catalogPath, ...newEntry });
    const index = updated.files.findIndex(({ path: listed }) => listed === replaces);
    if (index === -1) continue;
    const years = replacedYears(path.basename(replaces!), path.basename(catalogPath))!;
    updated.files[index] = { ...updated.files[index]!, path: catalogPath };
    if (hasCoverageYear(source) && years.size === 1) updated.files[index].year = Number([...years.values()][0]);
    for (const field of ['title', 'release'] as const)
      updated[field] = source[field].replaceAll(YEARS_IN_NAME, (year) => years.get(year) ?? year);
  }
  return updated;
}

/** Whether the API prints the year of the figures of a source. */
export const hasCoverageYear = ({ figure }: Source): boolean =>
  figure !== undefined && COVERAGE_FIGURES.includes(figure);

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
    if (source.files.length === 1) return replaceFile(source, file, source.files[0]!.path);
    const sameExtension = source.files.filter((catalogFile) => extension(catalogFile.path) === extension(name));
    if (sameExtension.length === 1) return replaceFile(source, file, sameExtension[0]!.path);
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

/** @throws BadInput if a file of another name would overwrite a file of another source */
export function refuseOverwriting({ sources, rawData }: Country, source: Source, newFiles: readonly NewFile[]): void {
  for (const { file, catalogPath } of newFiles) {
    const owner = sources.find(
      ({ id, files }) => id !== source.id && files.some(({ path: otherPath }) => otherPath === catalogPath),
    );
    const isNew = !source.files.some(({ path: listed }) => listed === catalogPath);
    if (isNew && owner && path.resolve(file) !== path.resolve(rawData, catalogPath))
      throw new InputLocation(file).error(
        `the name of a file of the source ${owner.id}`,
        `another name, or that file itself, ${catalogPath}`,
      );
  }
}

/** @returns a temporary folder with links to all raw files, the new ones in place of those that they replace */
export function linkProposedFiles({ sources, rawData }: Country, source: Source, newFiles: readonly NewFile[]): string {
  const files = Object.fromEntries(
    sources.flatMap(({ files: listed }) => listed.map((file) => [file.path, path.join(rawData, file.path)])),
  );
  for (const { catalogPath, file } of newFiles) files[catalogPath] = file;
  for (const { path: file } of withNewFiles(source, newFiles).files)
    if (!existsSync(files[file]!))
      throw new BadInput({
        file,
        found: 'no such file',
        expected: 'the file in the raw data (--raw-data) or as an argument after the source',
      });
  return createLinkFolder(files);
}

export async function copyIntoRawData(newFiles: readonly NewFile[], rawData: string): Promise<void> {
  for (const { file, catalogPath } of newFiles) {
    const destination = path.join(rawData, catalogPath);
    if (path.resolve(file) !== path.resolve(destination))
      await writeAtomic(destination, (temporary) => copyFile(file, temporary));
  }
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
