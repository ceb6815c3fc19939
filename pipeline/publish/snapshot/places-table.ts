/** The table of places: names, codes, position and neighbours of each area; and all outlines as TopoJSON. */
import { centerOfMass } from '@turf/center-of-mass';
import { neighbors } from 'topojson-client';
import { topology } from 'topojson-server';
import type { Polygon, Topology } from 'topojson-specification';
import { roundFields } from '../../contract/decimals.ts';
import type { BoundariesTopology } from '../../contract/schemas.ts';
import type { Territory } from '../../contract/territory.ts';
import type { TableRow } from '../../lib/tables/table.ts';
import type { TABLES } from './table-columns.ts';

type Row<Name extends keyof typeof TABLES> = TableRow<(typeof TABLES)[Name]>;
interface Boundaries {
  boundaries_lgas: Row<'boundaries_lgas'>[];
  boundaries_states: Row<'boundaries_states'>[];
}

/** Steps across the country: a few metres each, in line with the outlines' own decimals. */
const QUANTIZATION = 1e6;

/** All outlines as TopoJSON, without a source; each border that areas share occurs once. */
export function outlineTopology({ boundaries_lgas, boundaries_states }: Boundaries) {
  const toCollection = <Properties extends object>(features: (Properties & { geometry: unknown })[]) => ({
    type: 'FeatureCollection' as const,
    features: features.map(({ geometry, ...properties }) => ({ type: 'Feature' as const, geometry, properties })),
  });
  const objects = {
    lgas: toCollection(
      boundaries_lgas.map(({ lga_code: lgaCode, lga, state_code: state, geometry }) => ({
        lgaCode,
        lga,
        state,
        geometry,
      })),
    ),
    states: toCollection(
      boundaries_states.map(({ state_code: code, state: name, geometry }) => ({ code, name, geometry })),
    ),
  };
  return topology(objects as Parameters<typeof topology>[0], QUANTIZATION) as unknown as Omit<
    BoundariesTopology,
    'source'
  >;
}

/** The table `places`: states, then LGAs, in ascending order of code. @param otherNames other names of places */
export function placesTable(
  boundaries: Boundaries,
  states: readonly { state_code: string; state_pcode: string }[],
  { iso_code, iso_3166_2 }: Territory,
  otherNames: readonly { area: string; code: string; name: string }[],
): Row<'places'>[] {
  const namesByArea = Map.groupBy(otherNames, ({ area, code }) => `${area} ${code}`);
  const joinAliases = (area: 'state' | 'lga', code: string) =>
    (namesByArea.get(`${area} ${code}`) ?? []).map(({ name }) => name).join('; ') || null;
  const { objects } = outlineTopology(boundaries);
  const pcodes = new Map(states.map(({ state_code, state_pcode }) => [state_code, state_pcode]));
  const neighbourCodes = (geometries: unknown[], codes: readonly string[]) =>
    neighbors(geometries as Topology<{ x: Polygon }>['objects']['x'][]).map((indices) =>
      indices
        .map((i) => codes[i]!)
        .sort()
        .join(' '),
    );
  const neighbours = {
    state: neighbourCodes(
      objects.states.geometries,
      boundaries.boundaries_states.map(({ state_code }) => state_code),
    ),
    lga: neighbourCodes(
      objects.lgas.geometries,
      boundaries.boundaries_lgas.map(({ lga_code }) => lga_code),
    ),
  };
  const locateCentre = (geometry: Row<'boundaries_lgas'>['geometry']) => {
    const [longitude, latitude] = centerOfMass(geometry).geometry.coordinates;
    return { longitude: longitude!, latitude: latitude! };
  };
  return roundFields([
    ...boundaries.boundaries_states.map(({ state_code, state, zone, geometry }, i) => {
      const pcode = pcodes.get(state_code)!;
      return {
        area: 'state' as const,
        code: state_code,
        name: state,
        state_code,
        zone,
        pcode,
        aliases: joinAliases('state', state_code),
        iso_code: iso_3166_2 ? `${iso_code}-${state_code}` : null,
        ...locateCentre(geometry),
        neighbours: neighbours.state[i]!,
      };
    }),
    ...boundaries.boundaries_lgas.map(({ state_code, lga_code, lga, geometry }, i) => ({
      area: 'lga' as const,
      code: lga_code,
      name: lga,
      state_code,
      zone: null,
      pcode: lga_code,
      aliases: joinAliases('lga', lga_code),
      iso_code: null,
      ...locateCentre(geometry),
      neighbours: neighbours.lga[i]!,
    })),
  ]);
}
