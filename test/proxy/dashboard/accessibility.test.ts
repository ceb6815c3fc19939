/** Checks every page with axe-core, wide and narrow, light and dark, and scripts in every text that people enter. */
import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { ROUTES } from '../../../proxy/dashboard/page-routes.ts';
import { COMMAND_LINE } from '../../../proxy/store/audit.ts';
import { ROLES } from '../../../proxy/store/people/person-rules.ts';
import type { Role } from '../../../proxy/store/row-types.ts';
import { utcDay } from '../../../proxy/store/usage-counts.ts';
import { needsChromium, openProfile, skipWithoutChromium } from '../../support/chromium.ts';
import { codeAt, STEP_MS } from '../../support/proxy/authenticator.ts';
import { type Dashboard, linkIn, PASSWORD, startDashboard } from '../../support/proxy/dashboard.ts';
import { atEndOfSuite, giveKey } from '../../support/proxy/service.ts';
import { EMAIL_OF, makeWorld, type Owned, pathOf } from '../../support/proxy/world.ts';

let dashboard: Dashboard;
let alpha: Owned;
const atEnd = atEndOfSuite();
beforeAll(async () => {
  dashboard = await startDashboard({}, atEnd);
  ({ alpha } = await makeWorld(dashboard));
  const { id } = await giveKey(dashboard.store, { owner: 'alpha', kind: 'test' });
  await dashboard.store.revokeKey(id, Date.now());
  await addUsage(alpha.key);
});

const WIDE = { width: 1200, height: 900 };
const PHONE = { width: 360, height: 740 };

async function addUsage(key: string) {
  const at = Date.now();
  const row = { day: utcDay(at), key_id: key, operation: 'risk-lgas', lastAt: at };
  await dashboard.store.usage.add([
    { ...row, outcome: 'granted', count: 7 },
    { ...row, outcome: 'refused', count: 1 },
  ]);
}

async function enterPassword(page: Page, email: string) {
  await page.goto(`${dashboard.dashboardUrl}/sign-in`);
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

async function signIn(page: Page, email: string) {
  await enterPassword(page, email);
  if (!page.url().endsWith('/sign-in/code')) return;
  await page.getByLabel('Code').fill(await dashboard.code(email));
  await page.getByRole('button', { name: 'Continue' }).click();
}

/** The findings of axe on `page` as it is now. @param rules the rules to check; all by default */
async function findings(page: Page, rules?: readonly string[]): Promise<string[]> {
  const options = { resultTypes: ['violations'], ...(rules ? { runOnly: { type: 'rule', values: rules } } : {}) };
  const run = `axe.run(document, ${JSON.stringify(options)}).then(({ violations }) => violations)`;
  const violations = (await page.evaluate(run)) as axe.Result[];
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
  );
}

const COLOURS = ['color-contrast', 'link-in-text-block'];
/** Every rule is checked at each width in one colour scheme; in the other only the rules that depend on colours. */
const SCREENS = [
  { width: 'wide', viewport: WIDE, schemes: [{ colorScheme: 'light' }, { colorScheme: 'dark', rules: COLOURS }] },
  { width: 'phone', viewport: PHONE, schemes: [{ colorScheme: 'dark' }, { colorScheme: 'light', rules: COLOURS }] },
] as const;

async function check(page: Page, name: string) {
  await page.evaluate(axe.source);
  const found: string[] = [];
  for (const { width, viewport, schemes } of SCREENS) {
    await page.setViewportSize(viewport);
    for (const scheme of schemes) {
      const rules = 'rules' in scheme ? scheme.rules : undefined;
      const { colorScheme } = scheme;
      await page.emulateMedia({ colorScheme });
      found.push(...(await findings(page, rules)).map((one) => `${name}, ${width}, ${colorScheme}: ${one}`));
    }
    const overflow = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
    if (overflow !== 0) found.push(`${name}, ${width}: wider than the window by ${overflow} px`);
  }
  await page.setViewportSize(WIDE);
  return found;
}

const pages = ROUTES.filter(({ method, path }) => method === 'GET' && path !== '/');

/** Whether `who` sees `route`, and differently from an administrator. */
function isShownTo(who: Role | 'nobody', route: (typeof ROUTES)[number]): boolean {
  if (who === 'nobody' || route.audience === 'anyone') return who === 'nobody' && route.audience === 'anyone';
  if (!route.audience.includes(who)) return false;
  return who === 'service' || who === 'administrator' || /api-access$|people$/.test(route.path);
}

describe('the dashboard in Chromium', () => {
  test.skipIf(skipWithoutChromium).each(['nobody', ...ROLES] as const)(
    needsChromium('pages for %s have no findings'),
    async (who) => {
      // axe is injected by evaluation, which the pages' own policy forbids.
      const context = await openProfile({ bypassCSP: true, viewport: WIDE });
      const page = await context.newPage();
      if (who !== 'nobody') await signIn(page, EMAIL_OF[who]);
      const found: string[] = [];
      let seen = 0;
      for (const route of pages) {
        if (!isShownTo(who, route)) continue;
        await page.goto(dashboard.dashboardUrl + pathOf(route, alpha));
        found.push(...(await check(page, route.path)));
        // The same page as it is returned when a form is sent empty.
        const forms = await page.locator('main form[method=post] button[type=submit]').count();
        const isHarmless = /\/(new|people|profile|two-step|sign-in|forgotten)$|^\/link/.test(route.path);
        if (forms > 0 && isHarmless) {
          await page.locator('main form[method=post] button[type=submit]').last().click();
          await page.waitForLoadState();
          found.push(...(await check(page, `${route.path}, sent empty`)));
        }
        seen++;
      }
      await context.close();
      expect(found).toEqual([]);
      expect(seen).toBeGreaterThan(0);
    },
    240_000,
  );

  test.skipIf(skipWithoutChromium)(
    needsChromium('pages that can only be reached by a form have no findings'),
    async () => {
      await dashboard.person('cem@example.org', 'administrator', 'Gamma');
      const context = await openProfile({ bypassCSP: true, viewport: WIDE });
      const page = await context.newPage();
      await signIn(page, 'cem@example.org');
      await page.goto(`${dashboard.dashboardUrl}/settings/api-access/new`);
      await page.locator('#name').fill('a key');
      await page.locator('#kind-live').check();
      await page.locator('#scopes-forecasts').check();
      await page.getByRole('button', { name: 'Create the key' }).click();
      expect(await page.locator('h1').textContent()).toBe('Your new key');
      const found = await check(page, 'a new key');

      await page.goto(`${dashboard.dashboardUrl}/profile/two-step`);
      const secret = (await page.locator('#secret').textContent())!;
      await page.locator('#code').fill(codeAt(secret, Math.floor(Date.now() / STEP_MS)));
      await page.locator('#current').fill(PASSWORD);
      await page.getByRole('button', { name: 'Turn it on' }).click();
      expect(await page.locator('h1').textContent()).toBe('Your recovery codes');
      found.push(...(await check(page, 'recovery codes')));

      await page.getByRole('button', { name: 'Sign out', exact: true }).click();
      await enterPassword(page, 'cem@example.org');
      await page.waitForURL('**/sign-in/code');
      found.push(...(await check(page, 'code')));
      await page.locator('#code').fill(await dashboard.code('cem@example.org'));
      await page.getByRole('button', { name: 'Continue' }).click();
      await dashboard.store.database.db.updateTable('sessions').set({ confirmed_at: 0 }).execute();
      await page.goto(`${dashboard.dashboardUrl}/profile/two-step/off`);
      await page.getByRole('button', { name: 'Turn it off' }).click();
      expect(await page.locator('h1').textContent()).toBe('Confirm that it is you');
      found.push(...(await check(page, 'a code again')));
      await page.locator('#code').fill('wrong');
      await page.getByRole('button', { name: 'Confirm' }).click();
      found.push(...(await check(page, 'a wrong code again')));
      await page.locator('#code').fill(await dashboard.code('cem@example.org'));
      await page.getByRole('button', { name: 'Confirm' }).click();
      expect(await page.locator('main').textContent()).toContain('Two-step sign-in is off');

      const { id } = await dashboard.person('dora@example.org', 'service', null);
      await dashboard.directory.factors.turnOff(id, Date.now(), COMMAND_LINE);
      await page.getByRole('button', { name: 'Sign out', exact: true }).click();
      await signIn(page, 'dora@example.org');
      expect(await page.locator('main').textContent()).toContain('Your role requires two-step sign-in');
      found.push(...(await check(page, 'two-step sign-in required')));
      await page.goto(`${dashboard.dashboardUrl}/nowhere`);
      found.push(...(await check(page, 'no such page')));
      await context.close();
      expect(found).toEqual([]);
    },
    120_000,
  );

  test.skipIf(skipWithoutChromium)(
    needsChromium('scripts in any text that people enter are shown as text'),
    async () => {
      const scripts = [
        '<script>window.hacked=1</script>',
        '"><img src=x onerror=window.hacked=1>',
        "'-window.hacked++-'{{7*7}}</textarea></title><svg onload=window.hacked=1>",
      ];
      const context = await openProfile({ viewport: WIDE });
      const page = await context.newPage();
      const problems: string[] = [];
      page.on('dialog', (dialog) => void dialog.dismiss().then(() => problems.push('a dialog')));
      page.on('pageerror', (error) => problems.push(error.message));
      page.on('console', (message) => {
        if (message.type() === 'error' && !message.text().startsWith('Failed to load')) problems.push(message.text());
      });
      /** Whether the texts are on the page; anything that has become more than text is recorded as a problem. */
      const visit = async (path: string): Promise<boolean> => {
        await page.goto(dashboard.dashboardUrl + path);
        const [hacked, added] = (await page.evaluate(
          '[window.hacked, document.querySelectorAll("script:not([src]), img, [onload], [onerror]").length]',
        )) as [unknown, number];
        if (hacked !== undefined || added > 0) problems.push(`${path}: ${hacked} ${added}`);
        return (await page.content()).includes('hacked');
      };
      const signOut = () => page.getByRole('button', { name: 'Sign out', exact: true }).click();
      const team = await dashboard.signedIn(EMAIL_OF.service);
      for (const [i, script] of scripts.entries()) {
        const email = `script${i}@example.org`;
        const mails = dashboard.mails().length;
        const account = { kind: 'organisation', name: script, email };
        const made = await team.send('/team/accounts/new', account, '/team/accounts');
        await expect.poll(() => dashboard.mails().length, { timeout: 20_000 }).toBe(mails + 1);
        const link = linkIn(dashboard.mails().at(-1));
        expect(await visit(link)).toBe(true);
        await dashboard.visitor().send(link, { name: script, password: PASSWORD, again: PASSWORD });
        const admin = await dashboard.signedIn(email);
        const fields = { name: script, kind: 'live', scopes: 'risk_scores', lasts: '90' };
        await admin.send('/settings/api-access/new', fields, '/settings/api-access');
        const { key } = (await dashboard.store.listKeys(script))[0]!;
        await addUsage(key.id);

        await signIn(page, email);
        for (const path of ['api-access', 'usage', 'people', 'activity', `api-access/${key.id}/revoke`]) {
          expect([path, await visit(`/settings/${path}`)]).toEqual([path, true]);
        }
        await page.goto(`${dashboard.dashboardUrl}/settings/api-access/new`);
        await page.locator('#name').fill(script);
        // A key for no data is refused, and the form is shown again with what was entered.
        await page.evaluate('document.querySelectorAll("[name=scopes]").forEach((box) => { box.checked = false; })');
        await page.getByRole('button', { name: 'Create the key' }).click();
        expect(await page.locator('#name').inputValue()).toBe(script);
        await visit('/profile');
        await signOut();

        await signIn(page, EMAIL_OF.service);
        const at = /href="(\/team\/accounts\/acc_\w+)/.exec(made.html)![1]!;
        for (const path of [at, `${at}/usage`, `${at}/remove`, '/team/accounts', '/team/activity']) {
          expect([path, await visit(path)]).toEqual([path, true]);
        }
        const query = encodeURIComponent(script);
        await visit(`/team/accounts?q=${query}&page=${query}&done=${query}`);
        await visit(`/team/activity?account=${query}&before=${query}`);
        await signOut();
      }
      await context.close();
      expect(problems).toEqual([]);
    },
    240_000,
  );
});
