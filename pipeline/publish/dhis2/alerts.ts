/** Classes of alerts as numbers in months. */
import { addMonths } from '../../contract/months.ts';
import { ALERT_CLASSES } from '../../model/forecast/alerts.ts';
import type { SnapshotTables } from '../snapshot/snapshot-tables.ts';
import type { AreaMonth } from './data-values.ts';

/** Detection stands at the last month of the records, warning at the month after it. */
export function alertRows(alerts: SnapshotTables['alerts']): AreaMonth[] {
  return alerts.flatMap(({ area, code, period, detection_class, warning_class }) => [
    { area, code, period, monthsAhead: 0, detection: ALERT_CLASSES.indexOf(detection_class), warning: null },
    {
      area,
      code,
      period: addMonths(period, 1),
      monthsAhead: 1,
      detection: null,
      warning: ALERT_CLASSES.indexOf(warning_class),
    },
  ]);
}
