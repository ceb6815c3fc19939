import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { type ContentKind, refuseUnsupported } from '../../../../pipeline/ingest/readers/unsupported.ts';

const bytes = (text: string) => Buffer.from(text.padEnd(64, '\0'), 'latin1');

test.each<[string, ContentKind, Uint8Array, string]>([
  ['areas.gpkg', 'outlines', bytes('SQLite format 3\0'), 'ogr2ogr -t_srs EPSG:4326 areas_4326.geojson areas.gpkg'],
  ['rain.nc', 'raster', bytes('CDF\x02'), `gdal_translate -b N 'NETCDF:"rain.nc":VARIABLE' rain_N.tif for each band N`],
  ['rain.nc', 'raster', bytes('\x89HDF\r\n\x1a\n'), 'NETCDF:"rain.nc"'],
  ['rain.nc', 'table', bytes('CDF\x02'), 'expected a GeoTIFF; make one with: gdal_translate'],
  ['my rain.grb', 'raster', bytes('GRIB'), "gdal_translate -b N 'my rain.grb' 'my rain_N.tif'"],
  ['MDHR81FL.DTA', 'table', bytes('<stata_dta><header>'), 'haven::read_dta("MDHR81FL.DTA")), "MDHR81FL.csv"'],
  ['old.dta', 'table', bytes('\x73\x02\x01\0'), 'haven::read_dta'],
  ['people.sav', 'table', bytes('$FL2@(#)'), 'haven::read_sav'],
  ['points.RData', 'table', gzipSync(bytes('RDX3\nX\n')), 'load("points.RData")'],
  ['WMR 2022 - cases.ods', 'table', bytes('PK\x03\x04'), "'WMR 2022 - cases_tables' 'WMR 2022 - cases.ods'"],
  [
    'old.xls',
    'table',
    bytes('\xd0\xcf\x11\xe0'),
    'save it in Excel as .xlsx without a password, or make one with: ogr2ogr',
  ],
  ['old.xls', 'table', bytes('\xd0\xcf\x11\xe0'), 'CSV old_tables old.xls --config OGR_ODS_HEADERS FORCE'],
  ['a.rds', 'table', gzipSync(bytes('X\n\0\0\0\x03')), `Rscript -e 'write.csv(readRDS("a.rds"), "a.csv", row.names`],
  ['chirps-v2.0.2015.01.tif.gz', 'raster', gzipSync(bytes('II*')), 'unpack it with: gunzip chirps-v2.0.2015.01.tif.gz'],
  ['tables.zip', 'table', bytes('PK\x03\x04'), 'unzip tables.zip'],
  ['OUTLINES$&.gpkg', 'table', bytes('SQLite format 3\0'), "ogr2ogr -f CSV 'OUTLINES$&_tables' 'OUTLINES$&.gpkg'"],
  ['-x.gpkg', 'table', bytes('SQLite format 3\0'), 'ogr2ogr -f CSV ./-x_tables ./-x.gpkg'],
  ['cases.xlsx', 'table', bytes('PK\x03\x04'), '"format": "xlsx" there (sources.json)'],
  ['areas.kml', 'table', bytes('<?xml version="1.0"?>'), 'ogr2ogr -t_srs EPSG:4326 areas_4326.geojson areas.kml'],
  ['pop.asc', 'table', bytes('ncols 3'), 'gdal_translate -a_srs EPSG:4326 pop.asc pop_4326.tif'],
  ['cases.csv', 'table', bytes('<!DOCTYPE html>'), 'was a page saved in its place, as when one is not signed in?'],
  ['people.tif', 'raster', bytes('version https://git-lfs.github.com/spec/v1'), 'git lfs pull --include people.tif'],
  ['areas.zip', 'outlines', bytes('PK\x03\x04'), 'areas_4326.geojson /vsizip/areas.zip'],
  // Quoted for SQL, then for the shell.
  ["d'or.parquet", 'table', bytes('PAR1'), "duckdb -c 'COPY (FROM '\\''d'\\'''\\''or.parquet'\\'') TO "],
])('%s as %s: refused with the command that converts it', (file, wanted, data, command) => {
  expect(() => refuseUnsupported(`somewhere/${file}`, data, wanted)).toThrow(command);
});

test('of a file whose content is not known, each way is told', () => {
  expect(() => refuseUnsupported('areas.gpkg', bytes('SQLite format 3\0'), null)).toThrow(
    /GeoJSON, .*: ogr2ogr -t_srs EPSG:4326 .*; or CSV, .*: ogr2ogr -f CSV areas_tables areas\.gpkg; or a GeoTIFF/,
  );
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
