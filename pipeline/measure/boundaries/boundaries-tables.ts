import { area_km2, lga_code } from '../../contract/fields.ts';
import type { AreaGeometry } from '../../contract/schemas.ts';

export const AREAS_KM2 = { name: 'boundaries/areas_km2', row: '{A.lga}', columns: { lga_code, area_km2 } };

/** boundaries/outlines: simplified outlines for maps, in ascending order of code. */
export interface Outlines {
  lgas: { lga_code: string; geometry: AreaGeometry }[];
  states: { state_code: string; geometry: AreaGeometry }[];
}
