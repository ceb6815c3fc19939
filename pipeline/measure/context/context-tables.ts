import { context, is_urban, lga_code, state_code } from '../../contract/columns.ts';
import { whole } from '../../lib/tables/table.ts';

export const LGAS = { name: 'context/lgas', row: '{A.lga}', columns: { lga_code, is_urban, ...context } };
export const STATES = {
  name: 'context/states',
  row: '{A.state}',
  columns: { state_code, lgas: whole('Number of {lga.many}'), ...context },
};
