import { expect, test } from 'vitest';
import { html, jsonScript, raw, table } from '../../../../../pipeline/publish/report/shared/markup.ts';
import { periodName } from '../../../../../pipeline/publish/report/shared/names.ts';

test('values are escaped, markup is not, and missing values show nothing', () => {
  const name = `<img onerror="x">&'`;
  expect(html`<b title="${name}">${name}</b>`.markup).toBe(
    '<b title="&lt;img onerror=&quot;x&quot;&gt;&amp;&#39;">&lt;img onerror=&quot;x&quot;&gt;&amp;&#39;</b>',
  );
  expect(html`${[html`<i>${1}</i>`, raw('<hr>')]}${null}${false}${undefined}${0}`.markup).toBe('<i>1</i><hr>0');
});

test('data cannot end the element around it, and parses back unchanged', () => {
  const value = { name: '</script><script>alert(1)</script><!--' };
  const { markup } = jsonScript('data', value);
  expect(markup.match(/<\/script/g)).toHaveLength(1);
  expect(JSON.parse(markup.slice(markup.indexOf('{'), markup.lastIndexOf('}') + 1))).toEqual(value);
});

test('a missing cell is a dash', () => {
  expect(table('t', [{ head: 'a', number: true }], [[null], [0]]).markup).toMatch(
    /<td class="number">—.*<td class="number">0</s,
  );
});

test('months have names', () => {
  expect(periodName('2024-01')).toBe('January 2024');
});
