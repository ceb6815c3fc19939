import { once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { DAY_MS, HOUR_MS } from '../../../pipeline/lib/clock.ts';
import { openMailer } from '../../../proxy/dashboard/mail/mailer.ts';
import { QUARTER_HOUR_MS } from '../../../proxy/dashboard/pages/confirm.ts';
import type { ServerOptions } from '../../../proxy/server/server.ts';
import { COMMAND_LINE } from '../../../proxy/store/audit.ts';
import { hashToken, mintToken } from '../../../proxy/store/people/tokens.ts';
import { mintSecret } from '../../../proxy/store/people/totp.ts';
import { codeAt, STEP_MS } from '../../support/proxy/authenticator.ts';
import { rowsIn } from '../../support/proxy/backends.ts';
import {
  type Dashboard,
  linkIn,
  movableClock,
  PASSWORD,
  type Page,
  startDashboard,
  testBackends,
  type Visitor,
} from '../../support/proxy/dashboard.ts';

const NEW_PASSWORD = 'eleven kites above jos';
const ADA = 'ada@example.org';

async function withAda(start: typeof startDashboard, options: Partial<ServerOptions> = {}): Promise<Dashboard> {
  const dashboard = await start(options);
  await dashboard.person(ADA, 'administrator', 'ministry');
  return dashboard;
}

let strangers = 0;
/** A visitor with another address each time. */
function stranger(dashboard: Dashboard): Visitor {
  strangers++;
  return dashboard.visitor({ 'x-forwarded-for': `198.51.${strangers >> 8}.${strangers & 255}` });
}

testBackends('a session id that was planted before sign-in is useless after it', async (start) => {
  const dashboard = await withAda(start);
  const victim = dashboard.visitor();
  const planted = mintToken();
  victim.cookies.set('session', planted);
  await victim.signIn(ADA);
  expect((await victim.open('/profile')).path).toBe('/profile');
  expect(victim.cookies.get('session')).not.toBe(planted);
  const attacker = dashboard.visitor();
  attacker.cookies.set('session', planted);
  expect((await attacker.open('/profile')).path).toBe('/sign-in');
  const used = victim.cookies.get('session')!;
  await victim.send('/profile', {}, '/sign-out');
  expect(victim.cookies.get('session'), 'a new visit gets another id').not.toBe(used);
});

testBackends(
  'the second step of sign-in issues another session id, and the first one becomes invalid',
  async (start) => {
    const dashboard = await withAda(start);
    await dashboard.useCodes(ADA);
    const victim = dashboard.visitor();
    await victim.signIn(ADA);
    const pending = victim.cookies.get('session')!;
    const code = await dashboard.code(ADA);
    expect((await victim.send('/sign-in/code', { code })).status).toBe(200);
    const attacker = dashboard.visitor();
    attacker.cookies.set('session', pending);
    for (const path of ['/profile', '/sign-in/code']) expect((await attacker.open(path)).path).toBe('/sign-in');
  },
);

testBackends('of two visitors who send the same code at once, only one is signed in', async (start) => {
  const dashboard = await withAda(start);
  await dashboard.useCodes(ADA);
  const both = [stranger(dashboard), stranger(dashboard)];
  for (const one of both) await one.signIn(ADA);
  const code = await dashboard.code(ADA);
  const codes = await Promise.all(both.map((one) => one.fillIn('/sign-in/code', { code })));
  const pages = await Promise.all(codes.map((send) => send()));
  expect(pages.map(({ status }) => status).sort()).toEqual([200, 403]);
});

testBackends(
  'codes cannot be guessed: after five attempts there are no more, and the password is required again',
  async (start) => {
    const dashboard = await withAda(start);
    await dashboard.useCodes(ADA);
    const attacker = stranger(dashboard);
    const secret = (await dashboard.directory.credentialsByEmail(ADA))!.factorSecret!;
    const present = Math.floor(Date.now() / STEP_MS);
    const near = [-2, -1, 0, 1, 2].map((by) => codeAt(secret, present + by));
    const wrong = ['000000', '000001', '000002', '000003', '000004', '000005'].find((code) => !near.includes(code))!;
    const tries: number[] = [];
    for (let i = 0; i < 6; i++) {
      if (i === 3) await attacker.signIn(ADA);
      if (i === 0) await attacker.signIn(ADA);
      tries.push((await attacker.send('/sign-in/code', { code: wrong })).status);
    }
    expect(tries).toEqual([403, 403, 403, 403, 403, 429]);
    expect((await attacker.open('/sign-in/code')).path).toBe('/sign-in');
  },
);

testBackends(
  'codes cannot be guessed slowly either: 50 wrong ones in 30 days are the end, except in known browsers',
  async (start) => {
    const clock = movableClock();
    const dashboard = await withAda(start, { clock });
    const known = await dashboard.signedIn(ADA);
    await known.send('/profile', {}, '/sign-out');
    await dashboard.useCodes(ADA);
    const attacker = stranger(dashboard);
    const statuses: number[] = [];
    for (let quarter = 0; quarter < 11; quarter++) {
      await attacker.signIn(ADA);
      for (let i = 0; i < 5 && statuses.at(-1) !== 429; i++) {
        statuses.push((await attacker.send('/sign-in/code', { code: '12345' })).status);
      }
      clock.forward(QUARTER_HOUR_MS);
    }
    expect(statuses).toEqual([...Array(50).fill(403), 429]);
    await attacker.signIn(ADA);
    const refused = await attacker.send('/sign-in/code', { code: await dashboard.code(ADA) });
    expect([refused.status, refused.text]).toEqual([429, expect.stringContaining('Try again in 30 days')]);
    await known.signIn(ADA);
    expect((await known.send('/sign-in/code', { code: await dashboard.code(ADA) })).status).toBe(200);
    clock.forward(30 * DAY_MS);
    await attacker.signIn(ADA);
    expect((await attacker.send('/sign-in/code', { code: await dashboard.code(ADA) })).status).toBe(200);
  },
);

testBackends('a clock set back does not make an old code valid again', async (start) => {
  const clock = movableClock();
  const dashboard = await withAda(start, { clock });
  await dashboard.useCodes(ADA);
  const old = await dashboard.code(ADA);
  const someone = stranger(dashboard);
  clock.forward(HOUR_MS);
  await someone.signIn(ADA);
  expect((await someone.send('/sign-in/code', { code: old })).status).toBe(403);
  clock.forward(-HOUR_MS);
  await someone.signIn(ADA);
  expect((await someone.send('/sign-in/code', { code: old })).status).toBe(403);
});

testBackends(
  'brute force: after ten attempts at an email from anywhere even the right password is refused',
  async (start) => {
    const clock = movableClock();
    const dashboard = await withAda(start, { clock });
    const known = await dashboard.signedIn(ADA);
    await known.send('/profile', {}, '/sign-out');
    const statuses = await Promise.all(
      Array.from({ length: 25 }, async () => (await stranger(dashboard).signIn(ADA, 'wrong')).status),
    );
    expect(statuses.filter((status) => status === 403).length, 'even if all arrive at once').toBe(10);
    expect(statuses.filter((status) => status === 429).length).toBe(15);
    const reported = dashboard.reports.filter((line) =>
      /too many failed sign-ins, most recently from 198\.51\.\d+\.0\/24$/.test(line),
    );
    expect(reported.length, 'it is reported to the operator once').toBe(1);
    const right = await stranger(dashboard).signIn(ADA);
    expect([right.status, right.text]).toEqual([429, expect.stringMatching(/Try again in 1\d minutes/)]);
    expect(Number(right.headers.get('retry-after'))).toBeGreaterThan(500);

    expect((await known.signIn(ADA)).status, 'a known browser is not locked out').toBe(200);
    const elsewhere = stranger(dashboard);
    await elsewhere.send('/forgotten', { email: ADA });
    const withLink = () => dashboard.mails().filter((mail) => mail.includes('/link/'));
    await expect.poll(() => withLink().length, { timeout: 20_000 }).toBe(1);
    const link = linkIn(withLink()[0]);
    expect(dashboard.mails().length, 'only three of the attempts are mailed').toBe(1 + 3);
    await elsewhere.send(link, { password: NEW_PASSWORD, again: NEW_PASSWORD });
    expect((await elsewhere.signIn(ADA, NEW_PASSWORD)).status, 'nor is somebody who opens a mailed link').toBe(200);

    for (let i = 0; i < 10; i++) await known.signIn(ADA, 'wrong');
    expect((await known.signIn(ADA, NEW_PASSWORD)).status, 'a known browser has ten attempts too').toBe(429);
    clock.forward(15 * 60_000);
    expect((await stranger(dashboard).signIn(ADA, NEW_PASSWORD)).status).toBe(200);
  },
);

testBackends('brute force: an address has fifty attempts, whatever the emails', async (start) => {
  const dashboard = await withAda(start);
  const attacker = dashboard.visitor({ 'x-forwarded-for': '203.0.113.9' });
  const csrf = await attacker.csrf('/sign-in');
  const attempt = (who: Visitor, email: string, password = 'wrong') => who.post('/sign-in', { csrf, email, password });
  const pages = await Promise.all(Array.from({ length: 51 }, (_, i) => attempt(attacker, `nobody${i}@example.org`)));
  expect(pages.map(({ status }) => status).sort()).toEqual([...Array(50).fill(403), 429]);
  expect((await attempt(attacker, ADA, PASSWORD)).status).toBe(429);
  expect((await stranger(dashboard).signIn(ADA)).status, 'others can sign in').toBe(200);
});

test('X-Forwarded-For is trusted only if a setting allows it', async () => {
  const dashboard = await startDashboard({ trustProxy: [] });
  const pages = await Promise.all(
    Array.from({ length: 51 }, (_, i) => stranger(dashboard).signIn(`nobody${i}@example.org`, 'wrong')),
  );
  expect(pages.map(({ status }) => status).sort()).toEqual([...Array(50).fill(403), 429]);
});

testBackends('emails cannot be discovered: sign-in and password reset answer the same for all', async (start) => {
  const dashboard = await withAda(start);
  await dashboard.person('removed@example.org', 'member', 'ministry');
  const { person } = (await dashboard.directory.credentialsByEmail('removed@example.org'))!;
  await dashboard.directory.removePerson(person.id, Date.now(), COMMAND_LINE);
  await dashboard.person('gone@example.org', 'administrator', 'gone');
  await dashboard.store.changeAccount('gone', 'remove', Date.now());
  const invited = { email: 'invited@example.org', role: 'member', accountId: person.account_id } as const;
  await dashboard.directory.links.invite({ ...invited, hash: hashToken(mintToken()) }, Date.now(), COMMAND_LINE);
  const emails = [ADA, 'nobody@example.org', 'removed@example.org', 'gone@example.org', 'invited@example.org'];
  const shape = ({ status, html, headers }: Page, email: string) => ({
    status,
    html: html.replaceAll(email, 'EMAIL').replace(/name="csrf" value="[^"]+"/g, ''),
    cookies: headers.getSetCookie().map((cookie) => cookie.split('=')[0]),
  });
  const answers = async (path: string, fields: object) =>
    Promise.all(emails.map(async (email) => shape(await stranger(dashboard).send(path, { email, ...fields }), email)));
  for (const [path, fields, status] of [
    ['/sign-in', { password: 'wrong' }, 403],
    ['/forgotten', {}, 200],
  ] as const) {
    const all = await answers(path, fields);
    for (const one of all) expect(one).toEqual({ ...all[0]!, status });
  }
  await expect.poll(() => dashboard.mails().length, { timeout: 20_000 }).toBe(2);
  for (const mail of dashboard.mails()) expect(mail, 'only one of them gets mails').toContain(`To: ${ADA}`);
  const links = async () => (await rowsIn(dashboard.storeUrl, "SELECT 1 FROM links WHERE purpose = 'reset'")).length;
  await expect.poll(links, { timeout: 20_000, message: 'as much is written for each' }).toBe(emails.length);
  for (const email of emails) {
    for (let i = 0; i < 10; i++) await stranger(dashboard).signIn(email, 'wrong');
  }
  const limited = await answers('/sign-in', { password: 'wrong' });
  for (const one of limited) expect(one).toEqual({ ...limited[0]!, status: 429 });
});

testBackends('an administrator cannot discover by invitations who has an account elsewhere', async (start) => {
  const dashboard = await withAda(start);
  await dashboard.person('ben@elsewhere.example', 'administrator', 'elsewhere');
  const ada = await dashboard.signedIn(ADA);
  const invite = (email: string) =>
    ada.send('/settings/people', { email, role: 'member' }, '/settings/people/invitations');
  const pages = [await invite('ben@elsewhere.example'), await invite('new@elsewhere.example')];
  const shown = pages.map(({ status, text }) => [status, text.includes('Pass the invitation on')]);
  expect(shown).toEqual([
    [200, true],
    [200, true],
  ]);
  const list = (await ada.open('/settings/people')).text;
  expect([list.includes('ben@elsewhere.example member'), list.includes('new@elsewhere.example member')]).toEqual([
    true,
    true,
  ]);
  await expect.poll(() => dashboard.mails().length, { timeout: 20_000 }).toBe(2);
  const toBen = dashboard.mails().find((mail) => mail.includes('To: ben@'))!;
  expect(toBen).toContain('You already have an account there');
  expect(toBen).not.toContain('/link/');
});

test('no input adds a header or a recipient to a mail', async () => {
  const dashboard = await withAda(startDashboard);
  const ada = await dashboard.signedIn(ADA);
  const csrf = await ada.csrf();
  for (const email of [
    'a@b.example\r\nBcc: c@d.example',
    'a@b.example\nSubject: x',
    'a@b.example, c@d.example',
    'a@b.example;c@d.example',
    '"a b"@c.example',
    'x <a@b.example>',
    'a@b.example%0d%0aBcc:c@d.example',
    'group:a@b.example;',
    'a@b@c.example',
  ]) {
    const page = await ada.post('/settings/people/invitations', { csrf, email, role: 'member' });
    expect([email, page.status]).toEqual([email, 400]);
    expect((await dashboard.visitor().send('/forgotten', { email })).status).toBe(400);
  }
  expect(dashboard.mails()).toEqual([]);
  const split = dashboard.store.createAccount('organisation', 'A\r\nBcc: c@d.example', 1);
  await expect(split).rejects.toThrow(/printable/);
  await expect(openMailer('outbox:x', 'a@b.example\nBcc: c@d.example')).rejects.toThrow();
});

testBackends('a password that was right when checked opens no session once it has been changed', async (start) => {
  const dashboard = await withAda(start);
  const { person, passwordHash } = (await dashboard.directory.credentialsByEmail(ADA))!;
  const token = hashToken(mintToken());
  const reset = hashToken(mintToken());
  await dashboard.directory.links.createReset(person.id, reset, Date.now(), null);
  await dashboard.directory.links.resetPassword(reset, 'another', Date.now());
  const credentials = { id: person.id, passwordHash, factorDue: false };
  expect(await dashboard.directory.sessions.open(token, credentials, Date.now())).toBe(false);
  expect(await dashboard.directory.sessions.findVisitor(token, Date.now())).toBeNull();
});

testBackends('a session that ended while its password was being checked cannot change the password', async (start) => {
  const dashboard = await withAda(start);
  const { person } = (await dashboard.directory.credentialsByEmail(ADA))!;
  const thief = await dashboard.signedIn(ADA);
  const session = hashToken(thief.cookies.get('session')!);
  const reset = hashToken(mintToken());
  await dashboard.directory.links.createReset(person.id, reset, Date.now(), null);
  await dashboard.directory.links.resetPassword(reset, 'the owner’s', Date.now());
  const fresh = hashToken(mintToken());
  expect(await dashboard.directory.changePassword(session, 'the thief’s', fresh, Date.now())).toBe(false);
  expect(await dashboard.directory.sessions.findVisitor(fresh, Date.now())).toBeNull();
  expect((await dashboard.directory.credentialsByEmail(ADA))!.passwordHash).toBe('the owner’s');
});

testBackends('no credentials are kept of people whose account is removed', async (start) => {
  const dashboard = await withAda(start);
  const { person } = (await dashboard.directory.credentialsByEmail(ADA))!;
  const codeHashes = [hashToken('one')];
  await dashboard.directory.factors.turnOn(person.id, { secret: mintSecret(), step: 0, codeHashes }, Date.now());
  await dashboard.directory.sessions.rememberBrowser(hashToken(mintToken()), person.id, Date.now());
  const kept = async () => {
    const tables = ['recovery_codes', 'browsers', "people WHERE factor_secret IS NOT NULL OR password_hash <> ''"];
    return Promise.all(tables.map(async (from) => (await rowsIn(dashboard.storeUrl, `SELECT 1 FROM ${from}`)).length));
  };
  expect(await kept()).toEqual([1, 1, 1]);
  await dashboard.store.changeAccount('ministry', 'remove', Date.now());
  expect(await kept()).toEqual([0, 0, 0]);
});

test('the operator is warned if visitors of an https address share the one of the web server', async () => {
  const warnings = async (options: object) =>
    (await startDashboard({ dashboardUrl: 'https://dashboard.example.org', ...options })).reports.filter((line) =>
      line.includes('without --trust-proxy'),
    ).length;
  expect(await warnings({ trustProxy: [] })).toBe(1);
  expect(await warnings({ trustProxy: ['127.0.0.1'] })).toBe(0);
});

test('headers that trickle in are cut off within the promised 20 s', async () => {
  const { dashboardUrl } = await startDashboard();
  const socket = connect(Number(new URL(dashboardUrl).port), '127.0.0.1');
  const begin = performance.now();
  socket.write('GET /sign-in HTTP/1.1\r\n');
  const timer = setInterval(() => socket.writable && socket.write('X'), 500);
  onTestFinished(() => clearInterval(timer));
  await once(socket.on('error', () => {}).resume(), 'close');
  expect(performance.now() - begin).toBeLessThan(20_000);
});

test('the operator is warned if passwords are sent in the clear', async () => {
  const warnings = (dashboard: Dashboard) => dashboard.reports.filter((line) => line.includes('in the clear')).length;
  expect(warnings(await startDashboard({ dashboardUrl: 'http://risk.example.org' }))).toBe(1);
  expect(warnings(await startDashboard({ dashboardUrl: 'https://risk.example.org' }))).toBe(0);
  expect(warnings(await startDashboard())).toBe(0);
});

test('cookies cannot be read by scripts or sent by other sites; over https they are bound to https and the host', async () => {
  const dashboard = await withAda(startDashboard);
  const attributes = (cookies: string[]) => cookies.map((cookie) => cookie.replace(/=[^;]+/, ''));
  const someone = dashboard.visitor();
  expect(attributes((await someone.fetch('/sign-in')).headers.getSetCookie())).toEqual([
    'session; Path=/; HttpOnly; SameSite=Lax',
  ]);
  const csrf = await someone.csrf('/sign-in');
  const headers = { 'content-type': 'application/x-www-form-urlencoded', origin: dashboard.dashboardUrl };
  const body = new URLSearchParams({ csrf, email: ADA, password: PASSWORD });
  const signedIn = await someone.fetch('/sign-in', { method: 'POST', body, headers });
  expect(attributes(signedIn.headers.getSetCookie())).toEqual([
    'session; Path=/; HttpOnly; SameSite=Lax',
    'browser; Max-Age=31536000; Path=/; HttpOnly; SameSite=Lax',
  ]);

  const secure = await startDashboard({ dashboardUrl: 'https://risk.example.org' });
  const { port } = new URL(secure.dashboardUrl);
  const ask = (host: string) =>
    new Promise<{ status: number; headers: Record<string, unknown> }>((resolve, reject) => {
      request({ port, path: '/sign-in', headers: { host } }, (response) => {
        response.resume();
        resolve({ status: response.statusCode!, headers: response.headers });
      })
        .on('error', reject)
        .end();
    });
  const { status, headers: sent } = await ask('risk.example.org');
  expect(status).toBe(200);
  expect(attributes(sent['set-cookie'] as string[])).toEqual([
    '__Host-session; Path=/; HttpOnly; Secure; SameSite=Lax',
  ]);
  expect(sent['strict-transport-security']).toBe('max-age=31536000');
  for (const host of [`127.0.0.1:${port}`, 'evil.example', 'risk.example.org.evil.example', 'risk.example.org:81']) {
    const other = await ask(host);
    expect([host, other.status, other.headers['set-cookie']]).toEqual([host, 421, undefined]);
  }
});
