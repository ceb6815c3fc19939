import { beforeAll, describe, expect, test } from 'vitest';
import { ROUTES } from '../../../proxy/dashboard/page-routes.ts';
import { ROLES } from '../../../proxy/store/people/person-rules.ts';
import type { Role } from '../../../proxy/store/row-types.ts';
import { BACKENDS } from '../../support/proxy/backends.ts';
import { type Dashboard, startDashboard, type Visitor } from '../../support/proxy/dashboard.ts';
import { atEndOfSuite } from '../../support/proxy/service.ts';
import { contents, EMAIL_OF, FIELDS, makeWorld, type Owned, pathOf } from '../../support/proxy/world.ts';

const posts = ROUTES.filter(({ method, path }) => method === 'POST' && path !== '/sign-out');
/** A role that may open `route`. */
const allowed = (route: (typeof ROUTES)[number]): Role =>
  route.audience === 'anyone' ? 'administrator' : route.audience[0]!;

describe.each(BACKENDS.filter((backend) => !backend.skip))('$name', ({ newStore }) => {
  let dashboard: Dashboard;
  let [alpha, beta]: Owned[] = [];
  const visitors = {} as Record<Role, Visitor>;
  const atEnd = atEndOfSuite();
  beforeAll(async () => {
    dashboard = await startDashboard(await newStore(atEnd), atEnd);
    ({ alpha, beta } = await makeWorld(dashboard));
    for (const role of ROLES) visitors[role] = await dashboard.signedIn(EMAIL_OF[role]);
  });

  test('there are forms and roles to attack', async () => {
    expect(posts.length).toBeGreaterThan(20);
    expect(await contents(dashboard)).toContain(alpha!.key);
  });

  describe('requests that other sites can make a browser send change nothing', () => {
    const csrfOf: Partial<Record<Role, string>> = {};
    beforeAll(async () => {
      for (const role of ROLES) csrfOf[role] = await visitors[role].csrf();
    });
    const forgeries: Record<
      string,
      (role: Role) => { fields?: object; headers?: Record<string, string>; body?: string }
    > = {
      'without a token': () => ({}),
      'with an empty token': () => ({ fields: { csrf: '' } }),
      'with the token of another session': (role) => ({
        fields: { csrf: csrfOf[role === 'service' ? 'administrator' : 'service'] },
      }),
      'with the token twice': (role) => ({ fields: { csrf: [csrfOf[role], csrfOf[role]] } }),
      'from another origin': (role) => ({
        fields: { csrf: csrfOf[role] },
        headers: { origin: 'https://evil.example' },
      }),
      'from a sandboxed frame': (role) => ({ fields: { csrf: csrfOf[role] }, headers: { origin: 'null' } }),
      'from another site': (role) => ({ fields: { csrf: csrfOf[role] }, headers: { 'sec-fetch-site': 'cross-site' } }),
      'from another host of the site': (role) => ({
        fields: { csrf: csrfOf[role] },
        headers: { 'sec-fetch-site': 'same-site' },
      }),
    };
    test.each(Object.entries(forgeries))('%s', async (_, forge) => {
      const before = await contents(dashboard);
      for (const route of posts) {
        const role = allowed(route);
        const { fields = {}, headers } = forge(role);
        const page = await visitors[role].post(pathOf(route, alpha!), { ...FIELDS, ...fields }, headers);
        expect([route.path, page.status]).toEqual([route.path, 403]);
      }
      expect(await contents(dashboard)).toBe(before);
    });

    test('with a body of another type, such as JSON or text', async () => {
      const before = await contents(dashboard);
      for (const type of ['application/json', 'text/plain', 'multipart/form-data; boundary=x']) {
        for (const route of posts) {
          const role = allowed(route);
          const body = JSON.stringify({ ...FIELDS, csrf: csrfOf[role] });
          const headers = { 'content-type': type, origin: dashboard.dashboardUrl };
          const { status } = await visitors[role].fetch(pathOf(route, alpha!), { method: 'POST', body, headers });
          expect([route.path, status]).toEqual([route.path, 415]);
        }
      }
      expect(await contents(dashboard)).toBe(before);
    });

    test('with GET, HEAD or any other method', async () => {
      const before = await contents(dashboard);
      for (const route of posts) {
        const role = allowed(route);
        const query = new URLSearchParams({ ...FIELDS, csrf: csrfOf[role]! });
        for (const method of ['GET', 'HEAD', 'PUT', 'DELETE', 'PATCH']) {
          await visitors[role].fetch(`${pathOf(route, alpha!)}?${query}`, { method });
        }
      }
      for (const route of ROUTES) {
        for (const role of ROLES) if (route.method === 'GET') await visitors[role].fetch(pathOf(route, alpha!));
      }
      expect(await contents(dashboard)).toBe(before);
    });
  });

  test('a session that was confirmed too long ago changes nothing, except where a reason is stated', async () => {
    await dashboard.store.database.db.updateTable('sessions').set({ confirmed_at: 0 }).execute();
    const before = await contents(dashboard);
    const { current: _, code: __, ...fields } = FIELDS;
    for (const route of posts.filter(({ withoutConfirmation }) => withoutConfirmation === undefined)) {
      const role = allowed(route);
      const page = await visitors[role].post(pathOf(route, alpha!), { ...fields, csrf: await visitors[role].csrf() });
      expect([route.path, page.status, page.text]).toEqual([
        route.path,
        403,
        expect.stringContaining('Confirm that it'),
      ]);
    }
    expect(await contents(dashboard)).toBe(before);
    await dashboard.store.database.db.updateTable('sessions').set({ confirmed_at: Date.now() }).execute();
    const withoutConfirmation = ROUTES.filter(
      ({ method, withoutConfirmation }) => method === 'POST' && withoutConfirmation !== undefined,
    );
    for (const route of withoutConfirmation) expect(route.withoutConfirmation).toMatch(/^[A-Z].{20,}\.$/);
    expect(withoutConfirmation.map(({ path }) => path)).toEqual([
      '/sign-in',
      '/sign-in/code',
      '/sign-out',
      '/link/:token',
      '/forgotten',
      '/profile/password',
      '/profile/sessions',
      '/profile/two-step',
    ]);
  });

  test('a visitor who may not open a page is refused, whatever is sent', async () => {
    const before = await contents(dashboard);
    const stranger = dashboard.visitor();
    await stranger.open('/sign-in');
    let tried = 0;
    for (const route of ROUTES) {
      if (route.audience === 'anyone') continue;
      const path = pathOf(route, alpha!);
      for (const role of ROLES.filter((one) => !route.audience.includes(one))) {
        const csrf = await visitors[role].csrf();
        const page =
          route.method === 'GET'
            ? await visitors[role].open(path)
            : await visitors[role].post(path, { ...FIELDS, csrf });
        expect([role, route.path, page.status]).toEqual([role, route.path, 403]);
        tried++;
      }
      const csrf = await stranger.csrf('/sign-in');
      const page = route.method === 'GET' ? await stranger.open(path) : await stranger.post(path, { ...FIELDS, csrf });
      expect([route.path, page.path]).toEqual([route.path, '/sign-in']);
    }
    expect(tried).toBeGreaterThan(80);
    expect(await contents(dashboard)).toBe(before);
  });

  test('ids of another organisation are treated like unknown ids, in every form and page', async () => {
    const before = await contents(dashboard);
    const secrets = [beta!.account, beta!.key, beta!.person, beta!.invitation, ...beta!.emails];
    let tried = 0;
    for (const role of ['administrator', 'researcher'] as const) {
      const csrf = await visitors[role].csrf();
      for (const route of ROUTES) {
        if (route.audience === 'anyone' || !route.audience.includes(role) || !route.path.includes(':')) continue;
        // Operations belong to nobody.
        if (route.path === '/reference/:operation') continue;
        const unknown = { ...beta!, key: 'key_unknown', person: 'per_unknown', invitation: 'inv_unknown' };
        const ask = (owned: Owned) =>
          route.method === 'GET'
            ? visitors[role].open(pathOf(route, owned))
            : visitors[role].post(pathOf(route, owned), { ...FIELDS, csrf });
        const [theirs, none] = [await ask(beta!), await ask(unknown)];
        expect([route.path, theirs.status >= 400]).toEqual([route.path, true]);
        expect([theirs.status, theirs.text]).toEqual([none.status, none.text]);
        for (const secret of secrets) expect(theirs.html).not.toContain(secret);
        tried++;
      }
    }
    expect(tried).toBeGreaterThan(9);
    for (const route of ROUTES.filter(({ method }) => method === 'GET')) {
      for (const role of ['administrator', 'member', 'researcher'] as const) {
        const { html } = await visitors[role].open(`${pathOf(route, alpha!)}?account=${beta!.account}`);
        if (route.path === '/link/:token') continue;
        for (const secret of secrets) {
          // A page of the audit log may repeat nothing except what was requested.
          expect([route.path, html.includes(secret)]).toEqual([route.path, false]);
        }
      }
    }
    expect(await contents(dashboard)).toBe(before);
    expect((await dashboard.get('/v1/periods', beta!.secret)).status).toBe(200);
  });

  test('an API key gives no access to the dashboard, and a session none to the API', async () => {
    for (const headers of [{ authorization: `Bearer ${alpha!.secret}` }, { 'x-api-key': alpha!.secret }]) {
      const someone = dashboard.visitor(headers);
      for (const route of ROUTES.filter(({ method, audience: who }) => method === 'GET' && who !== 'anyone')) {
        expect((await someone.open(pathOf(route, alpha!))).path).toBe('/sign-in');
      }
    }
    const cookie = [...visitors.administrator.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    expect((await dashboard.get('/v1/periods', undefined, { headers: { cookie } })).status).toBe(401);
  });

  test('every page has the same strict headers, even error pages', async () => {
    const paths = [
      '/sign-in',
      '/nowhere',
      '/link/x',
      '/profile',
      '/%zz',
      '/settings/api-access/../../x',
      '/team/accounts',
    ];
    for (const path of paths) {
      const { headers } = await visitors.administrator.fetch(path);
      expect([path, headers.get('content-security-policy')]).toEqual([
        path,
        "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; form-action 'self'; " +
          "base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'",
      ]);
      expect(headers.get('x-frame-options')).toBe('DENY');
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('cache-control')).toBe('no-store');
      expect(headers.get('referrer-policy')).toBe('same-origin');
    }
  });

  test('odd requests get an error of the right kind, and none causes a failure', async () => {
    const admin = visitors.administrator;
    const csrf = await admin.csrf();
    const form = { 'content-type': 'application/x-www-form-urlencoded', origin: dashboard.dashboardUrl };
    const send = async (path: string, body: string) =>
      (await admin.fetch(path, { method: 'POST', body, headers: form })).status;
    expect(await send('/settings/api-access', `csrf=${csrf}&name=${'x'.repeat(20_000)}`)).toBe(413);
    expect(
      await send('/settings/api-access', `csrf=${csrf}&__proto__=1&constructor=2&name=%00&kind=live&scopes=x`),
    ).toBe(400);
    expect(await send('/settings/api-access', `csrf=${csrf}&name=a&name=b&kind=live&kind=test&scopes=forecasts`)).toBe(
      400,
    );
    expect(await send('/settings/api-access', `csrf=${csrf}&name=%ff%fe&kind[x]=live&scopes[]=forecasts`)).toBe(400);
    expect(
      await send(
        '/settings/people/invitations',
        `csrf=${csrf}&email=${encodeURIComponent('a@b.example\r\nBcc: c@d.example')}`,
      ),
    ).toBe(400);
    for (const word of ['constructor', '__proto__', 'toString', '<script>']) {
      for (const path of ['/profile', '/settings/people', '/settings/api-access']) {
        const page = await admin.open(`${path}?done=${word}`);
        expect([page.status, /notice|\[object|native code|<script>/.test(page.html)]).toEqual([200, false]);
      }
    }
    for (const before of ['-1', '1e999', 'x', '9'.repeat(40)]) {
      expect((await admin.open(`/settings/activity?before=${before}`)).status).toBe(200);
      expect((await visitors.service.open(`/team/accounts?page=${before}&q=%25_'"`)).status).toBe(200);
    }
    for (const route of ROUTES.filter(({ path }) => path.includes(':'))) {
      const role = allowed(route);
      const path = route.path.replace(/:\w+/g, '%00');
      const own = await visitors[role].csrf();
      const page =
        route.method === 'GET'
          ? await visitors[role].open(path)
          : await visitors[role].post(path, { ...FIELDS, csrf: own, name: 'a\0', role: 'member\0' });
      expect([path, page.status >= 400 && page.status < 500]).toEqual([path, true]);
    }
    expect((await visitors.service.open('/team/activity?account=%00')).status).toBeLessThan(500);
    expect((await visitors.service.open('/team/accounts?q=%00')).status).toBe(200);
    for (const [path, fields] of [
      ['/settings/api-access', { form: '\0', name: 'a\0', kind: 'live', scopes: 'forecasts', lasts: '90' }],
      ['/settings/people/invitations', { email: 'a\0@b.example', role: 'member' }],
      ['/profile/password', { current: '\0', password: '\0', again: '\0' }],
      ['/sign-in', { email: '\0', password: '\0' }],
      ['/forgotten', { email: '\0' }],
    ] as const) {
      const { status } = await admin.post(path, { csrf, ...fields });
      expect([path, status >= 400 && status < 500]).toEqual([path, true]);
    }
    expect((await admin.open('/link/%2e%2e%2f')).status).toBe(404);
    expect((await admin.open(`/link/${'A'.repeat(5000)}`)).status).toBe(400);
    expect(dashboard.reports.filter((line) => line.includes('failed'))).toEqual([]);
  });
});
