import { bbox } from '@turf/bbox';
import { feature, featureCollection } from '@turf/helpers';
import type { AreaGeometry } from '../../contract/schemas.ts';

/**
 * The file metadata, under the key `geo`, that makes a Parquet file with a WKB column `geometry` GeoParquet 1.1.0
 * (https://geoparquet.org/releases/v1.1.0/). Without `crs`, coordinates are longitude and latitude, OGC:CRS84.
 * @param geometries with counter-clockwise exterior rings as in RFC 7946, which is checked for every outline
 */
export function geoMetadata(geometries: readonly AreaGeometry[]) {
  return {
    version: '1.1.0',
    primary_column: 'geometry',
    columns: {
      geometry: {
        encoding: 'WKB',
        geometry_types: [...new Set(geometries.map(({ type }) => type))].sort(),
        orientation: 'counterclockwise',
        edges: 'planar',
        bbox: bbox(featureCollection(geometries.map((geometry) => feature(geometry)))),
      },
    },
  };
}
