/** Mails that come by themselves, each once, of an allowance and of a key that will expire; and errors on the page of usage. */
import { expect } from 'vitest';
import { DAY_MS } from '../../../proxy/clock.ts';
import type { Mail } from '../../../proxy/dashboard/mail/mailer.ts';
import { sendNotices } from '../../../proxy/dashboard/notices.ts';
import type { Services } from '../../../proxy/dashboard/services.ts';
import { removeServersAtEnd } from '../forms.ts';
import { giveKey } from '../service.ts';
import { type Dashboard, movableClock, testForms } from './dashboard.ts';

removeServersAtEnd();

/** What two dashboards that look at once send, and what is told of failures. */
function looking({ store, directory }: Dashboard) {
  const clock = movableClock();
  const state = { used: 0, sent: [] as Mail[], isDown: false, reports: [] as string[] };
  const services = {
    ...{ accounts: store, directory, clock, perMonth: 10, url: () => 'https://d.example' },
    limiter: { monthUsed: async () => state.used },
    mailer: {
      async send(mail: Mail) {
        if (state.isDown) throw new Error('mail is down');
        state.sent.push(mail);
      },
    },
    report: (line: string) => state.reports.push(line),
  } as unknown as Services;
  const look = async () => {
    state.sent.length = 0;
    await Promise.all([sendNotices(services), sendNotices(services)]);
    return state.sent.map(({ to, text }) => `${to}: ${text.split('\n')[0]}`);
  };
  return { state, clock, look };
}

testForms('those who make keys are told of 80% and of 100% of the allowance, once each', async (start) => {
  const dashboard = await start();
  await dashboard.person('ada@example.org', 'administrator', 'ministry');
  await dashboard.person('mia@example.org', 'member', 'ministry');
  const { state, clock, look } = looking(dashboard);
  state.used = 7;
  expect(await look()).toEqual([]);
  state.used = 8;
  state.isDown = true;
  expect(await look()).toEqual([]);
  expect(state.reports).toContain('mail is down');
  state.isDown = false;
  expect(await look()).toEqual(["ada@example.org: Your live keys have used 80% of this month's 10 requests."]);
  expect(await look()).toEqual([]);
  state.used = 10;
  expect(await look()).toEqual(["ada@example.org: Your live keys have used 100% of this month's 10 requests."]);
  expect(await look()).toEqual([]);
  // Past both at once in the next month: one mail.
  clock.forward(32 * DAY_MS);
  expect(await look()).toHaveLength(1);
  expect(await look()).toEqual([]);
  await dashboard.store.changeAccount('ministry', 'suspend', clock.wallMs());
  clock.forward(32 * DAY_MS);
  expect(await look(), 'not of a suspended account').toEqual([]);
});

testForms('they are told of a key that will expire, in time and once', async (start) => {
  const dashboard = await start();
  await dashboard.person('ada@example.org', 'administrator', 'ministry');
  const { clock, look } = looking(dashboard);
  const until = (days: number) => Date.now() + days * DAY_MS;
  for (const expiresAt of [until(90), until(4), null]) await giveKey(dashboard.store, { expiresAt });
  expect(await look()).toEqual([]);
  clock.forward(2.1 * DAY_MS);
  expect(await look(), 'of the one of four days, halfway').toHaveLength(1);
  clock.forward(DAY_MS * 73);
  expect(await look()).toEqual([]);
  clock.forward(DAY_MS);
  expect(await look()).toEqual([expect.stringMatching(/^ada@example\.org: Your key “.+” works until \d{4}-.+ UTC\.$/)]);
  expect(await look()).toEqual([]);
});

testForms('errors are listed by status and code', async (start) => {
  const dashboard = await start();
  await dashboard.person('ada@example.org', 'administrator', 'ministry');
  const ada = await dashboard.signedIn('ada@example.org');
  const { key } = await giveKey(dashboard.store, { owner: 'ministry', scopes: ['risk_scores'] });
  for (const path of ['/v1/risk/lgas?state=XX', '/v1/risk/lgas', '/v1/forecasts/skill', '/nowhere', '/v1/periods'])
    await dashboard.get(path, key);
  const { text } = await ada.open('/settings/usage');
  expect(text).toMatch(/404 UNKNOWN_STATE .+ \/v1\/risk\/lgas 2 /);
  expect(text).toMatch(/403 SCOPE_REQUIRED .+ \/v1\/forecasts\/skill 1 /);
  expect(text).toMatch(/404 NOT_FOUND .+ other paths 1 /);
});
