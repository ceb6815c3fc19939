import { expect, test } from 'vitest';
import { renderTable } from '../../../../pipeline/lib/pages/table.ts';

const of = (values: readonly (number | string | null | false)[], decimals?: number) =>
  renderTable(
    'Figures',
    [
      { title: 'Name', cell: () => 'x' },
      { title: 'Value', cell: (value) => value, ...(decimals === undefined ? {} : { decimals }) },
    ],
    values,
  ).toString();

test('numbers are right-aligned and rounded, texts are not; a missing cell is a dash', () => {
  expect(of([0.125, null, 2], 2)).toMatch(/<td[^>]* class="number"><div>0\.13<.*>—<.*>2\.00</s);
  expect(of([1, 'two'])).not.toContain('class="number"');
  expect(of([null, null])).not.toContain('class="number"');
});

test('a table is named, its first column is the header of the row, and columns may be left out', () => {
  const text = renderTable('A <name>', [{ title: 'a', cell: (row) => row }, false, null], ['x']).toString();
  expect(text).toContain('aria-label="A &lt;name&gt;"');
  expect(text).toContain('<caption>A &lt;name&gt;</caption>');
  expect(text).toContain('<th scope="row" role="rowheader">x</th>');
  expect(text.match(/columnheader/g)).toHaveLength(1);
});
