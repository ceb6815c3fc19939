import { expect, test } from 'vitest';
import { withRangeBars } from '../../../../pipeline/cli/terminal/show-charts.ts';
import { type Cells, formatTable, tableWidth } from '../../../../pipeline/cli/terminal/text-table.ts';
import { buildHere } from '../../../support/built-tiny.ts';
import { run } from '../../../support/command-line.ts';
import { writeTiny } from '../../../support/tiny-country.ts';

const STATES: Cells[] = [
  { code: 'AB', state: 'Abia', people: 3_436_379, nets: 0.2473, minutes: 16.3 },
  { code: 'AD', state: 'Adamawa', people: 5_022_824, nets: null, minutes: 51.4 },
];
const ONE_TABLE = [
  'code  state     people    nets  minutes',
  'AB    Abia     3436379  0.2473     16.3',
  'AD    Adamawa  5022824       —     51.4',
].join('\n');
const widest = (text: string) => Math.max(...text.split('\n').map((line) => line.length));

test('numbers are aligned right, text left, and the width is unlimited unless one is given', () => {
  expect(formatTable(STATES)).toBe(ONE_TABLE);
  expect(tableWidth(STATES)).toBe(39);
  expect(formatTable(STATES, 39)).toBe(ONE_TABLE);
  expect(formatTable([])).toBe('');
  expect(formatTable([], 80)).toBe('');
});

test('columns that do not fit follow below, after the code and the name', () => {
  expect(formatTable(STATES, 38)).toBe(
    [
      'code  state     people    nets',
      'AB    Abia     3436379  0.2473',
      'AD    Adamawa  5022824       —',
      '',
      'code  state    minutes',
      'AB    Abia        16.3',
      'AD    Adamawa     51.4',
    ].join('\n'),
  );
});

test('if only several columns together identify a row, all of them are repeated', () => {
  const rows = STATES.flatMap((state) =>
    ['2020-01', '2020-02'].map((period): Cells => ({ period, code: state.code!, people: state.people!, nets: 1 })),
  );
  const heads = formatTable(rows, 22).split('\n');
  expect([heads[0], heads[6]]).toEqual(['period   code   people', 'period   code  nets']);
});

test('if a cell is too wide for any table, the table is not split', () => {
  expect(formatTable(STATES, 20)).toBe(ONE_TABLE);
});

test('bars of scores shrink on a narrow terminal, and then secondary columns go below', () => {
  const rows: Cells[] = [
    { state_code: 'FC', state: 'Federal Capital Territory', zone: 'North Central', population: 3_000_000 },
    { state_code: 'KN', state: 'Kano', zone: 'North West', population: 14_000_000 },
  ].map((row) => ({ ...row, score: 0.2, score_low: 0.1, score_high: 0.5, level: 'moderate' }));
  const head = (width?: number) => formatTable(withRangeBars(rows, width), width).split('\n')[0]!;
  expect(tableWidth(withRangeBars(rows))).toBe(131);
  expect(withRangeBars(rows, 131)).toEqual(withRangeBars(rows));
  for (const width of [130, 120, 107]) {
    expect(tableWidth(withRangeBars(rows, width)), 'one table').toBe(width);
    expect(head(width)).toMatch(/zone +population +score +low-high +0 … 0.50 +level$/);
  }
  for (const width of [106, 100, 80]) {
    const text = formatTable(withRangeBars(rows, width), width);
    expect(widest(text)).toBeLessThanOrEqual(width);
    expect(text).toMatch(/^state_code +state +score +low-high +0 … 0.50 +level\n.*\n.*\n\n.*zone +population\n/);
  }
});

test('`show` keeps within the width of a terminal, and does not limit its lines elsewhere', async () => {
  const { snapshot } = await buildHere(writeTiny().directory);
  const show = async (what: string, width?: number) => {
    const preload = `data:text/javascript,process.stdout.columns=${width}`;
    const { stdout, code } = await run(['show', what, '--snapshot', snapshot], { preload });
    expect(code).toBe(0);
    return stdout;
  };
  for (const what of ['risk', 'context']) {
    const unlimited = await show(what);
    expect(widest(unlimited)).toBeGreaterThan(100);
    expect(unlimited).not.toContain('\n\n');
    expect(widest(await show(what, 80))).toBeLessThanOrEqual(80);
    expect(await show(what, 0), 'a terminal that does not report its width').toBe(unlimited);
  }
});
