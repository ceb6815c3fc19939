/**
 * Files of a few megabytes that once took minutes or gigabytes, since the work grew with the square of their length.
 */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { recogniseFile } from '../../../../pipeline/intake/draft/recognise.ts';
import { temporary } from '../../../support/command-line.ts';
import { encodeTiff } from '../../tiff-encoder.ts';

const LONG = 1_000_000;
const filled = (text: string) => text.repeat(LONG / text.length);

const tiff = encodeTiff([[[1]]], {
  type: 'uint8',
  compression: 'none',
  predictor: 1,
  littleEndian: true,
  big: false,
  block: { rows: 1 },
  bands: 1,
  planar: false,
  southUp: false,
});

/** A dBase table of fields of 0 bytes. */
function wide(fields: number, records: number): Buffer {
  const header_bytes = 32 + 32 * fields + 1;
  const dbf = Buffer.alloc(header_bytes + records, ' ');
  dbf.writeUInt32LE(records, 4);
  dbf.writeUInt16LE(header_bytes, 8);
  dbf.writeUInt16LE(1, 10);
  for (let field = 32; field < header_bytes - 1; field += 32) dbf.fill(0, field, field + 32).write('F', field);
  dbf[header_bytes - 1] = 0x0d;
  return dbf;
}

test.each<[string, Record<string, string | Buffer>, object]>([
  [
    'rows much wider than the header',
    { 'a.csv': `a,b,c\n${`${filled('1,').slice(0, 5000)}1\n`.repeat(200)}` },
    { why: 'row 2: found 2501 cells, expected 3 as in the header; is a separator in a cell without quotes?' },
  ],
  [
    'rows much narrower than the header',
    { 'a.csv': `${'a,'.repeat(5000)}b\n${'1\n'.repeat(10_000)}` },
    { why: 'row 2: found 1 cells, expected 5001 as in the header' },
  ],
  [
    'records with fields of their own',
    { 'a.json': JSON.stringify(Array.from({ length: 20_000 }, (_, i) => ({ [`field${i}`]: i }))) },
    { why: expect.stringContaining('found 20000 records of 20000 fields, expected records that have the same fields') },
  ],
  [
    'fields without a byte',
    { 'a.dbf': wide(1000, LONG) },
    { why: 'header: found the field F of 0 bytes, expected at least 1' },
  ],
  [
    'rows between quotes',
    { 'a.csv': `a,b\n"${filled('1,2\n')}",3\n` },
    { why: 'row 2: found a quote that is not closed, expected quotes in pairs, around whole cells' },
  ],
  [
    'quotes around nothing',
    { 'a.csv': `a,b\n${filled('"", ')}1\n` },
    { why: 'row 2: found 250001 cells, expected 2 as in the header; is a separator in a cell without quotes?' },
  ],
  ['digits before a comma', { 'a.csv': `a,b\n"${filled('1')},2",3\n` }, { kind: 'table' }],
  ['notes beside a raster', { 'a.tif': tiff, 'a.tif.aux.xml': filled('<GeoTransform ') }, { kind: 'raster' }],
  [
    'bands in such notes',
    { 'a.tif': tiff, 'a.tif.aux.xml': filled('<PAMRasterBand band="1">').repeat(4) },
    { kind: 'raster' },
  ],
  [
    'the name of a coordinate system',
    { 'a.geojson': `{"type":"FeatureCollection","crs":{"properties":{"name":"x${filled(' ')}y"}}}` },
    { kind: 'left out' },
  ],
])('%s', async (_, parts, expected) => {
  const folder = temporary();
  for (const [name, content] of Object.entries(parts)) writeFileSync(path.join(folder, name), content);
  const before = process.cpuUsage();
  const names = Object.keys(parts);
  expect((await recogniseFile(folder, names[0]!, names))[0]).toMatchObject(expected);
  const { user, system } = process.cpuUsage(before);
  expect((user + system) / 1e6, 's').toBeLessThan(10);
});
