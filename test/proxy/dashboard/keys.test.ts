import { expect } from 'vitest';
import { DAY_MS } from '../../../pipeline/lib/clock.ts';
import { movableClock, testBackends, type Visitor } from '../../support/proxy/dashboard.ts';
import { giveKey } from '../../support/proxy/service.ts';

const LIST = '/settings/api-access';
const NEW_KEY = { name: 'Kano bulletin', kind: 'live', scopes: ['risk_scores', 'forecasts'], lasts: 'unlimited' };

const make = (someone: Visitor, fields: Record<string, string | string[]> = NEW_KEY) =>
  someone.send(`${LIST}/new`, fields, LIST);
const keyIn = (html: string) => /<code id="key"[^>]*>([^<]+)</.exec(html)![1]!;

testBackends('a key is created, shown once, listed, used, and revoked for good', async (start) => {
  const dashboard = await start();
  await dashboard.person('ben@example.org', 'administrator', 'ministry');
  const ada = await dashboard.ada();
  const made = await make(ada);
  const key = keyIn(made.html);
  expect(key).toMatch(/^malaria_live_/);
  const curl = /<code id="curl"[^>]*>([^<]+)</.exec(made.html)![1]!.replaceAll('&#39;', "'");
  expect(curl).toBe(`curl -H 'Authorization: Bearer ${key}' '${dashboard.url}/v1/risk/lgas?state=KN'`);
  expect(made.headers.get('cache-control')).toBe('no-store');
  expect((await dashboard.get('/v1/risk/lgas?state=KN', key)).status).toBe(200);
  expect((await dashboard.get('/v1/boundaries/states', key)).status).toBe(403);

  const ben = await dashboard.signedIn('ben@example.org');
  const list = await ben.open(LIST);
  expect(list.text).toMatch(
    /Kano bulletin key_\w{12} malaria_live_\w{4}… live risk_scores , forecasts ada \d{4}-\d\d-\d\d \d\d:\d\d UTC \d{4}-\d\d-\d\d \d\d:\d\d UTC never active/,
  );
  expect(list.html).not.toContain(key.slice(13));
  const revoke = /href="([^"]+\/revoke)"/.exec(list.html)![1]!;
  expect((await ben.open(revoke)).text).toContain('Revoke “Kano bulletin”?');
  expect((await dashboard.get('/v1/periods', key)).status, 'the confirmation page revokes nothing').toBe(200);
  expect((await ben.send(revoke, {})).text).toContain('The key has been revoked');
  expect((await dashboard.get('/v1/periods', key)).status).toBe(401);
  expect((await ben.open(revoke)).path, 'it is already revoked').toBe(LIST);
  const { key: stored } = (await dashboard.store.listKeys('ministry'))[0]!;
  const entries = await dashboard.directory.listAudit({ accountId: stored.owner_id, limit: 3 });
  expect(entries.map(({ action, actor, subject }) => [action, actor, subject])).toEqual([
    ['key.revoke', 'ben@example.org', 'Kano bulletin'],
    ['sign-in', 'ben@example.org', ''],
    ['key.create', 'ada@example.org', 'Kano bulletin'],
  ]);
});

testBackends('missing or invalid fields are marked, and the values entered are kept', async (start) => {
  const dashboard = await start();
  const ada = await dashboard.ada();
  const form = await ada.open(`${LIST}/new`);
  for (const field of ['kind-live', 'lasts-90', 'scopes-risk_scores', 'scopes-forecasts', 'scopes-lga_boundaries'])
    expect(form.html, 'a name is enough').toMatch(new RegExp(`id="${field}"[^>]* checked`));
  const empty = await make(ada, {});
  expect(empty.status).toBe(400);
  for (const error of ['Enter a name', 'Choose a kind', 'Choose at least one', 'Choose one.'])
    expect(empty.text).toContain(error);
  const wrong = await make(ada, { name: 'a "name"', kind: 'test', scopes: 'forecasts', lasts: '7' });
  expect([wrong.status, wrong.text]).toEqual([400, expect.stringContaining('Choose one.')]);
  expect(wrong.html).toContain('value="a &quot;name&quot;"');
  expect(wrong.html).toMatch(/value="forecasts" checked/);
  for (const fields of [{ kind: 'dead' }, { scopes: ['risk_scores', 'all'] }, { name: 'x'.repeat(101) }]) {
    expect((await make(ada, { ...NEW_KEY, ...fields })).status).toBe(400);
  }
  expect(await dashboard.store.listKeys()).toEqual([]);
});

testBackends('a key can be created for a number of days or until it is revoked', async (start) => {
  const dashboard = await start();
  const ada = await dashboard.ada();
  for (const lasts of ['90', 'unlimited']) await make(ada, { ...NEW_KEY, lasts });
  const keys = (await dashboard.store.listKeys()).map(({ key }) => key);
  expect(keys.map((key) => key.expires_at && key.expires_at - key.created_at)).toEqual([90 * DAY_MS, null]);
});

testBackends('a replaced key works for some more days, then no longer', async (start) => {
  const dashboard = await start();
  const ada = await dashboard.ada();
  const lasting = keyIn((await make(ada, { ...NEW_KEY, lasts: '365' })).html);
  const { id } = (await dashboard.store.listKeys())[0]!.key;
  const at = `${LIST}/${id}/replace`;
  expect((await ada.open(LIST)).html).toContain(`href="${at}"`);
  expect((await ada.send(at, { grace: '365' })).status).toBe(400);
  const sendAgain = await ada.fillIn(at, { grace: '7' }, at);
  const made = await sendAgain();
  expect(made.text).toContain('The key that it replaces works until');
  const fresh = keyIn(made.html);
  expect((await sendAgain()).text, 'like reloading the page').toContain('This form had already been sent');
  const [old, replacing] = (await dashboard.store.listKeys()).map(({ key }) => key);
  expect(replacing).toMatchObject({ name: 'Kano bulletin', kind: 'live', scopes: ['risk_scores', 'forecasts'] });
  expect(Math.round((replacing!.expires_at! - replacing!.created_at) / DAY_MS)).toBe(365);
  expect(old!.expires_at! - replacing!.created_at).toBe(7 * DAY_MS);
  const statuses = async () => {
    const answers = [lasting, fresh].map((key) => dashboard.get('/v1/periods', key));
    return (await Promise.all(answers)).map(({ status }) => status);
  };
  expect(await statuses()).toEqual([200, 200]);
  // A short time instead of days, since PostgreSQL has a clock of its own.
  const end = Date.now() + 300;
  await dashboard.store.expireKey(id, end, Date.now());
  await expect.poll(statuses, { timeout: 20_000 }).toEqual([401, 200]);
  expect(Date.now()).toBeGreaterThanOrEqual(end);
  expect((await ada.open(at)).path, 'it no longer works').toBe(LIST);
  // A key that would expire sooner keeps its expiry.
  expect((await dashboard.store.expireKey(id, end + DAY_MS, Date.now())).expires_at).toBe(end);
  expect((await ada.open('/settings/activity')).text).toContain('set an expiry for a key Kano bulletin');
});

testBackends('a researcher is notified once by mail that keys can be created', async (start) => {
  const dashboard = await start();
  await dashboard.person('rui@example.org', 'researcher', 'Rui');
  await dashboard.person('team@example.org', 'service', null);
  const team = await dashboard.signedIn('team@example.org');
  const at = `/team/accounts/${(await dashboard.account('Rui')).id}`;
  const csrf = await team.csrf();
  for (let i = 0; i < 2; i++) await team.post(`${at}/unlock`, { csrf });
  await dashboard.close();
  const mails = dashboard.mails();
  expect(mails).toEqual([expect.stringContaining('API access unlocked')]);
  expect(mails[0]).toContain('To: rui@example.org\n');
  expect(mails[0]).toContain(`${dashboard.dashboardUrl}/settings/api-access`);
});

testBackends('a member can neither create nor revoke keys, and sees why and whom to ask', async (start) => {
  const dashboard = await start();
  const { id, key } = await giveKey(dashboard.store);
  await dashboard.person('ada@example.org', 'administrator', 'ministry');
  await dashboard.person('mia@example.org', 'member', 'ministry');
  const mia = await dashboard.signedIn('mia@example.org');
  const page = await mia.open(LIST);
  expect(page.text).toContain('Keys are created by administrators');
  expect(page.text).toContain('ada@example.org');
  expect(page.html).not.toContain(id);
  const csrf = await mia.csrf();
  expect((await mia.post(LIST, { csrf, ...NEW_KEY })).status).toBe(403);
  expect((await mia.open(`${LIST}/new`)).status).toBe(403);
  for (const method of ['open', 'post'] as const) {
    expect((await mia[method](`${LIST}/${id}/revoke`, { csrf } as never)).status).toBe(403);
  }
  expect((await dashboard.store.listKeys()).length).toBe(1);
  expect((await dashboard.get('/v1/periods', key)).status).toBe(200);
});

testBackends('a locked researcher sees why keys cannot be created; an unlocked one creates them', async (start) => {
  const dashboard = await start();
  await dashboard.person('rui@example.org', 'researcher', 'Rui');
  const rui = await dashboard.signedIn('rui@example.org');
  expect((await rui.open(LIST)).text).toContain('API access is locked');
  expect((await rui.post(LIST, { csrf: await rui.csrf(), ...NEW_KEY })).status).toBe(403);
  expect(await dashboard.store.listKeys()).toEqual([]);
  await dashboard.store.changeAccount('Rui', 'unlock', Date.now());
  const made = await make(rui);
  expect((await dashboard.get('/v1/periods', keyIn(made.html))).status).toBe(200);
});

testBackends('an email address in a mailto: link is escaped', async (start) => {
  const dashboard = await start();
  await dashboard.person('ada?bcc=eve%40x@example.org', 'administrator', 'ministry');
  await dashboard.person('mia@example.org', 'member', 'ministry');
  const page = await (await dashboard.signedIn('mia@example.org')).open(LIST);
  expect(page.html).toContain('href="mailto:ada%3Fbcc%3Deve%2540x@example.org"');
});

testBackends(
  'the usage page, the most expensive one, is limited to a number of requests per minute and account',
  async (start) => {
    const dashboard = await start({ clock: { ...movableClock(), wallMs: () => 1_800_000_000_000 } });
    await dashboard.person('mia@example.org', 'member', 'ministry');
    const mia = await dashboard.signedIn('mia@example.org');
    const ask = async () => (await mia.open('/settings/usage?days=90')).status;
    const statuses: number[] = [];
    for (let i = 0; i < 31; i++) statuses.push(await ask());
    expect(statuses).toEqual([...Array(30).fill(200), 429]);
    expect((await mia.open('/settings/api-access')).status).toBe(200);
  },
);
