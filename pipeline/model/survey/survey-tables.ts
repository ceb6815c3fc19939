import { national_trend, state_code, trend } from '../../contract/fields.ts';
import { meaning, orNull, type TableRow } from '../../lib/tables/table.ts';

export const TREND = {
  name: 'survey/trend',
  row: 'A survey round in {a.state} or the nation',
  columns: {
    state_code: orNull(meaning('{state.code_short}', state_code), 'null for the nation'),
    ...trend,
    ...national_trend,
  },
};

export type TrendRow = TableRow<typeof TREND>;
