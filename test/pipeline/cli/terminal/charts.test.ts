import { expect, onTestFinished, test, vi } from 'vitest';
import { rangeBar, sparkline } from '../../../../pipeline/cli/terminal/charts.ts';
import { printRows } from '../../../../pipeline/cli/terminal/rows.ts';
import { toCsv } from '../../../../pipeline/lib/tables/csv.ts';

test('a sparkline shows each value as its share of the top', () => {
  expect(sparkline([0, 0.5, 1, null], 1)).toBe(' ▄█ ');
  expect(sparkline([2, 4])).toBe('▄█');
  expect(sparkline([0, 0])).toBe('  ');
});

test('a range bar shows low, middle and high on the scale', () => {
  expect(rangeBar(0.2, 0.5, 0.8, 1, 11)).toBe('··├──●──┤··');
  expect(rangeBar(0, 0, 1, 1, 5)).toBe('●───┤');
});

test('CSV quotes cells with commas, quotes or line ends', () => {
  expect(
    toCsv([
      { a: 1, b: 'x, "y"' },
      { a: null, b: '' },
    ]),
  ).toBe('a,b\n1,"x, ""y"""\n,');
  expect(toCsv([])).toBe('');
});

test('CSV of a query marks names that a spreadsheet would run as formulas, JSON does not', () => {
  const said = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  onTestFinished(() => said.mockRestore());
  const rows = [{ lga: '=cmd', low: '-1.5', rate: -2 }];
  printRows(rows, { csv: true });
  printRows(rows, { json: true });
  expect(said.mock.calls[0]).toEqual(["lga,low,rate\n'=cmd,-1.5,-2\n"]);
  expect(JSON.parse(said.mock.calls[1]![0] as string)).toEqual(rows);
});
