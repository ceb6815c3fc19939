import { bbox, feature, featureCollection } from '@turf/turf';
import type { AreaGeometry } from '../../contract/schemas.ts';

/**
 * The file metadata under the key `geo` that makes a Parquet file GeoParquet 1.1.0
 * (https://geoparquet.org/releases/v1.1.0/): a column `geometry` of WKB. No `crs` means longitude and latitude, OGC:CRS84.
 * @param geometries that wind as RFC 7946 has it, shells counterclockwise, which every outline is checked for
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
