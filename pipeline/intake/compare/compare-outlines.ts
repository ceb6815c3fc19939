/** Compares two releases of outlines: areas added, removed, renamed and resized. */

import type { Source } from '../../catalog/sources.ts';
import { readPolygons } from '../../ingest/readers/polygons.ts';
import { areaKm2 } from '../../lib/numerics/area.ts';

interface Outline {
  code: string;
  name: string;
  km2: number;
}

export interface OutlineComparison {
  outlines: { was: number; is: number };
  added: string[];
  removed: string[];
  renamed: { code: string; was: string; is: string }[];
  /** Areas whose size changed by more than 1%. */
  resized: { code: string; was_km2: number; is_km2: number }[];
}

export async function readOutlines(file: string, { role, columns = {} }: Source): Promise<Outline[]> {
  const level = role === 'lga_boundaries' ? 'lga' : 'state';
  const features = await readPolygons(file);
  return features.map(({ properties, polygons }) => ({
    code: String(properties[columns[`${level}_pcode`]!]),
    name: String(properties[columns[level]!]),
    km2: areaKm2(polygons),
  }));
}

/** An area is resized if its size changed by more than this share. */
const RESIZED = 0.01;

export function compareOutlines(before: readonly Outline[], after: readonly Outline[]): OutlineComparison {
  const then = new Map(before.map((outline) => [outline.code, outline]));
  const now = new Map(after.map((outline) => [outline.code, outline]));
  const pairs = after.flatMap((is) => {
    const was = then.get(is.code);
    return was ? [{ code: is.code, was, is }] : [];
  });
  return {
    outlines: { was: before.length, is: after.length },
    added: [...now.keys()].filter((code) => !then.has(code)),
    removed: [...then.keys()].filter((code) => !now.has(code)),
    renamed: pairs.flatMap(({ code, was, is }) => (was.name === is.name ? [] : [{ code, was: was.name, is: is.name }])),
    resized: pairs.flatMap(({ code, was, is }) =>
      Math.abs(is.km2 - was.km2) > RESIZED * was.km2 ? [{ code, was_km2: was.km2, is_km2: is.km2 }] : [],
    ),
  };
}

export function doubtsOfOutlines({ added, removed, renamed, resized }: OutlineComparison): string[] {
  const some = (codes: readonly string[]) => `${codes.slice(0, 5).join(', ')}${codes.length > 5 ? ' …' : ''}`;
  return [
    ...(added.length > 0 ? [`${added.length} areas are new: ${some(added)}`] : []),
    ...(removed.length > 0 ? [`${removed.length} areas are gone: ${some(removed)}`] : []),
    ...(renamed.length > 0
      ? [`${renamed.length} areas have a different name: ${some(renamed.map(({ code }) => code))}`]
      : []),
    ...(resized.length > 0
      ? [`${resized.length} areas have a different size: ${some(resized.map(({ code }) => code))}`]
      : []),
  ];
}
