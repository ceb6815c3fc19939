import type { StageRun } from '../../catalog/country-stage.ts';
import { HORIZONS, monthFromIndex, type Period } from '../../contract/months.ts';
import type { ReportLine } from '../../engine/stage.ts';
import { type TableRow, toTable } from '../../lib/tables/table.ts';
import { caseModel } from './case-model.ts';
import { percentIndex } from './forecast-scores.ts';
import { CASES } from './forecast-tables.ts';
import type { Panel } from './panel.ts';
import { readPanels } from './read-panels.ts';

type Row = TableRow<typeof CASES>;

/** The case model's forecasts of the months after the end of the records, for every LGA and state with records. */
export const run: StageRun = async (io) => {
  const panels = readPanels(io).filter(isForecast);
  const all = panels.reduce((sum, { areas }) => sum + areas.length, 0);
  let done = 0;
  const rows = panels.flatMap((panel) => {
    const { areas, level } = panel;
    const onProgress = (share: number) => io.progress((done + share * areas.length) / all, `${areas.length} ${level}`);
    onProgress(0);
    const forecasts = forecastPanel(panel, onProgress);
    done += areas.length;
    return forecasts;
  });
  return { cases: toTable(CASES, rows), report: reportLines(rows) };
};

/** Long records are excluded, since their states are in the panel of states too. */
export const isForecast = (panel: Panel): panel is Panel & { level: Row['area'] } => panel.level !== 'long';

/** @param onProgress called with the share that is done */
export function forecastPanel(panel: Panel & { level: Row['area'] }, onProgress?: (share: number) => void): Row[] {
  const last = panel.first + panel.months - 1;
  return caseModel(HORIZONS, null, onProgress)
    .forecast(panel)
    .flatMap((areaForecast, a) =>
      HORIZONS.flatMap((horizon_months, h) => {
        const quantiles = areaForecast[h];
        if (!quantiles) return [];
        const cases = (percent: number) => quantiles[percentIndex(percent)]!;
        const month = (ahead: number): Period => monthFromIndex(last + ahead);
        return [
          {
            area: panel.level,
            code: panel.areas[a]!.code,
            period: month(horizon_months),
            horizon_months,
            last_cases: month(0),
            q05: cases(5),
            q25: cases(25),
            q50: cases(50),
            q75: cases(75),
            q95: cases(95),
          },
        ];
      }),
    );
}

const reportLines = (rows: readonly Row[]): ReportLine[] =>
  rows.length > 0
    ? []
    : [
        {
          source: 'cases',
          rule: 'no case records',
          what: 'there are no cases to forecast from: forecasts of scores use the usual season',
        },
      ];
