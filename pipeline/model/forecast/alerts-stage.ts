import type { StageRun } from '../../catalog/country-stage.ts';
import { monthFromIndex } from '../../contract/months.ts';
import { mean } from '../../lib/numerics/averages.ts';
import { type TableRow, toTable } from '../../lib/tables/table.ts';
import { type JudgedMonth, judgeMonths } from './alerts.ts';
import { AREAS } from './alerts-tables.ts';
import { isForecast } from './forecast-stage.ts';
import type { Area, Panel } from './panel.ts';
import { readPanels } from './read-panels.ts';

type Row = TableRow<typeof AREAS>;

/** Whether the last month of the case records is unusual, and whether the next is likely to be. */
export const run: StageRun = async (io) => {
  const panels = readPanels(io);
  const lgas = panels.find(({ level }) => level === 'lga')?.areas ?? [];
  const all = panels.reduce((sum, { areas }) => sum + areas.length, 0);
  let done = 0;
  const rows = panels.filter(isForecast).flatMap((panel) => {
    const { areas, level } = panel;
    const judged = judgeMonths(panel, (share) =>
      io.progress((done + share * areas.length) / all, `${areas.length} ${level}`),
    );
    done += areas.length;
    return areas.flatMap((area, a) => {
      const last = judged[a]!.at(-1);
      return last ? [alertRow(panel, area, last, lgas)] : [];
    });
  });
  return { areas: toTable(AREAS, rows), report: [] };
};

const YEAR = 12;

function alertRow(panel: Panel & { level: Row['area'] }, area: Area, judged: JudgedMonth, lgas: readonly Area[]): Row {
  const { cases, few, usual, detection, warning } = judged;
  const period = (month: number | null) => (month === null ? null : monthFromIndex(panel.first + month));
  const parts = panel.level === 'state' ? lgas.filter(({ state_code }) => state_code === area.code) : [];
  const known = (records: readonly Area[]) => records.flatMap((record) => [...record.cases.slice(-YEAR)]);
  const reports = known(parts.length > 0 ? parts : [area]);
  const counts = known([area]).filter((value) => !Number.isNaN(value));
  return {
    area: panel.level,
    code: area.code,
    period: period(judged.month)!,
    cases,
    usual: usual.middle,
    usual_low: usual.low,
    usual_high: usual.high,
    detection_probability: detection.probability,
    detection_class: detection.class,
    detection_since: period(detection.since),
    warning_probability: warning.probability!,
    warning_class: warning.class as Row['warning_class'],
    warning_since: period(warning.since),
    completeness: reports.filter((value) => !Number.isNaN(value)).length / reports.length,
    basis: cases === null ? 'no_report' : few ? 'few_cases' : 'forecast',
    mean_cases: counts.length > 0 ? mean(counts) : 0,
  };
}
