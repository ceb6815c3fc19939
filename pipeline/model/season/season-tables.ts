import { lga_code, month, season, state_code, windows } from '../../contract/columns.ts';
import { real } from '../../lib/tables/table.ts';

export const NATIONAL = { row: 'A month of the year', columns: season };
export const STATES = { row: 'A month of the year in a state', columns: { state_code, ...season } };
export const LGAS = { row: 'A month of the year in an LGA', columns: { lga_code, ...season } };
export const RAIN = {
  row: 'A month of the year in a state',
  columns: { state_code, month, rain_mm: real('Usual rain, mm, population-weighted mean') },
};
export const WINDOWS = { row: 'A run of months in an area', columns: windows };
