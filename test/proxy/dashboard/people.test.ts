import { expect } from 'vitest';
import { linkIn, PASSWORD, testBackends } from '../../support/proxy/dashboard.ts';

testBackends(
  'an administrator invites people, changes roles, withdraws invitations and removes people',
  async (start) => {
    const dashboard = await start();
    const ada = await dashboard.ada();
    const people = '/settings/people';
    const invite = (email: string, role: string) => ada.send(people, { email, role }, `${people}/invitations`);
    const invited = await invite('ben@example.org', 'member');
    expect(invited.text).toContain('Give this link to ben@example.org and to nobody else');
    await expect.poll(() => dashboard.mails().length, { timeout: 20_000 }).toBe(1);
    const mail = dashboard.mails()[0]!;
    expect(mail).toContain('To: ben@example.org\n');
    expect(invited.html, 'the link is shown if no mail is sent').toContain(linkIn(mail));
    expect(mail).toContain('You have been invited to join “ministry” at the Malaria Risk Data Service, which provides');
    expect(mail, 'a member cannot create keys').toContain('ask an administrator of your organisation for a key');
    const ben = dashboard.visitor();
    const joined = await ben.send(linkIn(mail), { name: 'Ben', password: PASSWORD, again: PASSWORD });
    expect(joined.text, 'signed in').toContain('Keys are created by administrators');
    const seen = await ben.open(people);
    expect([seen.status, seen.html.includes('Manage'), seen.html.includes('Invite somebody')]).toEqual([
      200,
      false,
      false,
    ]);

    const { id } = (await dashboard.directory.credentialsByEmail('ben@example.org'))!.person;
    await ada.send(`${people}/${id}`, { role: 'administrator' }, `${people}/${id}/role`);
    expect((await ben.open(people)).html, 'a role takes effect from the next page on').toContain('Invite somebody');

    await invite('cem@example.org', 'administrator');
    await expect.poll(() => dashboard.mails().length, { timeout: 20_000 }).toBe(2);
    const withdraw = /action="([^"]+withdraw)"/.exec((await ada.open(people)).html)![1]!;
    expect((await ada.send(people, {}, withdraw)).text).toContain('The invitation has been withdrawn');
    expect((await dashboard.visitor().open(linkIn(dashboard.mails()[1]))).status).toBe(404);

    expect((await ada.send(`${people}/${id}/remove`, {})).text).toContain(
      'The person has been removed and signed out everywhere',
    );
    expect((await ben.open(people)).path).toBe('/sign-in');
    expect((await dashboard.visitor().signIn('ben@example.org')).status).toBe(403);
    expect((await invite('ben@example.org', 'member')).status, 'removed people may be invited again').toBe(200);
    const own = (await dashboard.directory.credentialsByEmail('ada@example.org'))!.person.id;
    const last = await ada.send(`${people}/${own}/remove`, {});
    expect([last.status, last.text]).toEqual([400, expect.stringContaining('is the last administrator')]);
  },
);

testBackends(
  'the service team creates, unlocks, limits, suspends, reinstates and removes an account',
  async (start) => {
    const dashboard = await start();
    await dashboard.person('team@example.org', 'service', null);
    const team = await dashboard.signedIn('team@example.org');
    expect((await team.send('/team/accounts/new', { name: 'Rui' }, '/team/accounts')).status).toBe(400);
    const made = await team.send(
      '/team/accounts/new',
      { kind: 'researcher', name: 'Rui', email: 'rui@example.org' },
      '/team/accounts',
    );
    expect(made.text).toContain('Pass the invitation on');
    const passedOn = /href="(\/team\/accounts\/acc_\w+\?done=created)"/.exec(made.html)![1]!;
    expect((await team.open(passedOn)).text).toContain(
      'The account has been created, and the invitation is on its way',
    );
    const at = passedOn.split('?')[0]!;
    await expect.poll(() => dashboard.mails().length, { timeout: 20_000 }).toBe(1);
    const rui = dashboard.visitor();
    await rui.send(linkIn(dashboard.mails()[0]), { name: 'Rui', password: PASSWORD, again: PASSWORD });
    const locked = (await rui.open('/settings/api-access')).text;
    expect([locked.includes('API access is locked'), locked.includes('Create a key')]).toEqual([true, false]);
    expect((await team.open('/team/accounts')).text).toContain('1 account, 1 waiting to be unlocked');
    expect((await team.send(at, {}, `${at}/unlock`)).text).toContain('API access has been unlocked');
    expect((await rui.open('/settings/api-access')).text).toContain('Create a key');
    const key = await rui.send(
      '/settings/api-access/new',
      { name: 'mine', kind: 'live', scopes: 'risk_scores', lasts: '90' },
      '/settings/api-access',
    );
    const secret = /<code id="key"[^>]*>([^<]+)</.exec(key.html)![1]!;
    const status = async () => (await dashboard.get('/v1/periods', secret)).status;
    expect(await status()).toBe(200);

    const wrong = await team.send(at, { per_minute: 'many', per_month: '5' }, `${at}/limits`);
    expect([wrong.status, wrong.text]).toEqual([400, expect.stringContaining('Enter a whole number of 1 or more')]);
    await team.send(at, { per_minute: '', per_month: '2' }, `${at}/limits`);
    expect([await status(), await status()]).toEqual([200, 429]);
    expect((await rui.open('/settings/usage')).text).toContain('2 of 2 requests');
    await team.send(at, { per_minute: '1,000', per_month: '' }, `${at}/limits`);
    expect((await dashboard.store.findAccount('Rui'))!).toMatchObject({ per_minute: 1000, per_month: null });

    expect((await team.open(`${at}/suspend`)).text).toContain('Suspend Rui?');
    expect(await status(), 'the confirmation page suspends nothing').toBe(200);
    await team.send(`${at}/suspend`, {});
    expect(await status()).toBe(401);
    expect((await rui.open('/profile')).path, 'the session has ended').toBe('/sign-in');
    expect((await rui.signIn('rui@example.org')).text).toContain('The account is suspended');
    await team.send(at, {}, `${at}/reinstate`);
    expect([await status(), (await rui.open('/profile')).path]).toEqual([200, '/sign-in']);
    await rui.signIn('rui@example.org');

    const not = await team.send(`${at}/remove`, { name: 'Rut' });
    expect([not.status, await status()]).toEqual([400, 200]);
    expect((await team.send(`${at}/remove`, { name: 'Rui' })).text).toContain('The account has been removed for good');
    expect(await status()).toBe(401);
    expect((await rui.open('/profile')).path).toBe('/sign-in');
    const gone = await rui.signIn('rui@example.org');
    expect([gone.status, gone.text]).toEqual([403, expect.stringContaining('Wrong email or password')]);
    expect((await team.open(at)).html).not.toMatch(/Reinstate|Unlock API|Set the limits/);
    for (const what of ['unlock', 'reinstate']) {
      const back = await team.post(`${at}/${what}`, { csrf: await team.csrf() });
      expect([back.status, back.text]).toEqual([400, expect.stringContaining('which is final')]);
    }
    expect(await status()).toBe(401);

    const log = (await team.open('/team/activity')).text;
    for (const entry of [
      'removed the account Rui',
      'suspended the account Rui',
      'unlocked API access Rui',
      'created a key mine',
    ]) {
      expect(log).toContain(entry);
    }
  },
);

testBackends('the service team revokes a key and turns off somebody’s two-step sign-in', async (start) => {
  const dashboard = await start();
  await dashboard.person('team@example.org', 'service', null);
  const { id } = await dashboard.person('ada@example.org', 'administrator', 'ministry');
  await dashboard.directory.factors.turnOn(id, { secret: 'A'.repeat(32), step: 0, codeHashes: [] }, 1);
  const team = await dashboard.signedIn('team@example.org');
  expect((await team.send(`/team/people/${id}`, {}, `/team/people/${id}/two-step-off`)).text).toContain(
    'has been turned off',
  );
  const ada = await dashboard.signedIn('ada@example.org');
  await ada.send(
    '/settings/api-access/new',
    { name: 'k', kind: 'test', scopes: 'forecasts', lasts: '90' },
    '/settings/api-access',
  );
  const { key, owner } = (await dashboard.store.listKeys())[0]!;
  const at = `/team/accounts/${owner.id}`;
  expect((await team.send(`${at}/keys/${key.id}/revoke`, {})).text).toContain('The key has been revoked');
  expect((await dashboard.store.listKeys())[0]!.key.revoked_at).not.toBeNull();
  const own = (await ada.open('/settings/activity')).text;
  expect(own).toMatch(/service team revoked a key k/);
  expect(own).toMatch(/service team turned off two-step sign-in for ada@example.org/);
  expect(own, 'it is not revealed who in the service it was').not.toContain('team@example.org');
});

testBackends(
  'if the mail fails, whoever invites sees the link; a link for a new password is neither shown nor logged',
  async (start) => {
    // Nothing listens there.
    const dashboard = await start({ mail: 'smtp://127.0.0.1:1' });
    const ada = await dashboard.ada();
    const people = '/settings/people';
    const invited = await ada.send(people, { email: 'ben@example.org', role: 'member' }, `${people}/invitations`);
    expect(invited.text).toContain('The mail could not be sent Give this link to ben@example.org and to nobody else');
    const link = /(\/link\/[\w-]{43})</.exec(invited.html)![1]!;
    const ben = await dashboard.visitor().send(link, { name: 'Ben', password: PASSWORD, again: PASSWORD });
    expect(ben.text).toContain('Keys are created by administrators');
    const stranger = dashboard.visitor();
    const pages = [];
    for (const email of ['ada@example.org', 'nobody@example.org'])
      pages.push(await stranger.send('/forgotten', { email }));
    expect(pages[0]!.html).toBe(pages[1]!.html);
    expect(pages[0]!.text).toContain('If this address has an account, a link is on its way');
    const failures = async () => {
      const metrics = await (await fetch(`${dashboard.opsUrl}/metrics`)).text();
      return /malaria_failures_total\{cause="mail"\} (\d+)/.exec(metrics)![1];
    };
    await expect.poll(failures, { timeout: 20_000 }).toBe('2');
    await dashboard.close();
    expect(dashboard.reports.join('\n')).toContain('mail not sent: ');
    for (const shown of [pages[0]!.html, ...dashboard.reports]) expect(shown).not.toMatch(/\/link\//);
  },
);
