/** Compares a source as last accepted with the version to be accepted. */
import path from 'node:path';
import { levelJoinedByName } from '../../catalog/aliases.ts';
import type { Model } from '../../catalog/model.ts';
import { isTable } from '../../catalog/roles.ts';
import type { Source } from '../../catalog/sources.ts';
import { compareOutlines, doubtsOfOutlines, type OutlineComparison, readOutlines } from './compare-outlines.ts';
import { compareRasters, doubtsOfRasters, type RasterComparison } from './compare-rasters.ts';
import { type ComparedRow, compareRows, type RowComparison } from './compare-rows.ts';
import { doubtsOfRows } from './doubts.ts';
import { comparedRows, type ReadCoded } from './read-rows.ts';

export interface SourceComparison {
  rows?: RowComparison;
  outlines?: OutlineComparison;
  rasters?: (FilePair & RasterComparison)[];
  doubts: string[];
}

/** One side of a comparison: an entry of the catalog and the directory of its files. */
export interface Side {
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
  was: Side,
  is: Side,
  states: Model['states'],
  pairs: readonly FilePair[],
  read: ReadCoded,
): Promise<SourceComparison> {
  const { source } = is;
  if (isTable(source)) {
    const readSide = async (side: Side) =>
      side.rows ?? comparedRows(await read(side.rawData, side.source), side.source, states);
    const sides = [await readSide(was), await readSide(is)];
    // Where a file goes by names, what is compared are the codes that they stand for.
    const byName = [was, is].flatMap((side) => levelJoinedByName(side.source) ?? []);
    for (const { words } of sides.flat()) for (const name of byName) delete words[name];
    const rows = await compareRows(sides[0]!, sides[1]!);
    return { rows, doubts: doubtsOfRows(source.role, rows) };
  }
  const rawPath = ({ rawData }: Side, file: string) => path.join(rawData, file);
  if (source.format === 'geotiff') {
    const rasters: SourceComparison['rasters'] = [];
    const doubts: string[] = [];
    for (const { path: file, before } of pairs) {
      const comparison = await compareRasters([rawPath(was, before), rawPath(is, file)], source.nodata);
      rasters.push({ path: file, before, ...comparison });
      for (const doubt of doubtsOfRasters(source, comparison, before !== file))
        doubts.push(pairs.length > 1 ? `${file}: ${doubt}` : doubt);
    }
    return { rasters, doubts };
  }
  const [then, now] = [
    await readOutlines(rawPath(was, was.source.files[0]!.path), was.source),
    await readOutlines(rawPath(is, source.files[0]!.path), source),
  ];
  const outlines = compareOutlines(then, now);
  return { outlines, doubts: doubtsOfOutlines(outlines) };
}
