/**
 * A map of the nation's risk in one month, as SVG. Two requests: scores and outlines.
 *
 *     MALARIA_API_KEY=… node national-map.ts https://malaria.example.org map.svg 2023-09
 */
import { writeFileSync } from 'node:fs';
import { createClient } from '../malaria-risk.ts';

const COLOURS = { very_low: '#ffffcc', low: '#fed976', moderate: '#fd8d3c', high: '#e31a1c', very_high: '#800026' };
const WIDTH = 900;

const [base = '', out = 'map.svg', month] = process.argv.slice(2);
const client = createClient({ base });
const { period, lgas } = await client.risk(month);
const { features } = await client.get('/v1/boundaries/nation');

const byCode = new Map(lgas.map((lga) => [lga.lga_code, lga]));
const areas = features.map(({ geometry, properties }) => ({
  properties,
  rings: geometry.type === 'Polygon' ? geometry.coordinates : geometry.coordinates.flat(),
}));
let [west, south, east, north] = [180, 90, -180, -90];
for (const [x, y] of areas.flatMap(({ rings }) => rings.flat())) {
  [west, east] = [Math.min(west, x), Math.max(east, x)];
  [south, north] = [Math.min(south, y), Math.max(north, y)];
}
const scale = WIDTH / (east - west);
const at = ([x, y]: [number, number]) => `${((x - west) * scale).toFixed(1)},${((north - y) * scale).toFixed(1)}`;
const text = (words: string) => words.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
const paths = areas.map(({ properties: { lgaCode, lga, state }, rings }) => {
  const risk = byCode.get(lgaCode);
  const about = risk ? `${risk.score} (${risk.score_low}-${risk.score_high}), ${risk.level}` : 'no score';
  const lines = rings.map((ring) => `M${ring.map(at).join('L')}Z`).join('');
  const fill = risk ? COLOURS[risk.level] : '#bbb';
  return `<path d="${lines}" fill="${fill}" fill-rule="evenodd" stroke="#fff" stroke-width=".3"><title>${text(`${lga}, ${state}: ${about}`)}</title></path>`;
});
const key = Object.entries(COLOURS).map(
  ([level, colour], i) =>
    `<rect x="${110 * i}" y="8" width="14" height="14" fill="${colour}" stroke="#999"/><text x="${110 * i + 20}" y="20">${level}</text>`,
);
const height = (north - south) * scale;
writeFileSync(
  out,
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="-10 -10 ${WIDTH + 20} ${Math.round(height + 70)}" font-family="sans-serif" font-size="14">${paths.join('')}<g transform="translate(0 ${(height + 10).toFixed(1)})">${key.join('')}<text y="44">${period}, ${text(client.modelVersion() ?? '')}</text></g></svg>\n`,
);
process.stdout.write(
  `${lgas.length} areas, ${period}, ${client.modelVersion()}, ${client.requests()} requests: ${out}\n`,
);
