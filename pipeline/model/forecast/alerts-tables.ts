import { alerts, area, code, period } from '../../contract/fields.ts';
import { real, withMeaning } from '../../lib/tables/table.ts';

const { cases_in: _, ...fields } = alerts;

/** Alerts with numbers of cases, whether or not these may be passed on. */
export const AREAS = {
  name: 'alerts/areas',
  row: 'An area with case records in their last month',
  columns: {
    area,
    code,
    period: withMeaning('Last month of the case records', period),
    ...fields,
    mean_cases: real(
      'Mean of the known months among the last twelve or, if there is none, of the last twelve known ones',
    ),
  },
};
