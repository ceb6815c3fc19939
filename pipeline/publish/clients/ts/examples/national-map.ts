/**
 * A map of every area's score in one month, as GeoJSON, which QGIS and web maps open.
 *
 *     MALARIA_API_KEY=… node national-map.ts https://malaria.example.org map.geojson 2023-09
 */
import { writeFileSync } from 'node:fs';
import { createClient } from '../malaria-risk.js';

const [base = '', out = 'map.geojson', month] = process.argv.slice(2);
const client = await createClient({ base });
const map = await client.map(month);
writeFileSync(out, JSON.stringify(map));
process.stdout.write(
  `${map.features.length} areas, ${map.features[0]?.properties.period}, ${client.modelVersion}: ${out}\n`,
);
