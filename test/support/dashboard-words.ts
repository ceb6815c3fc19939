import { expect } from 'vitest';
import { ERRORS } from '../../pipeline/contract/errors.ts';
import { OPERATIONS } from '../../pipeline/contract/operations.ts';
import type { Territory } from '../../pipeline/contract/territory.ts';
import { countryWords, fillPlaceholders } from '../../pipeline/contract/words.ts';
import { levelsIn, nigerianIn } from './nigerian.ts';
import { serveDashboard } from './proxy/dashboard.ts';
import { giveKey } from './proxy/service.ts';

/**
 * Checks that dashboard pages about the served data, and the API's errors for wrong codes, contain no Nigerian terms.
 * @returns the text of the page of codes
 */
export async function dashboardInOwnWords(
  served: { build: string; snapshot: string; store: string },
  territory: Territory,
  atEnd: (end: () => void | Promise<void>) => void,
): Promise<string> {
  const dashboard = await serveDashboard(served, atEnd);
  await dashboard.person('ada@example.org', 'administrator', 'ministry');
  const ada = await dashboard.signedIn('ada@example.org');
  const paths = OPERATIONS.map(({ id }) => `/reference/${id}`);
  for (const path of ['/reference', '/reference/codes', '/reference/codes?q=a', '/settings/api-access/new', ...paths]) {
    const { status, html } = await ada.open(path);
    expect([path, status, nigerianIn(html), levelsIn(html)]).toEqual([path, 200, undefined, []]);
  }
  const fields = { name: 'test', kind: 'test', scopes: 'risk_scores', lasts: '30' };
  const made = await ada.send('/settings/api-access/new', fields, '/settings/api-access');
  expect([made.status, nigerianIn(made.html), levelsIn(made.html)]).toEqual([200, undefined, []]);
  const { key } = await giveKey(dashboard.store);
  for (const [path, code] of [
    ['/v1/risk/lgas', 'UNKNOWN_STATE'],
    ['/v1/series/lgas', 'UNKNOWN_LGA'],
  ] as const) {
    const refused = (await (await dashboard.get(path, key)).json()) as { code: string; title: string };
    const own = fillPlaceholders(ERRORS[code].title, countryWords(territory));
    expect([refused.code, refused.title]).toEqual([code, own]);
    expect(own).not.toBe(ERRORS[code].title);
  }
  return (await ada.open('/reference/codes')).text;
}
