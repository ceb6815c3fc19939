/** A flood of sign-ins from ever new addresses: people who exist can sign in, and what is refused is counted. */
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { checkPassword, hashPassword } from '../../../proxy/store/people/passwords.ts';
import { type Dashboard, startDashboard } from '../../support/proxy/dashboard.ts';

vi.unmock('node:crypto');

const STRANGERS = 60;
const PEOPLE = 6;

const signIns = async ({ opsUrl }: Dashboard, outcome: string) => {
  const metrics = await (await fetch(`${opsUrl}/metrics`)).text();
  return Number(new RegExp(`^malaria_sign_ins_total\\{outcome="${outcome}"\\} (\\d+)$`, 'm').exec(metrics)![1]);
};

/**
 * Strangers who sign in again and again, each time from another /64, until the returned function is called; it returns
 * how many times.
 */
async function flood(dashboard: Dashboard): Promise<() => Promise<number>> {
  const attacker = dashboard.visitor();
  const csrf = await attacker.csrf('/sign-in');
  let [sent, isOver] = [0, false];
  const stranger = async () => {
    while (!isOver) {
      const name = sent++;
      const from = { 'x-forwarded-for': `2001:db8:${(name >> 8).toString(16)}:${(name & 255).toString(16)}::1` };
      await attacker.post('/sign-in', { csrf, email: `nobody${name}@example.org`, password: 'wrong' }, from);
    }
  };
  const strangers = Array.from({ length: STRANGERS }, stranger);
  return async () => {
    isOver = true;
    await Promise.all(strangers);
    return sent;
  };
}

test('while sixty strangers flood the page, people sign in, in known browsers and in new ones', async () => {
  const dashboard = await startDashboard();
  const emails = Array.from({ length: PEOPLE }, (_, i) => `person${i}@example.org`);
  for (const email of emails) await dashboard.person(email, 'member', 'ministry');
  const known = await Promise.all(emails.map((email) => dashboard.signedIn(email)));
  for (const one of known) await one.send('/profile', {}, '/sign-out');
  const stop = await flood(dashboard);
  await pause(2000);
  const times: number[] = [];
  for (const [i, email] of emails.entries()) {
    const elsewhere = dashboard.visitor({ 'x-forwarded-for': `198.51.100.${i}` });
    for (const visitor of [known[i]!, elsewhere]) {
      const begin = performance.now();
      expect((await visitor.signIn(email)).status).toBe(200);
      times.push(performance.now() - begin);
    }
  }
  const sent = await stop();
  const median = times.sort((a, b) => a - b)[times.length >> 1]!;
  process.stdout.write(
    `${sent} strangers; people's sign-ins took ${median.toFixed()} ms (median), at most ${times.at(-1)!.toFixed()}\n`,
  );
  expect(sent).toBeGreaterThan(200);
  expect(median).toBeLessThan(3000);
  expect(await signIns(dashboard, 'wrong_password')).toBeGreaterThan(0);
});

test('a sign-in that the service is too busy for is counted and reported', async () => {
  const dashboard = await startDashboard();
  await dashboard.person('ada@example.org', 'member', 'ministry');
  const send = await dashboard.visitor().fillIn('/sign-in', { email: 'ada@example.org', password: 'wrong' });
  const stored = await hashPassword('another');
  const others = Promise.allSettled(Array.from({ length: 500 }, () => checkPassword('x', stored)));
  expect((await send()).status).toBe(503);
  await others;
  expect(await signIns(dashboard, 'too_busy')).toBe(1);
  expect(dashboard.reports).toContainEqual(
    expect.stringMatching(/too many passwords to check at once, most recently from 127\.0\.0\.0\/24$/),
  );
});
