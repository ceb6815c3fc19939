import { national_trend, state_code, trend } from '../../contract/fields.ts';
import { orNull, type TableRow, withMeaning } from '../../lib/tables/table.ts';

export const TREND = {
  name: 'survey/trend',
  row: 'A survey round in {a.state} or the nation',
  columns: {
    state_code: orNull(withMeaning('{state.code_short}', state_code), 'null for the nation'),
    ...trend,
    ...national_trend,
  },
};

export type TrendRow = TableRow<typeof TREND>;
