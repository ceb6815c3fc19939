/** Every page by axe-core, wide and as on a phone, light and dark; and with script in every text that people enter. */
import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { ROUTES } from '../../../proxy/dashboard/routes.ts';
import { ROLES, type Role } from '../../../proxy/people/people.ts';
import { openUsage } from '../../../proxy/usage/open-usage.ts';
import { needsChromium, openProfile, skipWithoutChromium } from '../../chromium.ts';
import { giveKey } from '../service.ts';
import { type Dashboard, PASSWORD, startDashboard } from './dashboard.ts';
import { EMAIL_OF, makeWorld, type Owned, pathOf } from './world.ts';

let dashboard: Dashboard;
let alpha: Owned;
const ends: (() => void | Promise<void>)[] = [];
beforeAll(async () => {
  dashboard = await startDashboard({}, (end) => void ends.unshift(end));
  ({ alpha } = await makeWorld(dashboard));
  const { id } = await giveKey(dashboard.store, { owner: 'alpha', kind: 'test' });
  await dashboard.store.revokeKey(id, Date.now());
  const usage = openUsage(dashboard.storeUrl);
  const day = new Date().toISOString().slice(0, 10);
  await usage.add([{ day, key_id: alpha.key, operation: 'risk-lgas', granted: 7, refused: 1 }]);
  await usage.close();
  return async () => {
    for (const end of ends) await end();
  };
});

const WIDE = { width: 1200, height: 900 };
const PHONE = { width: 360, height: 740 };

async function signIn(page: Page, email: string) {
  await page.goto(`${dashboard.dashboardUrl}/sign-in`);
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

/** What axe finds on `page` as it is now; `rules` where not all are asked. */
async function findings(page: Page, rules?: string[]): Promise<string[]> {
  const run = `axe.run(document, ${JSON.stringify(rules ? { runOnly: { type: 'rule', values: rules } } : {})})`;
  const { violations } = (await page.evaluate(run)) as axe.AxeResults;
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
  );
}

/** Both widths and both colours; the rule that colours bear on is asked for each pair, the others for each width. */
async function check(page: Page, name: string) {
  await page.evaluate(axe.source);
  const found: string[] = [];
  for (const [width, viewport] of [
    ['wide', WIDE],
    ['phone', PHONE],
  ] as const) {
    await page.setViewportSize(viewport);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      const rules = colorScheme === 'light' ? undefined : ['color-contrast', 'link-in-text-block'];
      found.push(...(await findings(page, rules)).map((one) => `${name}, ${width}, ${colorScheme}: ${one}`));
    }
    const overflow = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
    if (overflow !== 0) found.push(`${name}, ${width}: wider than the window by ${overflow} px`);
  }
  await page.setViewportSize(WIDE);
  return found;
}

const pages = ROUTES.filter(({ method, path }) => method === 'GET' && path !== '/');

test.skipIf(skipWithoutChromium).each(['nobody', ...ROLES] as const)(
  needsChromium('pages for %s have no findings'),
  async (who) => {
    // axe comes in by evaluation, which the pages' own policy forbids.
    const context = await openProfile({ bypassCSP: true, viewport: WIDE });
    const page = await context.newPage();
    if (who !== 'nobody') await signIn(page, EMAIL_OF[who]);
    const found: string[] = [];
    let seen = 0;
    for (const route of pages) {
      if (who === 'nobody' ? route.for !== 'anyone' : route.for === 'anyone' || !route.for.includes(who as Role))
        continue;
      await page.goto(dashboard.dashboardUrl + pathOf(route, alpha));
      found.push(...(await check(page, route.path)));
      // The same page as it comes back when a form is sent empty.
      const forms = await page.locator('main form[method=post] button[type=submit]').count();
      const isHarmless = /\/(new|people|profile|two-step|sign-in|forgotten)$|^\/link|\/off$/.test(route.path);
      if (forms > 0 && isHarmless) {
        await page.locator('main form[method=post] button[type=submit]').last().click();
        await page.waitForLoadState();
        found.push(...(await check(page, `${route.path}, sent empty`)));
      }
      seen++;
    }
    await context.close();
    expect(found).toEqual([]);
    expect(seen).toBeGreaterThan(2);
  },
  240_000,
);
