/** Automatic mails about allowances and expiring keys, each sent once; and errors on the usage page. */
import { expect, test } from 'vitest';
import { DAY_MS } from '../../../pipeline/lib/clock.ts';
import type { Services } from '../../../proxy/dashboard/kit/services.ts';
import type { Mail } from '../../../proxy/dashboard/mail/mailer.ts';
import { sendScheduledMails } from '../../../proxy/dashboard/scheduled-mails.ts';
import { type Dashboard, movableClock, startDashboard, testBackends } from '../../support/proxy/dashboard.ts';
import { giveKey } from '../../support/proxy/service.ts';

/** Two dashboards that check for notices at the same time, the mails that they send, and the failures they report. */
function noticesOf({ store, directory }: Dashboard) {
  const clock = movableClock();
  const state = { used: 0, sent: [] as Mail[], isDown: false, reports: [] as string[] };
  const services = {
    accounts: store,
    directory,
    clock,
    perMonth: 10,
    dashboardUrl: () => 'https://d.example',
    usage: { grantedInMonth: async () => state.used },
    mailer: {
      async send(mail: Mail) {
        if (state.isDown) throw new Error('mail is down');
        state.sent.push(mail);
      },
    },
    logLine: (line: string) => state.reports.push(line),
  } as unknown as Services;
  const check = async () => {
    state.sent.length = 0;
    await Promise.all([sendScheduledMails(services), sendScheduledMails(services)]);
    return state.sent.map(({ to, text }) => `${to}: ${text.split('\n')[0]}`);
  };
  return { state, clock, check };
}

testBackends('those who can create keys are notified of 80% and 100% of the allowance, once each', async (start) => {
  const dashboard = await start();
  await dashboard.person('ada@example.org', 'administrator', 'ministry');
  await dashboard.person('mia@example.org', 'member', 'ministry');
  const { state, clock, check } = noticesOf(dashboard);
  state.used = 7;
  expect(await check()).toEqual([]);
  state.used = 8;
  state.isDown = true;
  expect(await check()).toEqual([]);
  expect(state.reports).toContain('mail not sent: mail is down');
  state.isDown = false;
  expect(await check()).toEqual(["ada@example.org: Your live keys have used 80% of this month's 10 requests."]);
  expect(await check()).toEqual([]);
  state.used = 10;
  expect(await check()).toEqual(["ada@example.org: Your live keys have used 100% of this month's 10 requests."]);
  expect(await check()).toEqual([]);
  // Beyond both thresholds at once in the next month: one mail.
  clock.forward(32 * DAY_MS);
  expect(await check()).toHaveLength(1);
  expect(await check()).toEqual([]);
  await dashboard.store.changeAccount('ministry', 'suspend', clock.wallMs());
  clock.forward(32 * DAY_MS);
  expect(await check(), 'no mail for a suspended account').toEqual([]);
});

testBackends('they are notified of a key that will expire, in time and once', async (start) => {
  const dashboard = await start();
  await dashboard.person('ada@example.org', 'administrator', 'ministry');
  const { clock, check } = noticesOf(dashboard);
  const until = (days: number) => Date.now() + days * DAY_MS;
  for (const expiresAt of [until(90), until(4), null]) await giveKey(dashboard.store, { expiresAt });
  expect(await check()).toEqual([]);
  clock.forward(2.1 * DAY_MS);
  expect(await check(), 'for the key of four days, halfway').toHaveLength(1);
  clock.forward(DAY_MS * 73);
  expect(await check()).toEqual([]);
  clock.forward(DAY_MS);
  expect(await check()).toEqual([
    expect.stringMatching(/^ada@example\.org: Your key “.+” works until \d{4}-.+ UTC\.$/),
  ]);
  expect(await check()).toEqual([]);
});

testBackends('errors are listed by status and code', async (start) => {
  const dashboard = await start();
  const ada = await dashboard.ada();
  const { key } = await giveKey(dashboard.store, { owner: 'ministry', scopes: ['risk_scores'] });
  for (const path of ['/v1/risk/lgas?state=XX', '/v1/risk/lgas', '/v1/forecasts/skill', '/nowhere', '/v1/periods'])
    await dashboard.get(path, key);
  const { text } = await ada.open('/settings/usage');
  expect(text).toMatch(/404 UNKNOWN_STATE .+ \/v1\/risk\/lgas 2 /);
  expect(text).toMatch(/403 SCOPE_REQUIRED .+ \/v1\/forecasts\/skill 1 /);
  expect(text).toMatch(/404 NOT_FOUND .+ other paths 1 /);
});

test('mail that cannot be sent is seen by the operator, without the address that it was for', async () => {
  // Nothing listens there.
  const dashboard = await startDashboard({ mail: 'smtp://127.0.0.1:1' });
  await dashboard.ada();
  await dashboard.visitor().send('/forgotten', { email: 'ada@example.org' });
  await expect
    .poll(() => dashboard.reports)
    .toContainEqual(expect.stringMatching(/^mail not sent: connect ECONNREFUSED/));
  const metrics = await (await fetch(`${dashboard.opsUrl}/metrics`)).text();
  expect(metrics).toContain('malaria_failures_total{cause="mail"} 1');
  expect(metrics).toContain('malaria_failures_total{cause="store"} 0');
});
