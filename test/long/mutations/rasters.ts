/** Ways in which a raster, the outlines, or any other file of the real country could be wrong. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { openRaster } from '../../../pipeline/ingest/readers/geotiff.ts';
import { writeGeotiff } from '../../../pipeline/synthetic/geotiff-writer.ts';
import { temporary } from '../../support/command-line.ts';
import type { Mutation } from './mutation.ts';

interface Cells {
  values: Float32Array;
  west: number;
  north: number;
  step: number;
  columns: number;
  rows: number;
}

/** Reads the raster, changes its cells or its position, and writes it with NaN for missing values. */
function raster(change: (cells: Cells) => Cells, nodata = 'nan') {
  return async (bytes: Buffer): Promise<Buffer> => {
    const file = path.join(temporary(), 'raster.tif');
    writeFileSync(file, bytes);
    const source = await openRaster(file);
    const { west, north, cellWidth: step, columns, rows } = source.grid;
    const values = Float32Array.from(await source.readWindow({ row: 0, column: 0, rows, columns }));
    await source.close();
    const { values: made, ...grid } = change({ values, west, north, step, columns, rows });
    return writeGeotiff(made, grid, nodata);
  };
}

export const each = (value: (value: number, column: number, row: number, cells: Cells) => number) =>
  raster((cells) => ({
    ...cells,
    values: cells.values.map((number, i) => value(number, i % cells.columns, Math.floor(i / cells.columns), cells)),
  }));
/** Takes each value from another cell, given by column and row. */
export const from = (source: (column: number, row: number, cells: Cells) => [number, number]) =>
  each((_, column, row, cells) => {
    const [x, y] = source(column, row, cells);
    const inside = x >= 0 && x < cells.columns && y >= 0 && y < cells.rows;
    return inside ? cells.values[y * cells.columns + x]! : cells.values[0]!;
  });
const moved = (degrees: number) => raster((cells) => ({ ...cells, west: cells.west + degrees }));
const patch = (tag: number, value: number) => (bytes: Buffer) => {
  const made = Buffer.from(bytes);
  const directory = made.readUInt32LE(4);
  for (let i = 0; i < made.readUInt16LE(directory); i++) {
    const entry = directory + 2 + 12 * i;
    if (made.readUInt16LE(entry) !== tag) continue;
    made.writeUInt16LE(4, entry + 2);
    made.writeUInt32LE(value, entry + 8);
  }
  return made;
};
const half = raster(({ values, columns, rows, ...grid }) => {
  const [halfColumns, halfRows] = [Math.floor(columns / 2), Math.floor(rows / 2)];
  const sum = (x: number, y: number) =>
    values[2 * y * columns + 2 * x]! +
    values[2 * y * columns + 2 * x + 1]! +
    values[(2 * y + 1) * columns + 2 * x]! +
    values[(2 * y + 1) * columns + 2 * x + 1]!;
  return {
    ...grid,
    step: 2 * grid.step,
    columns: halfColumns,
    rows: halfRows,
    values: Float32Array.from({ length: halfColumns * halfRows }, (_, i) =>
      sum(i % halfColumns, Math.floor(i / halfColumns)),
    ),
  };
});

/** Swaps two codes of equal length in the attribute table. */
const swapText = (a: string, b: string) => (bytes: Buffer) =>
  Buffer.from(bytes.toString('latin1').replaceAll(a, '\u0001').replaceAll(b, a).replaceAll('\u0001', b), 'latin1');

const of = (source: string, kinds: Record<string, Mutation['change']>, file?: string): Mutation[] =>
  Object.entries(kinds).map(([name, change]) => ({ source, name, change, ...(file === undefined ? {} : { file }) }));

export const RASTERS: Mutation[] = [
  ...of('population', {
    'a cell too far east': moved(1 / 120),
    'a degree too far east': moved(1),
    'content a cell too far east': from((x, y) => [x - 1, y]),
    'content twenty cells too far south': from((x, y) => [x, y - 20]),
    'north and south swapped': from((x, y, { rows }) => [x, rows - 1 - y]),
    'east and west swapped': from((x, y, { columns }) => [columns - 1 - x, y]),
    'people per km²': each((value) => value / 0.85),
    'people per hectare': each((value) => value / 85),
    'in thousands': each((value) => value / 1000),
    'cells of twice the size': half,
    'a corner without people': each((value, x, y) => (x < 300 && y < 300 ? 0 : value)),
    'half as many people': each((value) => value / 2),
    logarithms: each((value) => Math.log1p(value)),
    'nodata without a tag': each((value) => (value === 0 ? -99999 : value)),
    'cut short': (bytes) => bytes.subarray(0, bytes.length / 2),
    'a header that declares a million rows': patch(257, 1_000_000),
  }),
  ...of('elevation', {
    'in feet': raster(
      (cells) => ({ ...cells, values: cells.values.map((value) => (value === -9999 ? value : value * 3.28084)) }),
      '-9999',
    ),
    'north and south swapped': from((x, y, { rows }) => [x, rows - 1 - y]),
    'content forty cells too far south': from((x, y) => [x, y - 40]),
    'nodata as 0': each((value) => (Number.isNaN(value) ? 0 : value)),
  }),
  ...of('effective_treatment', {
    'in percent': each((value) => value * 100),
    'one minus the value': each((value) => 1 - value),
    halved: each((value) => Math.max(0.2, value / 2)),
    'east and west swapped': from((x, y, { columns }) => [columns - 1 - x, y]),
  }),
  ...of('irs_coverage', {
    'a third everywhere': each((value) => (Number.isNaN(value) ? value : 0.33)),
  }),
];

export const OTHERS: Mutation[] = [
  ...of(
    'lga_boundaries',
    {
      'codes of two LGAs swapped': swapText('NG001001', 'NG001002'),
      'codes of two LGAs of two states swapped': swapText('NG001001', 'NG020001'),
      'a misspelled name': swapText('Aba North', 'Aba Nroth'),
    },
    '.dbf',
  ),
  ...of('lga_boundaries', { 'cut short': (bytes) => bytes.subarray(0, bytes.length / 2) }, '.shp'),
  ...of('climate', {
    'a decompression bomb of 2 GB': () => {
      const row = 'NG001001,Abia,Aba North,2001,1,3.88,25.916,0.6492\n'.repeat(4_000_000);
      const member = gzipSync(row);
      return Buffer.concat(Array.from({ length: 10 }, () => member));
    },
    'cut short': (bytes) => bytes.subarray(0, bytes.length / 2),
  }),
  ...of('cases_states', {
    'a web page instead of the table': () => Buffer.from('<!DOCTYPE html>\n<p>Sign in</p>\n'),
    'an empty file': () => Buffer.alloc(0),
  }),
];
