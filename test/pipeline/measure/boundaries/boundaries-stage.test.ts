import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import type { Model } from '../../../../pipeline/catalog/model.ts';
import type { Areas, Polygons } from '../../../../pipeline/ingest/ingest-tables.ts';
import { readPolygons } from '../../../../pipeline/ingest/readers/polygons.ts';
import type { Polygon } from '../../../../pipeline/lib/numerics/area.ts';
import { areaKm2 } from '../../../../pipeline/lib/numerics/area.ts';
import { run } from '../../../../pipeline/measure/boundaries/boundaries-stage.ts';
import type { Outlines } from '../../../../pipeline/measure/boundaries/boundaries-tables.ts';
import { toPolygons } from '../../../../pipeline/measure/boundaries/outline-check.ts';
import { HAS_REAL_DATA, needsReal, REAL_DATA } from '../../../support/real-data.ts';
import { ioOf, outputRows } from '../../../support/stage-io.ts';

type Point = [number, number];
type Ring = Point[];

/** Points from `a` to `b` in a hundred steps, displaced at right angles by up to `shake` degrees. */
function wavy([ax, ay]: Point, [bx, by]: Point, shake = 0.0004): Ring {
  return Array.from({ length: 101 }, (_, i) => {
    const t = i / 100;
    const off = i === 0 || i === 100 ? 0 : shake * Math.sin(i * 2.4);
    return [ax + t * (bx - ax) + off * Math.sign(by - ay), ay + t * (by - ay) + off * Math.sign(bx - ax)];
  });
}

/** Joins pieces that each begin at the end of the previous one. */
const join_ = (...pieces: Ring[]): Ring => pieces.flatMap((piece, i) => (i === 0 ? piece : piece.slice(1)));
const back = (ring: Ring): Ring => ring.toReversed();

function square(west: number, south: number, side: number): Ring {
  const [east, north] = [west + side, south + side];
  return [
    [west, south],
    [east, south],
    [east, north],
    [west, north],
    [west, south],
  ];
}

interface Input {
  lgas: Record<string, Polygon[]>;
  /** State of each LGA, AB by default. */
  states?: Record<string, string>;
  tolerance_m?: number;
  max_area_change?: number;
}

async function simplify({ lgas, states = {}, tolerance_m = 200, max_area_change = 0.01 }: Input) {
  const stateOf = (code: string) => states[code] ?? 'AB';
  const codes = Object.keys(lgas);
  const areas = {
    states: [...new Set(codes.map(stateOf))].map((state_code) => ({ state_code })),
    lgas: codes.map((lga_code) => ({ lga_code, state_code: stateOf(lga_code) })),
  } as Areas;
  const polygons: Polygons = {
    lgas: codes.map((lga_code) => ({ lga_code, polygons: lgas[lga_code]! })),
    neighbours: {},
  };
  const artifacts = { 'ingest/states': areas.states, 'ingest/lgas': areas.lgas, 'ingest/polygons': polygons };
  const model = { parameters: { boundaries: { tolerance_m, max_area_change } } } as Model;
  const output = await run(ioOf(artifacts, { model }));
  const areas_km2 = outputRows<{ lga_code: string; area_km2: number }>(output.areas_km2);
  return { ...output, outlines: output.outlines as Outlines, areas_km2 };
}

const rings = (outlines: Outlines, code: string) =>
  toPolygons(outlines.lgas.find((lga) => lga.lga_code === code)!.geometry);
const edges = (list: Ring[]) =>
  new Set(list.flatMap((ring) => ring.slice(1).map((point, i) => [String(ring[i]), String(point)].sort().join(' '))));

describe('two neighbours with a wavy border', () => {
  const border = wavy([1, 0], [1, 1]);
  const lgas = {
    W: [
      [
        join_(
          [[0, 0]],
          [
            [0, 0],
            [1, 0],
          ],
          border,
          [
            [1, 1],
            [0, 1],
          ],
          [
            [0, 1],
            [0, 0],
          ],
        ),
      ],
    ],
    E: [
      [
        join_(
          [
            [1, 0],
            [2, 0],
          ],
          [
            [2, 0],
            [2, 1],
          ],
          [
            [2, 1],
            [1, 1],
          ],
          back(border),
        ),
      ],
    ],
  };

  test('codes keep their order; the border is simplified and still shared', async () => {
    const { outlines } = await simplify({ lgas });
    expect(outlines.lgas.map((lga) => lga.lga_code)).toEqual(['W', 'E']);
    const [west, east] = [edges(rings(outlines, 'W').flat()), edges(rings(outlines, 'E').flat())];
    const shared = [...west].filter((edge) => east.has(edge));
    expect(shared.length).toBeGreaterThan(0);
    expect(shared.length).toBeLessThan(border.length - 1);
    // The other edges are on the outer rim: three sides each.
    expect([...west].filter((edge) => !east.has(edge))).toHaveLength(3);
  });

  test('a state is the union of its LGAs, and two states share the border of their LGAs', async () => {
    const one = await simplify({ lgas });
    expect(one.outlines.states).toHaveLength(1);
    const outer = edges(toPolygons(one.outlines.states[0]!.geometry).flat());
    expect([...outer].some((edge) => edges(rings(one.outlines, 'W').flat()).has(edge))).toBe(true);
    expect(outer.size).toBe(6);
    const two = await simplify({ lgas, states: { E: 'CD' } });
    expect(two.outlines.states.map((state) => state.state_code)).toEqual(['AB', 'CD']);
  });

  test('the limit of a small area is stricter than the tolerance', async () => {
    const bump = wavy([1, 0], [1, 0.01], 0.0004);
    const small = {
      W: [
        [
          join_(
            [
              [0.99, 0],
              [1, 0],
            ],
            bump,
            [
              [1, 0.01],
              [0.99, 0.01],
            ],
            [
              [0.99, 0.01],
              [0.99, 0],
            ],
          ),
        ],
      ],
    };
    const { outlines, report } = await simplify({ lgas: small, tolerance_m: 5000 });
    // About 1.2 km²: it deviates by at most 9 m, although the waves are 44 m high and the tolerance is 5 km.
    expect(rings(outlines, 'W').flat(2).length).toBeGreaterThan(20);
    expect(report[0]!.what).toMatch(/vertices simplified to \d+; largest change of area 0\.\d\d% \(W\), median 0/);
  });

  test('areas are those of the full outlines', async () => {
    const { areas_km2 } = await simplify({ lgas });
    expect(areas_km2).toEqual(
      (['W', 'E'] as const).map((lga_code) => ({ lga_code, area_km2: areaKm2(lgas[lga_code]!) })),
    );
  });
});

describe('shapes', () => {
  test('a hole filled by another LGA keeps the same edges as that LGA', async () => {
    const inner = join_(wavy([1, 1], [2, 1]), wavy([2, 1], [2, 2]), wavy([2, 2], [1, 2]), wavy([1, 2], [1, 1]));
    const { outlines } = await simplify({ lgas: { A: [[square(0, 0, 3), back(inner)]], B: [[inner]] } });
    const [around] = rings(outlines, 'A');
    expect(around).toHaveLength(2);
    expect(edges([around![1]!])).toEqual(edges(rings(outlines, 'B').flat()));
    // Their state has no hole.
    expect(toPolygons(outlines.states[0]!.geometry)[0]).toHaveLength(1);
  });

  test('islands remain separate parts', async () => {
    const lgas = { A: [[square(0, 0, 1)], [square(2, 0, 0.1)], [square(3, 0, 0.05)]] };
    const { outlines } = await simplify({ lgas });
    expect(rings(outlines, 'A')).toHaveLength(3);
    expect(areaKm2(rings(outlines, 'A'))).toBeCloseTo(areaKm2(lgas.A), 6);
  });

  test('an LGA smaller than the tolerance keeps its shape', async () => {
    const { outlines } = await simplify({ lgas: { A: [[square(0, 0, 1)]], B: [[square(2, 0, 0.001)]] } });
    expect(areaKm2(rings(outlines, 'B'))).toBeCloseTo(areaKm2([[square(2, 0, 0.001)]]), 6);
  });

  test('parts on both sides of the antimeridian keep their positions', async () => {
    const lgas = { A: [[square(179, -17, 1)], [square(-180, -17, 1)]] };
    const { outlines } = await simplify({ lgas });
    const longitudes = rings(outlines, 'A').map((part) => part.flat().map(([longitude]) => longitude));
    expect(longitudes.map((list) => [Math.min(...list), Math.max(...list)]).sort()).toEqual([
      [-180, -179],
      [179, 180],
    ]);
    expect(areaKm2(rings(outlines, 'A'))).toBeCloseTo(areaKm2(lgas.A), 6);
  });
});

describe('refuses', () => {
  test('an outline drawn across the antimeridian', async () => {
    const ring: Ring = [
      [179, -17],
      [-179, -17],
      [-179, -16],
      [179, -16],
      [179, -17],
    ];
    await expect(simplify({ lgas: { A: [[ring]] }, max_area_change: 1e9 })).rejects.toThrow(
      'A: an edge that crosses the antimeridian without being cut there',
    );
  });

  test('an area that changes by more than the limit, naming its code', async () => {
    const ring = join_(wavy([0, 0], [1, 0]), wavy([1, 0], [1, 1]), wavy([1, 1], [0, 1]), wavy([0, 1], [0, 0]));
    await expect(simplify({ lgas: { A: [[ring]] }, max_area_change: 1e-9 })).rejects.toThrow('A: area changed by');
  });

  test('an LGA without a shape', async () => {
    const flat: Ring = [
      [5, 0],
      [6, 0],
      [7, 0],
      [5, 0],
    ];
    await expect(simplify({ lgas: { A: [[square(0, 0, 1)]], B: [[flat]] } })).rejects.toThrow(
      /B: no shape.*, expected valid outlines/,
    );
  });
});

const SHAPES = join(REAL_DATA, 'boundaries/nga_admbnda_adm2_osgof_20190417.shp');

test.skipIf(!HAS_REAL_DATA)(needsReal('the real 774 LGAs: areas within 1%, small enough for a web map'), async () => {
  const features = await readPolygons(SHAPES);
  const code = (feature: (typeof features)[number]) => String(feature.properties.ADM2_PCODE);
  const lgas = Object.fromEntries(features.map((feature) => [code(feature), feature.polygons]));
  const states = Object.fromEntries(features.map((feature) => [code(feature), String(feature.properties.ADM1_PCODE)]));
  const { outlines } = await simplify({ lgas, states });
  expect(outlines.lgas).toHaveLength(774);
  expect(outlines.states).toHaveLength(37);
  const national = JSON.stringify(outlines.states);
  expect(national.length).toBeLessThan(300_000);
  expect(gzipSync(national).length).toBeLessThan(100_000);
});
