import type { StageRun } from '../../catalog/country-stage.ts';
import { monthFromIndex } from '../../contract/months.ts';
import * as ingest from '../../ingest/ingest-tables.ts';
import { mean } from '../../lib/numerics/averages.ts';
import { type TableRow, toTable } from '../../lib/tables/table.ts';
import { type JudgedMonth, judgeMonths } from './alerts.ts';
import { AREAS } from './alerts-tables.ts';
import { isForecastPanel } from './forecast-stage.ts';
import type { Area, Panel } from './panel.ts';
import { readPanels } from './read-panels.ts';

type Row = TableRow<typeof AREAS>;

/** Whether the last month of the case records is unusual, and whether the next is likely to be. */
export const run: StageRun = async (io) => {
  const panels = readPanels(io);
  const lgas = panels.find(({ level }) => level === 'lga')?.areas ?? [];
  const areaCount = panels.reduce((sum, { areas }) => sum + areas.length, 0);
  const reportingRates = new Map<string, number | null>();
  for (const { state_code, lga_code, period, reporting_rate } of io.table(ingest.CASES))
    reportingRates.set(`${lga_code ?? state_code} ${period}`, reporting_rate);
  let areasDone = 0;
  const rows = panels.filter(isForecastPanel).flatMap((panel) => {
    const { areas, level } = panel;
    const judgedMonths = judgeMonths(panel, (share) =>
      io.progress((areasDone + share * areas.length) / areaCount, `${areas.length} ${level}`),
    );
    areasDone += areas.length;
    return areas.flatMap((area, a) => {
      const lastMonth = judgedMonths[a]!.at(-1);
      return lastMonth ? [alertRow(panel, area, lastMonth, lgas, reportingRates)] : [];
    });
  });
  return { areas: toTable(AREAS, rows), report: [] };
};

const MONTHS_PER_YEAR = 12;

function alertRow(
  panel: Panel & { level: Row['area'] },
  area: Area,
  judgedMonths: JudgedMonth,
  lgas: readonly Area[],
  reportingRates: ReadonlyMap<string, number | null>,
): Row {
  const { cases, hasFewCases, isWidespread, usual, detection, warning } = judgedMonths;
  const periodOfMonth = (month: number | null) => (month === null ? null : monthFromIndex(panel.first + month));
  const stateLgas = panel.level === 'state' ? lgas.filter(({ state_code }) => state_code === area.code) : [];
  const lastYear = (records: readonly Area[]) => records.flatMap((record) => [...record.cases.slice(-MONTHS_PER_YEAR)]);
  const recordedAreas = stateLgas.length > 0 ? stateLgas : [area];
  const reportsExpected = lastYear(recordedAreas);
  const period = periodOfMonth(judgedMonths.month)!;
  const rates = recordedAreas.flatMap((record) => reportingRates.get(`${record.code} ${period}`) ?? []);
  const withoutGaps = (counts: readonly number[]) => counts.filter((value) => !Number.isNaN(value));
  const recentCounts = withoutGaps(lastYear([area]));
  const lastCounts = recentCounts.length > 0 ? recentCounts : withoutGaps([...area.cases]).slice(-MONTHS_PER_YEAR);
  return {
    area: panel.level,
    code: area.code,
    period,
    cases,
    usual: usual.middle,
    usual_low: usual.low,
    usual_high: usual.high,
    detection_probability: detection.probability,
    detection_class: detection.class,
    detection_since: periodOfMonth(detection.since),
    warning_probability: warning.probability!,
    warning_class: warning.class as Row['warning_class'],
    warning_since: periodOfMonth(warning.since),
    completeness: withoutGaps(reportsExpected).length / reportsExpected.length,
    reporting_rate: rates.length > 0 ? mean(rates) : null,
    basis: cases === null ? 'no_report' : hasFewCases ? 'few_cases' : isWidespread ? 'widespread' : 'forecast',
    mean_cases: lastCounts.length > 0 ? mean(lastCounts) : 0,
  };
}
