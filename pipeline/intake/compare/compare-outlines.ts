/** Compares two releases of outlines: areas added, removed, resized and moved, and their attributes. */
import { centerOfMass } from '@turf/center-of-mass';
import { distance } from '@turf/distance';
import type { Source } from '../../catalog/sources.ts';
import { outlineAround } from '../../ingest/areas.ts';
import { readPolygons } from '../../ingest/readers/polygons.ts';
import { areaKm2, type Polygon } from '../../lib/numerics/area.ts';

interface Outline {
  /** Its code, or its name if the file has no codes. */
  code: string;
  /** The attributes that the catalog maps, by the project's names. */
  attributes: Record<string, string>;
  polygons: Polygon[];
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
  /** Areas that keep their code for a share of their ground, most of the rest of which has new codes. */
  divided: { code: string; share: number; parts: string[] }[];
}

export async function readOutlines(file: string, { role, columns = {} }: Source): Promise<Outline[]> {
  const level = role === 'lga_boundaries' ? 'lga' : 'state';
  const codeField = columns[`${level}_pcode`] ?? columns[level]!;
  const areas = Map.groupBy(await readPolygons(file, []), ({ properties }) => String(properties[codeField]));
  return [...areas].map(([code, features]) => {
    const polygons = features.flatMap((feature) => feature.polygons);
    const { properties } = features[0]!;
    return {
      code,
      attributes: Object.fromEntries(
        Object.entries(columns).map(([column, field]) => [column, String(properties[field])]),
      ),
      polygons,
      km2: areaKm2(polygons),
      centre: centerOfMass({ type: 'MultiPolygon', coordinates: polygons }).geometry.coordinates as Outline['centre'],
    };
  });
}

/** An area is resized if its size changed by more than this share. */
const RESIZED_SHARE = 0.01;
/** An area has moved if its centre did by more than this share of its width; redrawing hardly ever moves it so far. */
const MOVED_SHARE = 0.1;

export function compareOutlines(before: readonly Outline[], after: readonly Outline[]): OutlineComparison {
  const earlierByCode = new Map(before.map((outline) => [outline.code, outline]));
  const laterByCode = new Map(after.map((outline) => [outline.code, outline]));
  const pairs = after.flatMap((later) => {
    const earlier = earlierByCode.get(later.code);
    return earlier ? [{ code: later.code, was: earlier, is: later, km: distance(earlier.centre, later.centre) }] : [];
  });
  const newOutlines = after.filter(({ code }) => !earlierByCode.has(code));
  const partsByWhole = Map.groupBy(newOutlines, (part) => outlineAround(part, before)?.code);
  return {
    outlines: { was: before.length, is: after.length },
    added: newOutlines.map(({ code }) => code),
    removed: [...earlierByCode.keys()].filter((code) => !laterByCode.has(code)),
    relabelled: pairs.flatMap(({ code, was, is }) =>
      Object.keys(is.attributes)
        .filter((column) => was.attributes[column] !== is.attributes[column])
        .map((column) => ({ code, column, was: was.attributes[column]!, is: is.attributes[column]! })),
    ),
    resized: pairs.flatMap(({ code, was, is }) =>
      Math.abs(is.km2 - was.km2) > RESIZED_SHARE * was.km2 ? [{ code, was_km2: was.km2, is_km2: is.km2 }] : [],
    ),
    moved: pairs.flatMap(({ code, was, km }) => (km > MOVED_SHARE * Math.sqrt(was.km2) ? [{ code, km }] : [])),
    divided: pairs.flatMap(({ code, was, is }) => {
      const parts = partsByWhole.get(code) ?? [];
      const partsKm2 = parts.reduce((sum, { km2 }) => sum + km2, 0);
      const areItsGround = parts.length > 0 && 2 * (was.km2 - is.km2) > partsKm2;
      return areItsGround ? [{ code, share: is.km2 / was.km2, parts: parts.map((part) => part.code) }] : [];
    }),
  };
}

export function outlineDoubts(comparison: OutlineComparison): string[] {
  const { added, removed, relabelled, resized, moved, divided } = comparison;
  const isPart = (code: string) => divided.some((whole) => whole.code === code || whole.parts.includes(code));
  const countDoubt = (what: string, codes: readonly string[]) =>
    codes.length > 0
      ? [`${codes.length} areas ${what}: ${codes.slice(0, 5).join(', ')}${codes.length > 5 ? ' …' : ''}`]
      : [];
  const distinctCodes = (areas: readonly { code: string }[]) => [...new Set(areas.map(({ code }) => code))];
  return [
    ...divided.map(
      ({ code, share, parts }) =>
        `${code} keeps its code for ${Math.round(100 * share)}% of its ground, and ${parts.join(', ')} has the rest: rows of ${code} in other files may be of both. Get the figures of each, or let \`malaria-risk catalog repair\` propose to merge them, so that every figure stays`,
    ),
    ...countDoubt(
      'are new',
      added.filter((code) => !isPart(code)),
    ),
    ...countDoubt('are gone', removed),
    ...countDoubt('have a different name or parent', distinctCodes(relabelled)),
    ...countDoubt(
      'have a different size',
      distinctCodes(resized).filter((code) => !isPart(code)),
    ),
    ...countDoubt(
      'are in a different place',
      distinctCodes(moved).filter((code) => !isPart(code)),
    ),
  ];
}
