import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { runHere } from '../../../support/proxy/cli-process.ts';
import { linkIn, PASSWORD, testBackends } from '../../../support/proxy/dashboard.ts';
import { makeBuild } from '../../../support/proxy/fixture.ts';
import { createStore } from '../../../support/proxy/open-store.ts';

testBackends('the first person of the service team and of an organisation join by the command line', async (start) => {
  const dashboard = await start();
  const env = {
    MALARIA_STORE: dashboard.storeUrl,
    MALARIA_DASHBOARD_URL: dashboard.dashboardUrl,
  };
  const cli = async (...args: string[]) => {
    const { code, stdout, stderr } = await runHere(['accounts', ...args], env);
    return code === 0 ? stdout : `${code} ${stderr}`;
  };
  await dashboard.account('Ministry of Health');
  const join = async (email: string, ...where: string[]) => {
    const link = linkIn((await cli('invite', email, ...where)).replaceAll('  http', 'http'));
    const someone = dashboard.visitor();
    const page = await someone.send(link, { name: 'Ọlá Ada', password: PASSWORD, again: PASSWORD });
    expect(page.text, 'signed in').toContain('Sign out');
    expect((await someone.open(link)).status).toBe(404);
    return (await someone.open('/profile')).text;
  };
  expect(await join('team@example.org', '--service-team')).toContain('Your role requires two-step sign-in');
  expect(await join('ada@example.org', '--account', 'Ministry of Health')).toContain(
    'Account Ministry of Health Role administrator',
  );
  expect(JSON.parse(await cli('people', '--json'))).toMatchObject([
    { email: 'team@example.org', role: 'service', account: null, two_step: false },
    { email: 'ada@example.org', name: 'Ọlá Ada', role: 'administrator', account: 'Ministry of Health' },
  ]);

  const reset = linkIn((await cli('reset', 'Ada@Example.org')).replaceAll('  http', 'http'));
  expect((await dashboard.visitor().open(reset)).text).toContain('Choose a new password');
  expect(await cli('invite', 'ada@example.org', '--account', 'Ministry of Health')).toMatch(
    /^2 .*already belongs to this account/,
  );
  expect(await cli('invite', 'x@example.org')).toMatch(/^2 .*expected either --account NAME or --service-team/);
  expect(await cli('invite', 'x y@example.org', '--service-team')).toMatch(/^2 .*email: expected an address/);
  expect(await cli('remove-person', 'ada@example.org')).toMatch(/^2 .*is the last administrator/);
  expect(await cli('reset', 'nobody@example.org')).toMatch(/^2 .*nobody has the email "nobody@example.org"/);
});

test('links lead to where `serve` has the dashboard', async () => {
  const { store, remove } = makeBuild();
  onTestFinished(remove);
  await createStore(store);
  const invite = (env = {}) =>
    runHere(['accounts', 'invite', 'team@example.org', '--service-team'], { MALARIA_STORE: store, ...env });
  expect(await invite()).toMatchObject({ code: 2, stderr: expect.stringMatching(/expected --dashboard-port or/) });
  const port = { MALARIA_DASHBOARD_PORT: '8093' };
  expect((await invite({ ...port, MALARIA_HOST: '0.0.0.0' })).stderr).toContain('--dashboard-url: required');
  expect((await invite(port)).stdout).toContain(' http://127.0.0.1:8093/link/');
  const moved = { ...port, MALARIA_DASHBOARD_URL: 'https://risk.example.org' };
  expect((await invite(moved)).stdout).toContain(' https://risk.example.org/link/');
});

test('invalid settings of the dashboard are reported in one clear line', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'malaria-cli-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [args, line] of [
    [
      ['--dashboard-url', 'example.org'],
      /--dashboard-url <url>' argument .* expected an origin such as https:\/\/example.org/,
    ],
    [['--dashboard-url', 'https://example.org/path'], /--dashboard-url <url>' argument .* expected/],
    [['--dashboard-port', '1', '--host', '0.0.0.0'], /--dashboard-url: required with --host 0.0.0.0/],
    [['--trust-proxy', '10.0.0.0/99'], /--trust-proxy .* expected an address or network/],
    [['--two-step', 'everybody'], /--two-step .* expected one or more of service, administrator/],
  ] as const) {
    const { code, stderr } = await runHere(['serve', '--snapshot', folder, ...args]);
    expect([code, stderr]).toEqual([2, expect.stringMatching(line)]);
  }
});
