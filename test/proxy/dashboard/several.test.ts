/** Two proxies with one PostgreSQL, each with a dashboard: changes at one take effect at the other. */
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { BACKENDS } from '../../support/proxy/backends.ts';
import { runCli, serveCli } from '../../support/proxy/cli-process.ts';
import { type Dashboard, linkIn, PASSWORD, startDashboard, Visitor } from '../../support/proxy/dashboard.ts';
import { makeBuild } from '../../support/proxy/fixture.ts';
import { createStore } from '../../support/proxy/open-store.ts';

vi.unmock('node:crypto');

const ADA = 'ada@example.org';

async function twoDashboards(): Promise<[Dashboard, Dashboard]> {
  const at = await BACKENDS[1]!.newStore();
  const both = [await startDashboard(at), await startDashboard(at)] as [Dashboard, Dashboard];
  await both[0].person(ADA, 'administrator', 'ministry');
  return both;
}

/** The browser of `visitor` after a load balancer has sent it to the other proxy. */
function elsewhere(visitor: Visitor, other: Dashboard): Visitor {
  const moved = other.visitor(visitor.headers);
  for (const [name, value] of visitor.cookies) moved.cookies.set(name, value);
  return moved;
}

const at = (address: string) => ({ 'x-forwarded-for': address });

describe.skipIf(BACKENDS[1]!.skip)('two dashboards', () => {
  test('two processes started as operators do serve people created on the command line', async () => {
    const { store } = await BACKENDS[1]!.newStore();
    await createStore(store);
    const { build, current, remove } = makeBuild();
    onTestFinished(remove);
    const env = { MALARIA_STORE: store, MALARIA_DASHBOARD_PORT: '0' };
    const cli = async (...args: string[]) => {
      const { code, stdout, stderr } = await runCli(['accounts', ...args], env);
      expect([args, code, stderr]).toEqual([args, 0, '']);
      return stdout;
    };
    const options = ['--snapshot', current, '--mail', `outbox:${build}/outbox`];
    const serve = async () => JSON.parse((await serveCli(options, env)).read().stdout.split('\n')[0]!).dashboard_url;
    const urls = [await serve(), await serve()];
    await cli('create-organisation', 'ministry');
    const link = linkIn((await cli('invite', ADA, '--account', 'ministry')).replaceAll('  http', 'http'));
    const [one, two] = urls.map((url) => new Visitor(url, {}));
    await one!.send(link, { name: 'Ada', password: PASSWORD, again: PASSWORD });
    expect((await two!.open(link)).status).toBe(404);
    expect((await two!.signIn(ADA)).path).toBe('/settings/api-access');
    await cli('remove', 'ministry');
    expect((await two!.open('/profile')).path).toBe('/sign-in');
    expect((await one!.signIn(ADA)).status).toBe(403);
    expect(await cli('people', '--json')).toBe('[]\n');
  });

  test('a session is valid at both and ends at both: by sign-out, command line, or a page of the other', async () => {
    const [one, two] = await twoDashboards();
    const ada = await one.signedIn(ADA);
    const moved = elsewhere(ada, two);
    expect((await moved.open('/profile')).text).toContain(ADA);
    await moved.send('/profile', {}, '/sign-out');
    expect((await ada.open('/profile')).path).toBe('/sign-in');

    const again = [await one.signedIn(ADA), await two.signedIn(ADA)];
    const env = { MALARIA_STORE: one.storeUrl };
    const cli = async (...args: string[]) => expect((await runCli(['accounts', ...args], env)).stderr).toBe('');
    await cli('suspend', 'ministry');
    for (const someone of again) expect((await someone.open('/profile')).path).toBe('/sign-in');
    expect((await two.visitor().signIn(ADA)).text).toContain('The account is suspended');
    await cli('reinstate', 'ministry');
    for (const someone of again)
      expect((await someone.open('/profile')).path, 'sessions do not come back').toBe('/sign-in');

    await one.person('ben@example.org', 'administrator', 'ministry');
    const [first, ben] = [await one.signedIn(ADA), await two.signedIn('ben@example.org')];
    const { id } = (await one.directory.credentialsByEmail('ben@example.org'))!.person;
    expect((await first.send(`/settings/people/${id}/remove`, {})).text).toContain('signed out everywhere');
    expect((await ben.open('/profile')).path).toBe('/sign-in');
    expect((await two.visitor().signIn('ben@example.org')).status).toBe(403);
  });

  test('a link used at both at once works once, and so does a code', async () => {
    const both = await twoDashboards();
    const ada = await both[0].signedIn(ADA);
    await ada.send('/settings/people', { email: 'ben@example.org', role: 'member' }, '/settings/people/invitations');
    await expect.poll(() => both[0].mails().length, { timeout: 20_000 }).toBe(1);
    const link = linkIn(both[0].mails()[0]);
    const fields = { name: 'Ben', password: PASSWORD, again: PASSWORD };
    const forms = await Promise.all(both.map((dashboard) => dashboard.visitor().fillIn(link, fields)));
    const joined = await Promise.all(forms.map((send) => send()));
    expect(joined.map(({ status }) => status).sort()).toEqual([200, 404]);

    await both[0].useCodes(ADA);
    const browsers = both.map((dashboard) => dashboard.visitor());
    for (const browser of browsers) expect((await browser.signIn(ADA)).path).toBe('/sign-in/code');
    const code = await both[0].code(ADA);
    const codes = await Promise.all(browsers.map((browser) => browser.fillIn('/sign-in/code', { code })));
    const pages = await Promise.all(codes.map((send) => send()));
    expect(pages.map(({ status }) => status).sort()).toEqual([200, 403]);
  });

  test('a code used for confirmation at both at once confirms one session, and that session at both', async () => {
    const both = await twoDashboards();
    const [one, two] = both;
    await one.useCodes(ADA);
    const visitors = [await one.signedIn(ADA), await two.signedIn(ADA)];
    const sessions = await Promise.all(visitors.map(async (visitor) => ({ visitor, csrf: await visitor.csrf() })));
    await one.store.database.db.updateTable('sessions').set({ confirmed_at: 0 }).execute();
    let count = 0;
    const invite = async (who: Visitor, csrf: string, code = '') => {
      const email = `new${count++}@example.org`;
      return (await who.post('/settings/people/invitations', { csrf, email, role: 'member', code })).status;
    };
    const code = await one.code(ADA);
    const answers = await Promise.all(sessions.map(({ visitor, csrf }) => invite(visitor, csrf, code)));
    expect([...answers].sort()).toEqual([200, 403]);
    const [confirmed, refused] = [sessions[answers.indexOf(200)]!, sessions[answers.indexOf(403)]!];
    for (const dashboard of both) {
      expect(await invite(elsewhere(confirmed.visitor, dashboard), confirmed.csrf)).toBe(200);
      expect(await invite(elsewhere(refused.visitor, dashboard), refused.csrf)).toBe(403);
      expect(await invite(elsewhere(refused.visitor, dashboard), refused.csrf, code), 'a used code').toBe(403);
    }
  });

  test('sign-in attempts are counted for both together', async () => {
    const both = await twoDashboards();
    const known = await both[0].signedIn(ADA);
    await known.send('/profile', {}, '/sign-out');
    const tries = await Promise.all(
      Array.from(
        { length: 24 },
        async (_, i) => (await both[i % 2]!.visitor(at(`198.51.100.${i}`)).signIn(ADA, 'wrong')).status,
      ),
    );
    expect(tries.filter((status) => status === 403).length).toBe(10);
    for (const dashboard of both) expect((await dashboard.visitor(at('203.0.113.1')).signIn(ADA)).status).toBe(429);
    expect((await elsewhere(known, both[1]).signIn(ADA)).status, 'a known browser is known to both').toBe(200);
  });

  test('a key’s form sent to both creates one key; a key revoked at one is refused by the API of the other', async () => {
    const [one, two] = await twoDashboards();
    const ada = await one.signedIn(ADA);
    const moved = elsewhere(ada, two);
    const fields = {
      csrf: await ada.csrf(),
      form: 'once',
      name: 'k',
      kind: 'live',
      scopes: 'risk_scores',
      lasts: '90',
    };
    const pages = await Promise.all([ada, moved].map((someone) => someone.post('/settings/api-access', fields)));
    const keys = pages.flatMap(({ html }) => /<code id="key"[^>]*>([^<]+)</.exec(html)?.[1] ?? []);
    expect([keys.length, (await one.store.listKeys()).length]).toEqual([1, 1]);
    for (const { get } of [one, two]) expect((await get('/v1/periods', keys[0])).status).toBe(200);
    const revoke = /href="([^"]+\/revoke)"/.exec((await moved.open('/settings/api-access')).html)![1]!;
    expect((await moved.send(revoke, {})).text).toContain('The key has been revoked');
    for (const { get } of [one, two]) expect((await get('/v1/periods', keys[0])).status).toBe(401);
    expect((await ada.open('/settings/activity')).text).toMatch(/ada@example.org revoked a key k/);
  });
});
