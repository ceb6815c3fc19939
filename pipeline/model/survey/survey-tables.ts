import { trend } from '../../contract/columns.ts';
import type { RowOf } from '../../lib/tables/table.ts';

export const TREND = { name: 'survey/trend', row: 'A survey round in {a.state} or the nation', columns: trend };

export type TrendRow = RowOf<typeof TREND>;
