import { expect, test } from 'vitest';
import { remember } from '../../proxy/memory.ts';

test('works once for each text, forgets when full, and never keeps a long one', () => {
  const worked: string[] = [];
  const upper = remember(2, (text) => {
    worked.push(text);
    return text === 'null' ? null : text.toUpperCase();
  });
  expect([upper('a'), upper('a'), upper('null'), upper('null')]).toEqual(['A', 'A', null, null]);
  expect(worked).toEqual(['a', 'null']);
  upper('c');
  upper('a');
  expect(worked).toEqual(['a', 'null', 'c', 'a']);
  const long = 'x'.repeat(300);
  expect([upper(long), upper(long)]).toEqual([long.toUpperCase(), long.toUpperCase()]);
  expect(worked.slice(4)).toEqual([long, long]);
});
