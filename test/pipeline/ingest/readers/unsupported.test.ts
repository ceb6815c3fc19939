import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { refuseUnsupported, type Wanted } from '../../../../pipeline/ingest/readers/unsupported.ts';

const bytes = (text: string) => Buffer.from(text.padEnd(64, '\0'), 'latin1');

test.each<[string, Wanted, Uint8Array, RegExp]>([
  ['areas.gpkg', 'outlines', bytes('SQLite format 3\0'), /ogr2ogr -t_srs EPSG:4326 outlines\.geojson areas\.gpkg$/],
  ['rain.nc', 'raster', bytes('CDF\x02'), /gdal_translate -b 1 NETCDF:"rain\.nc":VARIABLE raster\.tif$/],
  ['rain.nc', 'raster', bytes('\x89HDF\r\n\x1a\n'), /NETCDF:"rain\.nc"/],
  ['MDHR81FL.DTA', 'table', bytes('<stata_dta><header>'), /haven::read_dta\("MDHR81FL\.DTA"\)/],
  ['old.dta', 'table', bytes('\x73\x02\x01\0'), /haven::read_dta/],
  ['people.sav', 'table', bytes('$FL2@(#)'), /haven::read_sav/],
  ['points.RData', 'table', gzipSync(bytes('RDX3\nX\n')), /load\("points\.RData"\)/],
  ['book.xlsx', 'table', bytes('PK\x03\x04'), /ogr2ogr -f CSV table\.csv book\.xlsx$/],
  ['OUTLINES$&.gpkg', 'table', bytes('SQLite format 3\0'), /ogr2ogr -f CSV table\.csv OUTLINES\$&\.gpkg$/],
  ['areas.zip', 'outlines', bytes('PK\x03\x04'), /\/vsizip\/areas\.zip$/],
])('%s as %s: refused with the command that converts it', (file, wanted, data, command) => {
  expect(() => refuseUnsupported(`somewhere/${file}`, data, wanted)).toThrow(command);
});

test('supported formats, and compressed files of unknown formats, are not refused', () => {
  for (const data of [
    bytes('{"type":'),
    bytes('year,month'),
    gzipSync('a,b\n1,2\n'),
    Uint8Array.of(0x1f, 0x8b),
    bytes(''),
  ])
    expect(() => refuseUnsupported('file', data, 'table')).not.toThrow();
});
