import { monthOf, type Period, periodRange } from '../../contract/months.ts';
import { forecastPeriods } from '../../contract/operations.ts';
import type * as schemas from '../../contract/schemas.ts';
import type { Snapshot } from '../../publish/snapshot/read.ts';
import { rangeBar, sparkline } from './charts.ts';
import { type Cells, tableWidth } from './text-table.ts';

type ReadAnswer = Snapshot['answer'];

const LONGEST_BAR = 32;
/** So short that a state's line fits the narrowest common terminal, of 80 characters. */
const SHORTEST_BAR = 8;
/** Columns that go last on a narrow terminal, into a second table below. */
const SECONDARY = ['zone', 'is_urban', 'population'];

/**
 * Rows of scores with their ranges drawn as bars.
 * @param width of the terminal: if it is narrow, bars are shorter and secondary columns go last
 */
export function withRangeBars(rows: readonly Cells[], width = Number.POSITIVE_INFINITY): Cells[] {
  const full = fittingBars(rows, width);
  if (tableWidth(full) <= width) return full;
  const pick = (row: Cells, secondary: boolean): Cells =>
    Object.fromEntries(Object.entries(row).filter(([name]) => SECONDARY.includes(name) === secondary));
  const main = rows.map((row) => pick(row, false));
  return fittingBars(main, width).map((row, i) => ({ ...row, ...pick(rows[i]!, true) }));
}

/** Rows with bars as long as `width` has room for. */
function fittingBars(rows: readonly Cells[], width: number): Cells[] {
  const drawn = rangeBars(rows, LONGEST_BAR);
  const over = tableWidth(drawn) - width;
  return over <= 0 ? drawn : rangeBars(rows, Math.max(SHORTEST_BAR, LONGEST_BAR - over));
}

function rangeBars(rows: readonly Cells[], length: number): Cells[] {
  const top = Math.max(...rows.map((row) => Number(row.score_high)), 0.01);
  return rows.map(({ score, score_low, score_high, ...rest }) => {
    const { level, ...others } = rest;
    const bar = rangeBar(Number(score_low), Number(score), Number(score_high), top, length);
    return {
      ...others,
      score: Number(score).toFixed(4),
      'low-high': `${Number(score_low).toFixed(4)}-${Number(score_high).toFixed(4)}`,
      [`0 … ${top.toFixed(2)}`]: bar,
      level: level!,
    };
  });
}

/** A state's score month by month, one line per year, then the forecast months. */
export function stateSeries(read: ReadAnswer, state: string, first: Period): string[] {
  const { last_estimated } = read<schemas.Periods>('periods', {});
  const scoreIn = ({ states }: { states: schemas.StateRisk[] }) =>
    states.find((row) => row.state_code === state)!.score;
  const estimated = periodRange(first, last_estimated).map((period) => ({
    period,
    score: scoreIn(read<schemas.RiskStates>('risk-states', { period })),
  }));
  const { forecasts } = read<schemas.ForecastsStates>('forecasts-states', {
    months: forecastPeriods({ last_estimated }).length,
  });
  const ahead = forecasts.map((report) => ({ period: report.period, score: scoreIn(report) }));
  const top = Math.max(...[...estimated, ...ahead].map(({ score }) => score));
  const years = [...Map.groupBy(estimated, ({ period }) => period.slice(0, 4))].map(([year, months]) => {
    const blanks = ' '.repeat(monthOf(months[0]!.period) - 1);
    return `  ${year} ${blanks}${sparkline(
      months.map(({ score }) => score),
      top,
    )}`;
  });
  return [
    `Score of ${state} month by month, highest ${top}:`,
    '       JFMAMJJASOND',
    ...years,
    `  forecast to ${ahead.at(-1)!.period}: ${sparkline(
      ahead.map(({ score }) => score),
      top,
    )} (${ahead.map(({ score }) => score).join(' ')})`,
  ];
}

/** Reported and modelled cases of each state, one sparkline each, and the errors of projections. */
export function modelCharts(read: ReadAnswer, unit: string): string[] {
  const { states, projection_test } = read<schemas.TransmissionModel>('transmission-model', {});
  const lines = states.flatMap(({ state, series }) => {
    const top = Math.max(...series.flatMap(({ reported, modelled }) => [reported, modelled]));
    const line = (name: 'reported' | 'modelled') =>
      `  ${name} ${sparkline(
        series.map((row) => row[name]),
        top,
      )}`;
    return [
      `${state}, ${series[0]!.period} to ${series.at(-1)!.period}, highest ${top}, in ${unit}:`,
      line('reported'),
      line('modelled'),
    ];
  });
  const tests = (
    [
      ['development', projection_test.development],
      [`held back ${projection_test.held_back_year}`, projection_test.held_back],
    ] as const
  ).map(
    ([name, { months, mean_absolute_error: error }]) =>
      `  ${name}, ${months} months: model ${error.model}, same month last year ${error.same_month_last_year}, same month of three years ${error.same_month_last_three_years}`,
  );
  return ['', ...lines, '', 'Mean absolute error a year ahead, cases per 1,000 people:', ...tests];
}
