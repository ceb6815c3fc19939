/** Where given files go, and a view of the raw data as it would be with them. */
import { existsSync, mkdirSync, mkdtempSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { BadInput } from '../../bad-input.ts';
import type { Period } from '../../contract/months.ts';
import { isDated } from '../dated.ts';
import type { Source } from '../sources.ts';

/** A file that was given, and its place in the catalog. */
export interface Given {
  file: string;
  path: string;
  /** Of a new month's or year's raster. */
  time?: { period: Period } | { year: number };
}

/**
 * Finds the place of each given file: the entry's only file, the one of the same name or ending, or a new month or
 * year of rasters beside the others.
 * @throws BadInput for a file that is not there or has no place
 */
export function placesOf(source: Source, files: readonly string[], period?: Period): Given[] {
  return files.map((file) => {
    if (!existsSync(file)) throw new BadInput(file, '', 'no such file', `a file for ${source.id}`);
    const name = path.basename(file);
    const same = source.files.find((own) => path.basename(own.path) === name);
    if (same) return { file, path: same.path };
    if (isDated(source)) return newTime(source, file, period);
    const [only, ...others] = source.files;
    if (others.length === 0) return { file, path: only!.path };
    const alike = source.files.filter((own) => extension(own.path) === extension(name));
    if (alike.length === 1) return { file, path: alike[0]!.path };
    throw new BadInput(
      file,
      '',
      'a name unlike those of the catalog',
      source.files.map((own) => own.path).join(' or '),
    );
  });
}

const extension = (name: string) => path.extname(name).toLowerCase();

/** A month in a name such as chirps-v2.0.2024.01.tif or rain_2024-01.tif. */
const MONTH = /(?<!\d)((?:19|20)\d\d)[.\-_]?(0[1-9]|1[0-2])(?!\d)/;

/** The month `YYYY-MM` in a file's name; null where it has none. */
export function monthInName(name: string): Period | null {
  const [, year, month] = MONTH.exec(name) ?? [];
  return year ? `${year}-${month}` : null;
}

const YEAR = /(?<!\d)(?:19|20)\d\d(?!\d)/;

function newTime(source: Source, file: string, period: Period | undefined): Given {
  const name = path.basename(file);
  const add = (own: { path: string } | undefined, time: { period: Period } | { year: number }): Given =>
    own
      ? { file, path: own.path }
      : { file, path: path.posix.join(path.posix.dirname(source.files[0]!.path), name), time };
  if (source.files[0]!.year !== undefined) {
    const year = YEAR.exec(name)?.[0];
    if (!year) throw new BadInput(file, '', 'no year in its name', 'a name such as evi_2024.tif');
    const found = source.files.find((own) => own.year === Number(year));
    return add(found, { year: Number(year) });
  }
  const found = period ?? monthInName(name);
  if (!found) throw new BadInput(file, '', 'no month in its name', 'a name such as rain_2024-01.tif, or --period');
  const same = source.files.find((own) => own.period === found);
  return add(same, { period: found });
}

/** A directory with links to files under the paths that the catalog gives them. */
export function linkedView(files: Readonly<Record<string, string>>): string {
  const directory = mkdtempSync(path.join(tmpdir(), 'malaria-catalog-'));
  for (const [name, file] of Object.entries(files)) {
    const place = path.join(directory, name);
    mkdirSync(path.dirname(place), { recursive: true });
    symlinkSync(path.resolve(file), place);
  }
  return directory;
}
