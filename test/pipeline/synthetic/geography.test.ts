import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import mapshaper from 'mapshaper';
import { describe, expect, test } from 'vitest';
import type { Polygon } from '../../../pipeline/lib/numerics/area.ts';
import { makeGeography } from '../../../pipeline/synthetic/geography.ts';
import { STATES } from '../../../pipeline/synthetic/states.ts';
import { HAS_REAL_DATA, needsReal, REAL_DATA } from '../../support/real-data.ts';

type Area = { polygons: Polygon[] };
/** Directed edges of an area as text; shells run counter-clockwise and holes clockwise, so land is on the left. */
function edgesOf(area: Area): string[] {
  return area.polygons.flat().flatMap((ring) => ring.slice(1).map((point, i) => `${ring[i]} ${point}`));
}
const reversed = (edge: string) => edge.split(' ').reverse().join(' ');
/** Area by the shoelace formula, square degrees; positive if the ring runs counter-clockwise. */
const signedArea = (ring: [number, number][]) =>
  ring.slice(1).reduce((sum, [x, y], i) => sum + (ring[i]![0] * y - x * ring[i]![1]) / 2, 0);
const areaOf = (area: Area) => area.polygons.flat().reduce((sum, ring) => sum + signedArea(ring), 0);
/** Edges that remain when those that occur in both directions cancel. */
function outerEdges(areas: Area[]): string[] {
  const all = new Set(areas.flatMap(edgesOf));
  return [...all].filter((edge) => !all.has(reversed(edge)));
}

describe.each([1, 2, 3, 11])('the geography of seed %d', (seed) => {
  const { lgas, states } = makeGeography(seed);

  test('774 LGAs in 37 states, in order of code, with the number of LGAs per state that the table lists', () => {
    expect(lgas).toHaveLength(774);
    expect(lgas.map((lga) => lga.lga_pcode)).toEqual(lgas.map((lga) => lga.lga_pcode).toSorted());
    for (const [at, recipe] of STATES.entries()) {
      const here = lgas.filter((lga) => lga.lga_pcode.startsWith(recipe.state_pcode));
      expect(here).toHaveLength(recipe.lgas);
      expect(here.every((lga) => lga.state_index === at)).toBe(true);
      expect(new Set(here.map((lga) => lga.lga)).size).toBe(recipe.lgas);
      expect(here.map((lga) => lga.lga)).toEqual(here.map((lga) => lga.lga).toSorted());
    }
    expect(new Set(lgas.map((lga) => lga.lga)).size).toBeLessThan(774);
  });

  test('LGAs tile the country: no edge occurs twice, so none overlap, and each is a single piece', () => {
    const edges = lgas.flatMap(edgesOf);
    expect(new Set(edges).size).toBe(edges.length);
    for (const lga of lgas) {
      expect(lga.polygons).toHaveLength(1);
      expect(signedArea(lga.polygons[0]![0]!)).toBeGreaterThan(0);
      for (const hole of lga.polygons[0]!.slice(1)) expect(signedArea(hole)).toBeLessThan(0);
    }
  });

  test("the outer edges of a state's LGAs are the state's outline, and their areas add up", () => {
    for (const [at, state] of states.entries()) {
      const here = lgas.filter((lga) => lga.state_index === at);
      expect(new Set(outerEdges(here))).toEqual(new Set(edgesOf(state)));
      expect(here.reduce((sum, lga) => sum + areaOf(lga), 0)).toBeCloseTo(areaOf(state), 9);
    }
  });

  test('the country is one ring without lakes within the extent, of about 900,000 km² and not rectangular', () => {
    const outer = outerEdges(states);
    const next = new Map(outer.map((edge) => edge.split(' ') as [string, string]));
    let steps = 0;
    for (let at = outer[0]!.split(' ')[0]!; steps === 0 || at !== outer[0]!.split(' ')[0]; at = next.get(at)!) steps++;
    expect(steps).toBe(outer.length);
    const points = lgas.flatMap((lga) => lga.polygons.flat(2));
    const [x, y] = [points.map((point) => point[0]), points.map((point) => point[1])];
    expect(Math.min(...x)).toBeGreaterThan(2.7);
    expect(Math.max(...x)).toBeLessThan(14.7);
    expect(Math.min(...y)).toBeGreaterThan(4.3);
    expect(Math.max(...y)).toBeLessThan(13.9);
    const degrees = lgas.reduce((sum, lga) => sum + areaOf(lga), 0);
    expect(degrees * 111.2 ** 2 * 0.988).toBeGreaterThan(750_000);
    expect(degrees * 111.2 ** 2 * 0.988).toBeLessThan(1_050_000);
    expect(degrees / ((Math.max(...x) - Math.min(...x)) * (Math.max(...y) - Math.min(...y)))).toBeLessThan(0.8);
  });
});

test.skipIf(!HAS_REAL_DATA)(needsReal('names, codes and LGA counts match the real country'), async () => {
  const name = 'nga_admbnda_adm2_osgof_20190417.dbf';
  const out = await mapshaper.applyCommands(`-i ${name} -o rows.json format=json`, {
    [name]: readFileSync(join(REAL_DATA, 'boundaries', name)),
  });
  const rows: { ADM1_PCODE: string; ADM1_EN: string }[] = JSON.parse(out['rows.json']!.toString());
  for (const { state_pcode, state, lgas } of STATES) {
    const here = rows.filter((row) => row.ADM1_PCODE === state_pcode);
    expect(new Set(here.map((row) => row.ADM1_EN))).toEqual(new Set([state]));
    expect(here).toHaveLength(lgas);
  }
});
