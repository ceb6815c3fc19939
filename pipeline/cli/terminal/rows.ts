import type { Command } from 'commander';
import { escapeFormula, toCsv } from '../../lib/tables/csv.ts';
import { rangeBar, sparkline } from './charts.ts';
import { say, terminalWidth } from './options.ts';
import { type Cells, formatTable } from './text-table.ts';

/** A row of a query, whose cells may be lists. */
export type Row = Record<string, Cells[string] | Cells[string][]>;

/** How a column is drawn in the terminal. */
export type Chart =
  /**
   * A list of numbers, one character each. A number has full height if it is the highest of all rows, or as high as the
   * row's figure in the column `top`.
   */
  | { draws: 'series'; heading?: string; top?: string }
  /** The upper end of a range, with a bar after it. */
  | { draws: 'range'; low: string; middle: string };

export interface RowOptions {
  json?: boolean;
  csv?: boolean;
}

export function addRowOptions(command: Command): Command {
  return command.option('--json', 'rows as JSON').option('--csv', 'rows as CSV');
}

/** Prints rows as a table with charts, as JSON or as CSV. */
export function sayRows(rows: readonly Row[], { json, csv }: RowOptions, charts: Record<string, Chart> = {}): void {
  if (json) say(JSON.stringify(rows, null, 2));
  else if (csv) say(toCsv(rows.map((row) => inertCells(withoutLists(row)))));
  else say(formatTable(drawn(rows, charts), terminalWidth()));
}

const BAR_WIDTH = 24;

function drawn(rows: readonly Row[], charts: Record<string, Chart>): Cells[] {
  const highest = (name: string) => Math.max(...rows.flatMap((row) => row[name] as number | number[]));
  return rows.map((row) => {
    const cells = Object.entries(row).flatMap(([name, cell]) => {
      const chart = charts[name];
      if (chart?.draws === 'series') {
        const { heading = name, top } = chart;
        return [[heading, sparkline(cell as number[], top ? Number(row[top]) : highest(name))]];
      }
      if (chart?.draws === 'range') {
        const top = highest(name);
        const bar = rangeBar(Number(row[chart.low]), Number(row[chart.middle]), Number(cell), top, BAR_WIDTH);
        return [
          [name, cell],
          [`0 … ${top.toFixed(2)}`, bar],
        ];
      }
      return [[name, cell]];
    });
    return withoutLists(Object.fromEntries(cells));
  });
}

const withoutLists = (row: Row): Cells =>
  Object.fromEntries(
    Object.entries(row).map(([name, cell]) => [name, Array.isArray(cell) ? `[${cell.join(', ')}]` : cell]),
  );

const inertCells = (row: Cells): Cells =>
  Object.fromEntries(
    Object.entries(row).map(([name, cell]) => [name, typeof cell === 'string' ? escapeFormula(cell) : cell]),
  );
