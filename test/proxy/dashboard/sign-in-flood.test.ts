/** A flood of sign-ins from ever new addresses: people who exist can sign in, and what is refused is counted. */
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { expect, test, vi } from 'vitest';
import { checkPassword, hashPassword } from '../../../proxy/store/people/passwords.ts';
import { type Dashboard, startDashboard } from '../../support/proxy/dashboard.ts';

vi.unmock('node:crypto');

const PER_SECOND = 200;
const PEOPLE = 6;

const signIns = async ({ opsUrl }: Dashboard, outcome: string) => {
  const metrics = await (await fetch(`${opsUrl}/metrics`)).text();
  return Number(new RegExp(`^malaria_sign_ins_total\\{outcome="${outcome}"\\} (\\d+)$`, 'm').exec(metrics)![1]);
};

/** Starts a flood, in a thread of its own. @returns a function that ends it and says how many there were */
async function flood(
  dashboard: Dashboard,
  perSecond: number,
): Promise<() => Promise<{ sent: number; answered: number }>> {
  const attacker = dashboard.visitor();
  const csrf = await attacker.csrf('/sign-in');
  const cookie = [...attacker.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const workerData = { url: dashboard.dashboardUrl, cookie, csrf, perSecond };
  const worker = new Worker(new URL('../../support/proxy/strangers.ts', import.meta.url), { workerData });
  return async () => {
    worker.postMessage('end');
    const [counts] = await once(worker, 'message');
    await worker.terminate();
    return counts;
  };
}

test('while two hundred strangers a second flood the page, people sign in, in known browsers and in new ones', async () => {
  const dashboard = await startDashboard();
  const emails = Array.from({ length: PEOPLE }, (_, i) => `person${i}@example.org`);
  for (const email of emails) await dashboard.person(email, 'member', 'ministry');
  const known = await Promise.all(emails.map((email) => dashboard.signedIn(email)));
  for (const one of known) await one.send('/profile', {}, '/sign-out');
  const stop = await flood(dashboard, PER_SECOND);
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
  const { sent, answered } = await stop();
  const median = times.sort((a, b) => a - b)[times.length >> 1]!;
  process.stdout.write(
    `${sent} strangers, ${answered} answered; people's sign-ins took ${median.toFixed()} ms (median), at most ${times.at(-1)!.toFixed()}\n`,
  );
  expect(answered).toBeGreaterThan(PER_SECOND);
  expect(median).toBeLessThan(3000);
  expect(await signIns(dashboard, 'wrong_password')).toBeGreaterThan(0);
});

test('a flood under the names of people neither keeps known browsers out nor lasts', async () => {
  const dashboard = await startDashboard();
  const emails = Array.from({ length: 70 }, (_, i) => `person${i}@example.org`);
  for (const email of emails) await dashboard.person(email, 'member', 'ministry');
  const known = await dashboard.signedIn('person0@example.org');
  await known.send('/profile', {}, '/sign-out');
  const attacker = dashboard.visitor();
  const csrf = await attacker.csrf('/sign-in');
  const attack = (round: number) =>
    emails.map(async (email, i) => {
      const headers = { 'x-forwarded-for': `10.0.${round}.${i}` };
      return (await attacker.post('/sign-in', { csrf, email, password: 'wrong' }, headers)).status;
    });
  const answers = Array.from({ length: 10 }, (_, round) => attack(round)).flat();
  await pause(500);
  const begin = performance.now();
  expect((await known.signIn('person0@example.org')).status).toBe(200);
  process.stdout.write(`in a known browser ${(performance.now() - begin).toFixed()} ms\n`);
  expect(new Set(await Promise.all(answers))).toEqual(new Set([403, 503]));
  expect(new Set(await Promise.all(attack(10)))).toEqual(new Set([429]));
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
