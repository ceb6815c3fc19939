/** The dashboard while PostgreSQL is cut off, hangs or is gone: pages report it, but not the reason. */
import { beforeAll, beforeEach, describe, expect, inject, onTestFinished, test } from 'vitest';
import { type Dashboard, PASSWORD, startDashboard, type Visitor } from '../../support/proxy/dashboard.ts';
import {
  missingServers,
  type RealServer,
  type Relay,
  startPostgres,
  startRelay,
} from '../../support/proxy/real-servers.ts';
import { giveKey } from '../../support/proxy/service.ts';

const ADA = 'ada@example.org';

describe.skipIf(missingServers.length > 0)('during an outage', () => {
  let postgres: RealServer;
  beforeAll(async () => {
    postgres = await startPostgres(inject('postgres')!.data);
    return () => postgres.remove();
  });
  let wire: Relay;
  let dashboard: Dashboard;
  let [ada, team]: Visitor[] = [];
  let key: string;
  beforeEach(async () => {
    wire = await startRelay(postgres.port);
    // Runs last, after everything that needs the connection to close properly.
    onTestFinished(() => wire.close());
    const store = postgres.url.replace(String(postgres.port), String(wire.port));
    dashboard = await startDashboard({ store });
    onTestFinished(() => wire.heal());
    if (!(await dashboard.directory.credentialsByEmail(ADA))) {
      await dashboard.person(ADA, 'administrator', 'ministry');
      await dashboard.person('team@example.org', 'service', null);
    }
    [ada, team] = [await dashboard.signedIn(ADA), await dashboard.signedIn('team@example.org')];
    key = (await giveKey(dashboard.store)).key;
    expect((await dashboard.get('/v1/periods', key)).status).toBe(200);
  });

  test.each(['cut', 'stall'] as const)('pages return a 503 while PostgreSQL is unreachable (%s)', async (how) => {
    const stranger = dashboard.visitor();
    const csrf = await stranger.csrf('/sign-in');
    const own = await ada!.csrf();
    wire[how]();
    const post = { name: 'k', kind: 'live', scopes: 'forecasts', lasts: '90' };
    const pages = await Promise.all([
      ada!.open('/profile'),
      ada!.open('/settings/api-access'),
      ada!.post('/settings/api-access', { csrf: own, form: 'x', ...post }),
      team!.open('/team/accounts'),
      stranger.open(`/link/${'A'.repeat(43)}`),
      stranger.post('/sign-in', { csrf, email: ADA, password: PASSWORD }),
      stranger.post('/forgotten', { csrf, email: ADA }),
    ]);
    for (const [i, page] of pages.entries()) {
      expect([i, page.status, page.headers.get('retry-after')]).toEqual([i, 503, '10']);
      expect(page.text).toContain('The service is not available');
      expect(page.html).not.toMatch(/postgres|ECONN|timeout|127\.0\.0\.1:(?!\d+")|malaria@/i);
      expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
      expect(page.headers.get('cache-control')).toBe('no-store');
      expect(page.text.includes('Check whether your change was made')).toBe([2, 5, 6].includes(i));
    }
    expect((await dashboard.visitor().open('/sign-in')).status, 'pages that need no data work').toBe(200);
    expect((await dashboard.get('/v1/periods', key)).status, 'nor is the API available').toBe(503);
    wire.heal();
    await expect.poll(async () => (await ada!.open('/profile')).status, { timeout: 20_000 }).toBe(200);
    expect((await ada!.open('/settings/api-access')).html, 'nothing was created').not.toContain('>k<');
    const reports = dashboard.reports.filter((line) => line.startsWith('dashboard:'));
    expect(reports).toEqual([expect.stringMatching(/^dashboard: store: PostgreSQL cannot be used: /)]);
    const secrets = [ADA, PASSWORD, csrf, key, ada!.cookies.get('session')!, ada!.cookies.get('browser')!];
    for (const secret of secrets) expect(dashboard.reports.join('\n')).not.toContain(secret);
  });

  test('pages work again after PostgreSQL was restarted', async () => {
    await postgres.kill();
    expect((await ada!.open('/profile')).status).toBe(503);
    await postgres.start();
    await expect.poll(async () => (await ada!.open('/profile')).status, { timeout: 20_000 }).toBe(200);
    expect((await dashboard.visitor().signIn(ADA)).status).toBe(200);
    expect((await team!.open('/team/activity')).text).toContain(`${ADA} signed in`);
  });
});
