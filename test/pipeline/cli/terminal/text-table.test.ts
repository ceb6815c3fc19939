import { expect, test } from 'vitest';
import { type Cells, formatCells, formatTable } from '../../../../pipeline/cli/terminal/text-table.ts';
import { tinySnapshot } from '../../../support/built-tiny.ts';
import { run } from '../../../support/command-line.ts';

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

test('cells are those of the given columns in their order, numbers with the given decimals', () => {
  const row = { rows: 12, bias: 0.5, crps: null, other: 1, name: 'a' };
  expect(Object.entries(formatCells(row, { name: null, bias: 3, rows: null, crps: 2 }))).toEqual([
    ['name', 'a'],
    ['bias', '0.500'],
    ['rows', 12],
    ['crps', null],
  ]);
});

test('whole numbers are in full, others have six digits', () => {
  const numbers = [1234567, 0.1 + 0.2, -0.045226130653266, 216678334.4, 1e-9 / 3];
  const [, ...lines] = formatTable(numbers.map((number) => ({ number }))).split('\n');
  expect(lines.map((line) => line.trim())).toEqual(['1234567', '0.3', '-0.0452261', '216678334', '3.33333e-10']);
});

test('`show` keeps within the width of a terminal, and does not limit its lines elsewhere', async () => {
  const snapshot = tinySnapshot();
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
