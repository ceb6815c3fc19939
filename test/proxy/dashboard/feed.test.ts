/** The feed of releases: open to anyone on the dashboard's port, well-formed, and without data. */
import { execFileSync } from 'node:child_process';
import { expect, test, vi } from 'vitest';
import { startDashboard } from '../../support/proxy/dashboard.ts';
import { versionOf } from '../../support/proxy/fixture.ts';
import { publishRelease } from '../../support/proxy/versions.ts';

/** Prints the titles of a feed's entries, as an XML parser reads them. */
const TITLES = `import sys, xml.etree.ElementTree as tree
atom = "{http://www.w3.org/2005/Atom}"
feed = tree.fromstring(sys.stdin.buffer.read())
for needed in ("id", "title", "updated", "author"):
    assert feed.find(atom + needed) is not None, needed
for entry in feed.iter(atom + "entry"):
    print(entry.find(atom + "title").text, "|", entry.find(atom + "summary").text)`;

test('anyone can read about releases there, but no figures; before the first release it is a 404', async () => {
  const { dashboardUrl, build, visitor } = await startDashboard();
  const feed = () => fetch(`${dashboardUrl}/feed.atom`);
  expect((await feed()).status).toBe(404);
  await publishRelease(build, '00000002', '00000001', { note: 'Rain & <nets>' });
  await vi.waitFor(async () => expect((await feed()).status).toBe(200));
  const found = await feed();
  expect(found.headers.get('content-type')).toBe('application/atom+xml; charset=utf-8');
  const text = await found.text();
  expect(execFileSync('python3', ['-c', TITLES], { input: text, encoding: 'utf8' })).toBe(
    `${versionOf('00000002')} | Rain & <nets> Months 2023-06 to 2023-12 estimated, to 2024-04 forecast. Replaces ${versionOf('00000001')}.\n`,
  );
  expect(text).not.toMatch(/\b42\b|moved/);
  expect((await visitor().open('/reference')).path).toBe('/sign-in');
});
