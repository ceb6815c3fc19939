import { expect } from 'vitest';
import { movableClock, testBackends } from '../../support/proxy/dashboard.ts';
import { giveKey } from '../../support/proxy/service.ts';

const LIST = '/settings/api-access';
const NEW_KEY = { name: 'Kano bulletin', kind: 'live', scopes: ['risk_scores', 'forecasts'], lasts: 'unlimited' };

testBackends('an account can have a hundred active keys, and create a hundred in an hour', async (start) => {
  const clock = movableClock();
  const dashboard = await start({ clock });
  await dashboard.person('ada@example.org', 'administrator', 'ministry');
  const ids: string[] = [];
  for (let i = 0; i < 100; i++) ids.push((await giveKey(dashboard.store, { owner: 'ministry' })).id);
  const ada = await dashboard.signedIn('ada@example.org');
  const csrf = await ada.csrf();
  const send = (form: string) => ada.post(LIST, { csrf, form, ...NEW_KEY });
  const full = await send('one');
  expect([full.status, full.text]).toEqual([400, expect.stringContaining('You have 100 active keys')]);
  for (const id of ids) await dashboard.store.revokeKey(id, Date.now());
  const made = await send('one');
  expect([made.status, made.html.includes('id="key"')], 'the same form, now that there is room').toEqual([200, true]);
  for (let i = 1; i < 100; i++) {
    await send(`more ${i}`);
    await dashboard.store.revokeKey((await dashboard.store.listKeys('ministry')).at(-1)!.key.id, Date.now());
  }
  expect((await send('yet another')).text).toContain('You have created too many keys');
  expect((await ada.open(LIST)).text).toMatch(/The newest 100 of \d+/);
  clock.forward(3_600_000 - 1);
  await ada.signIn('ada@example.org');
  clock.forward(1);
  expect((await ada.post(LIST, { csrf: await ada.csrf(), form: 'x', ...NEW_KEY })).html).toContain('id="key"');
});
