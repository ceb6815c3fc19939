/** The tasks of people at the dashboard in a real browser, partly without JavaScript. */
import type { BrowserContext, Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { needsChromium, openProfile, skipWithoutChromium } from '../../support/chromium.ts';
import { BACKENDS } from '../../support/proxy/backends.ts';
import { type Dashboard, linkIn, PASSWORD, startDashboard } from '../../support/proxy/dashboard.ts';
import { atEndOfSuite } from '../../support/proxy/service.ts';

let dashboard: Dashboard;

const WIDE = { viewport: { width: 1200, height: 900 } };

class Someone {
  readonly page: Page;
  readonly problems: string[] = [];
  constructor(page: Page) {
    this.page = page;
    page.on('pageerror', (error) => this.problems.push(error.message));
    page.on('console', (message) => {
      // The browser's own message about an error status; the page is shown all the same.
      if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) {
        this.problems.push(message.text());
      }
    });
    page.on('request', (request) => {
      if (!request.url().startsWith(dashboard.dashboardUrl)) this.problems.push(`request to ${request.url()}`);
    });
  }

  open = (path: string) => this.page.goto(dashboard.dashboardUrl + path);
  press = (name: string) => this.page.getByRole('button', { name, exact: true }).click();
  follow = (name: string) => this.page.getByRole('link', { name, exact: true }).click();
  fill = (label: string, text: string) => this.page.getByLabel(label, { exact: true }).fill(text);
  text = () => this.page.locator('main').innerText();

  async signIn(email: string) {
    await this.open('/sign-in');
    await this.fill('Email', email);
    await this.fill('Password', PASSWORD);
    await this.press('Sign in');
    if (!this.page.url().endsWith('/sign-in/code')) return;
    await this.fill('Code', await dashboard.code(email));
    await this.press('Continue');
  }

  /** Fills in and sends the form for a key, and returns what the page shows. */
  async makeKey(name: string) {
    await this.follow('API access');
    await this.follow('Create a key');
    await this.fill('Name', name);
    await this.press('Create the key');
    const [key, curl] = [await this.page.locator('#key').innerText(), await this.page.locator('#curl').innerText()];
    return { key, curl };
  }
}

const contexts: BrowserContext[] = [];
async function someone(options: Parameters<typeof openProfile>[0] = WIDE): Promise<Someone> {
  const context = await openProfile(options);
  contexts.push(context);
  return new Someone(await context.newPage());
}

/** Accepts the invitation in `mail` and chooses a password, which signs in. */
async function join(mail: string | undefined, name: string, options = WIDE): Promise<Someone> {
  const one = await someone(options);
  await one.open(linkIn(mail));
  await one.fill('Your name', name);
  await one.fill('New password', PASSWORD);
  await one.fill('Repeat the new password', PASSWORD);
  await one.press('Create your account');
  await one.page.getByRole('button', { name: 'Sign out' }).waitFor();
  return one;
}

const status = async (key: string) => (await dashboard.get('/v1/risk/lgas?state=KN', key)).status;
const nextMail = async (before: number) => {
  await expect.poll(() => dashboard.mails().length, { timeout: 20_000 }).toBe(before + 1);
  return dashboard.mails().at(-1);
};

const backends = BACKENDS.filter(({ skip }) => !skip);

describe.each(backends)('$name', ({ newStore }) => {
  const atEnd = atEndOfSuite();
  beforeAll(async () => {
    dashboard = await startDashboard(await newStore(atEnd), atEnd);
    await dashboard.person('team@example.org', 'service', null);
  });

  describe.skipIf(skipWithoutChromium).each([
    ['with JavaScript', WIDE],
    ['without JavaScript, on a phone', { viewport: { width: 360, height: 740 }, javaScriptEnabled: false }],
  ])('%s', (how, options) => {
    const name = how.includes('phone') ? 'Health Institute' : 'Ministry of Health';
    const at = how.includes('phone') ? 'institute.example' : 'ministry.example';

    test(needsChromium('an organisation can be managed from its creation to its removal'), async () => {
      const team = await someone(options);
      await team.signIn('team@example.org');
      await team.follow('New account');
      await team.page.getByLabel('Organisation', { exact: true }).check();
      await team.fill('Name', name);
      await team.fill('Email of the researcher or the first administrator', `ada@${at}`);
      const mails = dashboard.mails().length;
      await team.press('Create the account');
      await team.follow('I have passed it on');
      expect(await team.text()).toContain('The account has been created, and the invitation is on its way');

      const ada = await join(await nextMail(mails), 'Ada', options);
      const { key, curl } = await ada.makeKey('dashboards');
      expect(await status(key)).toBe(200);
      const [, header, url] = /^curl -H 'Authorization: ([^']+)' '([^']+)'$/.exec(curl)!;
      const answer = await fetch(url!, { headers: { authorization: header! } });
      expect(await answer.json()).toMatchObject({ state_code: 'KN' });
      await ada.follow('I have saved the key');
      expect(await ada.text()).toContain('dashboards');
      expect(await ada.page.content(), 'it is shown once').not.toContain(key);
      if (options === WIDE) {
        await ada.page.goBack();
        expect((await dashboard.store.listKeys(name)).length, 'going back creates no second key').toBe(1);
        await ada.follow('API access');
      }

      await ada.follow('Revoke dashboards');
      expect(await ada.text()).toContain('Revoke “dashboards”?');
      expect(await status(key)).toBe(200);
      await ada.press('Revoke the key');
      expect(await status(key), 'the very next request').toBe(401);
      expect(await ada.text()).toMatch(/revoked/);

      const { key: second } = await ada.makeKey('bulletin');
      await ada.follow('I have saved the key');
      await ada.follow('People');
      await ada.fill('Email', `mia@${at}`);
      await ada.press('Send the invitation');
      const mia = await join(await nextMail(mails + 1), 'Mia', options);
      expect(await mia.text()).toContain('Keys are created by administrators');
      expect(await mia.page.getByRole('link', { name: 'Create a key' }).count()).toBe(0);
      const forced = await mia.open('/settings/api-access/new');
      expect(forced!.status()).toBe(403);

      await ada.follow('Usage');
      expect(await ada.text()).toMatch(/3 of 100,000 requests/);
      expect(await ada.page.locator('svg.plot').first().getAttribute('aria-label')).toMatch(/^3 requests in 30 days/);

      expect(await status(second)).toBe(200);
      await team.follow('Suspend …');
      await team.press('Suspend');
      expect(await status(second), 'suspended').toBe(401);
      await ada.follow('API access');
      expect(ada.page.url(), 'and signed out').toContain('/sign-in');
      await team.press('Reinstate');
      expect(await status(second), 'reinstated').toBe(200);
      await ada.signIn(`ada@${at}`);
      expect(await ada.text()).toContain('bulletin');

      await team.follow('Remove …');
      await team.fill('Type the name of the account', name);
      await team.press('Remove for good');
      expect(await status(second), 'removed').toBe(401);
      expect(await team.text()).toContain('The account has been removed for good');
      expect(await team.page.getByRole('button', { name: 'Reinstate' }).count()).toBe(0);
      await ada.follow('Usage');
      expect(ada.page.url()).toContain('/sign-in');
      for (const one of [team, ada, mia]) expect(one.problems).toEqual([]);
    }, 120_000);
  });

  test.skipIf(skipWithoutChromium)(needsChromium('a click copies the key'), async () => {
    await dashboard.person('cem@example.org', 'administrator', 'Copying');
    const context = await openProfile({ ...WIDE, permissions: ['clipboard-read', 'clipboard-write'] });
    const cem = new Someone(await context.newPage());
    await cem.signIn('cem@example.org');
    const { key } = await cem.makeKey('copied');
    await cem.page.locator('[data-copy=key]').click();
    await cem.page.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await cem.page.evaluate('navigator.clipboard.readText()')).toBe(key);
    const asked: string[] = [];
    cem.page.on('dialog', async (dialog) => {
      asked.push(dialog.type());
      await dialog.accept();
    });
    await cem.page.reload();
    expect(asked, 'a key that is shown once is not left without asking').toEqual(['beforeunload']);
    expect(await cem.text(), 'reloading the page creates no second key').toContain('This form had already been sent');
    expect((await dashboard.store.listKeys('Copying')).length).toBe(1);
    expect(cem.problems).toEqual([]);
  });
});
