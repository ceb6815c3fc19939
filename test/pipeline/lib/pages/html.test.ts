import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { addressOf } from '../../../../proxy/dashboard/guard.ts';
import { html } from '../../../../proxy/dashboard/kit/html.ts';

const DASHBOARD = join(import.meta.dirname, '../../../../proxy/dashboard');
const sources = readdirSync(DASHBOARD, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => ({ name, text: readFileSync(join(DASHBOARD, name), 'utf8') }));

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

test('templates put values between tags or in double quotes, and never into script or style', () => {
  expect(sources.length).toBeGreaterThan(12);
  for (const { name, text } of sources) {
    expect(text.match(/\s[a-z-]+='?\$\{/g) ?? [], name).toEqual([]);
    expect(text.match(/<style|<script(?! src=)|\son\w+="|\sstyle="/g) ?? [], name).toEqual([]);
  }
  const raw = sources.filter(({ text, name }) => name !== 'kit/html.ts' && text.includes('Html.of('));
  expect(
    raw.map(({ name }) => name),
    'only the QR code is markup from elsewhere',
  ).toEqual(['pages/second-factor.ts']);
});

test.each([
  ['192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:0db8:1:2::', '2001:db8:1:2::/64'],
  ['2001:db8::6', '2001:db8::/64'],
  ['::1', '::/64'],
  ['fe80::1%eth0', 'fe80::/64'],
  ['unknown', 'unknown'],
])('attempts from %s are counted under %s', (ip, expected) => {
  expect(addressOf(ip)).toBe(expected);
});
