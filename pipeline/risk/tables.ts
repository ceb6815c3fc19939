import { lga_code, period, scores, state_code } from '../columns.ts';

export const LGAS = { row: 'An LGA in a month, estimated or forecast', columns: { lga_code, period, ...scores } };
export const STATES = { row: 'A state in a month, estimated or forecast', columns: { state_code, period, ...scores } };
