import mapshaper from 'mapshaper';
import type { Polygon } from '../lib/numerics/area.ts';

/** Date in the header of the .dbf: fixed, so that the bytes are reproducible. */
const DBF_DATE = [124, 1, 1];
const WGS84_PROJECTION =
  'GEOGCS["GCS_WGS_1984",DATUM["D_WGS_1984",SPHEROID["WGS_1984",6378137.0,298.257223563]],PRIMEM["Greenwich",0.0],UNIT["Degree",0.0174532925199433]]';

/** The four files of an ESRI shapefile by extension, with unchanged coordinates. `properties` become its columns. */
export async function writeShapefile(
  areas: { polygons: Polygon[]; properties: Record<string, string> }[],
): Promise<Record<'shp' | 'shx' | 'dbf' | 'prj', Buffer>> {
  const collection = {
    type: 'FeatureCollection',
    features: areas.map(({ polygons, properties }) => ({
      type: 'Feature',
      properties,
      geometry: { type: 'MultiPolygon', coordinates: polygons },
    })),
  };
  const files = await mapshaper.applyCommands('-i areas.geojson -o areas.shp', {
    'areas.geojson': JSON.stringify(collection),
  });
  const dbf = files['areas.dbf']!;
  dbf.set(DBF_DATE, 1);
  return { shp: files['areas.shp']!, shx: files['areas.shx']!, dbf, prj: Buffer.from(WGS84_PROJECTION) };
}
