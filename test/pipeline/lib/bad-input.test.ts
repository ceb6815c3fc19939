import { expect, test } from 'vitest';
import { BadInput, errorMessage, groupMessages, InputLocation, readEach } from '../../../pipeline/lib/bad-input.ts';

test('a message names the file, the place in it if there is one, what was found and what was expected', () => {
  const parts = { file: 'a.csv', found: '3', expected: 'at most 2' };
  expect(new BadInput(parts).message).toBe('a.csv: found 3, expected at most 2');
  expect(new BadInput({ ...parts, where: 'row 7' }).message).toBe('a.csv, row 7: found 3, expected at most 2');
});

test('what was found in a file stays in one line of reasonable length, and commands no terminal', () => {
  const found = (content: string) => new InputLocation('a.csv').error(content, 'a name').message;
  expect(found('a \r\n\r\n b')).toBe('a.csv: found a b, expected a name');
  expect(found('\x1b]0;title\x07\x9b2J a\0b\u2028c')).toBe('a.csv: found  ]0;title  2J a b c, expected a name');
  // A million spaces took minutes.
  expect(found(`x${' '.repeat(1_000_000)}y`)).toBe(`a.csv: found x${' '.repeat(999)}…, expected a name`);
});

test('a refusal of a spot within another one names both, and keeps its remedy', () => {
  const error = new InputLocation('a.csv').at('row 7').at('examined').error('3', 'at most 2', { declare: 'dissolve' });
  expect(error).toMatchObject({ file: 'a.csv', where: 'row 7, examined', remedy: { declare: 'dissolve' } });
  expect(new InputLocation('a.csv', 'row 7').error('3', 'at most 2')).toMatchObject({ where: 'row 7', remedy: null });
});

test('all bad items are read, and the first one carries the others', () => {
  const location = new InputLocation('a.csv');
  const read = (item: number) => {
    if (item > 1) throw location.error(`${item}`, 'at most 1');
    return item;
  };
  expect(readEach([0, 1], read)).toEqual([0, 1]);
  try {
    readEach([2, 1, 3], read);
    expect.unreachable();
  } catch (error) {
    expect(error).toMatchObject({ found: '2', further: [{ found: '3' }] });
  }
});

test('messages of one cause are one line with three examples and their number; other causes keep theirs', () => {
  const rows = [3, 4, 5, 9].map(
    (row) => `a.csv, row ${row}: found code MW10${row}, as in row 2, expected a single row`,
  );
  const places = ['MW104 Cade City', 'MW201 Dola'].map((place) => `b.csv, ${place}: found no row, expected a row`);
  const other = 'a.csv, row 3, people: found "1,2", expected a whole number';
  const otherColumn = 'a.csv, row 3, cases: found "1,2", expected a whole number';
  expect(groupMessages([rows[0]!, other, ...rows.slice(1), ...places, otherColumn])).toEqual([
    `${rows[0]}; and 3 more like it: a.csv, row 4: found code MW104, as in row 2; a.csv, row 5: found code MW105, as in row 2; …`,
    other,
    `${places[0]}; and 1 more like it: b.csv, MW201 Dola: found no row`,
    otherColumn,
  ]);
});

test('the message of an error tells how many faults were found with it', () => {
  const location = new InputLocation('a.csv');
  const read = (row: number) => {
    throw location.at(`row ${row}`).error('3', row < 9 ? 'at most 2' : 'a name');
  };
  const errorOf = (rows: number[]) => {
    try {
      return readEach(rows, read);
    } catch (error) {
      return error;
    }
  };
  expect(errorMessage(errorOf([7]) as Error)).toBe('a.csv, row 7: found 3, expected at most 2');
  expect(errorMessage(errorOf([7, 8, 9]) as Error)).toBe(
    'a.csv, row 7: found 3, expected at most 2; and 1 more like it: a.csv, row 8: found 3 (further causes: 1; see `catalog check`)',
  );
  expect(errorMessage(new Error('a\nb'))).toBe('a\nb');
});
