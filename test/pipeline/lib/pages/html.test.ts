import fc from 'fast-check';
import { expect, test } from 'vitest';
import { html, jsonScript, withCodeMarked } from '../../../../pipeline/lib/pages/html.ts';

test('every value is rendered as text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      const inner = html`<p title="${text}">${text}</p>`.toString();
      const [, title, body] = /^<p title="([^"<>']*)">([^"<>']*)<\/p>$/s.exec(inner)!;
      const read = (escaped: string) =>
        escaped.replace(
          /&(amp|lt|gt|quot|#39);/g,
          (_, name) => ({ amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" })[name as 'amp'],
        );
      expect([read(title!), read(body!)]).toEqual([text, text]);
    }),
  );
});

test('markup stays markup, lists are joined, and missing values render as nothing', () => {
  expect(html`${html`<b>${'<'}</b>`}|${['a', html`<i>`, 1]}|${false}${null}${undefined}|${0}`.toString()).toBe(
    '<b>&lt;</b>|a<i>1||0',
  );
  const forged = JSON.parse('{"markup":"<script>"}');
  expect(html`${forged}`.toString()).toBe('[object Object]');
});

test('data cannot end the element around it, and parses back unchanged', () => {
  const value = { name: '</script><script>alert(1)</script><!--' };
  const script = jsonScript('data', value).toString();
  expect(script.match(/<\/script/g)).toHaveLength(1);
  expect(JSON.parse(script.slice(script.indexOf('{'), script.lastIndexOf('}') + 1))).toEqual(value);
});

test('text in backticks is code, and all of it is escaped', () => {
  expect(withCodeMarked('a `<b>` & c').toString()).toBe('a <code>&lt;b&gt;</code> &amp; c');
});
