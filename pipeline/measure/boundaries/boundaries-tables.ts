import { area_km2, lga_code } from '../../contract/columns.ts';

export const AREAS_KM2 = { row: 'An LGA', columns: { lga_code, area_km2 } };
