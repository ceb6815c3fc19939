import { expect, test } from 'vitest';
import { BadInput, readEach, refusalIn } from '../../../pipeline/lib/bad-input.ts';

test('a message names the file, the place in it if there is one, what was found and what was expected', () => {
  const parts = { file: 'a.csv', found: '3', expected: 'at most 2' };
  expect(new BadInput(parts).message).toBe('a.csv: found 3, expected at most 2');
  expect(new BadInput({ ...parts, where: 'row 7' }).message).toBe('a.csv, row 7: found 3, expected at most 2');
});

test('a refusal of a spot within another one names both, and keeps its remedy', () => {
  const error = refusalIn('a.csv').at('row 7').at('examined')('3', 'at most 2', { declare: 'dissolve' });
  expect(error).toMatchObject({ file: 'a.csv', where: 'row 7, examined', remedy: { declare: 'dissolve' } });
  expect(refusalIn('a.csv', 'row 7')('3', 'at most 2')).toMatchObject({ where: 'row 7', remedy: null });
});

test('all bad items are read, and the first one carries the others', () => {
  const refusal = refusalIn('a.csv');
  const read = (item: number) => {
    if (item > 1) throw refusal(`${item}`, 'at most 1');
    return item;
  };
  expect(readEach([0, 1], read)).toEqual([0, 1]);
  try {
    readEach([2, 1, 3], read);
    expect.unreachable();
  } catch (error) {
    expect(error).toMatchObject({ found: '2', others: [{ found: '3' }] });
  }
});
