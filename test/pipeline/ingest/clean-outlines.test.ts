import { describe, expect, test } from 'vitest';
import { readCountry } from '../../../pipeline/catalog/country.ts';
import { countryWords, wordingInCountry } from '../../../pipeline/contract/words.ts';
import type { ReportLine } from '../../../pipeline/engine/stage.ts';
import { ingestAreas } from '../../../pipeline/ingest/areas.ts';
import { Locator } from '../../../pipeline/ingest/locator.ts';
import { checkCountry } from '../../../pipeline/intake/check/check-country.ts';
import { areaKm2, cellAreaKm2 } from '../../../pipeline/lib/numerics/area.ts';
import { toPolygons } from '../../../pipeline/measure/boundaries/outline-check.ts';
import { simplifyOutlines } from '../../../pipeline/measure/boundaries/simplify-outlines.ts';
import { LGAS, sourceIn, type TinyCountry, writeTiny } from '../../support/tiny-country.ts';

type Point = [number, number];
const [A, B, C] = LGAS;

/** The ring of a rectangle, counter-clockwise from its south-western corner. */
const box = (west: number, south: number, east: number, north: number): Point[] => [
  [west, south],
  [east, south],
  [east, north],
  [west, north],
  [west, south],
];

/**
 * Outlines of the tiny country, in which A is the square from 3° E, 4° N to 4° E, 5° N, and B is east of it, with other
 * rings of some LGAs, in polygons. It has no outlines of states.
 */
const drawn =
  (outlines: Record<string, Point[][][]>, sliver_km2?: number) =>
  (country: TinyCountry): void => {
    const collection = JSON.parse(String(country.files['lgas.geojson']));
    for (const { properties, geometry } of collection.features) {
      if (!outlines[properties.pcode]) continue;
      geometry.type = 'MultiPolygon';
      geometry.coordinates = outlines[properties.pcode];
    }
    country.files['lgas.geojson'] = JSON.stringify(collection);
    country.model.extent = [2, 3, 8, 6];
    country.sources = country.sources.filter(({ role }) => role !== 'state_boundaries');
    if (sliver_km2) sourceIn(country, 'lga_boundaries').sliver_km2 = sliver_km2;
  };

/** Reads outlines, and simplifies them as every build does afterwards: what is read must never stop there. */
async function clean(...args: Parameters<typeof drawn>) {
  const { model, sources, rawData } = readCountry(writeTiny(drawn(...args)).directory);
  const report: ReportLine[] = [];
  const { areas, polygons } = await ingestAreas({ rawData, model, sources, report });
  const { outlines } = await simplifyOutlines(areas, polygons, model.parameters.boundaries);
  const list = polygons.lgas.map((lga) => [lga.lga_code, areaKm2(lga.polygons)] as const);
  for (const [i, { geometry }] of outlines.lgas.entries())
    expect(areaKm2(toPolygons(geometry)) / list[i]![1]).toBeCloseTo(1, 2);
  const words = countryWords(model.territory);
  return {
    km2: Object.fromEntries(list),
    polygons,
    locator: new Locator(areas, polygons),
    report: report.map(({ rule, what, needs_approval }) => ({
      rule,
      what: wordingInCountry(what, words),
      needs_approval,
    })),
  };
}
const faults = async (...args: Parameters<typeof drawn>) =>
  (await checkCountry(writeTiny(drawn(...args)).directory)).map(({ what }) => what);

/** A with a rectangular bulge over its eastern border at 4° E; a bay if `width` is negative. Degrees. */
const bulging = (width: number, height: number): Point[] => [
  [3, 4],
  [4, 4],
  [4, 4.5],
  [4 + width, 4.5],
  [4 + width, 4.5 + height],
  [4, 4.5 + height],
  [4, 5],
  [3, 5],
  [3, 4],
];
const square = cellAreaKm2(3, 4, 4, 5);
const NARROW = cellAreaKm2(4, 4.5, 4.001, 4.50245);
const WIDE = cellAreaKm2(4, 4.5, 4.01, 4.5407);

describe('slivers between two outlines', () => {
  test('an overlap of 0.03 km² goes to one of the two, and is told with its size, width and place', async () => {
    expect(NARROW).toBeCloseTo(0.03, 3);
    const { km2, report, locator } = await clean({ [A]: [[bulging(0.001, 0.00245)]] });
    // B was drawn without the bulge, so the overlap is B's, the smaller of the two.
    expect(km2[A]).toBeCloseTo(square, 4);
    expect(km2[B]).toBeCloseTo(square, 4);
    expect(locator.lgaAt(4.0005, 4.501)).toBe(B);
    expect(report).toEqual([
      expect.objectContaining({
        rule: 'slivers cleaned',
        what: expect.stringMatching(
          /^1 overlap between LGAs, 0\.030 km² in all, none larger than 0\.1 km².*of 0\.030 km², 78 m wide, at 4\.000\d, 4\.50\d\d, lies between NG001001 and NG001002$/,
        ),
      }),
    ]);
  });

  test('an overlap of 5 km² is refused by the check, with both areas, size, width and place', async () => {
    expect(WIDE).toBeCloseTo(5, 1);
    expect(await faults({ [A]: [[bulging(0.01, 0.0407)]] })).toEqual([
      expect.stringMatching(
        /^lgas\.geojson, NG001001 and NG001002: found an overlap of 4\.99\d km², 8\d\d m wide, at 4\.00\d\d, 4\.5\d\d\d, expected outlines that share their border, or .*0\.1 km² \(sliver_km2 in sources\.json\)$/,
      ),
    ]);
    const { km2 } = await clean({ [A]: [[bulging(0.01, 0.0407)]] }, 6);
    expect(km2[A]! + km2[B]!).toBeCloseTo(2 * square, 3);
  });

  test('a small gap is filled; a lake stays a gap', async () => {
    const { km2, report } = await clean({ [A]: [[bulging(-0.001, 0.00245)]] });
    expect(km2[A]! + km2[B]!).toBeCloseTo(2 * square, 3);
    expect(report[0]!.what).toMatch(/^1 gap between .*, lies between NG001001 and NG001002$/);
    const lake = await clean({ [A]: [[bulging(-0.01, 0.0407)]] });
    expect(lake.km2[A]).toBeCloseTo(square - WIDE, 3);
    expect(lake.report).toEqual([
      expect.objectContaining({
        rule: 'uncovered',
        what: expect.stringMatching(/^1 gap between LGAs, 4\.99\d km² in all, in no LGA; .* 8\d\d m wide, at 3\.99/),
      }),
    ]);
  });

  test('a gap that is long and narrow is refused until it is declared', async () => {
    const strip: Record<string, Point[][][]> = { [A]: [[bulging(-0.0004, 0.4)]] };
    expect(await faults(strip)).toEqual([
      expect.stringMatching(/NG001001 and NG001002: found a gap of 1\.96\d km², 44 m wide, at 3\.9998, 4\.7/),
    ]);
    const { km2 } = await clean(strip, 2);
    expect(km2[A]! + km2[B]!).toBeCloseTo(2 * square, 3);
  });

  test('a border that was digitised twice becomes one, and both are neighbours', async () => {
    const border = (phase: number): Point[] =>
      Array.from({ length: 99 }, (_, i) => [4 + 0.0003 * Math.sin(1.7 * i + phase), 4.01 + 0.01 * i]);
    const { km2, polygons, report } = await clean({
      [A]: [[[[3, 4], [4, 4], ...border(0), [4, 5], [3, 5], [3, 4]]]],
      [B]: [[[[4, 4], [5, 4], [5, 5], [4, 5], ...border(2).reverse(), [4, 4]]]],
    });
    expect(km2[A]! + km2[B]!).toBeCloseTo(2 * square, 2);
    expect(polygons.neighbours[A]).toEqual([B]);
    expect(report[0]!.what).toMatch(/^\d\d overlaps and \d\d gaps/);
  });

  test('a vertex on one side only, and repeated vertices, move no ground but join neighbours', async () => {
    const [sw, se, ne, nw] = box(4, 4, 5, 5) as [Point, Point, Point, Point];
    const { km2, polygons, report } = await clean({ [B]: [[[sw, se, se, ne, nw, [4, 4.5], [4, 4.5], sw]]] });
    expect(km2[B]).toBeCloseTo(square, 6);
    expect(polygons.neighbours[A]).toEqual([B]);
    expect(report).toEqual([]);
  });
});

describe('outlines of one area', () => {
  test('outlines that share their borders keep every position', async () => {
    const { polygons } = await clean({});
    expect(polygons.lgas[0]!.polygons).toEqual([[box(3, 4, 4, 5)]]);
  });

  test('a ring that touches itself at a vertex keeps its hole', async () => {
    const around: Point[] = [
      [3, 4],
      [4, 4],
      [4, 5],
      [3, 5],
      [3, 4],
      [3.2, 4.6],
      [3.6, 4.6],
      [3.6, 4.2],
      [3, 4],
    ];
    const { km2 } = await clean({ [A]: [[around]] });
    // The hole has 0.24 square degrees, by the shoelace formula.
    expect(km2[A]! / square).toBeCloseTo(0.76, 3);
  });

  test('a tiny loop is removed and told; a large one is refused', async () => {
    const loop = (size: number): Point[] => [
      [3, 4],
      [4, 4],
      [4, 5],
      [3.5, 5],
      [3.5 + size, 5 - size],
      [3.5 + size, 5 + size],
      [3.5 - size, 5 - size / 2],
      [3.5 - size, 5],
      [3, 5],
      [3, 4],
    ];
    const { km2, report } = await clean({ [A]: [[loop(0.001)]] });
    expect(km2[A]! / square).toBeCloseTo(1, 4);
    expect(report[0]!.what).toMatch(
      /^loops where outlines cross themselves are removed: NG001001 at 3\.50\d\d, (?:5\.000|4\.999)\d/,
    );
    expect(await faults({ [A]: [[loop(0.05)]] })).toEqual([
      expect.stringMatching(/NG001001: found an outline that crosses or overlaps itself at 3\.5/),
    ]);
  });

  test('parts that overlap each other are refused', async () => {
    const parts = [[box(3, 4, 4, 5)], [box(3.2, 4.2, 3.4, 4.4)]];
    expect(await faults({ [A]: parts })).toEqual([
      expect.stringMatching(
        /NG001001: found an outline that crosses or overlaps itself at 3\.2, 4\.3\d*, by 490\.879 km², expected a valid polygon/,
      ),
    ]);
  });

  test('islands stay parts of their area', async () => {
    const islands = [[box(3, 4, 4, 5)], [box(3.2, 5.2, 3.3, 5.3)], [box(3.5, 5.2, 3.501, 5.201)]];
    const { km2, polygons } = await clean({ [A]: islands });
    expect(polygons.lgas[0]!.polygons).toEqual(islands);
    expect(km2[A]).toBeCloseTo(square + cellAreaKm2(3.2, 5.2, 3.3, 5.3) + cellAreaKm2(3.5, 5.2, 3.501, 5.201), 3);
  });
});

describe('an area within another one', () => {
  test('a city is cut out of the district around it, which publishing must approve', async () => {
    const { km2, locator, report } = await clean({ [A]: [[box(3.4, 4.4, 3.5, 4.5)]], [B]: [[box(3, 4, 5, 5)]] });
    const city = cellAreaKm2(3.4, 4.4, 3.5, 4.5);
    expect(km2[A]).toBeCloseTo(city, 4);
    expect(km2[B]).toBeCloseTo(2 * square - city, 3);
    expect([locator.lgaAt(3.45, 4.45), locator.lgaAt(3.3, 4.3)]).toEqual([A, B]);
    expect(report).toEqual([
      {
        rule: 'cut out',
        what: expect.stringMatching(/^LGAs inside .*: NG001001 and NG001002 share 12\d\.\d{3} km²/),
        needs_approval: true,
      },
    ]);
  });

  test('two outlines of the same ground, and one that others cover, are refused', async () => {
    const same = box(3, 4, 4, 5);
    expect(await faults({ [B]: [[same]] })).toEqual([
      expect.stringMatching(/NG001001 and NG001002: found an overlap of/),
    ]);
    expect(await faults({ [A]: [[box(4, 4, 6, 5)]] })).toEqual([
      expect.stringMatching(/NG001001: found no ground outside NG001002, NG002001, expected an area of its own/),
    ]);
    expect(C).toBe('NG002001');
  });
});
