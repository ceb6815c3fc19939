/** Compares two releases of outlines: areas added, removed, resized and moved, and their attributes. */
import { centerOfMass } from '@turf/center-of-mass';
import { distance } from '@turf/distance';
import type { Source } from '../../catalog/sources.ts';
import { readPolygons } from '../../ingest/readers/polygons.ts';
import { areaKm2 } from '../../lib/numerics/area.ts';

interface Outline {
  /** Its code, or its name if the file has no codes. */
  code: string;
  /** The attributes that the catalog maps, by the project's names. */
  attributes: Record<string, string>;
  km2: number;
  centre: [longitude: number, latitude: number];
}

export interface OutlineComparison {
  outlines: { was: number; is: number };
  added: string[];
  removed: string[];
  /** Areas with another name or parent. */
  relabelled: { code: string; column: string; was: string; is: string }[];
  /** Areas whose size changed by more than 1%. */
  resized: { code: string; was_km2: number; is_km2: number }[];
  /** Areas whose centre moved by more than a tenth of their width. */
  moved: { code: string; km: number }[];
}

export async function readOutlines(file: string, { role, columns = {} }: Source): Promise<Outline[]> {
  const level = role === 'lga_boundaries' ? 'lga' : 'state';
  const key = columns[`${level}_pcode`] ?? columns[level]!;
  const areas = Map.groupBy(await readPolygons(file), ({ properties }) => String(properties[key]));
  return [...areas].map(([code, features]) => {
    const polygons = features.flatMap((feature) => feature.polygons);
    const { properties } = features[0]!;
    return {
      code,
      attributes: Object.fromEntries(Object.entries(columns).map(([ours, name]) => [ours, String(properties[name])])),
      km2: areaKm2(polygons),
      centre: centerOfMass({ type: 'MultiPolygon', coordinates: polygons }).geometry.coordinates as Outline['centre'],
    };
  });
}

/** An area is resized if its size changed by more than this share. */
const RESIZED = 0.01;
/** An area has moved if its centre did by more than this share of its width, which another drawing hardly ever does. */
const MOVED = 0.1;

export function compareOutlines(before: readonly Outline[], after: readonly Outline[]): OutlineComparison {
  const then = new Map(before.map((outline) => [outline.code, outline]));
  const now = new Map(after.map((outline) => [outline.code, outline]));
  const pairs = after.flatMap((is) => {
    const was = then.get(is.code);
    return was ? [{ code: is.code, was, is, km: distance(was.centre, is.centre) }] : [];
  });
  return {
    outlines: { was: before.length, is: after.length },
    added: [...now.keys()].filter((code) => !then.has(code)),
    removed: [...then.keys()].filter((code) => !now.has(code)),
    relabelled: pairs.flatMap(({ code, was, is }) =>
      Object.keys(is.attributes)
        .filter((column) => was.attributes[column] !== is.attributes[column])
        .map((column) => ({ code, column, was: was.attributes[column]!, is: is.attributes[column]! })),
    ),
    resized: pairs.flatMap(({ code, was, is }) =>
      Math.abs(is.km2 - was.km2) > RESIZED * was.km2 ? [{ code, was_km2: was.km2, is_km2: is.km2 }] : [],
    ),
    moved: pairs.flatMap(({ code, was, km }) => (km > MOVED * Math.sqrt(was.km2) ? [{ code, km }] : [])),
  };
}

export function doubtsOfOutlines({ added, removed, relabelled, resized, moved }: OutlineComparison): string[] {
  const listed = (what: string, codes: readonly string[]) =>
    codes.length > 0
      ? [`${codes.length} areas ${what}: ${codes.slice(0, 5).join(', ')}${codes.length > 5 ? ' …' : ''}`]
      : [];
  const distinctCodes = (areas: readonly { code: string }[]) => [...new Set(areas.map(({ code }) => code))];
  return [
    ...listed('are new', added),
    ...listed('are gone', removed),
    ...listed('have a different name or parent', distinctCodes(relabelled)),
    ...listed('have a different size', distinctCodes(resized)),
    ...listed('are in a different place', distinctCodes(moved)),
  ];
}
