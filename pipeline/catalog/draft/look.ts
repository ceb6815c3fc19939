/** What a raw file is, by what it holds: outlines, a table, a raster, or something that is not read. */
import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { BadInput } from '../../bad-input.ts';
import type { Period } from '../../contract/months.ts';
import { type Csv, readCsv } from '../../ingest/readers/csv.ts';
import { readDbf } from '../../ingest/readers/dbf.ts';
import { openRaster } from '../../ingest/readers/geotiff.ts';
import { readJsonTable } from '../../ingest/readers/json-table.ts';
import { type PolygonFeature, readPolygons } from '../../ingest/readers/polygons.ts';
import { firstBytesOf, refuseUnread } from '../../ingest/readers/unread.ts';
import { listWindows } from '../../ingest/readers/windows.ts';
import { wholeGrid } from '../../numerics/grid.ts';
import type { Source } from '../sources.ts';
import { monthInName } from '../update/file-paths.ts';

export interface Outlines {
  kind: 'outlines';
  file: string;
  format: Source['format'];
  /** Files that belong to it: the other parts of a shapefile. */
  siblings: string[];
  features: PolygonFeature[];
}
export interface Tabular extends Csv {
  kind: 'table';
  file: string;
  format: Source['format'];
  siblings: string[];
}
export interface Picture {
  kind: 'raster';
  file: string;
  /** Month in its name. */
  period: Period | null;
  /** Over the cells that have a value. */
  least: number;
  most: number;
  sum: number;
}
/** A file that is left out, and why. */
export interface LeftOut {
  kind: 'left out';
  file: string;
  why: string;
}
export type Look = Outlines | Tabular | Picture | LeftOut;

const PARTS = /\.(dbf|prj|cpg|shx|sbn|sbx|qpj|qmd)$/i;

/** The files named, and those in the directories named, in order of their paths, relative to `root`. */
export async function listFiles(given: readonly string[]): Promise<{ root: string; files: string[] }> {
  const found: string[] = [];
  for (const one of given) {
    const there = await stat(one).catch(() => null);
    if (!there)
      throw new BadInput(one, '', 'no such file or directory', 'raw files, or the directory that they lie in');
    const inside = there.isDirectory() ? await readdir(one, { recursive: true, withFileTypes: true }) : null;
    if (!inside) found.push(path.resolve(one));
    else found.push(...inside.filter((own) => own.isFile()).map((own) => path.resolve(own.parentPath, own.name)));
  }
  const visible = [...new Set(found)].filter((file) => !path.basename(file).startsWith('.')).sort();
  if (visible.length === 0) throw new BadInput(given.join(', '), '', 'no files', 'raw files of a country');
  const root = visible.map(path.dirname).reduce((a, b) => {
    const [left, right] = [a.split(path.sep), b.split(path.sep)];
    const end = left.findIndex((part, i) => part !== right[i]);
    return end === -1 ? a : left.slice(0, end).join(path.sep);
  });
  return { root, files: visible.map((file) => path.relative(root, file)) };
}

/** Looks at a file of `files`; null for a part of a shapefile, which is looked at with it. */
export async function lookAt(root: string, file: string, files: readonly string[]): Promise<Look | null> {
  const full = path.join(root, file);
  const stem = file.slice(0, -path.extname(file).length);
  const siblings = files.filter((other) => other !== file && PARTS.test(other) && other.startsWith(`${stem}.`));
  const extension = path.extname(file.replace(/\.gz$/i, '')).toLowerCase();
  if (PARTS.test(file) && files.some((other) => other.toLowerCase() === `${stem.toLowerCase()}.shp`)) return null;
  if (/\.(prj|cpg|shx|sbn|sbx|qpj|qmd)$/i.test(file)) return null;
  try {
    if (extension === '.shp' || extension === '.zip')
      return { kind: 'outlines', file, format: 'shapefile', siblings, features: await readPolygons(full) };
    if (extension === '.csv')
      return { kind: 'table', file, format: 'csv', siblings: [], ...(await readCsv(full, file)) };
    if (extension === '.dbf') {
      const encoding = siblings.filter((other) => /\.cpg$/i.test(other));
      return { kind: 'table', file, format: 'dbf', siblings: encoding, ...(await readDbf(full, file)) };
    }
    if (extension === '.tif' || extension === '.tiff') return await lookAtRaster(full, file);
    if (['.geojson', '.topojson', '.json'].includes(extension)) return await lookAtJson(full, file);
    refuseUnread(file, await firstBytesOf(full), 'table');
    return { kind: 'left out', file, why: `nothing is known of files ending in ${extension || 'nothing'}` };
  } catch (error) {
    if (!(error instanceof BadInput)) throw error;
    const { where, found, expected } = error;
    return { kind: 'left out', file, why: `${where ? `${where}: ` : ''}found ${found}, expected ${expected}` };
  }
}

async function lookAtJson(full: string, file: string): Promise<Look> {
  const start = Buffer.from(await firstBytesOf(full)).toString('latin1');
  if (/"type"\s*:\s*"(FeatureCollection|Topology)"/.test(start) || /\.(geo|topo)json$/i.test(file)) {
    const format = /"type"\s*:\s*"Topology"/.test(start) ? 'topojson' : 'geojson';
    return { kind: 'outlines', file, format, siblings: [], features: await readPolygons(full) };
  }
  return { kind: 'table', file, format: 'json', siblings: [], ...(await readJsonTable(full, file)) };
}

async function lookAtRaster(full: string, file: string): Promise<Picture> {
  const raster = await openRaster(full, {});
  try {
    let [least, most, sum] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 0];
    for (const window of listWindows(raster.grid, raster, [wholeGrid(raster.grid)])) {
      for (const value of await raster.readWindow(window)) {
        if (Number.isNaN(value)) continue;
        if (value < least) least = value;
        if (value > most) most = value;
        sum += value;
      }
    }
    return { kind: 'raster', file, period: monthInName(path.basename(file)), least, most, sum };
  } finally {
    await raster.close();
  }
}
