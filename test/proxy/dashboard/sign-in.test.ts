import { expect } from 'vitest';
import { codeAt, STEP_MS } from '../../support/proxy/authenticator.ts';
import { linkIn, movableClock, PASSWORD, testBackends } from '../../support/proxy/dashboard.ts';

const NEW_PASSWORD = 'eleven kites above jos';

testBackends('somebody who was invited signs in with the password and signs out', async (start) => {
  const dashboard = await start();
  await dashboard.person('ada@example.org', 'administrator', 'ministry');
  const someone = dashboard.visitor();
  expect((await someone.open('/profile')).path).toBe('/sign-in');
  const before = await someone.signIn('Ada@Example.org ', 'not the password');
  expect([before.status, before.text]).toEqual([403, expect.stringContaining('Wrong email or password')]);
  await someone.signIn('Ada@Example.org ');
  expect((await someone.open('/profile')).text).toContain('ada@example.org');
  const cookie = someone.cookies.get('session')!;
  const out = await someone.send('/profile', {}, '/sign-out');
  expect([out.path, out.text]).toEqual([
    '/sign-in?done=signed-out',
    expect.stringContaining('You have been signed out'),
  ]);
  someone.cookies.set('session', cookie);
  expect((await someone.open('/profile')).path).toBe('/sign-in');
});

testBackends('a session ends after an hour without a request, and after twelve hours in any case', async (start) => {
  const clock = movableClock();
  const dashboard = await start({ clock });
  await dashboard.person('ada@example.org', 'administrator', 'ministry');
  const isIn = async () => (await someone.open('/profile')).path === '/profile';
  const someone = await dashboard.signedIn('ada@example.org');
  for (let minutes = 0; minutes < 12 * 60 - 50; minutes += 50) {
    clock.forward(50 * 60_000);
    expect(await isIn()).toBe(true);
  }
  clock.forward(50 * 60_000);
  expect(await isIn()).toBe(false);
  await someone.signIn('ada@example.org');
  clock.forward(61 * 60_000);
  expect(await isIn()).toBe(false);
});

testBackends('a forgotten password is reset by a mailed link that works once and ends every session', async (start) => {
  const clock = movableClock();
  const dashboard = await start({ clock });
  const elsewhere = await dashboard.ada();
  const someone = dashboard.visitor();
  const ask = async () => {
    // Wrong passwords can cause mails, too.
    const links = () => dashboard.mails().filter((mail) => mail.includes('/link/'));
    const count = links().length;
    await someone.send('/forgotten', { email: 'ada@example.org' });
    await expect.poll(() => links().length, { timeout: 20_000 }).toBe(count + 1);
    return linkIn(links().at(-1));
  };
  const first = await ask();
  const link = await ask();
  expect((await someone.open(first)).status, 'a newer link replaces an older one').toBe(404);
  const short = await someone.send(link, { password: 'short', again: 'short' });
  expect([short.status, short.text]).toEqual([400, expect.stringContaining('Use at least 12 characters.')]);
  const other = await someone.send(link, { password: NEW_PASSWORD, again: PASSWORD });
  expect(other.text).toContain('The passwords do not match.');
  const forms = [
    await someone.fillIn(link, { password: NEW_PASSWORD, again: NEW_PASSWORD }),
    await dashboard.visitor().fillIn(link, { password: `${NEW_PASSWORD}!`, again: `${NEW_PASSWORD}!` }),
  ];
  const both = await Promise.all(forms.map((send) => send()));
  expect(both.map(({ status }) => status).sort()).toEqual([200, 404]);
  const password = both[0]!.status === 200 ? NEW_PASSWORD : `${NEW_PASSWORD}!`;
  expect((await someone.open(link)).status).toBe(404);
  expect((await elsewhere.open('/profile')).path).toBe('/sign-in');
  expect((await dashboard.visitor().signIn('ada@example.org')).status).toBe(403);
  expect((await dashboard.visitor().signIn('ada@example.org', password)).status).toBe(200);
  const late = await ask();
  clock.forward(3_600_001);
  expect((await someone.open(late)).status).toBe(404);
});

testBackends(
  'two-step sign-in is turned on with a code, requires a new code or a recovery code, and is turned off with a code',
  async (start) => {
    const clock = movableClock();
    const dashboard = await start({ clock });
    const someone = await dashboard.ada();
    const setUp = await someone.open('/profile/two-step');
    const secret = /name="secret" value="([A-Z2-7]{32})"/.exec(setUp.html)![1]!;
    const code = () => codeAt(secret, Math.floor(clock.wallMs() / STEP_MS));
    const csrf = await someone.csrf();
    const on = (fields: Record<string, string>) => someone.post('/profile/two-step', { csrf, secret, ...fields });
    expect((await on({ code: code(), current: 'wrong' })).text).toContain('This is not your current password');
    expect((await on({ code: 'abcdef', current: PASSWORD })).text).toContain('This is not the code that the app shows');
    const used = code();
    const done = await on({ code: used, current: PASSWORD });
    const recovery = /<code id="codes"[^>]*>([^<]+)</.exec(done.html)![1]!.split('\n');
    expect(new Set(recovery).size).toBe(10);

    const again = dashboard.visitor();
    expect((await again.signIn('ada@example.org')).path).toBe('/sign-in/code');
    for (const path of ['/profile', '/settings/api-access', '/']) {
      expect((await again.open(path)).path, 'a password alone opens nothing').toMatch(/^\/sign-in/);
    }
    expect((await again.send('/sign-in/code', { code: used })).status, 'a code works once').toBe(403);
    clock.forward(STEP_MS);
    const next = code();
    expect((await again.send('/sign-in/code', { code: ` ${next.slice(0, 3)} ${next.slice(3)}` })).status).toBe(200);
    expect((await again.open('/profile')).text).toContain('Two-step sign-in on');
    const second = dashboard.visitor();
    await second.signIn('ada@example.org');
    expect((await second.send('/sign-in/code', { code: next })).status).toBe(403);
    expect((await second.send('/sign-in/code', { code: recovery[3]!.toUpperCase() })).status).toBe(200);
    const third = dashboard.visitor();
    await third.signIn('ada@example.org');
    expect((await third.send('/sign-in/code', { code: recovery[3]! })).status, 'a recovery code works once').toBe(403);
    expect((await second.open('/profile')).text).toContain('9 recovery codes are left');
    const renewed = await second.send('/profile', {}, '/profile/two-step/codes');
    const [fresh] = /<code id="codes"[^>]*>([^<]+)</.exec(renewed.html)![1]!.split('\n');
    expect((await second.open('/profile')).text).toContain('10 recovery codes are left');
    for (const [earlier, status] of [
      [recovery[4]!, 403],
      [fresh!, 200],
    ] as const) {
      const fourth = dashboard.visitor();
      await fourth.signIn('ada@example.org');
      expect((await fourth.send('/sign-in/code', { code: earlier })).status).toBe(status);
    }
    clock.forward(11 * 60_000);
    expect((await third.open('/sign-in/code')).path, 'the time for the code is over').toBe('/sign-in');
    const unconfirmed = await second.send('/profile', {}, '/profile/two-step/codes');
    expect([unconfirmed.status, unconfirmed.text]).toEqual([403, expect.stringContaining('enter a code again')]);

    const page = await second.send('/profile/two-step/off', {});
    expect([page.status, page.text]).toEqual([403, expect.stringContaining('please enter a code again')]);
    const off = async (field: string, value: string) =>
      second.post('/profile/two-step/off', { csrf: await second.csrf(), [field]: value });
    expect((await off('current', PASSWORD)).status, 'the password does not suffice').toBe(403);
    expect((await off('code', next)).status, 'nor a code used before').toBe(403);
    expect((await off('code', code())).text).toContain('Two-step sign-in is off');
    expect((await dashboard.visitor().signIn('ada@example.org')).path).not.toBe('/sign-in/code');
  },
);

testBackends('changing the password requires the old one and ends all other sessions', async (start) => {
  const dashboard = await start();
  await dashboard.person('ada@example.org', 'administrator', 'ministry');
  const [here, elsewhere] = [await dashboard.signedIn('ada@example.org'), await dashboard.signedIn('ada@example.org')];
  const change = (current: string) =>
    here.send('/profile', { current, password: NEW_PASSWORD, again: NEW_PASSWORD }, '/profile/password');
  expect((await change('wrong')).status).toBe(400);
  const thief = dashboard.visitor();
  thief.cookies.set('session', here.cookies.get('session')!);
  expect((await change(PASSWORD)).text).toContain('Your password has been changed');
  expect((await thief.open('/profile')).path, 'a thief with the same session is signed out').toBe('/sign-in');
  expect([(await here.open('/profile')).path, (await elsewhere.open('/profile')).path]).toEqual([
    '/profile',
    '/sign-in',
  ]);
  const third = dashboard.visitor();
  await third.signIn('ada@example.org', NEW_PASSWORD);
  await here.send('/profile', {}, '/profile/sessions');
  expect((await third.open('/profile')).path).toBe('/sign-in');
});
