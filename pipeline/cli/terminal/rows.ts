import { once } from 'node:events';
import type { Command } from 'commander';
import { escapeFormula, toCsv } from '../../lib/tables/csv.ts';
import { rangeBar, sparkline } from './charts.ts';
import { printLines, terminalWidth } from './options.ts';
import { type Cells, formatTable } from './text-table.ts';

/** A row of a query, whose cells may be lists. */
export type Row = Record<string, Cells[string] | Cells[string][]>;

/** How a column is drawn in the terminal. */
export type Chart =
  /**
   * A list of numbers, one character each. A number has full height if it is the highest of all rows, or as high as the
   * row's figure in the column `top`.
   */
  | { kind: 'series'; heading?: string; top?: string }
  /** The upper end of a range, with a bar after it. */
  | { kind: 'range'; low: string; middle: string };

export interface RowOptions {
  json?: boolean;
  csv?: boolean;
}

export function addRowOptions(command: Command): Command {
  return command.option('--json', 'rows as JSON').option('--csv', 'rows as CSV');
}

/** Prints rows as a table with charts, as JSON or as CSV. */
export function printRows(rows: readonly Row[], { json, csv }: RowOptions, charts: Record<string, Chart> = {}): void {
  if (json) printLines(JSON.stringify(rows, null, 2));
  else if (csv) printLines(toCsv(rows.map((row) => escapeFormulas(withoutLists(row)))));
  else printLines(formatTable(drawCharts(rows, charts), terminalWidth()));
}

/** Rows of a table in the terminal, whose columns are as wide as their widest cell: it must be complete first. */
const MAX_TABLE_ROWS = 10_000;

/** Prints rows as they come, as JSON or as CSV; in a table at most the first `MAX_TABLE_ROWS`. */
export async function printBatches(batches: AsyncIterable<Row[]>, options: RowOptions): Promise<void> {
  const { json, csv } = options;
  if (!json && !csv) return printTable(batches);
  let columns: string[] | undefined;
  for await (const rows of batches) {
    const isFirst = columns === undefined;
    columns ??= Object.keys(rows[0]!);
    await write(json ? `${isFirst ? '[' : ','}\n${jsonItems(rows)}` : csvLines(rows, columns, isFirst));
  }
  if (columns === undefined) printRows([], options);
  else if (json) printLines('\n]');
}

async function printTable(batches: AsyncIterable<Row[]>): Promise<void> {
  const firstRows: Row[] = [];
  for await (const rows of batches) {
    firstRows.push(...rows);
    if (firstRows.length > MAX_TABLE_ROWS) break;
  }
  printRows(firstRows.slice(0, MAX_TABLE_ROWS), {});
  if (firstRows.length > MAX_TABLE_ROWS)
    process.stderr.write(`These are the first ${MAX_TABLE_ROWS} rows; --csv and --json print all.\n`);
}

/** Rows as items of the array that `JSON.stringify` would make of all. */
const jsonItems = (rows: readonly Row[]): string =>
  rows.map((row) => JSON.stringify(row, null, 2).replaceAll(/^/gm, '  ')).join(',\n');

function csvLines(rows: readonly Row[], columns: readonly string[], withHeader: boolean): string {
  const lines = `${toCsv(
    rows.map((row) => escapeFormulas(withoutLists(row))),
    columns,
  )}\n`;
  return withHeader ? lines : lines.slice(toCsv([], columns).length + 1);
}

async function write(text: string): Promise<void> {
  if (!process.stdout.write(text)) await once(process.stdout, 'drain');
}

const BAR_WIDTH = 24;

function drawCharts(rows: readonly Row[], charts: Record<string, Chart>): Cells[] {
  const highest = (name: string) => Math.max(...rows.flatMap((row) => row[name] as number | number[]));
  return rows.map((row) => {
    const cells = Object.entries(row).flatMap(([name, cell]) => {
      const chart = charts[name];
      if (chart?.kind === 'series') {
        const { heading = name, top } = chart;
        return [[heading, sparkline(cell as number[], top ? Number(row[top]) : highest(name))]];
      }
      if (chart?.kind === 'range') {
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

const escapeFormulas = (row: Cells): Cells =>
  Object.fromEntries(
    Object.entries(row).map(([name, cell]) => [name, typeof cell === 'string' ? escapeFormula(cell) : cell]),
  );
