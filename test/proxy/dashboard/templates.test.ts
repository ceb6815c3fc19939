import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { countedAddress, loggedNetwork } from '../../../proxy/dashboard/guard.ts';

const DASHBOARD = join(import.meta.dirname, '../../../proxy/dashboard');
const sources = readdirSync(DASHBOARD, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => ({ name, text: readFileSync(join(DASHBOARD, name), 'utf8') }));

test('templates put values between tags or in double quotes, and never into script or style', () => {
  expect(sources.length).toBeGreaterThan(12);
  for (const { name, text } of sources) {
    expect(text.match(/\s[a-z-]+='?\$\{/g) ?? [], name).toEqual([]);
    expect(text.match(/<style|<script(?! src=)|\son\w+="|\sstyle="/g) ?? [], name).toEqual([]);
  }
  const raw = sources.filter(({ text }) => text.includes('Html.fromTrustedMarkup('));
  expect(
    raw.map(({ name }) => name),
    'only the QR code is markup from elsewhere',
  ).toEqual(['pages/second-factor.ts']);
});

test('a class that the style sheets of report and dashboard both have means the same in both', () => {
  const classesIn = (file: string) => new Set(readFileSync(join(DASHBOARD, file), 'utf8').match(/\.[a-z][a-z-]*/g));
  const shared = classesIn('assets/style.css').intersection(classesIn('../../pipeline/publish/report/page/style.css'));
  expect([...shared].sort()).toEqual(['.actions', '.key', '.plot', '.scroll', '.swatch', '.wrap']);
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
  expect(countedAddress(ip)).toBe(expected);
});

test.each([
  ['203.0.113.77', '203.0.113.0/24'],
  ['::ffff:203.0.113.77', '203.0.113.0/24'],
  ['2001:db8:1:2::3', '2001:db8:1::/48'],
  ['unknown, <script>', 'an unknown network'],
])('logs have the network of %j as %s', (address, expected) => {
  expect(loggedNetwork(address)).toBe(expected);
});
