import type { StageRun } from '../../catalog/country-stage.ts';
import { HORIZONS, monthFromIndex } from '../../contract/months.ts';
import type { ReportLine } from '../../engine/stage.ts';
import { randomStream } from '../../lib/numerics/random.ts';
import { type TableRow, toTable } from '../../lib/tables/table.ts';
import { mapToQuantiles } from './case-draws.ts';
import { caseModel } from './case-model.ts';
import { percentIndex } from './forecast-scores.ts';
import { CASES, DRAWS } from './forecast-tables.ts';
import type { Panel } from './panel.ts';
import { createPanelForecasters, forecastBasis, type PanelDraws } from './part-sums.ts';
import type { Forecast } from './past-errors.ts';
import { readPanels } from './read-panels.ts';

type Row = TableRow<typeof CASES>;

/** Draws from which the sums of LGAs are made, and how many of them are kept. */
const DRAW_COUNT = 1000;
const KEPT_DRAWS = 200;
const DRAWS_SEED = 2;

/** The case model's forecasts of the months after the end of the records, for every LGA and state with records. */
export const run: StageRun = async (io) => {
  const panels = readPanels(io).filter(isForecastPanel);
  const lastKnown = lastKnownMonths(panels);
  const areaCount = panels.reduce((sum, { areas }) => sum + areas.length, 0);
  let panelDraws: PanelDraws = [];
  const panelForecasters = createPanelForecasters(DRAW_COUNT, (draws) => {
    panelDraws = draws;
  });
  const drawRows: TableRow<typeof DRAWS>[] = [];
  let areasDone = 0;
  const rows = panels.flatMap((panel) => {
    const { areas, level } = panel;
    const onProgress = (share: number) =>
      io.progress((areasDone + share * areas.length) / areaCount, `${areas.length} ${level}`);
    onProgress(0);
    const [records = [], sums = []] = panelForecasters(level, caseModel(HORIZONS, null, onProgress)).map(
      (forecaster) => {
        const forecast = forecaster.forecast(panel);
        for (const row of keptDraws(panel, forecast, panelDraws))
          drawRows.push({ ...row, basis: forecastBasis(forecaster) });
        return forecastRows(panel, forecast, forecastBasis(forecaster), lastKnown);
      },
    );
    areasDone += areas.length;
    const summedCodes = new Set(sums.map(({ code }) => code));
    const lacksLastMonth = new Set(areas.filter(({ cases }) => Number.isNaN(cases.at(-1)!)).map(({ code }) => code));
    return [...records.filter(({ code }) => !(summedCodes.has(code) && lacksLastMonth.has(code))), ...sums];
  });
  return { cases: toTable(CASES, rows), draws: toTable(DRAWS, drawRows), report: reportLines(rows) };
};

type ForecastPanel = Panel & { level: Row['area'] };

/** Long records are excluded, since their states are in the panel of states too. */
export const isForecastPanel = (panel: Panel): panel is ForecastPanel => panel.level !== 'long';

/** The draws of a panel, in the order of their own forecast, with the quantiles of `forecast`. */
function keptDraws({ areas, level }: ForecastPanel, forecast: Forecast, draws: PanelDraws) {
  return forecast.flatMap((areaForecast, a) =>
    HORIZONS.flatMap((horizon_months, h) => {
      const [quantiles, areaDraws] = [areaForecast[h], draws[a]?.[h]];
      if (!quantiles || !areaDraws) return [];
      const { code } = areas[a]!;
      const random = randomStream(DRAWS_SEED, `${level} ${code} ${horizon_months}`);
      const mapped = mapToQuantiles(areaDraws.slice(0, KEPT_DRAWS), quantiles, random);
      return Array.from(mapped, (cases, draw) => ({ area: level, code, horizon_months, draw, cases }));
    }),
  );
}

/** The index of the last month of which an area has a value, by code; of a state, the last that any of its LGAs has. */
function lastKnownMonths(panels: readonly Panel[]): ReadonlyMap<string, number> {
  const lastByCode = new Map<string, number>();
  for (const { first, areas } of panels)
    for (const { code, state_code, cases } of areas) {
      const last = cases.findLastIndex((count) => !Number.isNaN(count));
      if (last >= 0)
        for (const place of [code, state_code])
          lastByCode.set(place, Math.max(lastByCode.get(place) ?? 0, first + last));
    }
  return lastByCode;
}

function forecastRows(
  panel: ForecastPanel,
  forecast: Forecast,
  basis: Row['basis'],
  lastKnown: ReturnType<typeof lastKnownMonths>,
): Row[] {
  const last = panel.first + panel.months - 1;
  return forecast.flatMap((areaForecast, a) =>
    HORIZONS.flatMap((horizon_months, h) => {
      const quantiles = areaForecast[h];
      if (!quantiles) return [];
      const quantileOf = (percent: number) => quantiles[percentIndex(percent)]!;
      const { code } = panel.areas[a]!;
      const lastMonth = lastKnown.get(code);
      return [
        {
          area: panel.level,
          code,
          period: monthFromIndex(last + horizon_months),
          horizon_months,
          last_cases: lastMonth === undefined ? null : monthFromIndex(lastMonth),
          basis,
          q05: quantileOf(5),
          q25: quantileOf(25),
          q50: quantileOf(50),
          q75: quantileOf(75),
          q95: quantileOf(95),
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
