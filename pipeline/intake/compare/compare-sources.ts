/** Compares a source as last accepted with the version to be accepted. */
import path from 'node:path';
import { levelJoinedByName } from '../../catalog/aliases.ts';
import type { Model } from '../../catalog/model.ts';
import { isTable } from '../../catalog/roles.ts';
import type { Source } from '../../catalog/sources.ts';
import { compareOutlines, type OutlineComparison, outlineDoubts, readOutlines } from './compare-outlines.ts';
import { compareRasters, type RasterComparison, rasterDoubts } from './compare-rasters.ts';
import { type ComparedRow, compareRows, type RowComparison } from './compare-rows.ts';
import { rowDoubts } from './doubts.ts';
import { comparedRows, type ReadWithCodes } from './read-rows.ts';

export interface SourceComparison {
  rows?: RowComparison;
  outlines?: OutlineComparison;
  rasters?: (FilePair & RasterComparison)[];
  doubts: string[];
}

/** One side of a comparison: an entry of the catalog and the directory of its files. */
export interface ComparedSource {
  source: Source;
  rawData: string;
  /** A table's rows, if they have been read. */
  rows?: ComparedRow[] | null;
}

/** A file, and the accepted file it is compared with: its own earlier version, or the same month of an earlier year. */
export interface FilePair {
  path: string;
  before: string;
}

/** @param pairs rasters that have changed */
export async function compareSources(
  accepted: ComparedSource,
  updated: ComparedSource,
  states: Model['states'],
  pairs: readonly FilePair[],
  readWithCodes: ReadWithCodes,
): Promise<SourceComparison> {
  const { source } = updated;
  if (isTable(source)) {
    const readRows = async (compared: ComparedSource) =>
      compared.rows ?? comparedRows(await readWithCodes(compared.rawData, compared.source), compared.source, states);
    const releases = [await readRows(accepted), await readRows(updated)];
    // Names of areas are not compared: their codes are.
    const namedLevels = [accepted, updated].flatMap((compared) => levelJoinedByName(compared.source) ?? []);
    for (const { texts: words } of releases.flat()) for (const level of namedLevels) delete words[level];
    const rows = await compareRows(releases[0]!, releases[1]!);
    return { rows, doubts: rowDoubts(source.role, rows) };
  }
  const rawPath = ({ rawData }: ComparedSource, file: string) => path.join(rawData, file);
  if (source.format === 'geotiff') {
    const rasters: SourceComparison['rasters'] = [];
    const doubts: string[] = [];
    for (const { path: file, before } of pairs) {
      const comparison = await compareRasters([rawPath(accepted, before), rawPath(updated, file)], source.nodata);
      rasters.push({ path: file, before, ...comparison });
      for (const doubt of rasterDoubts(source, comparison, before !== file))
        doubts.push(pairs.length > 1 ? `${file}: ${doubt}` : doubt);
    }
    return { rasters, doubts };
  }
  const [formerOutlines, newOutlines] = [
    await readOutlines(rawPath(accepted, accepted.source.files[0]!.path), accepted.source),
    await readOutlines(rawPath(updated, source.files[0]!.path), source),
  ];
  const outlines = compareOutlines(formerOutlines, newOutlines);
  return { outlines, doubts: outlineDoubts(outlines) };
}
