import { trend } from '../../contract/columns.ts';

export const TREND = { row: 'A survey round in a state or the nation', columns: trend };
