/** Mandatory two-step sign-in, confirmation by password or code, and the handling of failed attempts. */
import { expect, test } from 'vitest';
import { COMMAND_LINE } from '../../../proxy/store/audit.ts';
import { mintSecret } from '../../../proxy/store/people/totp.ts';
import { codeAt, STEP_MS } from '../../support/proxy/authenticator.ts';
import { rowsIn } from '../../support/proxy/backends.ts';
import {
  type Dashboard,
  movableClock,
  PASSWORD,
  startDashboard,
  testBackends,
  type Visitor,
} from '../../support/proxy/dashboard.ts';

const ADA = 'ada@example.org';
const TEAM = 'team@example.org';
const TEN_MINUTES = 10 * 60_000;

/** Sets up two-step sign-in on the page that requires it. */
async function setUp(someone: Visitor): Promise<{ secret: string; text: string }> {
  const page = await someone.open('/profile/two-step');
  const secret = /name="secret" value="([A-Z2-7]{32})"/.exec(page.html)![1]!;
  const code = codeAt(secret, Math.floor(Date.now() / STEP_MS));
  const done = await someone.send('/profile/two-step', { secret, code, current: PASSWORD });
  return { secret, text: done.text };
}

/** Signs in somebody of the service team without two-step sign-in, as in a store from before it was required. */
async function withoutFactor(dashboard: Dashboard): Promise<Visitor> {
  const { id } = await dashboard.person(TEAM, 'service', null);
  await dashboard.directory.factors.turnOff(id, Date.now(), COMMAND_LINE);
  const someone = dashboard.visitor();
  await someone.signIn(TEAM);
  return someone;
}

testBackends(
  'the first person of the service team must set up two-step sign-in before anything else',
  async (start) => {
    const dashboard = await start();
    const someone = await withoutFactor(dashboard);
    for (const path of ['/', '/team/accounts', '/team/people', '/team/activity', '/profile']) {
      const page = await someone.open(path);
      expect([page.path, page.text]).toEqual([
        '/profile/two-step',
        expect.stringContaining('Your role requires two-step'),
      ]);
    }
    const csrf = await someone.csrf();
    const sent = await someone.post('/team/accounts', {
      csrf,
      kind: 'organisation',
      name: 'x',
      email: 'x@example.org',
    });
    expect([sent.path, await dashboard.store.findAccount('x')]).toEqual(['/profile/two-step', null]);
    expect((await setUp(someone)).text).toContain('Your recovery codes');
    expect((await someone.open('/team/accounts')).path).toBe('/team/accounts');
    const again = dashboard.visitor();
    expect((await again.signIn(TEAM)).path).toBe('/sign-in/code');
  },
);

testBackends(
  'people whose two-step sign-in was turned off, by themselves or others, must set it up again',
  async (start) => {
    const dashboard = await start();
    const { id } = await dashboard.person(TEAM, 'service', null);
    const someone = await dashboard.signedIn(TEAM);
    await someone.send('/profile/two-step/off', {});
    expect((await someone.open('/team/accounts')).path).toBe('/profile/two-step');
    await setUp(someone);
    await dashboard.directory.factors.turnOff(id, Date.now(), COMMAND_LINE);
    const back = dashboard.visitor();
    expect((await back.signIn(TEAM)).path).toBe('/profile/two-step');
  },
);

testBackends('other roles must set up two-step sign-in only if a setting requires it', async (start) => {
  const roles = [
    [ADA, 'administrator', 'ministry'],
    ['mia@example.org', 'member', 'ministry'],
    ['rui@example.org', 'researcher', 'Rui'],
  ] as const;
  for (const twoStep of [[], ['administrator', 'researcher']] as const) {
    const dashboard = await start({ twoStep });
    const paths = [];
    for (const [email, role, account] of roles) {
      if (!(await dashboard.directory.credentialsByEmail(email))) await dashboard.person(email, role, account);
      paths.push((await (await dashboard.signedIn(email)).open('/profile')).path);
    }
    const [open, closed] = ['/profile', '/profile/two-step'];
    expect(paths).toEqual(twoStep.length === 0 ? [open, open, open] : [closed, open, closed]);
    await dashboard.close();
  }
});

testBackends('if two visitors set up two-step sign-in at once with one password, only one succeeds', async (start) => {
  const dashboard = await start();
  const [owner, thief] = [await withoutFactor(dashboard), dashboard.visitor()];
  await thief.signIn(TEAM);
  const forms = await Promise.all(
    [owner, thief].map(async (someone) => {
      const secret = mintSecret();
      const code = codeAt(secret, Math.floor(Date.now() / STEP_MS));
      return someone.fillIn('/profile/two-step', { secret, code, current: PASSWORD });
    }),
  );
  const pages = await Promise.all(forms.map((send) => send()));
  expect(pages.filter(({ text }) => text.includes('Your recovery codes')).length).toBe(1);
  const paths = await Promise.all([owner, thief].map(async (one) => (await one.open('/team/accounts')).path));
  expect(paths.sort()).toEqual(['/sign-in', '/team/accounts']);
});

/** Actions for which a stolen session must not suffice: the page of the form, the fields, the trace in the store. */
const ACTIONS = {
  'inviting to the service team': {
    who: TEAM,
    at: '/team/people',
    fields: { email: 'a@new.example' },
    to: '/team/people/invitations',
    trace: "links WHERE email = 'a@new.example'",
  },
  'an account with its administrator': {
    who: TEAM,
    at: '/team/accounts/new',
    fields: { kind: 'organisation', name: 'new', email: 'b@new.example' },
    to: '/team/accounts',
    trace: "accounts WHERE name = 'new'",
  },
  limits: {
    who: TEAM,
    at: '/team/accounts/ACCOUNT',
    fields: { per_minute: '7', per_month: '' },
    to: '/team/accounts/ACCOUNT/limits',
    trace: 'accounts WHERE per_minute = 7',
  },
  'turning off another’s two-step sign-in': {
    who: TEAM,
    at: '/team/people/SECOND',
    fields: {},
    to: '/team/people/SECOND/two-step-off',
    trace: "people WHERE email = 'second@example.org' AND factor_secret IS NULL",
  },
  'turning off two-step sign-in': {
    who: TEAM,
    at: '/profile/two-step/off',
    fields: {},
    to: '/profile/two-step/off',
    trace: "people WHERE email = 'team@example.org' AND factor_secret IS NULL",
  },
  'inviting an administrator': {
    who: ADA,
    at: '/settings/people',
    fields: { email: 'c@new.example', role: 'administrator' },
    to: '/settings/people/invitations',
    trace: "links WHERE email = 'c@new.example'",
  },
  'a role': {
    who: ADA,
    at: '/settings/people/MIA',
    fields: { role: 'administrator' },
    to: '/settings/people/MIA/role',
    trace: "people WHERE email = 'mia@example.org' AND role = 'administrator'",
  },
  'a live key': {
    who: ADA,
    at: '/settings/api-access/new',
    fields: { name: '<k>', kind: 'live', scopes: ['risk_scores', 'forecasts'], lasts: '90' },
    to: '/settings/api-access',
    trace: "keys WHERE name = '<k>' AND scopes = 'risk_scores,forecasts'",
  },
};

testBackends(
  'actions for which a stolen session must not suffice require the password or a code again after ten minutes',
  async (start) => {
    const clock = movableClock();
    const dashboard = await start({ clock });
    await dashboard.person(TEAM, 'service', null);
    const second = await dashboard.person('second@example.org', 'service', null);
    await dashboard.person(ADA, 'administrator', 'ministry');
    const mia = await dashboard.person('mia@example.org', 'member', 'ministry');
    const { id } = await dashboard.account('ministry');
    const put = (path: string) => path.replace('ACCOUNT', id).replace('MIA', mia.id).replace('SECOND', second.id);
    for (const [name, { who, at, fields, to, trace }] of Object.entries(ACTIONS)) {
      const isDone = async () => (await rowsIn(dashboard.storeUrl, `SELECT 1 FROM ${trace}`)).length === 1;
      const someone = await dashboard.signedIn(who);
      clock.forward(TEN_MINUTES);
      const page = await someone.send(put(at), fields, put(to));
      expect([name, page.status, page.text]).toEqual([name, 403, expect.stringContaining('Confirm that it is you')]);
      // The page repeats all fields that were sent.
      const kept: Record<string, string[]> = {};
      for (const [, field, value] of page.html.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)"/g)) {
        kept[field!] = [...(kept[field!] ?? []), value!.replace('&lt;', '<').replace('&gt;', '>')];
      }
      kept.csrf = kept.csrf!.slice(1);
      const field = who === TEAM ? 'code' : 'current';
      const wrong = await someone.post(put(to), { ...kept, [field]: who === TEAM ? '000000' : 'wrong' });
      expect([name, wrong.status, await isDone()]).toEqual([name, 403, false]);
      const right = who === TEAM ? await dashboard.code(who) : PASSWORD;
      const done = await someone.post(put(to), { ...kept, [field]: right });
      expect([name, done.status, await isDone()]).toEqual([name, 200, true]);
    }
  },
);

testBackends(
  'a confirmation applies to its own session only, and a new password does not replace a code',
  async (start) => {
    const clock = movableClock();
    const dashboard = await start({ clock });
    const { id } = await dashboard.person(ADA, 'administrator', 'ministry');
    const makeKey = async (someone: Visitor, more: Record<string, string> = {}) => {
      const fields = {
        csrf: await someone.csrf(),
        name: 'k',
        kind: 'live',
        scopes: 'risk_scores',
        lasts: '90',
        ...more,
      };
      return (await someone.post('/settings/api-access', fields)).status;
    };
    const [here, elsewhere] = [await dashboard.signedIn(ADA), await dashboard.signedIn(ADA)];
    expect(await makeKey(here), 'a sign-in suffices for ten minutes').toBe(200);
    clock.forward(TEN_MINUTES);
    expect(await makeKey(here, { kind: 'test' }), 'a test key reads the same data').toBe(403);
    expect([await makeKey(here), await makeKey(here, { current: PASSWORD }), await makeKey(here)]).toEqual([
      403, 200, 200,
    ]);
    expect(await makeKey(elsewhere)).toBe(403);
    clock.forward(-2 * TEN_MINUTES);
    expect(await makeKey(here), 'with the clock set back, a confirmation does not last longer').toBe(403);
    clock.forward(2 * TEN_MINUTES);

    // Somebody who has stolen the session and knows the password, but does not have the phone.
    const secret = mintSecret();
    await dashboard.directory.factors.turnOn(id, { secret, step: 0, codeHashes: [] }, Date.now());
    const password = 'eleven kites above jos';
    await elsewhere.send('/profile', { current: PASSWORD, password, again: password }, '/profile/password');
    expect((await elsewhere.open('/profile')).path).toBe('/profile');
    expect([await makeKey(elsewhere), await makeKey(elsewhere, { current: password })]).toEqual([403, 403]);
    const tries = [];
    for (let i = 0; i < 6; i++) tries.push(await makeKey(elsewhere, { code: '12345' }));
    expect(tries, 'codes cannot be guessed here either').toEqual([403, 403, 403, 403, 403, 429]);
    expect((await elsewhere.open('/profile')).path).toBe('/sign-in');
  },
);

testBackends('failed attempts appear in the audit log and the metrics, and a few a day are mailed', async (start) => {
  const clock = movableClock();
  const dashboard = await start({ clock });
  await dashboard.person(ADA, 'administrator', 'ministry');
  await dashboard.person(TEAM, 'service', null);
  const at = (address: string) => dashboard.visitor({ 'x-forwarded-for': address });
  await at('203.0.113.1').signIn(ADA, 'wrong');
  await at('203.0.113.2').signIn('nobody@example.org', 'wrong');
  const team = await dashboard.signedIn(TEAM);
  await team.send('/profile', {}, '/sign-out');
  await team.signIn(TEAM, 'wrong');
  await team.signIn(TEAM);
  await team.send('/sign-in/code', { code: '12345' });
  const lines = async () =>
    (await dashboard.directory.listAudit({ limit: 100 }))
      .filter(({ action }) => action.endsWith('.wrong'))
      .map(({ actor, action, subject, detail, account_id }) => [actor, action, subject, detail, account_id])
      .sort();
  const { id } = await dashboard.account('ministry');
  await expect.poll(lines, { timeout: 20_000 }).toEqual([
    ['somebody', 'code.wrong', TEAM, 'from 127.0.0.0/24', null],
    ['somebody', 'password.wrong', ADA, 'from 203.0.113.0/24', id],
    ['somebody', 'password.wrong', 'nobody@example.org', 'from 203.0.113.0/24', null],
    ['somebody', 'password.wrong', TEAM, 'from 127.0.0.0/24', null],
  ]);
  await expect.poll(() => dashboard.mails().length, { timeout: 20_000 }).toBe(2);
  const [toAda, toTeam] = [ADA, TEAM].map((to) => dashboard.mails().find((mail) => mail.includes(`To: ${to}\n`)));
  expect(toAda).toMatch(/from 203\.0\.113\.1 and gave a wrong password\./);
  // The wrong password in a known browser is not mailed, the wrong code is.
  expect(toTeam).toMatch(/wrong code for two-step sign-in/);
  expect(toTeam).toMatch(/choose a new password at once: http.*\/forgotten/);
  const ada = await dashboard.signedIn(ADA);
  expect((await ada.open('/settings/activity')).text).toContain('somebody gave a wrong password for ada@example.org');
  const metrics = await (await fetch(`${dashboard.opsUrl}/metrics`)).text();
  for (const [outcome, count] of Object.entries({ signed_in: 2, wrong_password: 3, wrong_code: 1, too_many: 0 })) {
    expect(metrics).toContain(`malaria_sign_ins_total{outcome="${outcome}"} ${count}\n`);
  }

  // Hours of attempts from many addresses cause few mails, and a log that grows no faster than allowed.
  for (let quarter = 0; quarter < 8; quarter++) {
    await Promise.all(Array.from({ length: 10 }, (_, i) => at(`198.51.${quarter}.${i}`).signIn(ADA, 'wrong')));
    clock.forward(15 * 60_000);
  }
  await dashboard.close();
  expect(dashboard.mails().filter((mail) => mail.includes(`To: ${ADA}\n`)).length).toBe(3);
  const logged = (
    await rowsIn(dashboard.storeUrl, `SELECT 1 FROM audit WHERE subject = '${ADA}' AND action = 'password.wrong'`)
  ).length;
  expect(logged).toBeGreaterThan(20);
  expect(logged).toBeLessThanOrEqual(3 * 20);
});

test('the service team must set up two-step sign-in, also in a session that was open before', async () => {
  const dashboard = await startDashboard();
  const someone = await withoutFactor(dashboard);
  await dashboard.store.database.db.updateTable('sessions').set({ confirmed_at: 0 }).execute();
  await dashboard.close();
  const again = await startDashboard({ store: dashboard.storeUrl });
  const moved = again.visitor();
  for (const [name, value] of someone.cookies) moved.cookies.set(name, value);
  expect((await moved.open('/team/accounts')).path).toBe('/profile/two-step');
  await setUp(moved);
  const csrf = await moved.csrf();
  const invite = await moved.post('/team/people/invitations', { csrf, email: 'new@example.org' });
  expect([invite.status, invite.text]).toEqual([403, expect.stringContaining('please enter a code again')]);
});
