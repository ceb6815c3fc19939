import mapshaper from 'mapshaper';
import type { Polygon } from '../artifacts.ts';

/** What a shapefile's header may say of the day it was written: fixed, so that the bytes are. */
const DBF_DATE = [124, 1, 1];
const WGS84 =
  'GEOGCS["GCS_WGS_1984",DATUM["D_WGS_1984",SPHEROID["WGS_1984",6378137.0,298.257223563]],PRIMEM["Greenwich",0.0],UNIT["Degree",0.0174532925199433]]';

/** An ESRI shapefile's four files by ending, coordinates unchanged. `properties` become its columns. */
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
  return { shp: files['areas.shp']!, shx: files['areas.shx']!, dbf, prj: Buffer.from(WGS84) };
}
