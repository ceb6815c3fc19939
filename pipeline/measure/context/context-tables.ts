import { context, is_urban, lga_code, lgas, state_code } from '../../contract/fields.ts';

export const LGAS = { name: 'context/lgas', row: '{A.lga}', columns: { lga_code, is_urban, ...context } };
export const STATES = {
  name: 'context/states',
  row: '{A.state}',
  columns: { state_code, lgas, ...context },
};
